"""Adding documents: the form, by command, button or shortcut; a link by command; and what is sent in."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import Any, Final

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.adding import Item, Request, What
from bot.slack.adding.form import MOST_LINKS, Form, Sent, command_links, form_of_shortcut, new_id, sent_in
from bot.slack.adding.named import named
from bot.slack.adding.opening import Opener, open_adding_form
from bot.slack.adding.protocol import Additions
from bot.slack.clicks import Click, click_of, on_click, say
from bot.slack.desk import Desk
from bot.slack.listeners import moving
from bot.slack.naming import called
from bot.slack.parts import Parts
from bot.slack.rights import Choice, Choices, choices
from bot.slack.showing import actions
from bot.slack.showing.adding_form import audience_option
from bot.slack.showing.messages import sentence_message
from bot.texts import Texts
from indexer import CatalogueUnavailable

log = logging.getLogger(__name__)

# Slack waits three seconds for an acknowledgement: so long it is checked who may read it, then so long it is kept.
CHECK_SECONDS = 1.3
KEEP_SECONDS = 1.0
LANGUAGE_SECONDS = 0.5  # beside the check


def register(app: AsyncApp, parts: Parts, desk: Desk, additions: Additions) -> None:
    """The form (also behind the button OPEN_ADDING), the shortcuts, and the buttons of the message that moves."""

    async def open_adding(click: Click) -> None:
        form = Form(new_id(click.trigger), click.channel, response_url=click.response_url)
        await open_adding_form(parts, form, Opener(click.user, click.user_team, click.trigger))

    async def shortcut(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        click = click_of(body, parts.me)
        form = form_of_shortcut(body)
        if form is None:
            await say(parts, click, "adding_what_message")
        else:
            await open_adding_form(parts, form, Opener(click.user, click.user_team, click.trigger))

    async def submitted(ack: AsyncAck, body: dict[str, Any], view: dict[str, Any]) -> None:
        """Kept before the form closes: where it cannot be, the form stays, with what was put into it."""
        click = click_of(body, parts.me)
        texts, (request, errors) = await asyncio.gather(
            parts.texts(click.user, seconds=LANGUAGE_SECONDS), _sent(parts, click, view)
        )
        taken = False
        if request is not None:
            items = [await named(parts, item, click.user, texts) for item in request.items]
            request = replace(request, items=tuple(items))
            taken, errors = await _taken(additions, request)
        if errors:
            told = {block: texts.say(key) for block, key in errors.items()}
            await ack(response_action="errors", errors=told)
            return
        await ack()
        if request is not None and taken:
            additions.begin(request)

    app.action(actions.OPEN_ADDING)(on_click(parts, open_adding))
    app.shortcut(actions.ADD_MESSAGE)(shortcut)
    app.shortcut(actions.SAVE_REPLY)(shortcut)
    app.view(actions.ADDING_VIEW)(submitted)
    moving.register(app, parts, desk, additions)


async def add_command(parts: Parts, additions: Additions, ack: AsyncAck, body: dict[str, Any], argument: str) -> None:
    """``/docs add`` opens the form; ``/docs add URL [title]`` adds a link for whom the channel's default names, ``/docs
    add URL URL …`` several.

    Acknowledges by itself, once. ``body`` is the command's payload as it came, ``argument`` what follows ``add``, as
    Slack sent it (escaped). Whom it is for is told where that is known in time, and left to the desk where not.
    """
    opener = Opener(_text(body, "user_id"), _text(body, "team_id") or None, _text(body, "trigger_id"))
    form = Form(new_id(opener.trigger), _text(body, "channel_id"), response_url=_text(body, "response_url") or None)
    if not argument.strip():
        await ack()
        await open_adding_form(parts, form, opener)
        return
    sent = command_links(argument, parts.me.host)
    if sent.errors:
        texts = await parts.texts(opener.user, seconds=LANGUAGE_SECONDS)
        (key,) = sent.errors.values()
        await _ack(ack, texts.say(key, command=_text(body, "command"), most=MOST_LINKS))
        return
    first, *others = sent.items
    texts, offered = await asyncio.gather(
        parts.texts(opener.user, seconds=LANGUAGE_SECONDS),
        _offered(parts, opener.user, opener.team, form.channel, _origins(first)),
    )
    if offered.refused is not None and offered.refused != "cannot_check":
        await _ack(ack, texts.say(offered.refused))
        return
    # Of several each is for whom the default of where it comes from names.
    audience = str(offered.default) if offered.default is not None and not others else ""
    items = await asyncio.gather(*(named(parts, item, opener.user, texts) for item in sent.items))
    request = _request(parts, form, opener.user, opener.team, tuple(items), audience)
    taken, errors = await _taken(additions, request)
    if errors:
        await _ack(ack, texts.say("form_not_kept"))
        return
    await _ack(ack, texts.say("adding_links", count=len(items)) if others else _begun(items[0], offered, texts))
    if taken:
        additions.begin(request)


# -- within ------------------------------------------------------------------------------------------------------------

Errors = dict[str, str]  # by block the key of the text that says what is wrong with it
_NOT_KEPT: Final[Errors] = {actions.AUDIENCE_BLOCK: "form_not_kept"}


async def _sent(parts: Parts, click: Click, view: dict[str, Any]) -> tuple[Request | None, Errors]:
    """The request that a form makes, if everything in it may be; else what is wrong."""
    form = Form.of_metadata(view.get("private_metadata"))
    if form is None:
        return None, {actions.AUDIENCE_BLOCK: "form_gone"}
    sent = sent_in(form, view, parts.me.host)
    errors = sent.errors or await _not_allowed(parts, click, form, sent)
    if errors:
        return None, errors
    return _request(parts, form, click.user, click.user_team, sent.items, sent.audience), {}


async def _not_allowed(parts: Parts, click: Click, form: Form, sent: Sent) -> Errors:
    """Why the audience may not be chosen (any more), for this person and for where each item comes from."""
    origins = {form.origins} if form.message else {_origins(item) for item in sent.items}
    asked = (_offered(parts, click.user, click.user_team, form.channel, one) for one in origins)
    for offered in await asyncio.gather(*asked):
        if offered.refused is not None:
            key = "form_cannot_check" if offered.refused == "cannot_check" else offered.refused
            return {actions.AUDIENCE_BLOCK: key}
        if sent.audience not in [str(option.audience) for option in offered.options]:
            return {actions.AUDIENCE_BLOCK: "form_choose_again"}
    return {}


async def _offered(parts: Parts, user: str, user_team: str | None, channel: str, origins: frozenset[str]) -> Choices:
    """Whom somebody may choose, as far as that can be told in time."""
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            return await choices(parts, user, channel, user_team=user_team, origins=origins)
    except TimeoutError:
        return Choices(refused="cannot_check")


async def _taken(additions: Additions, request: Request) -> tuple[bool, Errors]:
    """Whether a request was taken now, and what is wrong where it could not be kept."""
    try:
        async with asyncio.timeout(KEEP_SECONDS):
            return await additions.take(request), {}
    except (CatalogueUnavailable, TimeoutError) as error:
        log.warning("a request to add documents could not be kept: %s", type(error).__name__)
        return False, _NOT_KEPT


def _request(
    parts: Parts, form: Form, user: str, user_team: str | None, items: tuple[Item, ...], audience: str
) -> Request:
    return Request(
        id=form.id,
        team=parts.me.team,
        user=user,
        items=items,
        audience=audience,
        channel=form.channel,
        user_team=user_team,
        from_message=f"{form.channel}:{form.message}" if form.message else "",
        response_url=form.response_url,
    )


def _origins(item: Item) -> frozenset[str]:
    """The conversation that a message stands in; of what is the person's own, and of the web, none."""
    return frozenset({item.ref.partition(":")[0]}) if item.what in (What.MESSAGE, What.THREAD) else frozenset()


def _begun(item: Item, offered: Choices, texts: Texts) -> str:
    """What is said where a link is being added: for whom, where that is known."""
    name = called(item.title or item.name, texts)
    chosen: Choice | None = next((one for one in offered.options if one.audience == offered.default), None)
    if chosen is None:
        return texts.say("adding_link_later", name=name)
    return texts.say("adding_link", name=name, audience=audience_option(chosen, texts))


async def _ack(ack: AsyncAck, sentence: str) -> None:
    told = sentence_message(sentence)
    await ack(response_type="ephemeral", text=told.text, blocks=told.blocks)


def _text(body: dict[str, Any], name: str) -> str:
    value = body.get(name)
    return value if isinstance(value, str) else ""
