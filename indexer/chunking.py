"""Chunks: verbatim slices of a document's text, cut where its structure allows, within a token budget.

The text is cut into *units* (sentences, lines, headings), each is counted once, and the cuts are chosen together, as
a paragraph's line breaks are: every way to cut has a price (a chunk costs 1; cutting in mid-paragraph, leaving a
crumb, leaving a heading alone, running over into another section cost more) and the cheapest way is taken.
semantic-text-splitter cuts what is longer than a chunk by itself, at words or, at last, between characters. (Its own
Markdown splitter fills chunks greedily: it leaves crumbs and headings without their text.)

Worked example, budget 12 and ``count`` = words::

    "# Pump\\n\\nIt failed on Monday.\\n\\n# Valve\\n\\nIt was closed by Dr. Ito. It was opened again on Tuesday."
    → 0  "# Pump\\n\\nIt failed on Monday.\\n\\n"                                        heading_path ("Pump",)
      1  "# Valve\\n\\nIt was closed by Dr. Ito. "                                     heading_path ("Valve",)
      2  "It was opened again on Tuesday."                                            heading_path ("Valve",)
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from semantic_text_splitter import TextSplitter

from indexer.documents import Chunk, ExtractedText
from indexer.headings import HEADING_LINE, Headings
from indexer.sentences import lines, sentences

CRUMB_TOKENS = 40  # shorter chunks are merged into a neighbour wherever they fit

# What a cut costs where it is made, beside the 1 of each chunk
_CUT_AT_PARAGRAPH = 0.2
_CUT_AT_LINE = 0.4
_CUT_AT_SENTENCE = 1.0
_CUT_IN_SENTENCE = 4.0
_CUT_AFTER_LEAD_IN = 0.5  # "The reasons are:"
_CUT_AFTER_HEADING = 50.0
_CRUMB = 8.0
# What a chunk costs that runs over the start of another section, by the section's level (1 is the highest)
_CROSSING = {1: 1.5, 2: 0.8}
_CROSSING_LOWER = 0.4

_LINE_TYPES = frozenset(
    {"text/csv", "text/tab-separated-values", "application/json", "application/x-ndjson", "application/xml", "text/xml",
     "application/javascript", "application/typescript", "application/yaml", "application/toml", "application/sql"}
)  # fmt: skip
_PROSE_TYPES = frozenset({"text/x-markdown", "text/x-rst", "text/x-org", "text/x-web-markdown"})

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is never cut again: its start in the text, its tokens, and what cutting before it costs."""

    start: int
    tokens: int
    cut: float  # price of a cut just before this unit
    crossing: float  # price of holding this unit's start inside a chunk
    is_heading: bool


def chunk(extracted: ExtractedText, *, budget: int, count: Count) -> tuple[Chunk, ...]:
    """Cut a document into chunks; joined they are its text, and ``count(chunk.text) <= budget`` for each.

    ``count`` gives the tokens of a text as it will be embedded, with the prefix and the special tokens that the
    embedder adds, so ``budget`` includes them too. It should be about additive; where it is not, only more is cut.
    No chunk is blank; ones under ``CRUMB_TOKENS`` remain only where no neighbour has room; a heading stays with what
    follows. The only chunks over the budget are single characters that do not fit it by themselves, and long runs of
    white space where ``count`` counts them.

    ``heading_path`` is the one in force where the chunk's text begins, after the headings it begins with; where there
    is none yet (front matter), the one at its end. ``pages`` are those its words are on. CPU work, above all of
    ``count``, which sees the text about twice: call it in a thread.
    """
    text = extracted.text
    if not text.strip():
        return ()
    overhead = count("")
    capacity = max(1, budget - overhead)
    units = _units(extracted, capacity, overhead, count)
    result: list[Chunk] = []
    path = Headings(extracted.headings)
    for start, end in _spans(units, text, capacity, budget, count):
        piece = text[start:end]
        inner = start + len(piece) - len(piece.lstrip())
        pages = tuple(p.number for p in extracted.pages if p.start < start + len(piece.rstrip()) and p.end > inner)
        places = path.places(text, inner, end, extracted.pages)
        relative = tuple(replace(place, offset=place.offset - start if i else 0) for i, place in enumerate(places))
        result.append(Chunk(len(result), start, end, piece, path.of(text, inner, end), pages, relative))
    return tuple(result)


def cut_at_sentence(text: str, limit: int, count: Count, language: str | None) -> str:
    """The longest beginning of ``text`` made of whole sentences with ``count(…) <= limit``, stripped of white space.

    Where even the first sentence is too long it is cut at a word, at last between characters. Never empty for text
    that is not blank.

    >>> cut_at_sentence("It failed. It was repaired.", 3, lambda text: len(text.split()), "en")
    'It failed.'
    """
    if count(text.strip()) <= limit:
        return text.strip()
    units = sentences(text, language)
    fitting = _longest(units, limit, count)
    if fitting:
        return fitting
    first = units[0].strip() if units else text
    return _longest(_fragments(first, limit, count), limit, count) or first.lstrip()[:1]


def _longest(parts: Sequence[str], limit: int, count: Count) -> str:
    low, high = 0, len(parts)
    while low < high:
        middle = (low + high + 1) // 2
        if count("".join(parts[:middle]).strip()) <= limit:
            low = middle
        else:
            high = middle - 1
    return "".join(parts[:low]).strip()


# Units


def _units(extracted: ExtractedText, capacity: int, overhead: int, count: Count) -> list[_Unit]:
    """Units of at most ``capacity`` tokens; a heading leaves room for the beginning of what follows it."""
    text = extracted.text
    levels = {heading.start: heading.level for heading in extracted.headings}
    starts = _starts(extracted)
    fine = capacity // 24  # units below this are joined: no use in weighing every row of a table
    result: list[_Unit] = []
    heading_tokens = 0  # of the headings just before
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        level = levels.get(start)
        room = capacity - heading_tokens if heading_tokens < capacity // 2 else capacity
        for offset, _, total in _fitting(text[start:end], start, room + overhead, count):
            tokens = max(1, total - overhead)
            is_heading = level is not None
            last = result[-1] if result else None
            if last and not is_heading and not last.is_heading and offset == start and last.tokens + tokens <= fine:
                result[-1] = _Unit(last.start, last.tokens + tokens, last.cut, last.crossing, False)
                continue
            cut = _cut_price(text[last.start : offset] if last else "", level, offset == start)
            if last and last.is_heading:
                cut = _CUT_AFTER_HEADING
            crossing = 0.0 if level is None else _CROSSING.get(level, _CROSSING_LOWER)
            result.append(_Unit(offset, tokens, cut, crossing, is_heading))
            heading_tokens = (heading_tokens if last and last.is_heading else 0) + tokens if is_heading else 0
    return result


def _starts(extracted: ExtractedText) -> list[int]:
    """Where units begin: sentences or lines, and headings with nothing but their own line."""
    text = extracted.text
    pieces = lines(text) if _is_lines(extracted.media_type) else sentences(text, extracted.language)
    starts = list(accumulate(map(len, pieces), initial=0))[:-1]
    merged: set[int] = set(starts)
    for heading in extracted.headings:
        line = HEADING_LINE.match(text, heading.start)
        if not line:
            continue
        merged.difference_update(starts[bisect_right(starts, heading.start) : bisect_left(starts, line.end())])
        merged.update((heading.start, line.end()))
    return _without_blanks(text, sorted(merged))


def _without_blanks(text: str, starts: list[int]) -> list[int]:
    """Drop starts whose unit would be blank: it goes to the unit before, at the beginning to the one after."""
    result: list[int] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        if text[start:end].strip():
            result.append(start if result else 0)
    return result


def _is_lines(media_type: str) -> bool:
    """Whether lines are the units: rows and code."""
    if media_type in _PROSE_TYPES:
        return False
    return media_type in _LINE_TYPES or media_type.startswith("text/x-") or media_type.endswith(("+json", "+xml"))


def _cut_price(before: str, level: int | None, is_whole: bool) -> float:
    """What a cut costs between ``before`` and a unit: a heading (of some level) or not, whole or part of one."""
    if not is_whole:
        return _CUT_IN_SENTENCE
    if level is not None:
        return 0.0
    words = before.rstrip()
    white = before[len(words) :]
    lead_in = _CUT_AFTER_LEAD_IN if words.endswith(":") else 0.0
    breaks = len(white.replace("\r\n", "\n").splitlines())
    if breaks >= 2 or "\f" in white:
        return _CUT_AT_PARAGRAPH + lead_in
    return (_CUT_AT_LINE if breaks and white[-1:] in "\r\n" else _CUT_AT_SENTENCE) + lead_in


def _fitting(piece: str, start: int, limit: int, count: Count) -> Iterator[tuple[int, str, int]]:
    """The piece, or fragments of it within the limit, with their offsets and tokens."""
    tokens = count(piece)
    if tokens <= limit:
        yield start, piece, tokens
        return
    for fragment in _fragments(piece, limit, count):
        yield start, fragment, count(fragment)
        start += len(fragment)


def _fragments(text: str, limit: int, count: Count) -> list[str]:
    """Text cut at words, else between graphemes, else between characters; joined they are the text, none is blank."""
    overhead = count("")
    room = max(1, limit - overhead)
    # the splitter takes it for granted that a text has no more tokens than characters: overhead must not be in them
    splitter = TextSplitter.from_callback(lambda part: max(0, count(part) - overhead), room, trim=False)
    stretch = max(2_000, 8 * room)  # the splitter's time grows with the square of what it is given
    result: list[str] = []
    blank = ""
    for begin in range(0, len(text), stretch):
        for fragment in splitter.chunks(text[begin : begin + stretch]):
            if not fragment.isspace():
                result.extend(_halves(blank + fragment, limit, count))
                blank = ""
            elif result and count(result[-1] + fragment) <= limit:
                result[-1] += fragment
            else:
                blank += fragment
    if blank and result:
        result[-1] += blank
    return result or [text]


def _halves(text: str, limit: int, count: Count) -> list[str]:
    """The last resort, for counts that are not additive: cut in the middle until it fits or is one character."""
    words = len(text.strip())
    if words <= 1 or count(text) <= limit:
        return [text]
    middle = len(text) - len(text.lstrip()) + words // 2
    while middle < len(text) and text[middle:].isspace():  # both halves have a word
        middle -= 1
    return [*_halves(text[:middle], limit, count), *_halves(text[middle:], limit, count)]


# Cuts


def _cheapest_cuts(units: Sequence[_Unit], capacity: int) -> list[int]:
    """Indices of the units that begin a chunk, 0 first, so that the sum of all prices is least.

    ``best[j]`` is the price of the cheapest way to cut ``units[:j]`` when a chunk ends before ``j``.
    """
    count = len(units)
    crumb = min(CRUMB_TOKENS, capacity // 4)
    best = [0.0] + [float("inf")] * count
    origin = [0] * (count + 1)
    for i in range(count):
        tokens = 0
        crossings = best[i] + 1.0
        for j in range(i + 1, count + 1):
            tokens += units[j - 1].tokens
            if tokens > capacity and j > i + 1:
                break
            if j - 1 > i:
                crossings += units[j - 1].crossing
            empty = 1 - tokens / capacity
            price = crossings + empty * empty + (units[j].cut if j < count else 0.0) + (_CRUMB if tokens < crumb else 0)
            if price < best[j]:
                best[j], origin[j] = price, i
    result: list[int] = []
    j = count
    while j:
        j = origin[j]
        result.append(j)
    return result[::-1]


def _spans(units: Sequence[_Unit], text: str, capacity: int, budget: int, count: Count) -> Iterator[tuple[int, int]]:
    """Spans of the chunks. The sum of units is an estimate, so each is counted, and cut again where it is too long."""
    cuts = _cheapest_cuts(units, capacity)
    for first, last in zip(cuts, [*cuts[1:], len(units)], strict=True):
        start = units[first].start
        end = units[last].start if last < len(units) else len(text)
        tokens = count(text[start:end])
        if tokens > budget and last - first > 1:
            less = min(sum(unit.tokens for unit in units[first:last]) - 1, capacity * budget // tokens)
            yield from _spans(units[first:last], text[:end], less, budget, count)
            continue
        for offset, piece, _ in _fitting(text[start:end], start, budget, count):
            yield offset, offset + len(piece)
