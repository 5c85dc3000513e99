"""The form that takes a document out: which one, whether that is meant, and what became of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from bot.answering.visible import one_line
from bot.slack.showing import actions
from bot.slack.showing.documents import about, audience_label
from bot.slack.showing.elements import Block, Element, grey, line, plain, rich, words
from bot.slack.showing.forms import View, label, modal, one_sentence
from bot.slack.showing.sources import short_date, title_of
from bot.texts import Texts

if TYPE_CHECKING:
    from bot.slack.documents import Listed, Shelf

MOST_OPTIONS: Final = 100
_LONGEST_OPTION = 75


def removing_loading(texts: Texts) -> View:
    """Opened at once, as Slack waits three seconds for a form; one of the others then takes its place."""
    return _form(texts, [grey(texts.say("removing_loading"))])


def removing_working(texts: Texts) -> View:
    """While a document is being taken out."""
    return _form(texts, [grey(texts.say("removing_working"))])


def removing_told(sentence: str, texts: Texts, *, reference: str | None = None) -> View:
    """How it ended, or why it cannot begin."""
    return _form(texts, one_sentence(sentence, texts, reference=reference))


def removing_picker(shelf: Shelf, texts: Texts, *, command: str, asked: str = "") -> View:
    """Which document of ``shelf``: those that the person may remove, the first hundred. ``asked``: the words given."""
    removable = shelf.removable
    if not removable:
        said = one_line(asked, 60)
        none = texts.say("removing_none_with", words=said) if said else texts.say("removing_none")
        blocks = [rich(line(words(none)))]
        return _form(texts, [*blocks, grey(texts.say("docs_unsure"))] if shelf.unsure else blocks)
    options = [
        {"text": plain(_option(one, texts), _LONGEST_OPTION), "value": str(one.id)} for one in removable[:MOST_OPTIONS]
    ]
    picker: Element = {"type": "static_select", "action_id": actions.REMOVING_INPUT, "options": options}
    blocks = [
        {
            "type": "input",
            "block_id": actions.REMOVING_BLOCK,
            "label": plain(texts.say("removing_which")),
            "element": picker,
        }
    ]
    if left := len(removable) - len(options):
        blocks.append(grey(texts.say("docs_more_to_remove", count=left, command=command)))
    blocks.append(grey(texts.say("removing_rights")))
    if shelf.unsure:
        blocks.append(grey(texts.say("docs_unsure")))
    return _form(texts, blocks) | {"submit": label(texts.say("removing_go_on"))}


def removing_confirmation(one: Listed, texts: Texts, *, now: datetime) -> View:
    """Whether it is meant. The form carries the document's id; who sends it in is checked once more."""
    title = words(title_of(one.title, texts), "bold")
    asked = [rich(line(words(f"{texts.say('removing_sure')}\n"), title)), grey(about(one, texts, now))]
    return _form(texts, [*asked, grey(texts.say("removing_means"))]) | {
        "private_metadata": str(one.id),
        "submit": label(texts.say("docs_remove")),
    }


def picked(view: Mapping[str, Any]) -> str:
    """The id of the document that was chosen in the picker, as it is sent in; "" where none was."""
    try:
        chosen = view["state"]["values"][actions.REMOVING_BLOCK][actions.REMOVING_INPUT]["selected_option"]["value"]
    except (KeyError, TypeError):
        return ""
    return chosen if isinstance(chosen, str) else ""


def _option(one: Listed, texts: Texts) -> str:
    """``Budget 2024 · #finance · 2 Feb 2024``, the title cut so that the rest is there."""
    told = [one_line(audience_label(one, texts), 24)]
    if one.added_at is not None:
        told.append(short_date(one.added_at, texts))
    rest = "".join(f" · {part}" for part in told)
    return title_of(one.title, texts, _LONGEST_OPTION - len(rest)) + rest


def _form(texts: Texts, blocks: list[Block]) -> View:
    return modal(actions.REMOVING_VIEW, "removing_title", blocks, texts)
