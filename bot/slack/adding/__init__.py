"""Documents that people add in Slack: fetched, looked at, indexed, and told of in one message."""
