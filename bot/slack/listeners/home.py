"""The Home tab, and the buttons of documents there and in lists."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.slack.clicks import Click, click_of, on_click
from bot.slack.home import Homes
from bot.slack.parts import Parts
from bot.slack.readdressing import readdress
from bot.slack.removing import Removing
from bot.slack.showing import actions
from bot.slack.showing.home import REMOVE, TO_EVERYONE, TO_WORKSPACE, chosen
from bot.slack.showing.removing import picked
from indexer import EVERYONE, WORKSPACE

AUDIENCES = {TO_EVERYONE: EVERYONE, TO_WORKSPACE: WORKSPACE}


def register(app: AsyncApp, parts: Parts, homes: Homes, removing: Removing) -> None:
    """The tab Messages of the same event is ``agent``'s."""

    async def is_home(event: dict[str, Any]) -> bool:
        return event.get("tab") == "home"

    async def opened(event: dict[str, Any]) -> None:
        await homes.publish(str(event.get("user", "")))

    async def chose(click: Click) -> None:
        """An option with an address opens in the browser by itself."""
        what, document = chosen(click.value)
        if what == REMOVE:
            await removing.open(click, document=document)
        elif what in AUDIENCES:
            await readdress(parts, homes, click, document, AUDIENCES[what])

    async def which(click: Click) -> None:
        await removing.open(click)

    async def this_one(click: Click) -> None:
        await removing.open(click, document=click.value)

    async def sent(ack: AsyncAck, body: dict[str, Any], view: dict[str, Any]) -> None:
        """The picker, or the confirmation: that carries the document's id, and only then it is removed."""
        click, form = click_of(body, parts.me), str(view.get("id", ""))
        if document := str(view.get("private_metadata") or ""):
            await removing.confirmed(click, ack, form, document)
        else:
            await removing.picked(click, ack, form, picked(view))

    app.event("app_home_opened", matchers=[is_home])(opened)
    app.action(actions.DOCUMENT_MENU)(on_click(parts, chose))
    app.action(actions.OPEN_REMOVING)(on_click(parts, which))
    app.action(actions.REMOVE_DOCUMENT)(on_click(parts, this_one))
    app.view(actions.REMOVING_VIEW)(sent)
