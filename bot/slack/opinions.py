"""What people thought of answers, as lines that ``python -m indexer questions --feedback`` takes.

What was asked in private stays out unless it is asked for, and so does what rests on documents that are not for all
employees: a file goes further than the conversation did.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from bot.ledger import Feedback, StoredAnswer
from bot.slack.markup import unescape
from indexer import EVERYONE, WORKSPACE, Indexer, VersionId

_MENTION = re.compile(r"<@[^<>]+>[\s,:]*")


def opinion_lines(
    opinions: Iterable[tuple[StoredAnswer, Feedback]], *, for_all: Collection[VersionId], private: bool
) -> Iterator[dict[str, Any]]:
    """A line an opinion: the question, the sentences that the answer quoted, 1 or -1, and the comment if there is one.

    Who asked and who thought so are not in it. ``for_all`` are the versions that all employees may read; ``private``:
    also what was asked in private, or rests on others.

    >>> # {"question": "What was the root cause?", "quotes": ["It was an expired certificate."], "value": 1}
    """
    for answer, opinion in opinions:
        question = " ".join(unescape(_MENTION.sub("", answer.question)).split())
        goes_out = not _was_private(answer) and {source.version for source in answer.sources} <= set(for_all)
        if not question or not (goes_out or private):
            continue
        quotes = list(dict.fromkeys(source.quote for source in answer.sources))
        comment = {"comment": opinion.comment} if opinion.comment else {}
        yield {"question": question, "quotes": quotes, "value": opinion.value, **comment}


def _was_private(answer: StoredAnswer) -> bool:
    """Whether nobody but the asker saw it: for them alone, by a command, or in a direct conversation."""
    return answer.private or not answer.thread or answer.channel.startswith("D")


async def for_all_employees(
    library: Indexer, opinions: Iterable[tuple[StoredAnswer, Feedback]]
) -> frozenset[VersionId]:
    """Which of the versions that answers rest on all employees may read; one that is gone is none."""
    quoted = {source.version for answer, _ in opinions for source in answer.sources}
    known = await library.versions(quoted) if quoted else {}
    return frozenset(version for version, row in known.items() if row.audience in (WORKSPACE, EVERYONE))
