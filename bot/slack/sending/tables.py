"""Markdown tables: where one is in a text, and one that is too long for a message as several."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

MOST_ROWS: Final = 100  # Slack's limits for a table; the header is a row
MOST_COLUMNS: Final = 20
MOST_CHARACTERS: Final = 9_500  # Slack refuses from 10,000 on

_ROW = re.compile(r"[ ]{0,3}\|")
_DELIMITER = re.compile(r"[ ]{0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
_CELL_BORDER = re.compile(r"(?<!\\)\|")


def may_begin(line: str) -> bool:
    """Whether a table may begin with this line: it begins with a pipe."""
    return _ROW.match(line) is not None


def length(text: str, *, whole: bool) -> int | None:
    """How many characters of ``text``, from its beginning, are a table (without its last line feed).

    None where that cannot be told before more comes; ``whole`` says that no more comes.

    >>> length("|a|b|\\n|-|-|\\n|1|2|\\nThen", whole=False), length("|a|b|\\n|-|-|\\n|1|2|\\n", whole=False)
    (17, None)
    """
    lines = text.split("\n")
    rows = 0
    for number, line in enumerate(lines):
        complete = number + 1 < len(lines) or whole
        if number == 1:
            if not complete and re.fullmatch(r"[ \t|:-]*", line):
                return None
            if not _DELIMITER.match(line):
                return 0
        elif not _ROW.match(line):
            if not complete and not line.strip():
                return None
            break
        elif not complete:
            return None
        rows += 1
    return len("\n".join(lines[:rows])) if rows > 1 else 0


def columns(table: str) -> int:
    """Columns of the header."""
    header = table.split("\n", 1)[0].strip()
    return len(_CELL_BORDER.split(header.strip("|")))


def parts(table: str, limit: int, measure: Callable[[str], int]) -> list[str] | None:
    """A table as tables of at most ``limit`` by ``measure``, and Slack's bounds, each with the header.

    None where it cannot be shown as a table at all: it is too wide, or a row alone is too long.

    >>> parts("|a|\\n|-|\\n|1|\\n|2|", 12, len)
    ['|a|\\n|-|\\n|1|', '|a|\\n|-|\\n|2|']
    """
    header, delimiter, *rows = table.split("\n")
    head = f"{header}\n{delimiter}"
    if columns(table) > MOST_COLUMNS or measure(head) > limit or len(head) > MOST_CHARACTERS:
        return None
    found: list[str] = []
    current, size, count = head, measure(head), 1
    for row in rows:
        added = measure("\n" + row)
        if count > 1 and (size + added > limit or count == MOST_ROWS or len(current) + len(row) >= MOST_CHARACTERS):
            found.append(current)
            current, size, count = head, measure(head), 1
        current, size, count = f"{current}\n{row}", size + added, count + 1
        if size > limit or len(current) > MOST_CHARACTERS:
            return None
    return [*found, current]


def fenced(table: str) -> str:
    """A table that cannot be shown as one, as code."""
    ticks = "````" if "```" in table else "```"
    return f"{ticks}\n{table}\n{ticks}"
