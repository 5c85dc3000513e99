"""Text as a person would see it, for the model and for the terminal.

Documents came in without hidden characters already; questions, titles, model text and what was stored before that was
so did not, and one gate more costs little.

Worked example: ``visible("Hi\\U000E0049 \\x1b[31mred")`` → ``"Hi red"``: a hidden letter and a colour are gone.
"""

from __future__ import annotations

import re

import indexer

# Lengths are bounded: a sequence without its end takes no more with it, and is not waited for longer.
_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)"  # window titles, links
    r"|\x1b[P^_X][^\x1b\n]{0,2000}\x1b\\"  # device strings
    r"|(?:\x1b\[|\x9b)[0-?]{0,50}[ -/]{0,10}[@-~]?"  # colours, cursor
    r"|\x1b[ -/]{0,10}[0-~]?"
)
_OPEN_ESCAPE = re.compile(
    r"(?:\x1b[\]P^_X][^\x07\x1b\n]{0,2000}\x1b?|(?:\x1b\[|\x9b)[0-?]{0,50}[ -/]{0,10}|\x1b[ -/]{0,10})\Z"
)
_LINE_ENDS = re.compile("[\u2028\u2029]")
# What cannot be judged before the next character is there: a flag that is being spelled, a joiner, a selector, a CR.
_UNDECIDED = re.compile(
    "(?:\U0001f3f4[\U000e0000-\U000e007e]*|[\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef\r]+)+\\Z"
)


def without_hidden(text: str) -> str:
    """``text`` without what carries unseen words or commands: what Claude is shown. Flags and emoji stay whole.

    Escape sequences go as a whole: without their first character alone they would be litter like ``[31m``.
    """
    return indexer.visible(_ESCAPES.sub("", text))


def visible(text: str) -> str:
    """``text`` fit for a terminal: nothing hidden, no escape sequence, no control but tab and line feed."""
    return without_hidden(_LINE_ENDS.sub("\n", text))


def one_line(text: str, limit: int | None = None) -> str:
    """``visible(text)`` on one line, white space run together, cut with ``…`` after ``limit`` characters.

    >>> one_line("a\\n b\\tc", 4)
    'a b…'
    """
    line = " ".join(visible(text).split())
    return line if limit is None or len(line) <= limit else line[: limit - 1].rstrip() + "…"


class Filter:
    """``without_hidden`` for text that comes in pieces: what a piece ends in may be decided by the next one."""

    def __init__(self) -> None:
        self._before = ""  # the last character that passed
        self._held = ""

    def take(self, piece: str) -> str:
        """What of the text so far can be passed on now."""
        text = self._held + piece
        undecided = _OPEN_ESCAPE.search(text) or _UNDECIDED.search(text)
        self._held = undecided[0] if undecided else ""
        return self._passed(text[: undecided.start()] if undecided else text)

    def close(self) -> str:
        """The rest: no more comes."""
        rest, self._held = self._held, ""
        return self._passed(rest)

    def _passed(self, text: str) -> str:
        seen = without_hidden(self._before + text)[len(self._before) :]
        last = (self._before + seen)[-1:]
        self._before = without_hidden(last)  # the end of a flag alone is nothing: it is not looked back at
        return seen
