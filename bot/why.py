"""Why a source was found, for people: which search found it, its places by meaning and by words, and those words."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.answering.languages import is_common
from bot.answering.library import Library
from bot.answering.visible import one_line
from bot.texts import Texts
from indexer import ContextKind, Viewer

if TYPE_CHECKING:
    from indexer import Why

MOST_SEARCHES: Final = 8
MOST_WORDS: Final = 6
_LONGEST_WORD = 40
_LONGEST_QUERY = 80


@dataclass(frozen=True, slots=True)
class Explained:
    """How a passage is found: by which search of an answer, and why. ``several``: the answer had more searches."""

    query: str
    why: Why
    several: bool = False


async def explained(library: Library, workspace: str, viewer: Viewer, searches: Iterable[str]) -> dict[str, Explained]:
    """By ``Hit.key`` how each passage that these searches find now is found: by the one where it stands highest.

    ``viewer`` is whoever wants to know. No reranker is paid for that: it ordered them for the answer. Raises
    Unavailable.
    """
    queries = list(dict.fromkeys(query for query in searches if query.strip()))[:MOST_SEARCHES]
    made = await asyncio.gather(*(library.explain(workspace, query, viewer, reranked=False) for query in queries))
    best: dict[str, Explained] = {}
    for query, whys in zip(queries, made, strict=True):
        for why in whys:
            key = why.hit.key
            if viewer.may_read(why.hit.audience) and (key not in best or why.rank < best[key].why.rank):
                best[key] = Explained(query, why, len(queries) > 1)
    return best


def why_told(explained: Explained, texts: Texts, reranked: float | None = None) -> list[str]:
    """Why a passage was found, as sentences, the most telling first; none where neither side tells of it.

    ``reranked`` is the score that a reranker gave it for the answer.

    Worked example, second by meaning and first by words, of which the passage itself has one only →
    ``["Found for “INC-7 cause” by meaning (2nd) and by the words “INC-7, cause” (1st).",
    "Only its context has “INC-7”."]``
    """
    why = explained.why
    ways = []
    if why.vector is not None:
        ways.append(texts.say("by_meaning", rank=ordinal(why.vector.rank, texts)))
    if why.keyword is not None:
        ways.append(by_words(telling(why.matched), why.keyword.rank, texts))
    if not ways:
        return []
    query = one_line(explained.query, _LONGEST_QUERY)
    if explained.several and len(ways) == 2:
        told = [texts.say("found_two_ways_for", query=query, first=ways[0], second=ways[1])]
    elif explained.several:
        told = [texts.say("found_one_way_for", query=query, way=ways[0])]
    elif len(ways) == 2:
        told = [texts.say("found_two_ways", first=ways[0], second=ways[1])]
    else:
        told = [texts.say("found_one_way", way=ways[0])]
    told += _only_beside_the_text(why, texts) if why.keyword is not None else []
    if (nearer := _nearer_context(why)) is not None:
        told.append(texts.say("context_nearer", rank=ordinal(nearer, texts)))
    if reranked is not None:
        told.append(texts.say("reranked", score=f"{reranked:.2f}"))
    return told


def by_words(words: Sequence[str], rank: int, texts: Texts) -> str:
    """``by the words “gateway, closed” (1st)``; without any words ``by its words (1st)``."""
    place = ordinal(rank, texts)
    return texts.say("by_words", words=_listed(words), rank=place) if words else texts.say("by_its_words", rank=place)


def telling(words: Iterable[str]) -> tuple[str, ...]:
    """The words that tell something, six at most: no common ones, identifiers first.

    >>> telling(["the", "gateway", "INC-2023-04-011"])
    ('INC-2023-04-011', 'gateway')
    """
    kept = [word for word in words if not is_common(word.casefold())]
    return tuple(sorted(kept, key=lambda word: not is_identifier(word))[:MOST_WORDS])


def is_identifier(word: str) -> bool:
    """Whether a word is a code or a name as programs have them: ``E-4711``, ``snake_case``, ``getUser``, ``SSO``."""
    return any(c.isdigit() or c == "_" for c in word) or any(c.isupper() for c in word[1:])


def ordinal(number: int, texts: Texts) -> str:
    """``1st, 2nd, 3rd, 11th``; in French ``1er, 2e``."""
    if texts.language == "fr":
        return "1er" if number == 1 else f"{number}e"
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(one_line(word, _LONGEST_WORD) for word in words)


def _only_beside_the_text(why: Why, texts: Texts) -> list[str]:
    """The words that the passage itself has not: its context has them, or its title."""
    context, title = why.only_in("context"), why.only_in("title")
    if why.hit.context.kind is ContextKind.STRUCTURAL:  # made of title and headings
        there: Mapping[str, tuple[str, ...]] = {"words_in_headings": (*context, *title)}
    else:
        known = {word.casefold() for word in context}
        there = {
            "words_in_context": context,
            "words_in_title": tuple(word for word in title if word.casefold() not in known),
        }
    told = []
    for key, words in there.items():
        if shown := telling(dict.fromkeys(words)):
            told.append(texts.say(key, words=_listed(shown)))
    return told


def _nearer_context(why: Why) -> int | None:
    """The rank of a context that Claude wrote where it is far ahead of that of context and text together."""
    alone, whole = why.vectors.get("context"), why.vectors.get("passage")
    if why.hit.context.kind is not ContextKind.GENERATED or alone is None or why.vector is None:
        return None
    return alone.rank if whole is None or 2 * alone.rank <= whole.rank else None
