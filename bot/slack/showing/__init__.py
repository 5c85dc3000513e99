"""How things look in Slack, as pure builders: what stands under an answer, messages and forms."""
