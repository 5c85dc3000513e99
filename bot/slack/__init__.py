"""Slack: questions in, answers with their sources into the thread. The only part that knows Slack."""
