"""A request to add documents, as somebody made it in Slack, and how far each thing in it has come."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal


class What(StrEnum):
    """What is to be added."""

    FILE = "file"  # one of Slack's files
    LINK = "link"  # an address on the web
    TEXT = "text"  # pasted
    MESSAGE = "message"  # one message in Slack
    THREAD = "thread"  # a message and all replies to it


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to be added. ``ref`` names it for ever, by its kind:

    ``F0123`` for a file; the address of a link; an id of its own for pasted text; ``C0123:1700000000.000100`` for a
    message, and for a thread, whose root that is. ``name`` is what people call it until it has been read. ``text`` is
    the pasted text. ``title`` was given by a person, None for the document's own.
    """

    what: What
    ref: str
    name: str
    text: str = ""
    title: str | None = None

    @property
    def source(self) -> str:
        """The document's key: the same thing added again replaces its document.

        >>> Item(What.MESSAGE, "C1:1700000000.000100", "Minutes").source
        'slack:message:C1:1700000000.000100'
        """
        if self.what is What.LINK:
            return self.ref
        return f"text:{self.ref}" if self.what is What.TEXT else f"slack:{self.what}:{self.ref}"


@dataclass(frozen=True, slots=True)
class Request:
    """Things that somebody wants added for one audience. Kept as JSON in the ledger, so every field is a plain value.

    ``audience`` is an ``Audience`` as text. ``channel`` is where it was asked for ("" from the Home tab), ``user_team``
    where the person comes from, None where Slack did not tell. ``from_message`` names the message that a shortcut was
    used on (``C1:1700000000.000100``), which decides how far the audience may reach; "" for what is the person's own.
    ``response_url`` is a way to answer for half an hour where the bot may not write.
    """

    id: str
    team: str
    user: str
    items: tuple[Item, ...]
    audience: str
    channel: str = ""
    user_team: str | None = None
    from_message: str = ""
    response_url: str | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"items": [asdict(item) | {"what": str(item.what)} for item in self.items]}

    @classmethod
    def of_json(cls, stored: dict[str, Any]) -> Request:
        items = tuple(Item(**{**item, "what": What(item["what"])}) for item in stored["items"])
        return cls(**{**stored, "items": items})


State = Literal["waiting", "reading", "indexing", "asks_twin", "asks_cost", "ready", "refused", "cancelled", "removed"]
Decision = Literal["replace", "keep", "go_on", "cancel"]

AT_WORK: tuple[State, ...] = ("waiting", "reading", "indexing")
ASKING: tuple[State, ...] = ("asks_twin", "asks_cost")


@dataclass(frozen=True, slots=True)
class Twin:
    """A document that is there already and looks like the same. ``same``: its name, or nearly its text.

    ``may_replace``: the person who adds may remove it. ``added_by`` is the name of who added it, "" where not known: it
    is told, and calls nobody. ``audience``: who may read it, an ``Audience`` as text.
    """

    document: str
    title: str
    same: Literal["name", "text"]
    added_by: str = ""
    added_at: datetime | None = None
    audience: str = ""
    may_replace: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one item has come; what people are shown of it.

    ``title`` is plain text, "" where it must not be shown (any more). ``done`` of ``total`` passages are indexed.
    ``sentence`` says why it was refused and what to do, or what is worth knowing about a document that is ready.
    ``estimate_usd`` is what contexts will cost, for ``asks_cost``. ``cost_usd`` and ``failed_contexts`` are for admins.
    ``adder`` is the name of somebody else who had added the document before, and whose it stays, "" where that is not
    known; None where it is the adder's own.
    """

    state: State
    title: str
    document: str | None = None
    version: str | None = None
    done: int = 0
    total: int = 0
    sentence: str = ""
    twin: Twin | None = None
    estimate_usd: float = 0.0
    cost_usd: float = 0.0
    failed_contexts: int = 0
    adder: str | None = None
    decisions: tuple[Decision, ...] = field(default=())  # what was answered to its questions so far

    def as_json(self) -> dict[str, Any]:
        stored = asdict(self) | {"decisions": list(self.decisions)}
        if self.twin is not None and self.twin.added_at is not None:
            stored["twin"]["added_at"] = self.twin.added_at.isoformat()
        return stored

    @classmethod
    def of_json(cls, stored: dict[str, Any]) -> Progress:
        twin = stored.get("twin")
        if twin is not None:
            added_at = twin.get("added_at")
            twin = Twin(**{**twin, "added_at": datetime.fromisoformat(added_at) if added_at else None})
        return cls(**{**stored, "twin": twin, "decisions": tuple(stored["decisions"])})

    def without_title(self) -> Progress:
        """The same for somebody who may not read the document (any more)."""
        return replace(self, title="", sentence="", twin=None, adder="" if self.adder else self.adder)
