"""Settings of the bot, from the environment or a ``.env`` file. Built in ``__main__`` and passed down."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

_ADDERS: Final[dict[str, Literal["employees", "admins", "everybody"]]] = {
    "employees": "employees",
    "admins": "admins",
    "everybody": "everybody",
}
_USER_ID: Final = re.compile(r"[UW][A-Z0-9]+")
_CHANNEL: Final = re.compile(r"#?[^\s#@,<>]{1,80}")


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
    day_cap_usd: float | None = Field(
        default=None,
        ge=0,
        allow_inf_nan=False,
        description="Most US dollars for Claude a day (UTC), contexts and answers; at the cap it is not asked.",
    )
    hour_cap_questions: int | None = Field(
        default=None, ge=1, description="Most questions of one person an hour that Claude is asked."
    )
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
    docs_command: str = Field(
        default="/docs",
        pattern=r"^/[a-z0-9_-]{1,31}$",
        description="Slash command for documents; also in manifest.yml.",
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
    admin_users: str | None = Field(
        default=None,
        description="Administrators of this app, user ids with commas. Default: the workspace's admins and owners.",
    )
    who_may_add: str = Field(
        default="employees",
        description="Who may add documents: employees, admins, everybody (guests for their channel), or user ids.",
    )
    confirm_cost_usd: float = Field(
        default=1.0, ge=0, allow_inf_nan=False, description="Adding what costs more than this many dollars asks first."
    )
    admin_channel: str | None = Field(
        default=None,
        description="Channel, by id or #name, that is told what breaks; the app must be in it. Default: the log alone.",
    )
    http_host: str = Field(default="127.0.0.1", description="Address that HTTP mode listens on.")
    http_port: int = Field(default=3_000, ge=1, le=65_535, description="Port that HTTP mode listens on.")

    @property
    def admins(self) -> frozenset[str] | None:
        """Who administers this app; None for whoever administers the workspace."""
        return None if self.admin_users is None else _user_ids(self.admin_users)

    @property
    def adders(self) -> Literal["employees", "admins", "everybody"] | frozenset[str]:
        """Who may add documents."""
        return _ADDERS.get(self.who_may_add.strip().lower()) or _user_ids(self.who_may_add)

    @field_validator("admin_users", "who_may_add")
    @classmethod
    def _names_people(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is None:
            return None
        if info.field_name == "who_may_add" and value.strip().lower() in _ADDERS:
            return value
        wrong = sorted(id for id in _user_ids(value) if not _USER_ID.fullmatch(id))
        if wrong or not _user_ids(value):
            words = f"{', '.join(_ADDERS)}, or " if info.field_name == "who_may_add" else ""
            raise ValueError(
                f"'{wrong[0] if wrong else value}' is not understood; use {words}ids of people, such as: U0123, U0456"
            )
        return value

    @field_validator("docs_command")
    @classmethod
    def _is_another(cls, value: str, info: ValidationInfo) -> str:
        if value == info.data.get("ask_command"):
            raise ValueError("it must be another command than ASK_COMMAND, such as: /docs")
        return value

    @field_validator("admin_channel")
    @classmethod
    def _names_channel(cls, value: str | None) -> str | None:
        if value is not None and not _CHANNEL.fullmatch(value.strip()):
            raise ValueError("it must be one channel's id or name, such as: C0123456, or #ops")
        return value

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


def _user_ids(text: str) -> frozenset[str]:
    """The parts between commas: ``"U1, U2"`` is U1 and U2."""
    return frozenset(part.strip() for part in text.split(",") if part.strip())
