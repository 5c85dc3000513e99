"""The client of Slack's Web API, and who the bot is there."""

from __future__ import annotations

import asyncio
import logging
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncRateLimitErrorRetryHandler,
    AsyncServerErrorRetryHandler,
)
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.web.async_client import AsyncWebClient

from bot.settings import BotSettings
from bot.slack.intake import FollowUps, Me
from indexer import SettingsInvalid, Unavailable

log = logging.getLogger(__name__)

TIMEOUT_SECONDS = 30
LOOK_SECONDS = 0.2  # between two looks whether the socket was closed
RETRIES = 2

# Words of Slack's for a token that will never work, however often it is tried.
REFUSED = {
    "invalid_auth": "Slack does not know the bot token; check SLACK_BOT_TOKEN (it begins with xoxb-).",
    "not_authed": "Slack does not know the bot token; check SLACK_BOT_TOKEN (it begins with xoxb-).",
    "account_inactive": "The app was removed from the workspace; install it again and set SLACK_BOT_TOKEN.",
    "token_revoked": "The bot token was revoked; install the app again and put its token in SLACK_BOT_TOKEN.",
    "token_expired": "The bot token has expired; install the app again and put its token in SLACK_BOT_TOKEN.",
    "not_allowed_token_type": "SLACK_BOT_TOKEN is no bot token; take the one that begins with xoxb-.",
}


UNREACHABLE = "Slack cannot be reached; check the network and SLACK_API_URL."
_APP_TOKEN = frozenset({"invalid_auth", "not_authed", "not_allowed_token_type", "missing_scope", "token_revoked"})


class SlackUnavailable(Unavailable):
    """Slack does not answer, or not as it should."""


def see_settings(settings: BotSettings, *, http: bool = False) -> None:
    """Raise SettingsInvalid for what can be seen to be wrong without asking anybody."""
    try:
        FollowUps.parse(settings.follow_ups)
    except ValueError as error:
        raise SettingsInvalid(f"FOLLOW_UPS: {error}") from error
    if http and settings.slack_signing_secret is None:
        raise SettingsInvalid(
            "SLACK_SIGNING_SECRET is missing; it is on the app's page under Basic Information. HTTP mode needs it."
        )


async def see_app_token(client: AsyncWebClient, settings: BotSettings) -> str:
    """The app-level token, which Slack takes. Raises SettingsInvalid and SlackUnavailable.

    Asked by ourselves: the SDK's own client would ask for ever, in silence, with a token that is refused.
    """
    if settings.slack_app_token is None:
        raise SettingsInvalid(
            "SLACK_APP_TOKEN is missing; make an app-level token with connections:write, or start with --http."
        )
    token = settings.slack_app_token.get_secret_value()
    try:
        await client.apps_connections_open(app_token=token)
    except SlackApiError as error:
        code = str(error.response.get("error", ""))
        if code in _APP_TOKEN:
            raise SettingsInvalid(
                "Slack does not take the app-level token; check SLACK_APP_TOKEN (it begins with xapp- and has the "
                f"scope connections:write). Slack says: {code}."
            ) from error
        raise SlackUnavailable(f"Slack opens no connection ({code}); try again in a minute.") from error
    except (SlackClientError, aiohttp.ClientError, OSError, TimeoutError) as error:
        raise SlackUnavailable(UNREACHABLE) from error
    return token


async def stay_connected(socket: SocketModeClient, pause: float) -> None:
    """Connect anew as soon as the socket is closed, at most once in ``pause`` seconds, until cancelled.

    The SDK looks only once a ping; what Slack cannot deliver twice within that time comes a minute later.
    """
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        session = socket.current_session
        if session is None or not session.closed:
            continue
        try:
            await socket.connect_to_new_endpoint()
        except (SlackClientError, aiohttp.ClientError, OSError, TimeoutError) as error:
            log.warning("the connection to Slack is closed and could not be opened again yet: %s", type(error).__name__)
        await asyncio.sleep(pause)


def open_client(settings: BotSettings) -> AsyncWebClient:
    """A client that waits for rate limits and tries again what a server or the network failed at."""
    if settings.slack_bot_token is None:
        raise SettingsInvalid("SLACK_BOT_TOKEN is missing; it is on the app's page under OAuth & Permissions.")
    url = settings.slack_api_url
    return AsyncWebClient(
        token=settings.slack_bot_token.get_secret_value(),
        base_url=url if url.endswith("/") else f"{url}/",
        timeout=TIMEOUT_SECONDS,
        retry_handlers=[
            AsyncConnectionErrorRetryHandler(max_retry_count=RETRIES),
            AsyncRateLimitErrorRetryHandler(max_retry_count=RETRIES),
            AsyncServerErrorRetryHandler(max_retry_count=RETRIES),
        ],
    )


async def who_am_i(client: AsyncWebClient) -> tuple[Me, str | None]:
    """The bot's own ids, and the organisation of its workspace. Raises SettingsInvalid and SlackUnavailable."""
    try:
        told = await client.auth_test()
    except SlackApiError as error:
        code = str(error.response.get("error", ""))
        if code in REFUSED:
            raise SettingsInvalid(REFUSED[code]) from error
        raise SlackUnavailable(f"Slack does not let us in ({code}); try again in a minute.") from error
    except (SlackClientError, aiohttp.ClientError, OSError, TimeoutError) as error:
        raise SlackUnavailable(UNREACHABLE) from error
    host = urlsplit(str(told.get("url") or "")).hostname or ""
    me = Me(str(told["user_id"]), str(told.get("bot_id") or ""), str(told["team_id"]), host)
    return me, told.get("enterprise_id")
