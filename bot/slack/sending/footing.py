"""An answer's text and what stands under it, as the blocks of a message."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from bot.slack.sending.plainer import Block, words
from bot.slack.sending.splitting import utf8_size

_MOST_BLOCKS: Final = 50
_POSTED: Final = 12_900  # characters of text in all blocks; Slack refuses from 13,200 on
_STREAMED: Final = 10_000  # UTF-8 bytes of a stream and the blocks under it; Slack refuses from 10,600 on


def markdown(part: str) -> list[Block]:
    """Markdown as a block; nothing where there is none."""
    return [{"type": "markdown", "text": part}] if part.strip() else []


def fits(part: str, footer: Sequence[Block], *, streamed: bool) -> bool:
    """Whether ``footer`` may stand in the same message as the text ``part``."""
    if not part.strip() or not footer:
        return True
    if len(footer) >= _MOST_BLOCKS:
        return False
    if streamed:
        return utf8_size(part) + utf8_size(json.dumps(list(footer), ensure_ascii=False)) <= _STREAMED
    return len(part) + len(words(footer)) <= _POSTED
