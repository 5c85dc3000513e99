"""Questions in, cited answers out: Claude, its search tool, the check of its citations. Knows nothing of Slack."""
