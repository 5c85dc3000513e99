"""Settings of the bot, from the environment or a ``.env`` file. Built in ``__main__`` and passed down."""

from __future__ import annotations

from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class BotSettings(BaseSettings):
    """Each field is an environment variable of the same name in capitals; each stands in the README's table."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", env_ignore_empty=True, frozen=True)

    anthropic_api_key: SecretStr | None = Field(
        default=None, description="Key for Claude. Without it passages are shown."
    )
    anthropic_base_url: str | None = Field(default=None, description="Another address for Claude's API.")
    answer_model: str = Field(default="claude-sonnet-5-5", description="Model that answers.")
    answer_thinking: Literal["default", "adaptive", "between_tools", "disabled"] = Field(
        default="default", description="How the answering model thinks, where it lets one choose."
    )
    answer_max_tokens: int = Field(default=4_096, ge=256, le=64_000, description="Longest answer, thinking included.")
    answer_seconds: float = Field(default=180.0, gt=0, description="Longest time for one answer.")
    max_searches: int = Field(default=8, ge=1, le=50, description="Most searches for one question.")
    claude_timeout_seconds: float = Field(default=120.0, gt=0, description="Longest wait for Claude without a byte.")
    prices_file: Path | None = Field(default=None, description="JSON file of prices that replaces the built-in table.")
    workspace: str = Field(
        default="local", description="Workspace of the command line. Set, Slack uses it, too; default: the team's own."
    )
    slack_bot_token: SecretStr | None = Field(default=None, description="The app's bot token (xoxb-…).")
    slack_app_token: SecretStr | None = Field(default=None, description="App-level token for Socket Mode (xapp-…).")
    slack_signing_secret: SecretStr | None = Field(default=None, description="Signing secret, for HTTP mode only.")
    slack_api_url: str = Field(default="https://slack.com/api/", description="Address of Slack's Web API.")
    ask_command: str = Field(
        default="/ask", pattern=r"^/[a-z0-9_-]{1,31}$", description="Slash command that asks; also in manifest.yml."
    )
    follow_ups: str = Field(
        default="on", description="Untagged follow-ups: on, or mention; by channel: on, C0123=mention."
    )
    thread_tokens: int = Field(
        default=8_000, ge=0, le=200_000, description="Most tokens of a thread that are shown to Claude."
    )
    attachment_days: int = Field(
        default=30, ge=1, le=3_650, description="Days that a file attached to a question is kept."
    )
    http_host: str = Field(default="127.0.0.1", description="Address that HTTP mode listens on.")
    http_port: int = Field(default=3_000, ge=1, le=65_535, description="Port that HTTP mode listens on.")

    @field_validator("slack_api_url")
    @classmethod
    def _is_web_address(cls, value: str) -> str:
        try:
            parts = urlsplit(value)
            fits = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            fits = False
        if not fits:
            raise ValueError("it must be an address such as https://slack.com/api/")
        return value
