"""The Home tab: the documents that somebody may read, and what they can do with them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from bot.answering.visible import one_line
from bot.slack.showing import actions
from bot.slack.showing.documents import about, admin_lines, why_not
from bot.slack.showing.elements import Block, Element, button, divider, grey, line, plain, rich, row, web_address, words
from bot.slack.showing.forms import View
from bot.slack.showing.sources import title_of
from bot.texts import Texts

if TYPE_CHECKING:
    from bot.slack.documents import Listed, Money, Shelf

MOST_DOCUMENTS: Final = 40  # of two blocks each, where Slack takes a hundred
_LONGEST_NOTICE = 500

# What the menu of a document says to do; its option's value is this, a colon, and the document's id.
OPEN: Final = "open"
REMOVE: Final = "remove"
TO_EVERYONE: Final = "everyone"
TO_WORKSPACE: Final = "workspace"


def home(
    shelf: Shelf,
    texts: Texts,
    *,
    now: datetime,
    command: str,
    ask_command: str,
    may_add: bool = False,
    money: Money | None = None,
    notice: str = "",
) -> View:
    """The tab of one person. ``money`` is for admins; ``notice`` tells what came of what they did last.

    Each document is its title with a menu, and a grey line about it. At most 100 blocks.
    """
    blocks: list[Block] = [{"type": "header", "text": plain(texts.say("home_title"), 150)}]
    if said := one_line(notice, _LONGEST_NOTICE):
        blocks.append(rich(line(words(said, "bold"))))
    buttons = [button(texts.say("docs_add"), actions.OPEN_ADDING, "home")] if may_add else []
    if shelf.removable:
        buttons.append(button(texts.say("docs_remove_one"), actions.OPEN_REMOVING, "home"))
    if buttons:
        blocks.append(row(*buttons))
    blocks += [grey(told) for told in _said(shelf, texts, ask_command, money)]
    if shelf.documents:
        blocks.append(divider())
    for one in shelf.documents[:MOST_DOCUMENTS]:
        blocks += _document(one, texts, now, is_admin=shelf.is_admin)
    if left := len(shelf.documents) - MOST_DOCUMENTS:
        blocks += [grey(texts.say("docs_more", count=left, command=command))] if left > 0 else []
    return {"type": "home", "blocks": blocks}


def home_trouble(sentence: str, texts: Texts, *, reference: str | None = None) -> View:
    """In place of the documents: why they cannot be shown."""
    told = [one_line(sentence, _LONGEST_NOTICE) or "…"]
    if reference:
        told.append(texts.say("reference", reference=reference))
    header: Block = {"type": "header", "text": plain(texts.say("home_title"), 150)}
    return {"type": "home", "blocks": [header, *(grey(sentence) for sentence in told)]}


def chosen(value: str) -> tuple[str, str]:
    """What to do with which document, from the value of a menu's option.

    >>> chosen("remove:ab12"), chosen("x")
    (('remove', 'ab12'), ('x', ''))
    """
    what, _, document = value.partition(":")
    return what, document


def _said(shelf: Shelf, texts: Texts, ask_command: str, money: Money | None) -> list[str]:
    """What stands above the documents."""
    count = len(shelf.readable)
    told = [texts.say("docs_you_can_read", count=count) if count else texts.say("docs_none")]
    if count:
        told.append(texts.say("home_how_to_ask", command=ask_command))
    if shelf.unsure:
        told.append(texts.say("docs_unsure"))
    return told if money is None else [*told, " ".join(admin_lines(money, texts))]


def _document(one: Listed, texts: Texts, now: datetime, *, is_admin: bool) -> list[Block]:
    title: Block = {"type": "section", "text": plain(title_of(one.title, texts))}
    if options := _options(one, texts, is_admin=is_admin):
        title["accessory"] = {"type": "overflow", "action_id": actions.DOCUMENT_MENU, "options": options}
    told = [about(one, texts, now), why_not(one, texts)]
    return [title, grey("\n".join(filter(None, told)))]


def _options(one: Listed, texts: Texts, *, is_admin: bool) -> Sequence[Element]:
    """What this person can do with a document. An option with an address opens it in the browser."""
    options: list[Element] = []
    if (address := web_address(one.url)) is not None:
        options.append(_option(texts.say("home_open"), OPEN, one) | {"url": address})
    if is_admin and one.state == "ready":
        if one.audience.kind == "everyone":
            options.append(_option(texts.say("home_not_to_guests"), TO_WORKSPACE, one))
        else:
            if one.audience.kind != "workspace":
                options.append(_option(texts.say("home_to_workspace"), TO_WORKSPACE, one))
            options.append(_option(texts.say("home_to_everyone"), TO_EVERYONE, one))
    if one.may_remove:
        options.append(_option(texts.say("docs_remove"), REMOVE, one))
    return options


def _option(label: str, what: str, one: Listed) -> Element:
    return {"text": plain(label, 75), "value": f"{what}:{one.id}"}
