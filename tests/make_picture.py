"""Draws the picture of an answer in the README: ``python -m tests.make_picture``.

Everything in it is real but one thing: the examples are indexed, the searches are made, the citations are checked and
the console renders the answer; only the words that Claude would write are written here, as no key is needed this way.
"""

from __future__ import annotations

import asyncio
import io
import re
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text as Line

from bot.answering.answerer import Answerer
from bot.console import AnswerView, Conversation
from bot.rendering import whole_answer
from bot.settings import BotSettings
from bot.terminal import PROMPT
from indexer.claude import open_claude
from indexer.documents import WORKSPACE, Original, Viewer
from indexer.library import Indexer
from indexer.prices import load_prices
from indexer.settings import IndexerSettings
from indexer.sources import open_source
from tests.claude_server import Auto, ClaudeServer, Reply, Request, Text, ToolUse
from tests.claude_server.brains import found_in
from tests.make_examples import EXAMPLES

PICTURE = EXAMPLES.parent / "docs" / "answer.svg"
QUESTION = "What happened in INC-2023-04-011, and what did it cost? Is the old gateway still in use?"
QUERIES = ("INC-2023-04-011 root cause and end", "INC-2023-04-011 amount booked", "old login gateway still in use")
# What is said, and the beginning of the sentence that it rests on, wherever the search found it.
SAID = (
    ("INC-2023-04-011 was caused by an expired certificate on the login gateway.", "The root cause was an expired"),
    ("It was closed on 12 May, when renewal had become automatic,", "It was closed on 12 May"),
    ("and Finance booked €41,000 for it.", "INC-2023-04-011 | Q2 2023 | 41"),
)
MISSING = "\n\nNot in your documents: whether the old gateway is still in use."
WIDTH = 108


def claude(request: Request) -> Reply:
    """Three searches side by side, then the answer from what they found."""
    if not request.tool_results:
        return Reply(tuple(ToolUse("search_documents", {"query": query}) for query in QUERIES))
    found = found_in(request)
    blocks = []
    for number, (words, sentence) in enumerate(SAID):
        source = next(piece for piece in found if sentence in " ".join(piece.text.split()))
        blocks.append(Text(f"{' ' if number else ''}{words}", (source.cite(),)))
    return Reply((*blocks, Text(MISSING)))


async def draw(folder: Path) -> str:
    """The picture as SVG. Indexes the examples into ``folder`` first, which takes about a minute."""
    with ClaudeServer(Auto(answerer=claude)) as server:
        here = {"anthropic_api_key": "any", "anthropic_base_url": server.base_url}
        settings = IndexerSettings.model_validate({**here, "data_dir": folder, "weaviate_url": None})
        bot = BotSettings.model_validate(here)
        async with Indexer.open(settings, notify=print) as indexer:
            await index_examples(indexer)
            async with open_claude("any", server.base_url, bot.claude_timeout_seconds) as client:
                answerer = Answerer(indexer, client, bot, load_prices())
                everybody = Viewer(frozenset({WORKSPACE}))
                return await picture_of(Conversation(answerer, indexer, everybody, "local"))


async def index_examples(indexer: Indexer) -> None:
    added = []
    async for item in open_source(str(EXAMPLES), indexer.settings, stdin=b""):
        assert isinstance(item, Original)
        added.append(await indexer.add(item, workspace="local", audience=WORKSPACE))
    async for _ in indexer.follow({one.version for one in added}):
        pass


async def picture_of(conversation: Conversation) -> str:
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    view = AnswerView(console)
    answer = await conversation.ask(QUESTION, view.take)
    assert answer.backed, answer
    console.print(Line(f"{PROMPT}{QUESTION}\n", "bold"))
    for line in view.searches:
        console.print(Line(line, "dim"))
    console.print()
    console.print(whole_answer(answer))
    svg = console.export_svg(title="python -m bot", unique_id="answer")
    return re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)  # a picture fetches nothing


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        PICTURE.write_text(asyncio.run(draw(Path(folder))), "utf-8")
    sys.stdout.write(f"{PICTURE.name} is drawn; look at it before you commit it.\n")


if __name__ == "__main__":
    main()
