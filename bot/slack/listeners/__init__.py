"""What Slack sends, one file a family of events. Each handler parses, calls and renders; the work is done elsewhere."""
