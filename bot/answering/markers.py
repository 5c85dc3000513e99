"""Where markers and labels stand: behind the words, but never in code, behind a fence, or behind a table's row."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_FENCE = re.compile(r"\s*(```|~~~)")
_CODE_OR_MARK = re.compile(
    r"(?P<code>^[ \t]*(?P<fence>```|~~~).*?(?:^[ \t]*(?P=fence)|\Z)|`[^`\n]+`)|(?:[ \t]+|^)(?P<mark>(?:\[\d+\])+)",
    re.MULTILINE | re.DOTALL,
)


def assembled(parts: Sequence[tuple[str, Sequence[int]]]) -> str:
    """Pieces of a sentence, each with the markers of its citations, as one text.

    Markers stand behind the full stop where only that follows, else behind the words; markers of a piece that ends in
    code stand behind the code.

    >>> assembled([("closed on 12 May", [1]), (", and mended", [2]), (".", [])])
    'closed on 12 May [1], and mended. [2]'
    """
    out = ""
    held: list[int] = []
    for number, (piece, markers) in enumerate(parts):
        held.extend(marker for marker in markers if marker not in held)
        body = piece.rstrip()
        follows = any(c.isalnum() for following, _ in parts[number + 1 :] for c in following)
        if held and follows and not _ends_in_code(out + body):
            out = with_mark(out + body, shown(held)) + piece[len(body) :]
            held.clear()
        else:
            out += piece
    return with_mark(out, shown(held)) if held else out


def shown(markers: Sequence[int]) -> str:
    return "".join(f"[{marker}]" for marker in markers)


def with_mark(text: str, mark: str) -> str:
    """``text`` with ``mark`` behind its words; white space at its end stays there.

    >>> with_mark("| a | 7 |\\n", "[1]"), with_mark("```\\nrun\\n```\\n", "[1]")
    ('| a | 7 [1] |\\n', '```\\nrun\\n```\\n[1]\\n\\n')
    """
    body = text.rstrip()
    rest = text[len(body) :]
    lines = body.split("\n")
    fences = [fence[1] for line in lines if (fence := _FENCE.match(line))]
    if len(fences) % 2:  # it was cut off
        lines.append(fences[-1])
    if fences and _FENCE.match(lines[-1]):
        return "\n".join([*lines, mark]) + (rest and "\n\n")
    last = max((number for number, line in enumerate(lines) if any(c.isalnum() for c in line)), default=0)
    row = lines[last].rstrip()
    if not fences and row.lstrip().startswith("|") and row.endswith("|") and len(row) > 1:
        lines[last] = f"{row[:-1].rstrip()} {mark} |"
        return "\n".join(lines) + rest
    return f"{body} {mark}{rest}"


def without_marks(text: str, markers: Collection[int]) -> str:
    """``text`` without those of its markers that are among ``markers``; what stands in code stays as it is.

    >>> without_marks("It broke. [1][2]\n\n`a [1]` is code. [7]", {1, 2})
    'It broke.\n\n`a [1]` is code. [7]'
    """

    def kept(match: re.Match[str]) -> str:
        numbers = re.findall(r"\d+", match["mark"] or "")
        return "" if numbers and all(int(number) in markers for number in numbers) else match[0]

    return _CODE_OR_MARK.sub(kept, text).strip()


def _ends_in_code(text: str) -> bool:
    last = text[text.rfind("\n") + 1 :]
    return bool(last.count("`") % 2) or any(_FENCE.match(line) for line in text.split("\n"))
