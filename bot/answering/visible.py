"""Text as a person would see it: without characters that carry words nobody sees, or that command a terminal.

Worked example: ``visible("Hi\\U000E0049\\U000E0067 \\x1b[31mred")`` → ``"Hi red"``, without hidden letters and colour.
"""

from __future__ import annotations

import re

# Tag characters spell ASCII that no font draws. Their one honest use is in three flags: England, Scotland, Wales.
_FLAGS = tuple(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_TAGS = re.compile("(" + "|".join(_FLAGS) + ")|[\U000e0000-\U000e007f]+")
# One variation selector after a character is typography; a row of them is a hidden message.
_SELECTORS = re.compile("([\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
# Invisible operators, directional overrides and isolates, deprecated format characters.
_FORMAT = re.compile("[\u2061-\u2064\u202a-\u202e\u2066-\u206f\ufff9-\ufffb\U0001d173-\U0001d17a]")
_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # window titles, links
    r"|\x1b[P^_X][^\x1b]*(?:\x1b\\)?"  # device strings
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # colours, cursor
    r"|\x1b[ -/]*[0-~]?"
)
_BREAKS = re.compile("[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")  # they end a line or a page: words must not run together
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x9f]")


def without_hidden(text: str) -> str:
    """``text`` without characters that carry unseen words: what Claude is shown. Flags and emoji stay whole."""
    return _FORMAT.sub("", _SELECTORS.sub(r"\1", _TAGS.sub(lambda match: match[1] or "", text)))


def visible(text: str) -> str:
    """``text`` fit for a terminal: nothing hidden, no escape sequence, no control but tab and line feed."""
    plain = _ESCAPES.sub("", without_hidden(text).replace("\r\n", "\n").replace("\r", "\n"))
    return _CONTROLS.sub("", _BREAKS.sub("\n", plain))


def one_line(text: str, limit: int | None = None) -> str:
    """``visible(text)`` on one line, white space run together, cut with ``…`` after ``limit`` characters.

    >>> one_line("a\\n b\\tc", 4)
    'a b…'
    """
    line = " ".join(visible(text).split())
    return line if limit is None or len(line) <= limit else line[: limit - 1].rstrip() + "…"
