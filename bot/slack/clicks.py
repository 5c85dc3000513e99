"""A click on a button or a menu, as plain values, and how the person who clicked is told something."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp
from slack_bolt.async_app import AsyncAck
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.answering.trouble import logged
from bot.slack.intake import Me
from bot.slack.parts import Parts
from bot.slack.sending.posting import NotPosted, Place
from bot.slack.showing.messages import Message, sentence_message, trouble_message

log = logging.getLogger(__name__)

TROUBLE = (NotPosted, SlackClientError, aiohttp.ClientError, TimeoutError, OSError)


@dataclass(frozen=True, slots=True)
class Click:
    """Who clicked what where. ``value`` is the button's or the chosen option's. ``ephemeral``: on a message that only
    this person sees. ``thread`` is the root of the message's thread, "" where it is in none. ``user_team`` is where the
    person comes from, None where Slack does not tell.
    """

    user: str
    user_team: str | None
    team: str
    channel: str
    message: str
    thread: str
    value: str
    trigger: str
    response_url: str | None
    ephemeral: bool

    @property
    def place(self) -> Place:
        return Place(self.team, self.channel, self.thread or None, self.user, self.user_team)


def click_of(body: Mapping[str, Any], me: Me) -> Click:
    """The click in a ``block_actions`` payload; fields that are missing are ""."""

    def inner(*names: str) -> Any:
        found: Any = body
        for name in names:
            found = found.get(name) if isinstance(found, Mapping) else None
        return found

    action = (body.get("actions") or [{}])[0]
    value = action.get("value") or (action.get("selected_option") or {}).get("value") or ""
    return Click(
        user=str(inner("user", "id") or ""),
        user_team=inner("user", "team_id"),
        team=me.team,
        channel=str(inner("channel", "id") or inner("container", "channel_id") or ""),
        message=str(inner("container", "message_ts") or inner("message", "ts") or ""),
        thread=str(inner("message", "thread_ts") or inner("container", "thread_ts") or ""),
        value=str(value),
        trigger=str(body.get("trigger_id") or ""),
        response_url=body.get("response_url"),
        ephemeral=bool(inner("container", "is_ephemeral")),
    )


def on_click(parts: Parts, work: Callable[[Click], Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """A listener that acknowledges a click and does ``work``; what goes wrong is told to whoever clicked."""

    async def clicked(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        click = click_of(body, parts.me)
        try:
            await work(click)
        except Exception as error:  # noqa: BLE001 whoever clicks gets a sentence, whatever is wrong in here
            texts = await parts.texts(click.user)
            sentence = texts.of_error(error)
            await tell(parts, click, trouble_message(sentence, texts, reference=logged(sentence, error)))

    return clicked


async def open_form(parts: Parts, trigger: str, view: dict[str, Any]) -> str | None:
    """Open a form; its id, by which it is filled. None where it is too late or Slack is away: the person can try again.

    ``trigger`` is good once, for three seconds: what the form is filled with is looked up after it is open.
    """
    try:
        opened = await parts.client.views_open(trigger_id=trigger, view=view)
        return str(opened["view"]["id"])
    except Exception as error:  # noqa: BLE001 whatever it is, the form is not there
        log.warning("a form could not be opened: %s", reason(error))
        return None


async def fill_form(parts: Parts, id: str, view: dict[str, Any]) -> None:
    """Put something else into an open form; one that was closed meanwhile is none of our trouble."""
    await try_to(parts.client.views_update(view_id=id, view=view))


async def try_to(call: Awaitable[object]) -> bool:
    """Whether a call of Slack's worked; why it did not goes to the log."""
    try:
        await call
    except TROUBLE as error:
        log.warning("Slack did not do what a click asks for: %s", reason(error))
        return False
    return True


def reason(error: Exception) -> str:
    """Slack's word for what is wrong, or the name of the error; never an address, as who has it can write there."""
    if isinstance(error, SlackApiError):
        return str(error.response.get("error"))
    return error.error if isinstance(error, NotPosted) else type(error).__name__


async def tell(parts: Parts, click: Click, message: Message) -> None:
    """Tell the person who clicked, and nobody else.

    Beside the message that was clicked; under a message that only they see, where we may be no member, by the
    response URL. Each way stands in for the other.
    """
    ways = [_beside, _in_response]
    for way in reversed(ways) if click.ephemeral else ways:
        if await way(parts, click, message):
            return


async def say(parts: Parts, click: Click, key: str, /, **values: object) -> None:
    """Tell the person who clicked one of our sentences, in their language."""
    await tell(parts, click, sentence_message((await parts.texts(click.user)).say(key, **values)))


async def _beside(parts: Parts, click: Click, message: Message) -> bool:
    return await try_to(parts.poster.ephemeral(click.place, blocks=message.blocks, text=message.text))


async def _in_response(parts: Parts, click: Click, message: Message) -> bool:
    return await respond_alone(click.response_url, message)


async def respond_alone(url: str | None, message: Message) -> bool:
    """Show a message to the person alone, through a response URL; whether that worked."""
    body = {"response_type": "ephemeral", "replace_original": False, "text": message.text, "blocks": message.blocks}
    return await respond(url, body)


async def respond(url: str | None, body: dict[str, Any]) -> bool:
    """Write through the response URL of a click; whether that worked."""
    if not url:
        return False
    try:
        response = await AsyncWebhookClient(url, timeout=10).send_dict(body)
    except TROUBLE as error:
        log.warning("a response URL does not answer: %s", reason(error))
        return False
    if response.status_code != 200:
        log.warning("a response URL refused: status %s", response.status_code)
    return response.status_code == 200
