"""The buttons of the message that moves while documents are added. Who clicks is checked by the desk, each time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from slack_bolt.async_app import AsyncApp

from bot.adding import Decision, Request
from bot.asking import How, Question
from bot.slack.adding.afterwards import tell_where_it_is_gone
from bot.slack.adding.protocol import Additions
from bot.slack.audience import of_reader
from bot.slack.clicks import Click, on_click, say
from bot.slack.desk import Desk
from bot.slack.directory import CannotCheck
from bot.slack.listeners.again import begin_again
from bot.slack.markup import escape
from bot.slack.parts import Parts
from bot.slack.rights import may_remove
from bot.slack.showing import actions
from bot.slack.showing.sources import title_of
from indexer import Document


def register(app: AsyncApp, parts: Parts, desk: Desk, additions: Additions) -> None:
    def decides(decision: Decision) -> Callable[..., Awaitable[None]]:
        async def decide(click: Click) -> None:
            request, number = await _asked(parts, additions, click)
            if request is not None and not await additions.decide(request.id, number, decision, click.user):
                await say(parts, click, "adding_not_asked")

        return on_click(parts, decide)

    def on_document(act: Callable[[Click, Request, int, Document], Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        """A button about the document that an item became: it acts where that is there, and theirs to read."""

        async def acts(click: Click) -> None:
            request, number = await _asked(parts, additions, click)
            if request is None:
                return
            document = await _document(parts, additions, click, request, number)
            if document is None:
                await _gone(parts, additions, click, request, number)
            else:
                await act(click, request, number, document)

        return on_click(parts, acts)

    async def remove(click: Click, request: Request, number: int, document: Document) -> None:
        if await may_remove(parts, click.user, document, click.user_team):
            await additions.remove(request.id, number, click.user)
        else:
            await say(parts, click, "removing_not_yours")

    async def try_it(click: Click, request: Request, number: int, document: Document) -> None:
        await _ask(parts, desk, click, document)

    app.action(actions.TRY_IT)(on_document(try_it))
    app.action(actions.REMOVE_ADDED)(on_document(remove))
    app.action(actions.REPLACE_TWIN)(decides("replace"))
    app.action(actions.KEEP_BOTH)(decides("keep"))
    app.action(actions.GO_ON)(decides("go_on"))
    app.action(actions.CANCEL_ADDING)(decides("cancel"))


async def _asked(parts: Parts, additions: Additions, click: Click) -> tuple[Request | None, int]:
    """The request and the item that a button is about; where it is not for this person they are told, and it is None.

    A button's value is ``Ab3:0``: the request's id and the number of the item.
    """
    id, _, number = click.value.rpartition(":")
    request = await additions.request(id) if id and number.isdecimal() else None
    if request is None or int(number) >= len(request.items):  # the document may be there all the same
        await say(parts, click, "adding_too_old", command=parts.settings.docs_command)
        return None, 0
    if request.user != click.user:
        await say(parts, click, "adding_not_yours")
        return None, 0
    return request, int(number)


async def _document(parts: Parts, additions: Additions, click: Click, request: Request, number: int) -> Document | None:
    """The document that an item became; None where it is gone, or not theirs to read (any more).

    Raises CannotCheck.
    """
    items = await additions.progress(request.id)
    id = items[number].document if number < len(items) else None
    reading = await of_reader(parts.directory, click.user, click.user_team)
    readable = await parts.library.documents(await parts.workspace.name(), reading.viewer)
    found = next((document for document in readable if document.id == id), None)
    if found is None and reading.left_out == "cannot_check":
        raise CannotCheck("readers")
    return found


async def _gone(parts: Parts, additions: Additions, click: Click, request: Request, number: int) -> None:
    """Say that it is gone, or not theirs to read; where it is gone, the message says so from now on, too."""
    items = await additions.progress(request.id)
    await say(parts, click, "adding_gone")
    if number < len(items) and (document := items[number].document) is not None:
        await tell_where_it_is_gone(parts, document)


async def _ask(parts: Parts, desk: Desk, click: Click, document: Document) -> None:
    """Ask about a document, under the message; a double click asks once."""
    texts = await parts.texts(click.user)
    question = Question(
        team=parts.me.team,
        channel=click.channel,
        ts=click.message,
        thread=click.thread or click.message,
        user=click.user,
        text=escape(texts.say("adding_try", title=title_of(document.title, texts))),
        how=How.DIRECT,
        user_team=click.user_team,
    )
    await begin_again(parts, desk, click, question, again=f":{click.value}", by_text=True)
