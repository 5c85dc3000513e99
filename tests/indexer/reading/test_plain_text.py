"""Text in any encoding, and the headings of Markdown."""

from __future__ import annotations

import pytest

from indexer.documents import Heading
from indexer.reading.plain_text import NotText, decode, markdown_headings, notebook_as_markdown

FRENCH = "Le café est fermé à Noël. Déjà vu, où çà ?\n\n  Été  2024\n"
JAPANESE = "会議は月曜日に延期されました。\n東京オフィスで行います。\n"
RUSSIAN = "Встреча перенесена на понедельник. Сообщите коллегам.\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", [FRENCH, JAPANESE, RUSSIAN, "plain\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_unicode_is_read_with_and_without_a_byte_order_mark(text: str, encoding: str, mark: str) -> None:
    assert decode((mark + text).encode(encoding)) == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (FRENCH, "cp1252"),
        ("Été", "cp1252"),
        ("He said “hello” – and that’s it… €5", "cp1252"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"),
        ("エラーコード INC-2023-04-011 を確認してください。", "shift_jis"),
        ("会议推迟到星期一。请通知同事。", "gb18030"),
        ("會議延期至星期一。請通知同事。", "big5"),
        ("회의가 월요일로 연기되었습니다.", "euc_kr"),
        (RUSSIAN, "koi8_r"),
        (RUSSIAN, "cp1251"),
        ("Zażółć gęślą jaźń. Spotkanie przełożono.", "cp1250"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy.", "iso8859_2"),
        ("Η συνάντηση αναβλήθηκε για τη Δευτέρα.", "cp1253"),
        ("הפגישה נדחתה ליום שני", "cp1255"),
    ],
)
def test_encodings_from_before_unicode_are_told_apart(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Größe und Prüfung läuft. ".encode() * 40 + b"\xc3", "Größe und Prüfung läuft. " * 40 + "\ufffd"),
        ("Größe, Prüfung".encode() + b"\xc3", "Größe, Prüfung\ufffd"),
        (b"\xa4" + FRENCH.encode(), "\ufffd" + FRENCH),
        ("会議は月曜日".encode() + b"\xe5\xbb" + JAPANESE.encode(), "会議は月曜日\ufffd" + JAPANESE),
        (JAPANESE.encode()[:-2], JAPANESE[:-2] + "\ufffd"),
        (RUSSIAN.encode() * 30 + b"caf\xe9, na\xefve\n", RUSSIAN * 30 + "caf\ufffd, na\ufffdve\n"),
    ],
)
def test_a_few_bad_bytes_do_not_garble_utf_8(data: bytes, text: str) -> None:
    assert decode(data) == text
    assert decode(data, "iso-8859-1") == text


@pytest.mark.parametrize(
    "text", ["À LA «CAFÉ»", "«CAFÉ» MARQUÉ® • Été", "Ø® 20°, naïve façade – “Ünïcödé”", "ÄÖÜ äöü ß"]
)
def test_windows_text_that_looks_like_utf_8_in_places_is_not(text: str) -> None:
    assert decode(text.encode("cp1252")) == text


LOG = "2024-01-30 12:00:00 INFO service started on port 8080\n" * 20


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"abc\0def\0ghi narwhal text", "abcdefghi narwhal text"),
        (b"\0abc def ghi narwhal text\0", "abc def ghi narwhal text"),
        (LOG.encode().replace(b"INFO", b"IN\0FO", 4), LOG),
        (LOG.encode() + b"\0\0\0\0", LOG),
        (bytes(4096) + LOG.encode(), LOG),
        (b"Gr\xc3\xb6\0\xc3\x9fe und Pr\xc3\xbcfung", "Größe und Prüfung"),
        (FRENCH.encode("cp1252").replace(b"No", b"N\0o"), FRENCH),
        (JAPANESE.encode() * 9 + b"\0", JAPANESE * 9),
        (JAPANESE.encode("shift_jis") + b"\0", JAPANESE),
    ],
)
def test_zero_bytes_strewn_into_text_go(data: bytes, text: str) -> None:
    """They make it neither Chinese nor unreadable."""
    assert decode(data) == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize(
    "text",
    [
        "ab",
        "“Quoted” – and €5…\n",
        "会议推迟到星期一。\n一二三 abc\n",
        "회의가 월요일로 연기되었습니다.",
        "שלום לכולם, ABC",
    ],
)
def test_zeros_that_belong_to_an_encoding_are_part_of_it(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_utf_16_that_was_cut_off_is_read() -> None:
    assert decode(FRENCH.encode("utf-16-le")[:-1]).startswith(FRENCH[:-1])


def test_spaces_and_empty_lines_stand_as_they_were() -> None:
    text = "é\n\n\n   indented\t tab  \n\n"
    assert decode(text.encode("cp1252")) == text


@pytest.mark.parametrize("data", [bytes(range(256)) * 40, b"\x00\x01\x02\x03" * 500, b"ab\x01\x02\x03\x04\x05\x06"])
def test_what_is_no_text_is_told(data: bytes) -> None:
    with pytest.raises(NotText):
        decode(data)


def test_headings_of_both_kinds_are_found_where_they_start() -> None:
    text = "# One #\n\npara\n\n  ## *Two* `x` [link](http://a)\n\nThree\n=====\n\nFour\n---\n\n####### no\n#no\n"
    headings = markdown_headings(text)
    assert [(heading.level, heading.title) for heading in headings] == [
        (1, "One"),
        (2, "Two x link"),
        (1, "Three"),
        (2, "Four"),
    ]
    assert [text[heading.start :].lstrip()[:3] for heading in headings] == ["# O", "## ", "Thr", "Fou"]


def test_what_looks_like_a_heading_in_code_or_front_matter_is_none() -> None:
    text = (
        "---\ntitle: x\n---\n\n```sh\n# comment\n```\n\n~~~\n# a\n```\n# b\n~~~\n\n"
        "    # indented\n\n- item\n---\n\n# Yes\n"
    )
    assert [heading.title for heading in markdown_headings(text)] == ["Yes"]


def test_a_row_of_a_table_and_a_rule_are_no_headings() -> None:
    assert markdown_headings("| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n\n***\n") == ()


def test_underscores_within_a_title_stay() -> None:
    assert markdown_headings("# snake_case_name and 2*3") == (Heading(1, "snake_case_name and 2*3", 0),)


def test_a_notebook_is_prose_and_code() -> None:
    text = (
        '{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": ["# T\\n", "x"]},'
        '{"cell_type": "code", "source": "print(1)", "outputs": [{"text": "1"}]}]}'
    )
    assert notebook_as_markdown(text) == "# T\nx\n\n```\nprint(1)\n```"
    assert notebook_as_markdown('{"a": 1}') is None
