"""A question as it was asked in Slack: what makes it one, and the key under which it is answered once."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class How(StrEnum):
    """How somebody came to ask."""

    MENTION = "mention"  # the bot was named in a channel
    DIRECT = "direct"  # a message in the direct conversation with the bot
    FOLLOW_UP = "follow_up"  # an untagged reply in a thread that began with a question to the bot
    COMMAND = "command"  # the slash command: only the asker sees the answer


@dataclass(frozen=True, slots=True)
class Question:
    """One question. Kept as JSON in the ledger, so every field is a plain value.

    ``text`` is as Slack sent it (escaped, mentions as ``<@U1>``). ``thread`` is the ``ts`` of the thread's root, which
    is the question's own ``ts`` where it begins one. ``kind`` of conversation: ``im``, ``mpim``, ``channel``
    (public), ``group`` (private), or "" where the event did not tell. ``edited``: the text was changed after it was
    asked. ``files`` are the file objects of the message, as they came. ``response_url`` belongs to a command.
    ``private``: answered with what the asker may read, for their eyes; its ``ts`` is that of the question which was
    asked for all, after ``private-``. ``again``: asked once more from under an answer, whose id it begins with.
    """

    team: str
    channel: str
    ts: str
    thread: str
    user: str
    text: str
    how: How
    kind: str = ""
    user_team: str | None = None
    edited: bool = False
    files: tuple[dict[str, Any], ...] = field(default=())
    response_url: str | None = None
    private: bool = False
    again: str = ""

    @property
    def key(self) -> str:
        """Names this question, and this wording of it, for ever: ``T1:C1:1700000000.000100:9f86d081884c7d65``."""
        again = f":{text_hash(self.again)}" if self.again else ""
        return f"{self.team}:{self.channel}:{self.ts}:{text_hash(self.text)}{again}"

    @property
    def is_direct(self) -> bool:
        """Whether it was asked where only the asker and the bot are.

        Of a command that cannot be told: it can be given in a direct conversation between two people, too.
        """
        return self.how is not How.COMMAND and (self.kind == "im" or self.channel.startswith("D"))

    @property
    def message_ts(self) -> str:
        """The ``ts`` of the message that asks; of a command, which is none, something else."""
        return self.ts.removeprefix("private-")

    @property
    def begins_thread(self) -> bool:
        return self.thread == self.message_ts

    @property
    def answer_before(self) -> str | None:
        """The id of the answer under which it was asked once more."""
        return self.again.partition(":")[0] or None

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"how": str(self.how), "files": list(self.files)}

    @classmethod
    def of_json(cls, stored: dict[str, Any]) -> Question:
        return cls(**{**stored, "how": How(stored["how"]), "files": tuple(stored["files"])})


def text_hash(text: str) -> str:
    """A hash of a text whose white space is normalised: what an edit must change to be another question.

    >>> text_hash("What  is\\nnew?") == text_hash("What is new?")
    True
    """
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:16]
