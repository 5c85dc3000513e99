"""What stands under an answer, and its text for places without blocks. Pure: the same values give the same blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from bot.answering.events import Answer, Kind
from bot.answering.visible import one_line, visible
from bot.slack.showing import actions
from bot.slack.showing.elements import Block, Element, button, escaped, grey, line, link, rich, row, text_size, words
from bot.slack.showing.sources import LONGEST_QUOTE, MOST_SOURCES, closest_titles, place, source_list, title_of
from bot.texts import Texts

if TYPE_CHECKING:
    from bot.ledger.records import StoredAnswer

LONGEST_FOOTER: Final = 2_500  # characters, so that it goes with a message of 10,500
LONGEST_FALLBACK: Final = 4_000
_LONGEST_NOTICE = 300
_LONGEST_REMARK = 180
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_LINK = re.compile(r"!?\[([^\]\n]+)\]\([^)\n]*\)")
_HEADING = re.compile(r"^#{1,6} +", re.MULTILINE)

LeftOut = Literal["outsiders", "cannot_check"] | None


@dataclass(frozen=True, slots=True)
class Told:
    """What is to be said about an answer and is not kept with it.

    ``readable`` counts the documents that could be searched. ``left_out`` is why only the channel's own were;
    ``left_out_said``: an answer before it in the thread has said so.
    ``remarks`` are further sentences, such as why an attached file could not be read.
    """

    notice: str | None = None
    reference: str | None = None
    nothing_found: bool = False
    readable: int = 0
    left_out: LeftOut = None
    remarks: tuple[str, ...] = ()
    left_out_said: bool = False

    @classmethod
    def of(cls, answer: Answer, *, left_out: LeftOut = None, remarks: tuple[str, ...] = ()) -> Told:
        return cls(answer.notice, answer.reference, answer.nothing_found, answer.readable, left_out, remarks)


@dataclass(frozen=True, slots=True)
class Offers:
    """What people may do with an answer, beside reading its passages and saying what they think of it.

    ``ask`` is whom to ask where nothing was found, as shown (``@Ada``, ``#finance``; "" for everybody where there is no
    name); ``ask_about`` is the title of the document that this person added. ``attached`` are the titles of files that
    can be added to the documents.
    """

    mute: bool = False
    share: bool = False
    privately: bool = False
    ask: str | None = None
    ask_about: str | None = None
    attached: tuple[str, ...] = ()


def footer(
    answer: StoredAnswer, texts: Texts, *, told: Told | None = None, offers: Offers | None = None
) -> list[Block]:
    """What stands under the text of ``answer``: remarks, sources, buttons. At most 2,500 characters and 20 blocks.

    Empty where there is nothing to add: a greeting or a word of help has no sources and wants no opinion. Quotes are
    shortened, and at last left out, where the whole would be too long.
    """
    told, offers = told or Told(), offers or Offers()
    blocks: list[Block] = []
    for longest_quote in (LONGEST_QUOTE, LONGEST_QUOTE // 2, 0):
        blocks = [grey(sentence) for sentence in _sentences(answer, texts, told)]
        if answer.sources:
            blocks += source_list(answer, texts, longest_quote=longest_quote)
        if buttons := _buttons(answer, texts, told, offers):
            blocks.append(row(*buttons))
        if text_size(blocks) <= LONGEST_FOOTER:
            break
    return blocks


def notice_first(answer: Answer) -> Answer:
    """Passages in place of an answer, with the reason for it above them instead of below.

    >>> notice_first(Answer("“It broke.” [1]", Kind.PASSAGES, notice="Claude is away. Here are the passages.")).text
    'Claude is away. Here are the passages.\\n\\n“It broke.” [1]'
    """
    if answer.kind is not Kind.PASSAGES or not answer.notice:
        return answer
    return replace(answer, text=f"{answer.notice}\n\n{answer.text}", notice=None)


def stopped(texts: Texts) -> Block:
    """What stands under an answer that a person stopped."""
    return grey(texts.say("stopped"))


def replaced(texts: Texts, *, url: str | None = None) -> Block:
    """What stands in place of an answer whose question was edited; ``url`` leads to the new answer."""
    runs = [words(texts.say("answer_replaced"), "italic")]
    if url is not None:
        runs += [words(" "), link(texts.say("see_new_answer"), url, "italic")]
    return rich(line(*runs))


def _sentences(answer: StoredAnswer, texts: Texts, told: Told) -> list[str]:
    notice = [one_line(told.notice or "", _LONGEST_NOTICE)]
    if told.reference:
        notice.append(texts.say("reference", reference=one_line(told.reference, 20)))
    sentences = [" · ".join(filter(None, notice))]
    if told.left_out == "outsiders" and not told.left_out_said:
        sentences.append(texts.say("outsiders_here", count=told.readable))
    elif told.left_out == "cannot_check":
        sentences.append(texts.say("readers_unknown", count=told.readable))
    if told.nothing_found:
        sentences.append(_nothing_found(answer, texts, told))
    sentences += [one_line(remark, _LONGEST_REMARK) for remark in told.remarks[:3]]
    return [sentence for sentence in sentences if sentence]


def _nothing_found(answer: StoredAnswer, texts: Texts, told: Told) -> str:
    sentences = []
    if told.readable and (told.left_out is None or told.left_out_said):  # else how many they are is said
        sentences.append(texts.say("all_searched", count=told.readable))
    if titles := closest_titles(answer, texts):
        sentences.append(texts.say("closest", titles=", ".join(titles)))
    return " ".join(sentences)


def _buttons(answer: StoredAnswer, texts: Texts, told: Told, offers: Offers) -> list[Element]:
    to_judge = answer.kind in (Kind.ANSWER, Kind.PASSAGES) and bool(answer.sources or answer.searches)
    buttons: list[Element] = []
    if answer.sources:
        buttons.append(button(_show_passages(answer, texts), actions.SHOW_PASSAGES, answer.id))
    if told.nothing_found and offers.ask is not None:
        buttons.append(button(_ask(offers, texts), actions.ASK_PERSON, answer.id))
    if told.left_out and offers.privately:
        buttons.append(button(texts.say("answer_privately"), actions.ANSWER_PRIVATELY, answer.id))
    # Passages without a reference stand there as there is no key: trying again would change nothing.
    if answer.kind == Kind.TROUBLE or (answer.kind == Kind.PASSAGES and told.reference):
        buttons.append(button(texts.say("try_again"), actions.TRY_AGAIN, answer.id))
    if to_judge:
        buttons.append(button("👍", actions.FEEDBACK_GOOD, answer.id, spoken=texts.say("good_answer")))
        buttons.append(button("👎", actions.FEEDBACK_BAD, answer.id, spoken=texts.say("bad_answer")))
    if offers.share and to_judge:
        buttons.append(button(texts.say("share"), actions.SHARE, answer.id))
    if offers.attached:
        buttons.append(button(_add(offers.attached, texts), actions.ADD_FILE, answer.id))
    if offers.mute and to_judge:
        buttons.append(_menu(answer.id, texts))
    return buttons


def _show_passages(answer: StoredAnswer, texts: Texts) -> str:
    more = len(answer.sources) - MOST_SOURCES
    return texts.say("show_more_passages", count=more) if more > 0 else texts.say("show_passages")


def _ask(offers: Offers, texts: Texts) -> str:
    name = one_line(offers.ask or "", 30)
    if not name:
        return texts.say("ask_everybody")
    if offers.ask_about is None:
        return texts.say("ask_whom", name=name)
    return texts.say("ask_adder", name=name, title=title_of(offers.ask_about, texts, 30))


def _add(titles: tuple[str, ...], texts: Texts) -> str:
    if len(titles) == 1:
        return texts.say("add_file", title=title_of(titles[0], texts, 40))
    return texts.say("add_files", count=len(titles))


def _menu(answer: str, texts: Texts) -> Element:
    label = {"type": "plain_text", "text": texts.say("mute_thread"), "emoji": False}
    return {
        "type": "overflow",
        "action_id": actions.MORE,
        "options": [{"text": label, "value": f"{actions.MUTE_VALUE}{answer}"}],
    }


def fallback(answer: StoredAnswer, texts: Texts, *, told: Told | None = None) -> str:
    """The whole as text, for notifications and screen readers: answer, remarks, sources; at most 4,000 characters.

    The sources stay whole; a long answer is cut before them. Escaped: nothing in it pings or links.
    """
    told = told or Told()
    below = _sentences(answer, texts, told)
    shown = sorted(answer.sources, key=lambda source: source.marker)[:MOST_SOURCES]
    if shown:
        below.append(texts.say("sources"))
        below += [f"[{one.marker}] {title_of(one.title, texts)}{place(one, texts)}" for one in shown]
    ending = escaped("\n".join(below), LONGEST_FALLBACK // 2)
    text = _plain_markdown(visible(answer.text)).strip()
    if not ending:
        return escaped(text, LONGEST_FALLBACK) or texts.say("nothing_asked")
    beginning = escaped(text, LONGEST_FALLBACK - len(ending) - 2)
    return f"{beginning}\n\n{ending}" if beginning else ending


def _plain_markdown(text: str) -> str:
    return _HEADING.sub("", _LINK.sub(r"\1", _BOLD.sub(r"\2", text)))
