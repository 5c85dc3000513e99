"""In what terms a passage matched, by what was kept of the answer: where the searches cannot be made again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from bot.answering.languages import is_common
from bot.slack.markup import unescape
from bot.texts import Texts
from bot.why import MOST_WORDS, by_words, is_identifier, ordinal

if TYPE_CHECKING:
    from bot.ledger.records import StoredHit

# A word is found whole: INC-2023-04-011, snake_case, v1.2, l'incident as two; scripts without spaces by their runs.
_UNSPACED: Final = "\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f"
_WORD = re.compile(rf"[{_UNSPACED}]{{2,}}|(?:[^\W{_UNSPACED}]|(?<=\w)[-.](?=\w))+")
_ONLY_HIRAGANA = re.compile("[\u3040-\u309f]+")


def found_by(hits: Sequence[StoredHit], hit: StoredHit, asked: Sequence[str], passage: str, texts: Texts) -> str | None:
    """How ``hit`` was found among all of an answer's, as a sentence; None where the searches did not tell.

    ``asked`` are the question, as Slack sent it, and the searches; ``passage`` is what was searched: title, context
    and chunk. Worked example: a hit that is second by ``vector`` and first by ``keyword``, for "When was the gateway
    closed?" and a passage with that word → ``Found by meaning (2nd) and by the words “gateway” (1st).``
    """
    meaning, keyword = rank(hits, hit, "vector"), rank(hits, hit, "keyword")
    ways = []
    if meaning is not None:
        ways.append(texts.say("by_meaning", rank=ordinal(meaning, texts)))
    if keyword is not None:
        ways.append(by_words(shared_words(asked, passage), keyword, texts))
    if len(ways) == 2:
        return texts.say("found_two_ways", first=ways[0], second=ways[1])
    return texts.say("found_one_way", way=ways[0]) if ways else None


def rank(hits: Sequence[StoredHit], hit: StoredHit, side: str) -> int | None:
    """The rank of ``hit`` by one side's score, from 1, equals alike; None where that side did not find it.

    Where the scores are 0.9, 0.7, 0.7 the ranks are 1, 2, 2.
    """
    own = hit.scores.get(side)
    return None if own is None else 1 + sum(other.scores.get(side, own) > own for other in hits)


def shared_words(asked: Sequence[str], passage: str) -> tuple[str, ...]:
    """The words of ``asked`` that ``passage`` has, as they were asked; identifiers whole and first, common words not.

    >>> shared_words(["What did the gateway have to do with INC-2023-04-011?"], "inc-2023-04-011: the gateway failed")
    ('INC-2023-04-011', 'gateway')
    """
    within = {word.casefold() for word in _words(passage)}
    found: dict[str, str] = {}
    for word in (word for text in asked for word in _words(unescape(text))):
        for piece in _pieces(word, passage, within):
            found.setdefault(piece.casefold(), piece)
    told = sorted(found.values(), key=lambda word: not is_identifier(word))
    return tuple(told[:MOST_WORDS])


def _words(text: str) -> Iterator[str]:
    return (match[0] for match in _WORD.finditer(text))


def _pieces(word: str, passage: str, within: set[str]) -> Iterator[str]:
    if re.match(f"[{_UNSPACED}]", word):
        yield from _common_runs(word, passage)
    elif word.casefold() in within and not is_common(word.casefold()) and (len(word) > 1 or word.isdigit()):
        yield word


def _common_runs(run: str, passage: str) -> Iterator[str]:
    """The longest pieces of an unspaced run that the passage has, of two characters or more; endings alone not."""
    start = 0
    while start < len(run) - 1:
        end = start + 2
        if run[start:end] not in passage:
            start += 1
            continue
        while end < len(run) and run[start : end + 1] in passage:
            end += 1
        if not _ONLY_HIRAGANA.fullmatch(run[start:end]):
            yield run[start:end]
        start = end
