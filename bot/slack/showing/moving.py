"""The one message that moves while documents are added: how far each has come, and what is asked of the adder. Pure.

Only the adder sees it. What it holds of a document (its title, why it was refused) must be theirs to read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.adding import Progress, Twin
from bot.answering.visible import one_line
from bot.slack.naming import called
from bot.slack.showing import actions
from bot.slack.showing.blocks import LONGEST_FALLBACK
from bot.slack.showing.elements import Block, Element, button, escaped, grey, line, rich, row, words
from bot.slack.showing.messages import Message
from bot.slack.showing.sources import short_date, title_of
from bot.texts import Texts

MOST_ITEMS: Final = 12  # what one form can give: ten files, a link and a text
_LONGEST_SENTENCE = 500
_OVER: Final = ("refused", "cancelled", "removed")  # nobody gets answers from these


def moving_message(
    request_id: str,
    items: Sequence[Progress],
    texts: Texts,
    *,
    for_admin: bool = False,
    audience_label: str = "",
) -> Message:
    """How far each item of a request has come, in the order of the request; the first twelve, the rest is counted.

    ``audience_label`` says who gets answers from it (``#finance, 12 members``), "" where that is not to be shown, and
    it is not where nothing comes of any item;
    ``for_admin`` adds what contexts cost and how many failed.

    Worked example: one item ``Progress("indexing", "Budget 2024", done=18, total=42)`` → a block that says
    ``Indexing “Budget 2024”: 18 of 42 passages``; once it is ``ready``: ``Ready. Ask me about “Budget 2024”.`` and a
    row with the buttons Try it and Remove, whose values are ``request_id:0``.
    """
    blocks: list[Block] = []
    lines: list[str] = []
    for number, item in enumerate(items[:MOST_ITEMS]):
        runs = told_of(item, texts)
        blocks.append(rich(line(*runs)))
        lines.append(escaped("".join(run["text"] for run in runs), 600))
        if below := _below(item, texts, for_admin=for_admin):
            blocks.append(grey(below))
        if buttons := _buttons(item, f"{request_id}:{number}", texts):
            blocks.append(row(*buttons))
    if len(items) > MOST_ITEMS or not items:
        more = texts.say("adding_more", count=len(items) - MOST_ITEMS) if items else texts.say("adding_begins")
        blocks.append(grey(more))
        lines.append(escaped(more, _LONGEST_SENTENCE))
    if audience_label and any(item.state not in _OVER for item in items):
        blocks.append(grey(texts.say("adding_for", audience=one_line(audience_label, 200))))
    return Message(blocks, _joined(lines))


def told_of(item: Progress, texts: Texts) -> list[Element]:
    """What is said of one item, as runs of rich text."""
    title = called(title_of(item.title, texts), texts) if item.title.strip() else texts.say("adding_untitled")
    if item.state == "asks_twin" and item.twin is not None:
        return _twin(title, item.twin, texts)
    if item.state == "refused":
        return [words(_refused(item, title, texts))]
    if item.state == "indexing" and item.total:
        return [words(texts.say("adding_indexing", title=title, done=min(item.done, item.total), count=item.total))]
    if item.state == "asks_cost":
        return [words(texts.say("adding_asks_cost", title=title, cost=dollars(item.estimate_usd, texts)))]
    if item.state == "ready" and item.adder is not None:
        return [words(_of_another(title, one_line(item.adder, 80), texts))]
    key = "asks" if item.state == "asks_twin" else "indexing_begins" if item.state == "indexing" else item.state
    return [words(texts.say(f"adding_{key}", title=title))]


def _refused(item: Progress, title: str, texts: Texts) -> str:
    """Why something was refused; where the reason does not name it, as a page behind another is, it is named first."""
    why = one_line(item.sentence, _LONGEST_SENTENCE)
    if not why:
        return texts.say("adding_refused", title=title)
    is_named = not item.title.strip() or one_line(item.title, _LONGEST_SENTENCE) in why
    return why if is_named else texts.say("adding_refused_why", title=title, why=why)


def _of_another(title: str, adder: str, texts: Texts) -> str:
    """That it is there already, and whose it is: ``“Canteen” is there already, added by @Ana. Ask me about it.``"""
    if adder:
        return texts.say("adding_there_already_by", title=title, name=f"@{adder}")
    return texts.say("adding_there_already", title=title)


def _twin(title: str, twin: Twin, texts: Texts) -> list[Element]:
    """``There is already a document “Budget 2024”. It was added by @ana on 2 Feb 2026.``, or that its text is nearly
    the same. ``title`` is as it stands in a sentence.
    """
    there = called(title_of(twin.title, texts), texts)
    if twin.same == "text":
        key = "adding_same_text" if title != there else "adding_same_title_and_text"
        runs = [words(texts.say(key, title=title, there=there))]
    else:
        runs = [words(texts.say("adding_same_name", there=there))]
    adder = one_line(twin.added_by, 80)
    when = short_date(twin.added_at, texts) if twin.added_at else None
    if adder:
        runs.append(words(f" {texts.say('adding_added_by')} @{adder}"))
        runs += [words(f" {texts.say('adding_on', date=when)}")] if when else []
        runs.append(words("."))
    elif when is not None:
        runs.append(words(f" {texts.say('adding_added_on', date=when)}"))
    if not twin.may_replace:
        runs.append(words(f" {texts.say('adding_may_not_replace')}"))
    return runs


def _below(item: Progress, texts: Texts, *, for_admin: bool) -> str:
    """What stands in grey under an item: what is worth knowing of it, and for administrators what it cost."""
    told = []
    if item.state not in (*_OVER, "asks_twin", "asks_cost") and item.sentence:
        told.append(one_line(item.sentence, _LONGEST_SENTENCE))
    if for_admin and item.state == "ready":
        if item.cost_usd > 0:
            told.append(texts.say("adding_cost", cost=dollars(item.cost_usd, texts)))
        if item.failed_contexts:
            told.append(texts.say("adding_failed_contexts", count=item.failed_contexts))
    return "\n".join(told)


def _buttons(item: Progress, value: str, texts: Texts) -> list[Element]:
    if item.state == "ready" and item.adder is not None:  # whose it is, or an administrator, can remove it
        keys = [("try_it", actions.TRY_IT)]
    elif item.state == "ready":
        keys = [("try_it", actions.TRY_IT), ("remove", actions.REMOVE_ADDED)]
    elif item.state == "asks_twin":
        replace = [("replace_it", actions.REPLACE_TWIN)] if item.twin is not None and item.twin.may_replace else []
        keys = [*replace, ("keep_both", actions.KEEP_BOTH), ("cancel", actions.CANCEL_ADDING)]
    elif item.state == "asks_cost":
        keys = [("go_on", actions.GO_ON), ("cancel", actions.CANCEL_ADDING)]
    else:
        keys = []
    return [button(texts.say(f"adding_button_{key}"), action, value) for key, action in keys]


def dollars(usd: float, texts: Texts) -> str:
    """An amount with as many digits as mean something: 3.456 → ``$3.46``, 0.0312 → ``$0.03``, 0.0004 → ``$0.0004``.

    In French ``3,46 $``.
    """
    amount = f"{usd:.2f}" if usd >= 0.01 or usd <= 0 else f"{max(usd, 0.0001):.4f}"
    return f"{amount.replace('.', ',')} $" if texts.language == "fr" else f"${amount}"


def _joined(lines: Sequence[str]) -> str:
    """As many lines as a text takes."""
    kept: list[str] = []
    for told in lines:
        if sum(map(len, kept)) + len(kept) + len(told) > LONGEST_FALLBACK:
            break
        kept.append(told)
    return "\n".join(kept) or "…"
