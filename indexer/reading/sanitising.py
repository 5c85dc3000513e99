"""What a person would not see does not become text, and what they see can be searched.

Taken out: control characters, lone surrogates, Unicode tag characters (text that is invisible to people and plain to a
model), bidirectional overrides, zero-width characters where no script and no emoji needs them, variation selectors that
vary nothing, soft hyphens. Typographic ligatures become the letters they stand for, so that "oﬃce" is found by
"office". Newlines become ``\\n``. Everything else stays as it is.
"""

from __future__ import annotations

import re

_LIGATURES = {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st"}
_LIGATURES["\ufb06"] = "st"


def _tags(code: str) -> str:
    return "".join(chr(0xE0000 + ord(c)) for c in code)


# The only sequences of tag characters that are drawn as one picture: the flags of England, Scotland and Wales. Any
# other sequence after a black flag shows as a black flag, and may carry text.
_FLAG = "\U0001f3f4(?:" + "|".join(_tags(code) for code in ("gbeng", "gbsct", "gbwls")) + ")\U000e007f"

_NEVER_SEEN = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # control characters; tab, newlines and NEL are kept or become newlines
    "\xad\u034f\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff"  # soft hyphen, zero-width and invisible operators
    "\u202a-\u202e\u2066-\u2069"  # bidirectional embeddings, overrides and isolates
    "\u3164\uffa0\ufff9-\ufffc"  # fillers, interlinear annotation, object placeholder
    "\ud800-\udfff"  # lone surrogates
    "\U0001d173-\U0001d17a"  # musical formatting
    "\U000e0000-\U000e007f"  # tag characters
)
_MARKS = "\u061c\u200e\u200f"  # direction marks
_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe00-\ufe0f"
_MORE_SELECTORS = "\U000e0100-\U000e01ef"

_SUSPECT = re.compile(f"[\\r\x0b\x0c\x85{_NEVER_SEEN}{_MARKS}{_JOINERS}{_SELECTORS}{_MORE_SELECTORS}\ufb00-\ufb06]")
_NEWLINE = re.compile("\r\n|[\r\x0b\x0c\x85]")
_HIDDEN = re.compile(f"({_FLAG})|[{_NEVER_SEEN}]+")
_JOINED = re.compile(f"[{_JOINERS}]+")
_SELECTED = re.compile(f"[{_SELECTORS}{_MORE_SELECTORS}]+")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff]")
_MARK = re.compile(f"[{_MARKS}]+")


def visible(text: str) -> str:
    """``text`` without what nobody sees; newlines are ``\\n``, ligatures are letters.

    >>> visible("of\\ufb01ce\\r\\npass\\u200bword \\U000e0069\\U000e0067")
    'offfice\\npassword '

    Pure, and the same again for its own result.
    """
    while _SUSPECT.search(text):
        cleaned = _cleaned(text)
        if cleaned == text:
            break
        text = cleaned  # what was taken out may have stood between two that only now hide something
    return text


def _cleaned(text: str) -> str:
    text = _NEWLINE.sub("\n", text)
    text = _HIDDEN.sub(lambda match: match[1] or "", text)
    if not _RIGHT_TO_LEFT.search(text):
        text = _MARK.sub("", text)
    text = _SELECTED.sub(_selector, text)
    text = _JOINED.sub(_joiner, text)
    for glyph, letters in _LIGATURES.items():
        text = text.replace(glyph, letters)
    return text


def _joiner(match: re.Match[str]) -> str:
    """One joiner between two characters that join (an emoji sequence, Arabic, an Indic script …); else nothing."""
    before = match.string[match.start() - 1 : match.start()]
    after = match.string[match.end() : match.end() + 1]
    return match[0][0] if before and after and _joins(before) and _joins(after) else ""


def _joins(character: str) -> bool:
    code = ord(character)
    return (
        0x0600 <= code <= 0x1CFF  # Arabic to Vedic: all scripts whose letters change when joined
        or 0xA800 <= code <= 0xABFF
        or 0x11000 <= code <= 0x11FFF
        or 0x2190 <= code <= 0x2BFF  # arrows, signs and symbols that are part of emoji sequences
        or code == 0xFE0F
        or 0xFB50 <= code <= 0xFEFE
        or code >= 0x1F000
    )


def _selector(match: re.Match[str]) -> str:
    """The first variation selector of a run where it can vary something; a long run carries hidden bytes."""
    before = match.string[match.start() - 1 : match.start()]
    if not before or before.isspace():
        return ""
    first = match[0][0]
    if first >= "\U000e0100":  # ideographic variants only
        return first if "\u3400" <= before <= "\u9fff" or before >= "\U00020000" else ""
    return first if ord(before) > 0x7F or before in "#*0123456789" else ""
