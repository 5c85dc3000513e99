"""Lists of documents, their status, and what can be done with the command, as messages. Pure.

All of it is for one person's eyes, and holds only what they may read.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from bot.adding import ASKING
from bot.answering.visible import one_line
from bot.slack.showing import actions
from bot.slack.showing.blocks import LONGEST_FALLBACK
from bot.slack.showing.elements import Block, Element, button, escaped, grey, line, link, rich, row, text_size, words
from bot.slack.showing.messages import LONGEST_MESSAGE, Message
from bot.slack.showing.moving import dollars, told_of
from bot.slack.showing.sources import short_date, title_of
from bot.texts import Texts

if TYPE_CHECKING:
    from bot.slack.adding.unsettled import Unsettled
    from bot.slack.documents import Listed, Money, Shelf

MOST_LISTED: Final = 20
MOST_UNSETTLED: Final = 5  # of each kind
MOST_BUTTONS: Final = 5  # of documents that were not taken
LONGEST_ERROR: Final = 400
_LONGEST_WORDS = 60
_LONGEST_GROUP = 3_700  # characters; three of them and what stands around them fit into a message
_MOST_DAYS = 30  # after which a date tells more than an age


def documents_list(
    shelf: Shelf, texts: Texts, *, now: datetime, command: str, asked: str = "", may_add: bool = False
) -> Message:
    """The documents of ``shelf``, the first twenty, and how many more there are. ``asked`` are the words looked for.

    One is a line with its linked title, and under it ``All employees · Ready · 3 days ago · added by Ana``. Under what
    was not taken stands why, and a button that removes it. At most 50 blocks and 13,000 characters.
    """
    above = [rich(line(words(_heading(shelf, asked, texts), "bold")))]
    below = _ending(shelf, texts, may_add=may_add)
    room = LONGEST_MESSAGE - text_size([*above, *below]) - 200
    blocks: list[Block] = []
    shown: list[Listed] = []
    for one in shelf.documents[:MOST_LISTED]:
        item = _item(one, texts, now, removable=sum(map(_is_row, blocks)) < MOST_BUTTONS)
        if text_size(blocks) + text_size(item) > room:
            break
        blocks += item
        shown.append(one)
    if left := len(shelf.documents) - len(shown):
        below.insert(0, grey(texts.say("docs_more", count=left, command=command)))
    told = [_heading(shelf, asked, texts), *(_as_text(one, texts, now) for one in shown)]
    return Message([*above, *blocks, *below], _fallback(told))


def status_message(
    shelf: Shelf, texts: Texts, *, now: datetime, money: Money | None = None, unsettled: Sequence[Unsettled] = ()
) -> Message:
    """How many documents somebody can read, which are at work and which were not taken; ``money`` for admins.

    ``unsettled`` is what they asked to have added and is no document (yet): it is listed with them, and what waits for
    their word with its question and the way to answer it.
    """
    at_work = [one for one in shelf.documents if one.state in ("waiting", "reading", "indexing", "renewing")]
    failed = [one for one in shelf.documents if one.error]
    asking = [one for one in unsettled if one.item.state in ASKING]
    refused = [one for one in unsettled if one.item.state == "refused"]
    begun = [one for one in unsettled if one not in asking and one not in refused]
    blocks = [rich(line(words(_heading(shelf, "", texts), "bold")))]
    if not at_work and not begun:
        blocks.append(rich(line(words(texts.say("docs_nothing_at_work")))))
    blocks += _group("docs_at_work", at_work, begun, texts, now)
    blocks += _group("docs_asking", [], asking, texts, now)
    blocks += _group("docs_not_taken", failed, refused, texts, now)
    blocks += [grey(told) for told in admin_lines(money, texts)] if money is not None else []
    if shelf.unsure:
        blocks.append(grey(texts.say("docs_unsure")))
    told = [_heading(shelf, "", texts), *(_as_text(one, texts, now) for one in [*at_work, *failed][:MOST_LISTED])]
    told += ["".join(run["text"] for run in _unsettled(one, texts)) for one in unsettled[:MOST_UNSETTLED]]
    return Message(blocks, _fallback(told))


def docs_help(
    texts: Texts,
    *,
    command: str,
    ask_command: str,
    unknown: str = "",
    may_add: bool = True,
    may_remove: bool = True,
) -> Message:
    """What somebody can do with the command; ``unknown`` is the word behind it that it does not know."""
    some, address = texts.say("docs_help_words"), texts.say("docs_help_address")
    usages = {"add": f" [{address}]", "list": f" [{some}]", "status": "", "search": f" {some}", "remove": f" [{some}]"}
    usages = {
        verb: usage for verb, usage in usages.items() if (verb != "add" or may_add) and (verb != "remove" or may_remove)
    }
    lines = [(f"{command} {verb}{usage}", texts.say(f"docs_help_{verb}")) for verb, usage in usages.items()]
    title = texts.say("docs_help_title", command=command)
    runs: list[Element] = []
    for usage, meaning in lines:
        runs += [words(f"{usage}", "bold"), words(f"\n{meaning}\n")]
    runs[-1] = words(runs[-1]["text"].rstrip("\n"))
    first = [rich(line(words(texts.say("docs_unknown", word=one_line(unknown, 40)))))] if unknown else []
    below = texts.say("docs_help_below", command=ask_command)
    told = [title, *(f"{usage}: {meaning}" for usage, meaning in lines), below]
    return Message([*first, rich(line(words(title, "bold"))), rich(line(*runs)), grey(below)], _fallback(told))


def admin_lines(money: Money, texts: Texts) -> list[str]:
    """What administrators alone see: what was spent, and what is missing."""
    today, total = dollars(money.today, texts), dollars(money.total, texts)
    if money.cap is None:
        told = [texts.say("docs_money", today=today, total=total)]
    else:
        told = [texts.say("docs_money_capped", today=today, cap=dollars(money.cap, texts), total=total)]
    told.append(texts.say("docs_in_all", count=money.documents))
    if money.failed_contexts:
        told.append(texts.say("docs_retry", count=money.failed_contexts))
    return told


def about(one: Listed, texts: Texts, now: datetime) -> str:
    """What is said of a document beside its title.

    Worked example: 42 passages for #finance, that Ana added three days ago, for an admin →
    ``"#finance · Ready · 42 passages · 3 days ago · added by Ana · cost $0.12"``.
    """
    told = [audience_label(one, texts), state_of(one, texts)]
    if one.passages:
        told.append(texts.say("passages", count=one.passages))
    if one.added_at is not None:
        told.append(age(one.added_at, now, texts))
    if one.mine:
        told.append(texts.say("docs_added_by_you"))
    elif one.adder:
        told.append(texts.say("docs_added_by", name=one_line(one.adder, 40)))
    if one.cost_usd > 0:
        told.append(texts.say("docs_cost", cost=dollars(one.cost_usd, texts)))
    if one.failed_contexts:
        told.append(texts.say("docs_failed_contexts", count=one.failed_contexts))
    return " · ".join(told)


def audience_label(one: Listed, texts: Texts) -> str:
    """Who may read it, as its reader knows them: ``#finance``, ``All employees``, ``Only you``."""
    match one.audience.kind:
        case "workspace":
            return texts.say("docs_for_workspace")
        case "everyone":
            return texts.say("docs_for_everyone")
        case "user":
            return texts.say("docs_for_you")
        case _:
            name = one_line(one.channel_name, 40)
            return texts.say("docs_for_channel", name=name) if name else texts.say("docs_for_conversation")


def state_of(one: Listed, texts: Texts) -> str:
    if one.state == "indexing":
        return texts.say("docs_state_indexing", done=min(one.done, one.total), total=one.total)
    return texts.say(f"docs_state_{one.state}")


def why_not(one: Listed, texts: Texts) -> str:
    """Why it, or a newer version of it, was not taken; "" where nothing is wrong, or that is none of theirs."""
    why = one_line(one.error, LONGEST_ERROR)
    return why if not why or one.state == "failed" else texts.say("docs_not_renewed", why=why)


def age(moment: datetime, now: datetime, texts: Texts) -> str:
    """How long ago, for a month; then the date: ``just now``, ``3 hours ago``, ``12 days ago``, ``30 Jan 2024``."""
    minutes = int((now - moment).total_seconds() // 60)
    if minutes < 1:
        return texts.say("age_now")
    if minutes < 60:
        return texts.say("age_minutes", count=minutes)
    if minutes < 24 * 60:
        return texts.say("age_hours", count=minutes // 60)
    days = minutes // (24 * 60)
    return texts.say("age_days", count=days) if days <= _MOST_DAYS else short_date(moment, texts)


def _heading(shelf: Shelf, asked: str, texts: Texts) -> str:
    said = one_line(asked, _LONGEST_WORDS)
    if not shelf.documents:
        return texts.say("docs_none_with", words=said) if said else texts.say("docs_none")
    if said:
        return texts.say("docs_with_words", count=len(shelf.documents), words=said)
    return texts.say("docs_you_can_read", count=len(shelf.readable))


def _ending(shelf: Shelf, texts: Texts, *, may_add: bool) -> list[Block]:
    """What may be missing, and what can be done."""
    blocks = [grey(texts.say("docs_unsure"))] if shelf.unsure else []
    buttons = [button(texts.say("docs_add"), actions.OPEN_ADDING, "list")] if may_add else []
    if shelf.removable:
        buttons.append(button(texts.say("docs_remove_one"), actions.OPEN_REMOVING, "list"))
    return [*blocks, row(*buttons)] if buttons else blocks


def _item(one: Listed, texts: Texts, now: datetime, *, removable: bool = False) -> list[Block]:
    """A document in a list; what was not taken with a button that removes it, where there is room for one."""
    runs = [link(title_of(one.title, texts), one.url, "bold"), words(f"\n{about(one, texts, now)}")]
    if why := why_not(one, texts):
        runs.append(words(f"\n{why}", "italic"))
    blocks = [rich(line(*runs))]
    if removable and one.state == "failed" and one.may_remove:
        blocks.append(row(button(texts.say("docs_remove"), actions.REMOVE_DOCUMENT, one.id)))
    return blocks


def _group(
    title: str, listed: Sequence[Listed], unsettled: Sequence[Unsettled], texts: Texts, now: datetime
) -> list[Block]:
    """Documents, and what is none yet, under a title (a key of the texts), as many as fit; nothing where there is none.

    At most 17 blocks and 3,800 characters.
    """
    if not listed and not unsettled:
        return []
    blocks = [rich(line(words(texts.say(title), "bold")))]
    told = [_item(one, texts, now) for one in listed[: MOST_LISTED // 2]]
    told += [[rich(line(*_unsettled(one, texts)))] for one in unsettled[:MOST_UNSETTLED]]
    shown = 0
    for item in told:
        if text_size(blocks) + text_size(item) > _LONGEST_GROUP:
            break
        blocks += item
        shown += 1
    more = len(listed) + len(unsettled) - shown
    return [*blocks, grey(texts.say("docs_and_more", count=more))] if more else blocks


def _unsettled(one: Unsettled, texts: Texts) -> list[Element]:
    """What is said of something that is no document (yet): its question with the way to answer, or why it is none."""
    if one.item.state == "refused":
        why = one_line(one.item.sentence, LONGEST_ERROR)
        return [words(title_of(one.item.title, texts), "bold"), *([words(f"\n{why}", "italic")] if why else [])]
    runs = told_of(one.item, texts)
    if one.item.state in ASKING:
        runs += [words("\n"), link(texts.say("docs_answer_there"), one.url)]
    return runs


def _is_row(block: Block) -> bool:
    return bool(block["type"] == "actions")


def _as_text(one: Listed, texts: Texts, now: datetime) -> str:
    told = f"{title_of(one.title, texts)}: {about(one, texts, now)}"
    why = why_not(one, texts)
    return f"{told}. {why}" if why else told


def _fallback(lines: Sequence[str]) -> str:
    return escaped("\n".join(lines), LONGEST_FALLBACK)
