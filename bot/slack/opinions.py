"""What people thought of answers, as lines that ``python -m indexer questions --feedback`` takes.

What was asked in private stays out unless it is asked for: a file goes further than the conversation did.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from bot.ledger import Feedback, StoredAnswer
from bot.slack.markup import unescape

_MENTION = re.compile(r"<@[^<>]+>[\s,:]*")


def opinion_lines(opinions: Iterable[tuple[StoredAnswer, Feedback]], *, private: bool) -> Iterator[dict[str, Any]]:
    """A line an opinion: the question, the sentences that the answer quoted, 1 or -1, and the comment if there is one.

    Who asked and who thought so are not in it.

    >>> # {"question": "What was the root cause?", "quotes": ["It was an expired certificate."], "value": 1}
    """
    for answer, opinion in opinions:
        question = " ".join(unescape(_MENTION.sub("", answer.question)).split())
        if not question or (_was_private(answer) and not private):
            continue
        quotes = list(dict.fromkeys(source.quote for source in answer.sources))
        comment = {"comment": opinion.comment} if opinion.comment else {}
        yield {"question": question, "quotes": quotes, "value": opinion.value, **comment}


def _was_private(answer: StoredAnswer) -> bool:
    """Whether nobody but the asker saw it: for them alone, by a command, or in a direct conversation."""
    return answer.private or not answer.thread or answer.channel.startswith("D")
