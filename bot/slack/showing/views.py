"""The forms that open over a conversation: an answer's passages in full, and what was wrong with it. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bot.answering.visible import one_line, visible
from bot.slack.showing import actions
from bot.slack.showing.elements import Block, Element, divider, grey, line, plain, quoted, rich, words
from bot.slack.showing.forms import View, label, modal, one_sentence
from bot.slack.showing.found_by import found_by
from bot.slack.showing.sources import heading
from bot.texts import Texts
from bot.why import why_told
from indexer import ContextKind, Passage

if TYPE_CHECKING:
    from bot.ledger.records import StoredAnswer, StoredSource
    from bot.why import Explained

LONGEST_VIEW: Final = 200_000  # bytes of JSON; Slack takes 250,000
LONGEST_COMMENT: Final = 3_000
_MOST_BLOCKS = 100
_LONGEST_PASSAGE = 2_900
_BEFORE_QUOTE = 1_000  # characters of a very long passage that are shown before its quote
_LONGEST_NEIGHBOUR = 400
_LONGEST_CONTEXT = 700
_ABOUT = "ⓘ"
_EMPTY_LINES = re.compile(r"\n\s*\n\s*\n+")
_LINE_ENDS = re.compile(r"\n\s*\n")


def passages_loading(texts: Texts) -> View:
    """Opened at once, as Slack waits three seconds for a form; ``passages`` then takes its place."""
    return _form(texts, [grey(texts.say("passages_loading"))])


def sentence(told: str, texts: Texts, *, reference: str | None = None) -> View:
    """In place of the passages: why they cannot be shown."""
    return _form(texts, one_sentence(told, texts, reference=reference))


def passages(
    answer: StoredAnswer,
    around: Mapping[int, Sequence[Passage]],
    texts: Texts,
    whys: Mapping[str, Explained] | None = None,
) -> View:
    """The sources of ``answer`` in full: title, place and date; the passage with its quotes set off; its neighbours in
    grey; how it was found, and its context marked as such. A passage that several markers point at is shown once.

    ``around`` has by marker the source's passage and those next to it, for exactly the sources that may be read by
    whoever looks; of the others it is said only how many they are. ``whys`` has by ``Hit.key`` how the passages are
    found now; where it has nothing, what was kept of the searches tells. At most 100 blocks and 200,000 bytes.
    """
    blocks: list[Block] = []
    hidden = left = 0
    ranked = False
    for sources in _by_passage(answer.sources):
        near = around.get(sources[0].marker, ())
        passage = next((one for one in near if one.chunk.position == sources[0].position), None)
        if passage is None:
            hidden += len(sources)
            continue
        why = (whys or {}).get(f"{sources[0].version}#{sources[0].position}")
        shown = [*([divider()] if blocks else []), *_passage(answer, sources, passage, near, texts, why)]
        # room is kept for the three lines at the end
        if left or len(blocks) + len(shown) > _MOST_BLOCKS - 3 or _bytes(blocks) + _bytes(shown) > LONGEST_VIEW:
            left += len(sources)
            continue
        blocks += shown
        ranked = ranked or why is not None
    if ranked:
        blocks.append(grey(texts.say("ranks_now")))
    if left:
        blocks.append(grey(texts.say("no_room", count=left)))
    if hidden or not blocks:
        blocks.append(grey(texts.say("not_shown", count=hidden)))
    return _form(texts, blocks)


def feedback(answer: str, texts: Texts) -> View:
    """Asks what was wrong with an answer, which one may leave out; ``answer`` is its id."""
    field = {
        "type": "plain_text_input",
        "action_id": actions.COMMENT_INPUT,
        "multiline": True,
        "max_length": LONGEST_COMMENT,
        "focus_on_load": True,
    }
    asked = {
        "type": "input",
        "block_id": actions.COMMENT_BLOCK,
        "optional": True,
        "label": plain(texts.say("what_was_wrong")),
        "hint": plain(texts.say("what_was_wrong_hint")),
        "element": field,
    }
    form = modal(actions.FEEDBACK_VIEW, "feedback_title", [asked], texts)
    return form | {"private_metadata": answer, "submit": label(texts.say("send"))}


def comment_of(view: Mapping[str, Any]) -> str | None:
    """What was written into the feedback form, as it is sent in; None where nothing was."""
    try:
        written = view["state"]["values"][actions.COMMENT_BLOCK][actions.COMMENT_INPUT]["value"]
    except (KeyError, TypeError):
        return None
    return visible(written)[:LONGEST_COMMENT].strip() or None if isinstance(written, str) else None


def _form(texts: Texts, blocks: list[Block]) -> View:
    return modal(actions.PASSAGES_VIEW, "passages_title", blocks, texts)


def _by_passage(sources: Sequence[StoredSource]) -> list[list[StoredSource]]:
    """Sources that point at one passage together, in the order of their first markers."""
    groups: dict[tuple[str, int], list[StoredSource]] = {}
    for source in sorted(sources, key=lambda source: source.marker):
        groups.setdefault((source.version, source.position), []).append(source)
    return list(groups.values())


def _passage(
    answer: StoredAnswer,
    sources: Sequence[StoredSource],
    passage: Passage,
    near: Sequence[Passage],
    texts: Texts,
    why: Explained | None,
) -> list[Block]:
    position = passage.chunk.position
    before = [one.chunk.text for one in near if one.chunk.position == position - 1]
    after = [one.chunk.text for one in near if one.chunk.position == position + 1]
    markers = "".join(f"[{source.marker}]" for source in sources)
    blocks = [rich(line(words(f"{markers} ", "bold"), *heading(sources[0], texts)))]
    if before and (text := _end_of(before[0])):
        blocks.append(grey(text))
    blocks.append(rich(quoted(*_set_off(passage.chunk.text, [source.quote for source in sources]))))
    if after and (text := _beginning_of(after[0])):
        blocks.append(grey(text))
    if told := _about(answer, sources[0], passage, texts, why):
        blocks.append(grey(told))
    return blocks


def _about(answer: StoredAnswer, source: StoredSource, passage: Passage, texts: Texts, why: Explained | None) -> str:
    """How it was found, and its context."""
    hit = next((one for one in answer.hits if (one.version, one.position) == (source.version, source.position)), None)
    told: list[str | None] = []
    if why is not None:
        told.append(" ".join(why_told(why, texts, hit.scores.get("rerank") if hit is not None else None)))
    elif hit is not None:
        searched = f"{source.title}\n{passage.text}"
        told.append(found_by(answer.hits, hit, (answer.question, *answer.searches), searched, texts))
    if context := one_line(passage.context.text, _LONGEST_CONTEXT):
        if passage.context.kind is ContextKind.GENERATED:
            told.append(texts.say("context_generated", context=context))
        else:
            told.append(texts.say("context_structural", context=context))
    return "\n".join(f"{_ABOUT} {sentence}" for sentence in told if sentence)  # or it reads like one more neighbour


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int


def _set_off(chunk: str, quotes: Sequence[str]) -> list[Element]:
    """The chunk as runs of rich text, the quotes bold: ``"a b c"`` with the quote ``"b"`` → ``a `` **b** `` c``."""
    spans = _spans(chunk, quotes)
    start, end = _shown(chunk, spans)
    pieces: list[tuple[str, bool]] = []
    at = start
    for span in spans:
        if span.start >= end:
            break
        pieces += [(chunk[at : span.start], False), (chunk[span.start : min(span.end, end)], True)]
        at = min(span.end, end)
    pieces.append((chunk[at:end], False))
    pieces = [(_tidy(text), bold) for text, bold in pieces]
    pieces = [("…", False), *pieces] if start else pieces
    pieces = [*pieces, ("…", False)] if end < len(chunk) else pieces
    pieces = [(text, bold) for text, bold in pieces if text]
    if pieces:
        pieces[0] = (pieces[0][0].lstrip("\n"), pieces[0][1])
        pieces[-1] = (pieces[-1][0].rstrip(), pieces[-1][1])
    runs = [words(text, "bold") if bold else words(text) for text, bold in pieces if text]
    return runs or [words("…")]


def _spans(chunk: str, quotes: Sequence[str]) -> list[_Span]:
    """Where the quotes stand, in order, what overlaps run together; a quote that is not there has none."""
    found = sorted((chunk.find(quote), len(quote)) for quote in quotes if quote and quote in chunk)
    spans: list[_Span] = []
    for start, length in found:
        if spans and start <= spans[-1].end:
            spans[-1] = _Span(spans[-1].start, max(spans[-1].end, start + length))
        else:
            spans.append(_Span(start, start + length))
    return spans


def _shown(chunk: str, spans: Sequence[_Span]) -> tuple[int, int]:
    """The part of a chunk that is shown: all of it, or of a very long one what is around its first quote."""
    if len(chunk) <= _LONGEST_PASSAGE:
        return 0, len(chunk)
    first = spans[0].start if spans else 0
    start = max(0, min(first - _BEFORE_QUOTE, len(chunk) - _LONGEST_PASSAGE))
    return start, start + _LONGEST_PASSAGE


def _tidy(text: str) -> str:
    return _EMPTY_LINES.sub("\n\n", visible(text))


def _end_of(text: str) -> str:
    tidy = _LINE_ENDS.sub("\n", visible(text)).strip()
    return tidy if len(tidy) <= _LONGEST_NEIGHBOUR else "…" + tidy[-_LONGEST_NEIGHBOUR:].lstrip()


def _beginning_of(text: str) -> str:
    tidy = _LINE_ENDS.sub("\n", visible(text)).strip()
    return tidy if len(tidy) <= _LONGEST_NEIGHBOUR else tidy[:_LONGEST_NEIGHBOUR].rstrip() + "…"


def _bytes(blocks: Sequence[Block]) -> int:
    return len(json.dumps(blocks))
