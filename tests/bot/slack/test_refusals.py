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
        ("https://[::1]/x", "is not a public address", "Téléchargez le fichier et joignez-le."),
        ("https://ana:pass@example.com/x", "user name or password", "Donnez l'adresse sans eux"),
        ("ftp://example.com/x", "use http or https", "Vérifiez l'adresse"),
        ("https://acme.notion.site/x", "Notion", "Exportez-y le document et joignez le fichier"),
        ("https://acme.atlassian.net/wiki/x", "Confluence", "Exportez-y le document et joignez le fichier"),
        ("https://10.0.0.1/x", "10.0.0.1 is not a public address", "Téléchargez le fichier et joignez-le."),
    ],
)
async def test_a_link_that_cannot_be_taken_says_why_and_what_to_do(address: str, english: str, french: str) -> None:
    with pytest.raises(Refused) as refused:
        await fetch_link(address, IndexerSettings())
    assert english in refusal_of(str(refused.value), "the page", ENGLISH)
    assert french in refusal_of(str(refused.value), "la page", FRENCH)


@pytest.mark.parametrize(
    ("sentence", "french"),
    [
        ("a.example has more than 50 MB; download it and add a part.", "trop volumineux"),
        ("a.example leads from one address to the next without end; add its own address.", "mener à une autre adresse"),
        ("a.example is packed in a way that cannot be read; download the file and add that.", "n'a pas pu être obtenu"),
        ("a.example shows a sign-in page instead of the document; download the file.", "après connexion"),
        ("a.example shows a page that is empty until a script in a browser fills it; print it.", "un script"),
    ],
)
def test_in_french_each_kind_of_trouble_with_a_link_has_its_text(sentence: str, french: str) -> None:
    assert french in refusal_of(sentence, "la page", FRENCH)


def test_what_nothing_is_known_of_is_unreadable_in_french_and_told_as_it_is_in_english() -> None:
    assert refusal_of("Odd.", "a.pdf", ENGLISH) == "Odd."
    assert refusal_of("Odd.", "a.pdf", FRENCH) == "a.pdf n'a pas pu être lu. Joignez-le en PDF ou en texte."
