"""What a conversation said before, as far as it may still be said.

A sentence of an earlier answer that cites is kept while every document that it rests on is still there in the same
version and still readable. One that does not cite may rest on anything that its answer was made from, the answers
before it among them: it is kept while all of that is so. What was deleted, replaced or closed to the asker does not
live on in a thread.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from anthropic.types import MessageParam

from bot.answering.events import Source, Turn
from bot.answering.visible import without_hidden
from indexer import DocumentId, VersionId

LONGEST_MEMORY = 40  # turns
LONGEST_QUESTION = 12_000  # characters of what was said in one turn
BUDGET_TOKENS = 8_000
BYTES_A_TOKEN = 3  # of UTF-8: English has about four, Chinese and Japanese about three
LEFT_OUT = "(What was answered here is left out: nothing of it can be shown any more.)"
CUT = " … "

Role = Literal["user", "assistant"]


def remembered(
    history: Sequence[Turn], published: Mapping[DocumentId, VersionId | None], budget_tokens: int = BUDGET_TOKENS
) -> list[MessageParam]:
    """Earlier turns as messages of about ``budget_tokens`` tokens at most, the newest kept; none of them is empty.

    They begin with a user's and alternate. They end with an assistant's, but for a conversation whose last turn is
    not answered: then with a user's, to be joined with the question. ``published`` is what the asker may read now.

    >>> remembered([Turn("Ada: When?", (Statement("In May.", (Source(A, A1),)),))], {A: A1})
    [{"role": "user", "content": "Ada: When?"}, {"role": "assistant", "content": "In May."}]
    """
    budget = max(0, budget_tokens) * BYTES_A_TOKEN
    newest: list[tuple[str, str | None]] = []
    for said, answered in reversed(list(_readable(history, published))):
        size = _size(said) + _size(answered or "")
        if size > budget:
            if not newest and budget:  # the last thing said is never left out for being long
                newest.append(_cut_turn(said, answered, budget))
            break
        newest.append((said, answered))
        budget -= size
        if len(newest) == LONGEST_MEMORY:
            break
    return _messages(reversed(newest))


def _readable(
    history: Sequence[Turn], published: Mapping[DocumentId, VersionId | None]
) -> Iterator[tuple[str, str | None]]:
    """Of each turn what was said and what of the answer may be repeated; None where there was no answer."""

    def may_read(sources: Sequence[Source]) -> bool:
        return all(published.get(source.document) == source.version for source in sources)

    all_readable = True  # whatever answers were made from so far
    for turn in history:
        cited = [source for statement in turn.statements for source in statement.sources]
        all_readable = all_readable and may_read(turn.shown) and may_read(cited)
        kept = [
            statement.text.strip()
            for statement in turn.statements
            if statement.text.strip()
            and (may_read(statement.sources) if statement.sources else bool(turn.shown) and all_readable)
        ]
        said = without_hidden(turn.question).strip()
        answered = (" ".join(kept) or LEFT_OUT) if turn.answered else None
        if said or kept:
            yield _shortened(said, LONGEST_QUESTION), answered


def _messages(turns: Iterator[tuple[str, str | None]]) -> list[MessageParam]:
    """The turns as alternating messages; an answer to nothing (its question is gone) goes on with the one before."""
    runs: list[tuple[Role, list[str]]] = []
    for said, answered in turns:
        turn: tuple[tuple[Role, str | None], ...] = (("user", said), ("assistant", answered))
        for role, text in turn:
            if not text or (role == "assistant" and not runs):
                continue
            if runs and runs[-1][0] == role:
                runs[-1][1].append(text)
            else:
                runs.append((role, [text]))
    return [_message(role, "\n".join(texts)) for role, texts in runs]


def _message(role: Role, text: str) -> MessageParam:
    return {"role": "user", "content": text} if role == "user" else {"role": "assistant", "content": text}


def _size(text: str) -> int:
    """UTF-8 bytes."""
    return len(text.encode("utf-8", "replace"))


def _cut_turn(said: str, answered: str | None, size: int) -> tuple[str, str | None]:
    """One turn in at most ``size`` bytes: the question has half of them where the answer needs the rest."""
    if answered is None:
        return _cut(said, size), None
    said = _cut(said, max(size // 2, size - _size(answered)))
    return said, _cut(answered, size - _size(said)) or None


def _cut(text: str, size: int) -> str:
    """``text`` in at most ``size`` bytes, its beginning and its end kept."""
    if _size(text) <= size:
        return text
    characters = math.floor(len(text) * size / _size(text))
    while characters > len(CUT) and _size(_shortened(text, characters)) > size:
        characters -= max(1, characters // 20)
    return _shortened(text, characters)


def _shortened(text: str, characters: int) -> str:
    """``text`` in at most so many characters: its beginning and its end, with ``…`` between.

    >>> _shortened("abcdefghijkl", 9)
    'abc … jkl'
    """
    if len(text) <= characters:
        return text
    kept = characters - len(CUT)
    if kept < 2:
        return ""
    return f"{text[: kept - kept // 2].rstrip()}{CUT}{text[len(text) - kept // 2 :].lstrip()}"
