"""What Slack refuses, in the shape of its answers."""

from __future__ import annotations

from typing import Any

JSON = dict[str, Any]


class Refused(Exception):
    """A request that Slack refuses: ``error`` is its code, ``details`` go into ``response_metadata.messages``.

    ``blameless``: it can befall an app that does everything right (somebody pressed Stop, a channel is out of sight),
    so it is no violation. ``fields`` are more fields of the answer.
    """

    def __init__(self, error: str, *details: str, blameless: bool = False, **fields: Any) -> None:
        super().__init__(f"{error}: {'; '.join(details)}" if details else error)
        self.error = error
        self.details = details
        self.blameless = blameless
        self.fields = fields

    def answer(self) -> JSON:
        """The body of the answer.

        >>> Refused("missing_scope", needed="chat:write").answer()
        {'ok': False, 'error': 'missing_scope', 'needed': 'chat:write'}
        """
        body: JSON = {"ok": False, "error": self.error, **self.fields}
        if self.details:
            body["response_metadata"] = {"messages": [f"[ERROR] {detail}" for detail in self.details]}
            if self.error in ("invalid_blocks", "invalid_arguments"):
                body["errors"] = list(self.details)
        return body


def invalid_arguments(*details: str) -> Refused:
    """The refusal of a missing, unknown or wrongly typed argument."""
    return Refused("invalid_arguments", *details)
