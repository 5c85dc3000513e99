"""Why a file or a page could not be read, in the language of who attached or named it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import indexer
from bot.slack.directory import CannotCheck
from bot.slack.refusals import reason_of, refusal_of
from bot.texts import ENGLISH, FRENCH, TO_EVERYBODY
from indexer import IndexerSettings, Refused, StoreFailed, WeaviateUnavailable, fetch_link
from indexer.errors import ExtractionRefused

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


# -- every sentence of the indexer's ----------------------------------------------------------------------------------

SOURCE = Path(indexer.__file__).parent
# What only who has the command line, or the library, can bring about: paths, standard input, documents that are there.
NOT_FROM_SLACK = {
    "sources.py": {"_pasted", "_path", "_folder", "_files", "_file"},
    "library.py": {"original"},
    "readdressing.py": {"readdress"},
    "rows.py": {"named"},
}
REFUSALS = {"Refused", "SourceRefused", "ExtractionRefused", "NotFound"}


def sentences(node: ast.expr | None, functions: dict[str, ast.FunctionDef], constants: dict[str, str]) -> list[str]:
    """What an expression may say, each field of it as ``X``; nothing where that is told by another process."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=parts):
            said = [part.value if isinstance(part, ast.Constant) else "X" for part in parts]
            return ["".join(map(str, said))]
        case ast.Call(func=ast.Name(id=name)) if name in functions:
            returned = [one.value for one in ast.walk(functions[name]) if isinstance(one, ast.Return)]
            return [text for value in returned for text in sentences(value, functions, constants)]
        case ast.Name(id=name) if name in constants:
            return [constants[name]]
        case ast.Subscript():  # what the reading process said
            return []
    raise AssertionError(f"{ast.unparse(node) if node else node}: it cannot be told here what this refusal says")


def refusals() -> Iterator[tuple[str, str]]:
    """Every sentence of a refusal that adding from Slack can end in, with its place in the source."""
    for path in sorted(set(SOURCE.rglob("*.py")) - set((SOURCE / "commands").iterdir())):
        tree = ast.parse(path.read_text("utf-8"))
        functions = {one.name: one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)}
        constants = {
            str(target.id): str(one.value.value)
            for one in tree.body
            if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant)
            for target in one.targets
            if isinstance(target, ast.Name)
        }
        elsewhere = NOT_FROM_SLACK.get(path.name, set())
        for within, call in calls(tree):
            if within not in elsewhere:
                for text in sentences(call.args[0] if call.args else None, functions, constants):
                    yield f"{path.relative_to(SOURCE).as_posix()}:{call.lineno}", text


def calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Where a refusal is made, with the name of the innermost function around it."""

    def walk(node: ast.AST, within: str) -> Iterator[tuple[str, ast.Call]]:
        for child in ast.iter_child_nodes(node):
            inner = child.name if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else within
            if isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id in REFUSALS:
                yield inner, child
            yield from walk(child, inner)

    return walk(tree, "")


def test_every_refusal_of_the_indexer_has_its_own_text_in_french() -> None:
    """A new one that has none fails here: give it a line in ``bot.slack.refusals``, and a text."""
    found = list(refusals())
    assert len(found) > 25
    for some in ("This is not a URL", "was cancelled", "sign-in page", "is damaged", "MAX_FILE_MB", "web page (HTML)"):
        assert any(some in text for _, text in found), some
    vague = FRENCH.say("file_unreadable", name="X")
    without = [(where, text) for where, text in found if refusal_of(text, "X", FRENCH) == vague]
    assert without == []


def test_every_refusal_says_what_to_do_and_names_no_setting_to_people_in_slack() -> None:
    settings = {name.upper() for name in IndexerSettings.model_fields}
    for where, text in refusals():
        for texts in (TO_EVERYBODY, FRENCH):
            told = refusal_of(text, "X", texts)
            assert not [name for name in settings if name in told], (where, told)
            assert re.search(r"[.;:,] \S", told), f"{where}: after what is wrong comes what to do: {told}"


def test_what_is_not_from_slack_is_there() -> None:
    for name, functions in NOT_FROM_SLACK.items():
        (path,) = SOURCE.rglob(name)
        tree = ast.parse(path.read_text("utf-8"))
        there = {one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
        assert functions <= there


def test_where_a_service_is_away_nothing_is_said_against_the_document() -> None:
    for texts in (TO_EVERYBODY, FRENCH):
        for error in (WeaviateUnavailable("Weaviate at 10.0.0.7 does not answer."), StoreFailed("It kept 3 of 5.")):
            assert reason_of(error, "a.pdf", texts) == texts.say("docs_failed_away")
        assert reason_of(CannotCheck(), "a.pdf", texts) == texts.say("cannot_check")
        assert reason_of(ExtractionRefused("a.pdf is empty; add."), "a.pdf", texts) == texts.say(
            "file_empty", name="a.pdf"
        )
