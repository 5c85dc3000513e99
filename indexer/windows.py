"""The reduced set: what stands for a document that is too long to be shown with each of its chunks.

For a target chunk it is the outline, the first ``num_start`` chunks and the ``num_prev`` chunks before the target: each
once, in the order of the document, what is left out marked, neither the target nor what follows it among them. The
part that is the same for all targets comes first, so that it can be cached.

Worked example, ten chunks ``c0 … c9``, ``num_start=2``, ``num_prev=2``; before each window stands the outline::

    target 0 → shared (),        own ""
    target 1 → shared (),        own "c0"
    target 2 → shared ("c0c1",), own ""
    target 3 → shared ("c0c1",), own "c2"
    target 4 → shared ("c0c1",), own "c2c3"
    target 7 → shared ("c0c1",), own "[… 3 passages left out …]c5c6"

Targets among the first chunks share the outline only: they must not see themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .documents import Chunk, Heading

Count = Callable[[str], int]

_TITLE_CHARACTERS = 120
_OUTLINE_SHARE = 4  # at most a quarter of the budget goes to the outline,
_START_SHARE = 2  # and half of it to the first chunks


@dataclass(frozen=True, slots=True)
class Window:
    """What one target is shown of its document after the outline: what it shares with others, then its own part."""

    shared: tuple[str, ...]  # one block, or none
    own: str


@dataclass(frozen=True, slots=True)
class ReducedDocument:
    """A long document, reduced; ``around(i)`` gives the window of chunk ``i``."""

    chunks: tuple[Chunk, ...]
    sizes: tuple[int, ...]  # tokens of each chunk
    outline: str
    start: int  # chunks from the beginning that all later targets share
    previous: int
    room: int  # tokens that a window's own part may have

    def around(self, target: int) -> Window:
        """The window of chunk ``target``."""
        is_early = target < self.start
        first = 0 if is_early else self.start
        begin, tokens = target, 0
        while begin > (0 if is_early else max(first, target - self.previous)):
            tokens += self.sizes[begin - 1]
            if tokens > self.room and not is_early:  # early ones take what the shared part would have
                break
            begin -= 1
        own = gap(begin - first) + "".join(chunk.text for chunk in self.chunks[begin:target])
        shared = "".join(chunk.text for chunk in self.chunks[:first])
        return Window((shared,) if shared else (), own)


def reduced(
    chunks: Sequence[Chunk], headings: Sequence[Heading], *, num_start: int, num_prev: int, budget: int, count: Count
) -> ReducedDocument:
    """Reduce a document so that no window has more than ``budget`` tokens by ``count`` (40 at least, for the marks).

    Where they do not fit, the outline loses its lowest levels, fewer first chunks are shared, and the chunks farthest
    from the target are left out. ``count`` should be about additive. Counts each chunk once: CPU work.
    """
    sizes = tuple(count(chunk.text) for chunk in chunks)
    outline = outline_of(headings, budget // _OUTLINE_SHARE, count)
    left = budget - (count(outline) if outline else 0)
    start, used = 0, 0
    while start < min(num_start, len(chunks)) and used + sizes[start] <= budget // _START_SHARE:
        used += sizes[start]
        start += 1
    room = max(0, left - used - count(gap(len(chunks))))
    return ReducedDocument(tuple(chunks), sizes, outline, start, num_prev, room)


def gap(passages: int) -> str:
    """The mark for passages that are left out; empty for none."""
    if passages <= 0:
        return ""
    return f"\n[… {passages} passage{'s' if passages > 1 else ''} left out …]\n"


def outline_of(headings: Sequence[Heading], limit: int, count: Count) -> str:
    """The headings as indented lines, within ``limit`` tokens: deep levels go first, then the last headings.

    >>> outline_of([Heading(1, "Review", 0), Heading(2, "Methods", 9)], 100, lambda text: len(text.split()))
    'Review\\n  Methods\\n'
    """
    titled = [heading for heading in headings if heading.title.strip()]
    for deepest in sorted({heading.level for heading in titled}, reverse=True):
        kept = [heading for heading in titled if heading.level <= deepest]
        lines = [f"{'  ' * (h.level - 1)}{_short(h.title)}\n" for h in kept]
        if deepest > min(h.level for h in titled) and count("".join(lines)) > limit:
            continue
        return _first_lines(lines, limit, count)
    return ""


def _first_lines(lines: Sequence[str], limit: int, count: Count) -> str:
    if count("".join(lines)) <= limit:
        return "".join(lines)
    low, high = 0, len(lines) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if count(_with_rest(lines, middle)) <= limit:
            low = middle
        else:
            high = middle - 1
    return _with_rest(lines, low) if low else ""


def _with_rest(lines: Sequence[str], kept: int) -> str:
    return "".join(lines[:kept]) + f"[… {len(lines) - kept} headings left out …]\n"


def _short(title: str) -> str:
    title = " ".join(title.split())
    return title if len(title) <= _TITLE_CHARACTERS else title[: _TITLE_CHARACTERS - 1] + "…"
