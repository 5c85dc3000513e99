"""The bot in Slack: everything is opened, the listeners are registered, and events come in by socket or by HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import aiohttp
from aiohttp import web
from aiohttp.typedefs import Handler
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackClientError

from bot.answering.answerer import Answerer
from bot.ledger import Ledger
from bot.settings import BotSettings
from bot.slack.adding.desk import AddingDesk
from bot.slack.adding.forgetting import Forgetting
from bot.slack.alerts import Alerts
from bot.slack.changes import Changes
from bot.slack.connection import (
    TIMEOUT_SECONDS,
    UNREACHABLE,
    SlackUnavailable,
    open_client,
    see_app_token,
    see_settings,
    stay_connected,
    who_am_i,
)
from bot.slack.desk import Desk
from bot.slack.directory import Directory
from bot.slack.files import Attachments
from bot.slack.home import Homes
from bot.slack.housekeeping import forget_what_is_old, warm_up
from bot.slack.intake import FollowUps, Intake
from bot.slack.listeners import adding as adding_listener
from bot.slack.listeners import (
    again,
    agent,
    answers,
    commands,
    deletions,
    directory,
    docs,
    feedback,
    home,
    questions,
    rest,
    shortcuts,
)
from bot.slack.parts import Parts
from bot.slack.removing import Removing
from bot.slack.reply import SlackReplies
from bot.slack.sending.posting import Poster
from bot.slack.workspace import Workspace
from bot.texts import ENGLISH
from indexer import Indexer, Leases, SettingsInvalid, new_executor_id

# A socket on which nothing came for one and a half of them is given up, so the loop may stall for half of one.
PING_SECONDS = 8.0
EVENTS_PATH = "/slack/events"


@dataclass(frozen=True, slots=True)
class SlackBot:
    """The bot, open. ``app`` takes events as soon as it is connected."""

    app: AsyncApp
    parts: Parts
    desk: Desk
    adding: AddingDesk


@asynccontextmanager
async def open_bot(settings: BotSettings, library: Indexer, answerer: Answerer) -> AsyncIterator[SlackBot]:
    """The bot without a connection: what a dead process left is taken over, nothing new comes in yet.

    Raises SettingsInvalid for a token that Slack refuses, SlackUnavailable and CatalogueUnavailable.
    """
    see_settings(settings)
    async with AsyncExitStack() as stack:
        client = open_client(settings)
        # One session for all calls: a connection is kept open, where each call would make its own.
        client.session = await stack.enter_async_context(
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=TIMEOUT_SECONDS))
        )
        me, enterprise = await who_am_i(client)
        people = Directory(client, me.team, enterprise=enterprise, me=me.user_id)
        stack.push_async_callback(people.close)
        executor = new_executor_id()
        parts = Parts(
            settings=settings,
            me=me,
            client=client,
            library=library,
            ledger=await Ledger.open(library.database),
            answerer=answerer,
            workspace=Workspace(library, settings, me.team),
            directory=people,
            attachments=Attachments(client, library, settings),
            poster=Poster(client),
        )
        leases = Leases(library.database, executor)
        desk = Desk(parts.ledger, leases, executor, SlackReplies(parts))
        homes = Homes(parts)
        adding = AddingDesk(parts, leases, executor, settled=homes.refresh)
        forgetting = Forgetting(parts, settled=homes.refresh)
        changes = Changes(parts.ledger, people, executor, changed=homes.refresh)
        await changes.open()
        app = build(parts, desk, adding, forgetting, homes, changes)
        for work in (
            people.stay_warm(),
            changes.keep_up(),
            warm_up(parts),
            forget_what_is_old(parts),
            forgetting.go_on(),
            Alerts(parts, executor).watch(),
        ):
            task = asyncio.create_task(work)
            stack.callback(task.cancel)
        await desk.open()
        stack.push_async_callback(desk.close)
        await adding.open()
        stack.push_async_callback(adding.close)
        yield SlackBot(app, parts, desk, adding)


def build(
    parts: Parts, desk: Desk, adding: AddingDesk, forgetting: Forgetting, homes: Homes, changes: Changes
) -> AsyncApp:
    """Bolt with all listeners; the first that matches takes an event, so those that take anything come last."""
    settings = parts.settings
    secret = settings.slack_signing_secret
    app = AsyncApp(
        client=parts.client,
        signing_secret=secret.get_secret_value() if secret else "only for HTTP",
        name="situate",
    )
    deletions.register(app, forgetting)
    questions.register(app, parts, desk, Intake(parts.me, parts.ledger, FollowUps.parse(settings.follow_ups)))
    removing = Removing(parts, homes)
    docs.register(app, parts, adding, removing)
    adding_listener.register(app, parts, desk, adding)
    commands.register(app, parts, desk)
    answers.register(app, parts, adding)
    again.register(app, parts, desk)
    feedback.register(app, parts)
    home.register(app, parts, homes, removing)
    agent.register(app, parts, desk)
    directory.register(app, parts, homes, changes)
    shortcuts.register(app, parts, desk)
    rest.register(app)
    return app


@asynccontextmanager
async def by_socket(bot: SlackBot, settings: BotSettings) -> AsyncIterator[None]:
    """Connected by Socket Mode. Raises SettingsInvalid and SlackUnavailable."""
    token = await see_app_token(bot.parts.client, settings)
    handler = AsyncSocketModeHandler(bot.app, token, ping_interval=PING_SECONDS)
    try:
        try:
            await handler.client.connect()  # type: ignore[no-untyped-call]  # the SDK gives it no types
        except (SlackClientError, aiohttp.ClientError, OSError, TimeoutError) as error:
            raise SlackUnavailable(UNREACHABLE) from error
        bot.parts.signs.connected_by(handler.client.is_connected)
        staying = asyncio.create_task(stay_connected(handler.client, PING_SECONDS))
        try:
            yield
        finally:
            staying.cancel()
    finally:
        bot.parts.signs.connected_by(None)
        await handler.client.close()  # type: ignore[no-untyped-call]  # the SDK gives it no types
        await handler.client.aiohttp_client_session.close()


@asynccontextmanager
async def by_http(bot: SlackBot, settings: BotSettings) -> AsyncIterator[None]:
    """Listening for Slack's requests, each checked by its signature. Raises SettingsInvalid."""
    see_settings(settings, http=True)
    server = bot.app.server(port=settings.http_port, path=EVENTS_PATH, host=settings.http_host).web_app
    server.router.add_get("/health", _health)
    server.middlewares.append(_only_with_a_time)
    runner = web.AppRunner(server, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, settings.http_host, settings.http_port)
        try:
            await site.start()
        except OSError as error:
            where = f"{settings.http_host}:{settings.http_port}"
            raise SettingsInvalid(f"Nothing can listen at {where}; set HTTP_HOST and HTTP_PORT.") from error
        yield
    finally:
        await runner.cleanup()


@web.middleware
async def _only_with_a_time(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Bolt takes the time of a signature for a number; where it is none, nobody of Slack's has signed."""
    moment = request.headers.get("X-Slack-Request-Timestamp", "")
    if request.path == EVENTS_PATH and not (moment.isascii() and moment.isdigit()):
        return web.Response(status=401, text="This request is not signed by Slack.")
    return await handler(request)


async def _health(request: web.Request) -> web.Response:
    return web.Response(text="ok")


async def knock(settings: BotSettings, *, http: bool) -> None:
    """See that Slack lets the bot in, before anything that takes long is opened.

    Raises SettingsInvalid and SlackUnavailable.
    """
    see_settings(settings, http=http)
    client = open_client(settings)
    await who_am_i(client)
    if not http:
        await see_app_token(client, settings)


async def serve(
    settings: BotSettings, library: Indexer, answerer: Answerer, *, http: bool, tell: Callable[[str], None]
) -> None:
    """Be there in Slack until cancelled; ``tell`` shows a sentence on the terminal.

    Raises SettingsInvalid, SlackUnavailable and CatalogueUnavailable where the bot cannot begin.
    """
    async with open_bot(settings, library, answerer) as bot:
        connected = by_http(bot, settings) if http else by_socket(bot, settings)
        async with connected:
            where = f"http://{settings.http_host}:{settings.http_port}{EVENTS_PATH}" if http else "Socket Mode"
            workspace = await bot.parts.workspace.name()
            documents = await library.documents(workspace, None)
            count = ENGLISH.say("documents", count=sum(not one.audience.is_passing for one in documents))
            tell(f"Situate answers in Slack ({where}), from {count} of the workspace {workspace}.")
            tell("Mention it in a channel, write to it, or stop it with Ctrl-C.")
            await asyncio.Event().wait()
