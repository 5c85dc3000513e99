"""Documents that are added, listed and taken out by people in Slack."""
