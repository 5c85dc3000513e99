"""What is left of a document once it is removed: nothing that says what it was, but what was paid for."""

from __future__ import annotations

import base64
import binascii
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from indexer.documents import WORKSPACE, Original
from indexer.library import Indexer
from tests.claude_server import ClaudeServer
from tests.fixtures.indexer import MakeSettings, followed

pytestmark = pytest.mark.anyio

SOURCE, NAME, TITLE, ADDER = "file:///aardvarks.md", "aardvarks.md", "Rules for anteaters", "U0ZEBRA"
OLD, NEW = "Okapis wait at the door. ", "Tapirs wait at the gate. "


def tables_with(folder: Path, *words: str) -> set[str]:
    """The tables of all databases in which one of the words stands: ``{"versions"}``."""
    found = set()
    for file in folder.glob("*.db"):
        with closing(sqlite3.connect(file)) as database:
            for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                rows = database.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - a name that the database gave
                values = [value for row in rows for value in row]
                if any(word.encode() in _bytes(value) for value in values for word in words):
                    found.add(table)
    return found


def _bytes(value: object) -> bytes:
    """A column's value; what the queue pickled, and wrote in base64, behind it."""
    if isinstance(value, bytes):
        return value
    text = str(value)
    try:
        return text.encode() + base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return text.encode()


async def test_what_a_removed_document_was_stands_nowhere_but_in_what_was_paid_for(
    make_settings: MakeSettings, claude: ClaudeServer, tmp_path: Path, workspace: str
) -> None:
    def left(*words: str) -> set[str]:
        return tables_with(tmp_path / "data", *words)

    settings = make_settings(anthropic_api_key="key", anthropic_base_url=claude.base_url)
    async with Indexer.open(settings) as indexer:
        for text in (OLD, NEW):
            original = Original(SOURCE, "\n\n".join([f"# Rules\n\n{text}", text * 200]).encode(), NAME)
            added = await indexer.add(original, workspace=workspace, audience=WORKSPACE, title=TITLE, added_by=ADDER)
            version = await followed(indexer, added.version)
            assert (version.state, version.failures) == ("published", {})
        document, said = version.document, ("wait at the",)
        assert left(SOURCE) == {"documents"}
        assert left(NAME, ADDER) == {"documents", "versions"}
        assert left(document) >= {"versions", "sketches"}
        await indexer.remove(workspace, document)
        assert left(SOURCE, NAME, ADDER) == set()
        assert left(TITLE, *said) == {"paid_answers"}  # the contexts: adding it again costs nothing
        ids = {"documents", "paid_answers"}  # the id with its last number; on whose account they were paid
        queue = {"workflow_status", "workflow_input", "operation_outputs", "workflow_output"}
        assert left(document) - queue == ids
