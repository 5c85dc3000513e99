"""The words of a PDF are those of its characters."""

from __future__ import annotations

from indexer.reading.pdf_words import Words


def test_a_star_between_letters_stays_a_star() -> None:
    assert Words(["compute a*b*c now"]).correct("compute attbttc now") == "compute a*b*c now"


def test_of_its_stays_two_words() -> None:
    assert Words(["a text of its own"]).correct("a text ofits own") == "a text of its own"


def test_a_hyphen_that_belongs_to_the_word_stays() -> None:
    words = Words(["the 4-\nlevel table and the non-\nlogged one; non-logged again; hyphen-\nation"])
    assert words.correct("the 4level nonlogged hyphenation") == "the 4-level non-logged hyphenation"


def test_a_font_with_broken_ligatures_is_left_mended() -> None:
    """Where many words have a sign for a ligature, the engine's guess is right."""
    page = "the o!ce is e!cient and a!rms di!cult su!cient tra!c"
    assert Words([page]).correct("the ofice is eficient") == "the ofice is eficient"


def test_an_exclamation_mark_in_a_cell_reference_stays() -> None:
    assert Words(["see Sheet!A for more"]).correct("see SheetfiA for more") == "see Sheet!A for more"


def test_the_marker_of_a_list_item_is_the_one_on_the_page() -> None:
    words = Words(["Before.\n3. Third thing\n• A bullet\n"])
    assert words.marker("Third thing") == "3. "
    assert words.marker("A bullet") == "- "
