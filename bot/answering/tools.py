"""The search tool: how it is told to Claude, how its calls are read, run and answered.

What it may search is fixed by the viewer before Claude is asked; nothing in a call can widen that. Hits go back as
``search_result`` blocks, one text block a sentence, so that a citation names sentences; neighbouring chunks go as one
such block. The generated context stands in the block's title, which cannot be cited.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from anthropic.types import (
    SearchResultBlockParam,
    TextBlockParam,
    ToolParam,
    ToolResultBlockParam,
    ToolUseBlock,
)
from anthropic.types.tool_result_block_param import Content

from bot.answering import languages
from bot.answering.citations import Shown, ShownSources
from bot.answering.events import Found
from bot.answering.library import Library
from bot.answering.merging import joined, without_twins
from bot.answering.visible import one_line, without_hidden
from indexer import Document, DocumentId, Hit, SituateError, Unavailable, Viewer, closest_titles, titled

log = logging.getLogger(__name__)

TOOL_NAME = "search_documents"
LONGEST_QUERY = 1_000  # characters
THIN = 3  # fewer passages than this, and a search in the documents' other languages is suggested
_LONGEST_CONTEXT = 600


def search_tool(documents: Sequence[Document]) -> ToolParam:
    """The tool as Claude is told of it; ``documents`` are what the viewer may read."""
    known = document_languages(documents)
    spoken = f" The documents are in: {', '.join(languages.name(code) for code in known)}." if known else ""
    return {
        "name": TOOL_NAME,
        "description": (
            "Searches the team's documents by meaning and by words, and returns passages. Call it before you state any"
            " fact. A query is a short phrase or a question with the names, numbers and codes that matter, in the"
            " language that the passages are probably in. Different aspects go into different calls, made side by side."
            f"{spoken} If the passages do not answer the question, search again with other words, and in the documents'"
            " other languages."
        ),
        "input_schema": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for, 1,000 characters at most."},
                "documents": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Titles of documents, as results give them, to search only in these.",
                },
            },
            "required": ["query"],
            "additionalProperties": False,
        },
        "strict": True,
    }


def document_languages(documents: Sequence[Document]) -> list[str]:
    """The documents' languages, the most frequent first, equals by their code."""
    counts = Counter(document.language for document in documents if document.language)
    return sorted(counts, key=lambda language: (-counts[language], language))


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the tool that can be run."""

    query: str
    documents: frozenset[DocumentId] | None


def read_call(use: ToolUseBlock, documents: Sequence[Document]) -> Call | str:
    """The call that a ``tool_use`` block makes, or a sentence that tells Claude what is wrong with it."""
    if use.name != TOOL_NAME:
        return f"There is no tool of that name; the only one is {TOOL_NAME}."
    given: object = use.input
    if not isinstance(given, dict):
        return "The input must be an object with a query."
    query = given.get("query")
    if not isinstance(query, str) or not (query := " ".join(without_hidden(query).split())):
        return "The query is missing: give it as a string of a few words."
    if len(query) > LONGEST_QUERY:
        return f"The query is too long: give at most {LONGEST_QUERY} characters."
    titles = given.get("documents")
    if titles is None or titles == []:
        return Call(query, None)
    if not isinstance(titles, list) or not all(isinstance(title, str) for title in titles):
        return "documents must be a list of titles, or be left out."
    named = frozenset(document.id for title in titles for document in titled(title, documents))
    if not named:
        closest = closest_titles(" ".join(titles), documents)
        return "No document has such a title; leave documents out" + (
            f", or use one of these: {'; '.join(closest)}." if closest else "."
        )
    return Call(query, named)


@dataclass(frozen=True, slots=True)
class Ran:
    """A call that was run: its hits, or why there are none."""

    query: str
    hits: tuple[Hit, ...] = ()
    failure: str | None = None
    unavailable: Unavailable | None = None


async def run(call: Call, library: Library, workspace: str, viewer: Viewer) -> Ran:
    """Search; a failure becomes part of the result, so that searches side by side do not bring each other down."""
    try:
        hits = await library.search(workspace, call.query, viewer, documents=call.documents)
    except Unavailable as error:
        log.warning("a search could not be made", exc_info=True)
        return Ran(call.query, failure=str(error), unavailable=error)
    except SituateError as error:
        log.warning("a search failed", exc_info=True)
        return Ran(call.query, failure=str(error))
    except Exception:
        log.exception("a search failed unexpectedly")
        return Ran(call.query, failure="The search failed.")
    # The query filtered by audience already; that a passage leaks must take two mistakes, not one.
    return Ran(call.query, tuple(hit for hit in hits if viewer.may_read(hit.audience)))


async def run_all(calls: Sequence[Call], library: Library, workspace: str, viewer: Viewer) -> list[Ran]:
    """Run calls side by side; results in the order of the calls."""
    return await asyncio.gather(*(run(call, library, workspace, viewer) for call in calls))


@dataclass(frozen=True, slots=True)
class Results:
    """What a search gives to Claude, and what it gives to whoever watches."""

    blocks: list[TextBlockParam | SearchResultBlockParam]
    found: Found


def results(ran: Ran, shown: ShownSources, documents: Sequence[Document]) -> Results:
    """A run's hits as blocks: neighbours as one passage, what stands in the request already only named."""
    if ran.failure is not None:
        text = f"This search could not be made: {ran.failure}"
        return Results([_text(text)], Found(ran.query, 0, 0, 0, ran.failure))
    blocks: list[TextBlockParam | SearchResultBlockParam] = []
    fresh = [hit for hit in ran.hits if hit.key not in shown]
    again = [title(hit) for hit in ran.hits if hit.key in shown]
    before = shown.hits
    kept, twins = without_twins(fresh, before)
    new = 0
    for passage in joined(kept):
        if (taken := shown.add(*passage)) is None:
            continue
        blocks.append(search_result(taken))
        same = [twin.hit for twin in twins if twin.shown in passage]
        if same:
            named = "; ".join(title(hit) for hit in same)
            blocks.append(_text(f"The same text also stands in: {named}. Cite the result above for it."))
        new += len(passage) + len(same)
    for twin in twins:
        shown.name(twin.hit)
        if twin.shown in before:
            again.append(f"{title(twin.hit)}, which has the text of {title(twin.shown)}")
    if again:
        blocks.append(_text("Already shown above, so not repeated here: " + "; ".join(again) + "."))
    if not blocks:
        closest = closest_titles(ran.query, documents)
        text = f"Nothing was found for this query in {len(documents)} documents."
        blocks.append(_text(text + (f" The closest titles are: {'; '.join(closest)}." if closest else "")))
    elif hint := _other_languages(ran.hits, new, documents):
        blocks.append(_text(hint))
    distinct = len({hit.document for hit in ran.hits})
    return Results(blocks, Found(ran.query, len(ran.hits), distinct, new))


def tool_result(use: ToolUseBlock, content: Sequence[Content], *, is_error: bool = False) -> ToolResultBlockParam:
    """The answer to one ``tool_use`` block; ``content`` is never empty."""
    block: ToolResultBlockParam = {"type": "tool_result", "tool_use_id": use.id, "content": list(content)}
    if is_error:
        block["is_error"] = True
    return block


def error_result(use: ToolUseBlock, sentence: str) -> ToolResultBlockParam:
    """A ``tool_result`` that says what was wrong."""
    return tool_result(use, [_text(sentence)], is_error=True)


def search_result(shown: Shown) -> SearchResultBlockParam:
    """A shown source as the API wants it. Its text blocks joined are its chunks; its title cannot be cited."""
    heading = title(*shown.hits)
    contexts = dict.fromkeys(one_line(hit.context.text, _LONGEST_CONTEXT) for hit in shown.hits)
    context = " / ".join(filter(None, contexts))
    return {
        "type": "search_result",
        "source": shown.key,
        "title": f"{heading} — about this passage (not part of it): {context}" if context else heading,
        "content": [_text(block) for block in shown.blocks],
        "citations": {"enabled": True},
    }


def title(hit: Hit, *following: Hit) -> str:
    """``Annual Review 2023 › Incidents (p. 14, 2024-01-30, English)``; of neighbours the headings that all stand under.

    Neighbours under ``A › B`` on page 14 and ``A › C`` on page 15 are ``A (pp. 14–15, …)``.
    """
    hits = (hit, *following)
    levels = zip(*(one.chunk.heading_path for one in hits), strict=False)
    headings = [names[0] for names in takewhile(lambda names: len(set(names)) == 1, levels)]
    path = [one_line(hit.title, 200) or "Untitled", *(one_line(heading, 120) for heading in headings)]
    if len(path) > 1 and path[0].casefold() == path[1].casefold():
        del path[1]
    pages = sorted({page for one in hits for page in one.chunk.pages})
    notes = [f"p. {pages[0]}" if len(pages) == 1 else f"pp. {pages[0]}–{pages[-1]}"] if pages else []
    notes += [hit.date.date().isoformat() if hit.date else "no date"]
    notes += [languages.name(hit.language)] if hit.language else []
    return f"{' › '.join(path)} ({', '.join(notes)})"


def _other_languages(hits: Sequence[Hit], new: int, documents: Sequence[Document]) -> str | None:
    found = {hit.language for hit in hits if hit.language}
    others = [languages.name(code) for code in document_languages(documents) if code not in found]
    if not others or new >= THIN:
        return None
    return f"There are also documents in {', '.join(others)}: search again in these languages if this does not answer."


def _text(text: str) -> TextBlockParam:
    return {"type": "text", "text": without_hidden(text)}
