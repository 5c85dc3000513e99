"""Words out to Slack: made safe, split, streamed, posted once, whatever Slack does to a call."""
