"""Long text as several messages: each within its limit, nothing lost, fences closed, tables whole."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.slack.markup import JOINER
from bot.slack.sending import tables
from bot.slack.sending.splitting import POST_LIMIT, STREAM_LIMIT, Splitter, split, utf8_size

FENCE_LINE = re.compile(r"^ {0,3}(?:`{3,}|~{3,})[^\n]*$", re.MULTILINE)


def letters(text: str) -> str:
    """``text`` without white space and without lines of fences: what must not be lost."""
    return re.sub(r"[\s\u2060]", "", FENCE_LINE.sub("", text))


def paragraphs(characters: int) -> str:
    text, number = "", 0
    while len(text) < characters:
        number += 1
        text += f"Statement {number} rests on its source. [{number}] It goes on for a while.\n\n"
    return text[:characters].rstrip()


def table(rows: int, columns: int = 3, cell: str = "cell") -> str:
    lines = ["|" + "|".join(f"head {n}" for n in range(columns)) + "|", "|" + "---|" * columns]
    lines += ["|" + "|".join(f"{cell} {row}.{n}" for n in range(columns)) + "|" for row in range(rows)]
    return "\n".join(lines)


@pytest.mark.parametrize(("characters", "messages"), [(3_001, 1), (13_500, 2), (60_000, 7)])
def test_a_long_answer_is_cut_behind_paragraphs(characters: int, messages: int) -> None:
    text = paragraphs(characters)
    parts = split(text, STREAM_LIMIT, utf8_size)
    assert "\n\n".join(parts) == text
    assert len(parts) == messages
    assert all(utf8_size(part) <= STREAM_LIMIT for part in parts)


def test_an_unbroken_word_is_cut_anywhere() -> None:
    word = "x" * 9_000
    assert "".join(split(word, STREAM_LIMIT, utf8_size)) == word
    assert "".join(split(word * 3, POST_LIMIT)) == word * 3


def test_a_long_fence_is_closed_and_opened_again_with_its_language() -> None:
    code = "\n".join(f"    line_{number} = {number}" for number in range(1_500))
    parts = split(f"See:\n\n```python\n{code}\n```\n\nDone. [1]", STREAM_LIMIT, utf8_size)
    assert len(parts) > 3
    assert all(part.count("```") == 2 for part in parts)
    assert all(part.startswith("```python\n    line_") for part in parts[1:])
    assert "\n".join(re.findall(r"^    line_.*$", "\n".join(parts), re.MULTILINE)) == code
    assert parts[-1].endswith("```\n\nDone. [1]")


def test_a_fence_that_fits_into_a_message_stays_whole() -> None:
    fence = "```\n" + "a line of code\n" * 30 + "```"
    text = paragraphs(700) + "\n\n" + fence
    assert split(text, 1_000) == [paragraphs(700), fence]


def test_a_fence_is_not_opened_again_only_to_be_closed() -> None:
    for size in range(60, 120):
        for part in split("Words before it.\n\n```py\n" + "code code\n" * 8 + "```\n\nafter", size):
            assert not re.search(r"```(?:py)?\n```", part)


def test_characters_of_three_bytes_count_threefold() -> None:
    text = "これは重要な文です。[1]" * 900
    parts = split(text, STREAM_LIMIT, utf8_size)
    assert "".join(parts) == text
    assert all(utf8_size(part) <= STREAM_LIMIT and part.endswith("。[1]") for part in parts)


def test_a_marker_stays_with_its_sentence_and_whole() -> None:
    text = " ".join(f"Statement {number} stands. [{number}][{number + 1}]" for number in range(60))
    for size in range(60, 200, 7):
        parts = split(text, size)
        assert " ".join(parts) == text
        assert all(re.search(r"\[\d+\]\Z", part) and part.startswith("Statement") for part in parts)
    assert all("".join(split("w" * n + "[123]" + "w" * 80, 60)) == "w" * n + "[123]" + "w" * 80 for n in range(60))
    assert all(any("[123]" in part for part in split("w" * n + "[123]" + "w" * 80, 60)) for n in range(60))


@pytest.mark.parametrize(
    "sign", ["👩‍👩‍👧‍👦", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "🇫🇷", "👍🏽", "é"]
)
def test_a_character_made_of_several_is_not_divided(sign: str) -> None:
    for shift in range(20):
        parts = split("x" * shift + sign * 60, 100)
        assert all(part.lstrip("x").replace(sign, "") == "" for part in parts)


def test_a_link_is_not_divided() -> None:
    text = " ".join(f"see [the title of it](https://a.example/{number})" for number in range(40))
    assert all(part.count("[") == part.count(")") for part in split(text, 90))


def test_a_table_is_whole_and_alone_in_its_message() -> None:
    first, second = table(8), table(8, cell="other")
    parts = split(f"Before.\n\n{first}\n\nBetween.\n\n{second}\n\nAfter.", 5_000)
    assert parts == [f"Before.\n\n{first}\n\nBetween.", f"{second}\n\nAfter."]
    assert split(paragraphs(400) + "\n\n" + first, 500) == [paragraphs(400), first]


def test_a_table_that_is_too_long_is_cut_between_rows_under_its_header() -> None:
    big = table(250)
    parts = split(f"Before.\n\n{big}\n\nAfter.", POST_LIMIT)
    header = "\n".join(big.split("\n")[:2])
    rows = [line for part in parts for line in part.split("\n") if line.startswith("|cell")]
    assert rows == big.split("\n")[2:]
    assert all(part.count("\n|cell") <= tables.MOST_ROWS - 1 for part in parts)
    assert all(header in part for part in parts)
    assert parts[-1].endswith("|\n\nAfter.")


def test_a_table_that_cannot_be_shown_as_one_is_code() -> None:
    (wide,) = split(table(2, columns=21), POST_LIMIT)
    assert wide == f"```\n{table(2, columns=21)}\n```"
    assert letters("".join(split(table(1, cell="x" * 9_600), POST_LIMIT))) == letters(table(1, cell="x" * 9_600))


def test_a_table_in_a_fence_is_code() -> None:
    text = f"```\n{table(3)}\n\n{table(3)}\n```"
    assert split(text, 2_000) == [text]


def test_what_arrives_goes_out_at_once_but_for_white_space_and_tables() -> None:
    splitter = Splitter(1_000)
    assert [piece.text for piece in splitter.feed("One sentence. ")] == ["One sentence."]
    assert [piece.text for piece in splitter.feed("Two.\n\n")] == [" Two."]
    assert splitter.feed("| a | b |\n|---|") == []
    assert splitter.feed("---|\n| 1 | 2 |\n") == []
    (piece,) = splitter.feed("\nAfter")
    assert piece.text == "\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nAfter"
    assert not piece.begins
    assert splitter.finish() == []


def test_white_space_alone_is_no_message() -> None:
    assert split(" \n\n ", 100) == []
    assert split("", 100) == []


def test_a_line_that_goes_on_in_the_next_message_begins_no_block_there() -> None:
    first, second = split("x" * 47 + " - " + "y" * 40, 60)
    assert (first, second) == ("x" * 47, f"{JOINER}- " + "y" * 40)


def test_a_limit_that_is_too_small_is_refused() -> None:
    with pytest.raises(ValueError, match="at least"):
        Splitter(10)


TEXTS = st.lists(
    st.sampled_from(
        [
            *(
                "word ",
                "sentence. ",
                "[12]",
                " [3]",
                "\n",
                "\n\n",
                "これは。",
                "重要",
                "x" * 70,
                "- item\n",
                "`code it`",
            ),
            *(
                "```\n",
                "\n```\n",
                "\n```python\n",
                "\n~~~\n",
                "\n\n|a|b|\n|-|-|\n|1|2|\n\n",
                "\n|a|\n",
                "👩‍👧",
                "  ",
                "[t](u)",
            ),
        ]
    ),
    max_size=60,
).map("".join)


@given(TEXTS, st.integers(60, 200))
def test_nothing_is_lost_and_every_message_is_within_its_limit(text: str, limit: int) -> None:
    parts = split(text, limit, utf8_size)
    assert all(part.strip() and utf8_size(part) <= limit for part in parts)
    assert without_headers(parts) == without_headers([text])


@given(TEXTS, st.integers(60, 200))
def test_every_message_closes_what_it_opens(text: str, limit: int) -> None:
    parts = split(text, limit)
    for part in parts[:-1]:
        assert not open_fence(part)
    assert open_fence(parts[-1]) == open_fence(text) if parts else not text.strip()


@given(TEXTS, st.integers(60, 200), st.integers(1, 30))
def test_in_pieces_nothing_is_lost_either(text: str, limit: int, size: int) -> None:
    splitter = Splitter(limit, utf8_size)
    pieces = [piece for at in range(0, len(text), size) for piece in splitter.feed(text[at : at + size])]
    parts: list[str] = []
    for piece in [*pieces, *splitter.finish()]:
        parts.append(piece.text) if piece.begins else parts.append(parts.pop() + piece.text)
    assert all(part.strip() and utf8_size(part) <= limit for part in parts)
    assert without_headers(parts) == without_headers([text])
    assert not any(open_fence(part) for part in parts[:-1])


def without_headers(parts: list[str]) -> str:
    """The letters of all parts, headers of tables, which are said again, taken out."""
    return letters("\n".join(parts)).replace("|a|b||-|-|", "")


def open_fence(text: str) -> bool:
    fence = None
    for line in text.split("\n"):
        match = re.match(r" {0,3}(`{3,}|~{3,})([^\n`]*)\Z", line)
        if match and fence is None:
            fence = match[1]
        elif match and fence and match[1].startswith(fence) and not match[2].strip():
            fence = None
    return fence is not None
