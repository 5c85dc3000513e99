"""``python -m bot doctor``: looks at the Slack app and at all that it needs, and says what to mend."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import aiohttp
import yaml  # type: ignore[import-untyped]  # it has no types of its own
from pydantic import SecretStr
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot import health
from bot.health import Check
from bot.ledger import Ledger
from bot.settings import BotSettings
from bot.slack import admin_channel
from bot.slack.intake import FollowUps
from bot.slack.workspace import Workspace
from indexer import Indexer, IndexerSettings, SituateError

MANIFEST = Path(__file__).parents[2] / "manifest.yml"
SLACK_SECONDS = 15

_README = "README, 'Slack in ten minutes', says where it comes from."
_REINSTALL = "Paste manifest.yml into the app's page 'App Manifest', save, and reinstall the app."
_KINDS: Final = {"xoxb-": "a bot token", "xapp-": "an app-level token", "xoxp-": "a user token"}
_SIGNING_SECRET = re.compile(r"[0-9a-z]{32}")
_REFUSED: Final = {
    "invalid_auth": "Slack does not know the token.",
    "not_authed": "Slack does not know the token.",
    "account_inactive": "The token's app was removed from the workspace.",
    "token_revoked": "The token was revoked.",
    "token_expired": "The token has expired.",
    "not_allowed_token_type": "It is a token of another kind.",
}


@dataclass(slots=True)
class _Look:
    """What was seen in Slack; ``team`` is the workspace's id where the bot token is good."""

    checks: list[Check] = field(default_factory=list)
    team: str | None = None


async def examine(
    settings: BotSettings, indexer_settings: IndexerSettings, *, tell: Callable[[str], None] = lambda sentence: None
) -> list[Check]:
    """Everything that is looked at, in the order in which it is shown. Nothing is paid, nothing is posted.

    The catalogue and an embedded Weaviate are opened as the bot would open them. ``tell`` gets sentences about what
    takes long. Raises nothing that is ours.
    """
    tell("Asking Slack and Claude …")
    asking_slack = asyncio.create_task(_slack(settings))
    asking_claude = asyncio.create_task(health.claude(settings, indexer_settings))
    stored: list[Check] = []
    events: list[Check] = []
    try:
        async with health.catalogue(indexer_settings, stored, tell) as library:
            if library is not None:
                tell("Opening the database …")
                stored += await health.search(library)
                team = (await asking_slack).team
                stored += await _documents(library, settings, team)
                events += await _events(library, team)
        slack = await asking_slack
        disk = await health.room(indexer_settings)
        return [*slack.checks, *events, *_settings(settings), *await asking_claude, *stored, *disk]
    finally:
        asking_slack.cancel()
        asking_claude.cancel()


def manifest() -> dict[str, Any]:
    """``manifest.yml`` as data. Blocking."""
    read: dict[str, Any] = yaml.safe_load(MANIFEST.read_text("utf-8"))
    return read


def manifest_scopes() -> frozenset[str]:
    """The bot token's scopes that ``manifest.yml`` asks for."""
    return frozenset(manifest()["oauth_config"]["scopes"]["bot"])


# -- Slack ---------------------------------------------------------------------------------------------------------


async def _slack(settings: BotSettings) -> _Look:
    look = _Look()
    wrong = _shape("SLACK_BOT_TOKEN", settings.slack_bot_token, "xoxb-")
    if wrong is not None:
        look.checks.append(wrong)
    elif settings.slack_bot_token is not None:
        client = _client(settings, settings.slack_bot_token)
        await _bot(client, look)
        if look.team is not None:
            look.checks += await admin_channel.looked_at(client, settings.admin_channel)
    look.checks += await _way_in(settings)
    return look


async def _bot(client: AsyncWebClient, look: _Look) -> None:
    """Who the bot token is, and what it may do."""
    try:
        told = await client.auth_test()
    except Exception as error:  # noqa: BLE001 - whatever a call raises is told in one sentence
        advice = f"Copy the Bot User OAuth Token from the app's page 'OAuth & Permissions' into .env. {_README}"
        look.checks.append(_not_taken("SLACK_BOT_TOKEN", error, advice))
        return
    look.team = str(told.get("team_id") or "") or None
    found = f"It is @{told.get('user')} in {told.get('team')} ({look.team})."
    look.checks.append(Check("SLACK_BOT_TOKEN", True, found))
    headers = {str(name).lower(): str(value) for name, value in told.headers.items()}
    look.checks.append(_scopes(headers.get("x-oauth-scopes")))


def _scopes(granted: str | None) -> Check:
    """What was granted beside what ``manifest.yml`` asks for."""
    if granted is None:
        return Check("Scopes", None, "Slack did not say which scopes the token has.", _REINSTALL)
    have = {scope.strip() for scope in granted.split(",") if scope.strip()}
    wanted = manifest_scopes()
    if missing := sorted(wanted - have):
        return Check("Scopes", False, f"Missing: {', '.join(missing)}.", _REINSTALL)
    if extra := sorted(have - wanted):
        return Check("Scopes", None, f"All are there. Not needed: {', '.join(extra)}.", _REINSTALL)
    return Check("Scopes", True, f"All {len(wanted)} of manifest.yml are granted.")


async def _way_in(settings: BotSettings) -> list[Check]:
    """How events come in: by Socket Mode where there is an app token, else by HTTP."""
    secret = settings.slack_signing_secret
    checks = []
    if settings.slack_app_token is not None or secret is None:
        wrong = _shape("SLACK_APP_TOKEN", settings.slack_app_token, "xapp-")
        checks.append(wrong if wrong is not None else await _socket_mode(settings))
    if secret is not None:
        where = f"{settings.http_host}:{settings.http_port}"
        if _SIGNING_SECRET.fullmatch(secret.get_secret_value()):
            found = (
                f"It is set, for HTTP mode (python -m bot --http, at {where}). Only an event shows whether it is right."
            )
            checks.append(Check("SLACK_SIGNING_SECRET", True, found))
        else:
            advice = "Copy it from the app's page 'Basic Information'; it is 32 letters and digits."
            checks.append(Check("SLACK_SIGNING_SECRET", False, "It does not look like a signing secret.", advice))
    return checks


async def _socket_mode(settings: BotSettings) -> Check:
    token = settings.slack_app_token
    assert token is not None  # noqa: S101 - its shape was looked at; this tells the type checker
    try:
        await _client(settings, token).apps_connections_open(app_token=token.get_secret_value())
    except Exception as error:  # noqa: BLE001 - whatever a call raises is told in one sentence
        if _code(error) in ("missing_scope", "no_permission"):
            advice = "Make a new app-level token with connections:write on 'Basic Information', and put it into .env."
            return Check("SLACK_APP_TOKEN", False, "It lacks the scope connections:write.", advice)
        advice = f"Turn on Socket Mode on the app's page, and put an app-level token into .env. {_README}"
        return _not_taken("SLACK_APP_TOKEN", error, advice)
    return Check("SLACK_APP_TOKEN", True, "Socket Mode is on, and a connection may be opened.")


def _shape(name: str, token: SecretStr | None, begins: str) -> Check | None:
    """What is wrong with a token at first sight; None where it looks right."""
    if token is None:
        return Check(name, False, "It is not set.", f"Put it into .env ({begins}…). {_README}")
    value = token.get_secret_value()
    kind = next((kind for prefix, kind in _KINDS.items() if value.startswith(prefix)), "no token of Slack's")
    if not value.startswith(begins):
        return Check(name, False, f"It is {kind}, not {_KINDS[begins]}.", f"It begins with {begins}. {_README}")
    if re.search(r"\s|…|['\"]", value) or len(value) < 12:
        return Check(name, False, "It is not whole, or has something else in it.", f"Copy it again. {_README}")
    return None


def _client(settings: BotSettings, token: SecretStr) -> AsyncWebClient:
    return AsyncWebClient(token=token.get_secret_value(), base_url=settings.slack_api_url, timeout=SLACK_SECONDS)


def _not_taken(name: str, error: Exception, advice: str) -> Check:
    """A call that failed: by Slack's refusal, or on the way to it."""
    code = _code(error)
    if code:
        return Check(name, False, _REFUSED.get(code, f"Slack refuses it ({code})."), advice)
    if isinstance(error, aiohttp.ClientError | TimeoutError | OSError | SlackClientError | ValueError):
        return Check(name, False, "Slack cannot be reached.", "Check the network, its proxy and SLACK_API_URL.")
    return Check(name, False, f"Something unexpected went wrong ({type(error).__name__}).", "Try again.")


def _code(error: Exception) -> str:
    """Slack's word for an error, such as ``invalid_auth``; "" where Slack did not answer as Slack does."""
    response = error.response if isinstance(error, SlackApiError) else None
    told = response.get("error") if response is not None and not isinstance(response, str) else None
    return told if isinstance(told, str) and re.fullmatch(r"[a-z0-9_]{1,60}", told) else ""


# -- what the bot needs besides ------------------------------------------------------------------------------------


def _settings(settings: BotSettings) -> list[Check]:
    """Settings that are wrong in a way that only their reader sees."""
    checks = []
    try:
        FollowUps.parse(settings.follow_ups)
    except ValueError as error:
        checks.append(Check("FOLLOW_UPS", False, str(error)))
    commands = {command["command"] for command in manifest()["features"]["slash_commands"]}
    for name, command in (("ASK_COMMAND", settings.ask_command), ("DOCS_COMMAND", settings.docs_command)):
        if command not in commands:
            found = f"{command} is not among the commands of manifest.yml."
            advice = f"See that the app has it, on its page 'Slash Commands', or set {name} to one that it has."
            checks.append(Check(name, None, found, advice))
    return checks


async def _documents(library: Indexer, settings: BotSettings, team: str | None) -> list[Check]:
    """The documents that are searched in Slack; those of the command line where no team is known."""
    if team is None:
        return await health.documents(library, settings.workspace)
    try:
        return await health.documents(library, await Workspace(library, settings, team).name())
    except SituateError as error:
        return [Check("Documents", False, str(error))]


async def _events(library: Indexer, team: str | None) -> list[Check]:
    """Whether questions arrive. Subscriptions cannot be read with these tokens, so what came is all there is to see."""
    if team is None:
        return []
    try:
        last = await (await Ledger.open(library.database)).last_event(team)
    except SituateError as error:
        return [Check("Events", False, str(error))]
    if last is not None:
        return [Check("Events", True, f"The last question came {_ago(datetime.now(UTC) - last)}.")]
    advice = (
        "Start the bot, invite it into a channel (/invite @Situate), mention it. If nothing comes: see that the app's "
        "page 'Event Subscriptions' is on and lists the events of manifest.yml, and reinstall the app."
    )
    return [Check("Events", None, "No question has come yet.", advice)]


def _ago(since: timedelta) -> str:
    minutes = max(0, int(since.total_seconds() // 60))
    for size, unit in ((1440, "day"), (60, "hour"), (1, "minute")):
        if minutes >= size:
            count = minutes // size
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"
