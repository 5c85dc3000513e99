"""Why a file or a page could not be read, in the language of who attached or named it."""

from __future__ import annotations

import pytest

from bot.slack.refusals import refusal_of
from bot.texts import ENGLISH, FRENCH
from indexer import IndexerSettings, Refused, fetch_link

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("address", "english", "french"),
    [
        ("https://docs.google.com/document/d/abc/edit", "Google", "Exportez-y le document et joignez le fichier"),
        ("https://10.0.0.1/x", "10.0.0.1 is not a public address", "Téléchargez le fichier et joignez-le."),
    ],
)
async def test_a_link_that_cannot_be_taken_says_why_and_what_to_do(address: str, english: str, french: str) -> None:
    with pytest.raises(Refused) as refused:
        await fetch_link(address, IndexerSettings())
    assert english in refusal_of(str(refused.value), "the page", ENGLISH)
    assert french in refusal_of(str(refused.value), "la page", FRENCH)


def test_what_nothing_is_known_of_is_unreadable_in_french_and_told_as_it_is_in_english() -> None:
    assert refusal_of("Odd.", "a.pdf", ENGLISH) == "Odd."
    assert refusal_of("Odd.", "a.pdf", FRENCH) == "a.pdf n'a pas pu être lu. Joignez-le en PDF ou en texte."
