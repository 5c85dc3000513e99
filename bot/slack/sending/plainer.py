"""The same words in plainer blocks, for when Slack refuses the ones that were meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

Block = dict[str, Any]

LONGEST_TEXT: Final = 4_000  # characters of a message's text, escaped
_LONGEST_SECTION = 3_000
_MOST_BLOCKS = 50
_MOST_WORDS = 12_000


def words(blocks: Sequence[Mapping[str, Any]]) -> str:
    """What the blocks say, a line a block; nothing of buttons.

    >>> words([{"type": "markdown", "text": "It broke."}, {"type": "actions", "elements": [{"type": "button"}]}])
    'It broke.'
    """
    said = ("".join(_texts(block)).strip() for block in blocks if block.get("type") != "actions")
    return "\n".join(line for line in said if line)


def plainer(blocks: Sequence[Block]) -> list[Block]:
    """The words in sections of plain text; buttons stay."""
    found: list[Block] = []
    left = _MOST_WORDS
    for block in blocks:
        if block.get("type") == "actions":
            found.append(block)
            continue
        text = words([block])[:left]
        left -= len(text)
        for at in range(0, len(text), _LONGEST_SECTION):
            part = {"type": "plain_text", "text": text[at : at + _LONGEST_SECTION], "emoji": False}
            found.append({"type": "section", "text": part})
    return found[:_MOST_BLOCKS]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name in ("text", "title", "elements", "fields", "rows"):
            if name in value:
                yield from _texts(value[name])
        if value.get("type") in ("rich_text_section", "rich_text_preformatted", "rich_text_quote"):
            yield "\n"
    elif isinstance(value, Sequence):
        for item in value:
            yield from _texts(item)
