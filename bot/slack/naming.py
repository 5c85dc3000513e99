"""How a document, a file or a page is called within a sentence. Pure."""

from __future__ import annotations

import re
from typing import Final

from bot.texts import Texts

_FILE_NAME: Final = re.compile(r"[^/]*[^/\s]\.(?=\w*[A-Za-z])\w{1,5}")
_ADDRESS: Final = re.compile(r"(?:[\w-]+\.)+[\w-]{2,}(?:[/:]\S*)?|\w+://\S+")


def called(name: str, texts: Texts) -> str:
    """A title in the quotation marks of the language; the name of a file, or an address, as it is.

    >>> called("Travel Policy 2025", ENGLISH), called("travel policy.pdf", ENGLISH), called("example.com/a", ENGLISH)
    ('“Travel Policy 2025”', 'travel policy.pdf', 'example.com/a')
    """
    name = name.strip()
    if not name or _FILE_NAME.fullmatch(name) or _ADDRESS.fullmatch(name):
        return name
    return in_quotes(name, texts)


def in_quotes(text: str, texts: Texts) -> str:
    """``“text”``, in French ``« text »``."""
    return f"« {text} »" if texts.language == "fr" else f"“{text}”"
