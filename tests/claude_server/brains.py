"""Brains: functions from a request to a reply. These are the honest ones; ``liars`` has the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.claude_server.errors import JSON
from tests.claude_server.replies import Citation, Reply, Text, ToolUse, says
from tests.claude_server.request import Request, search_results_in

Brain = Callable[[Request], Reply]

NOTHING_FOUND = "I found nothing about this in the documents."
_CODES = re.compile(r"\b[A-Z][A-Za-z]*-[\w-]*\d[\w-]*\b|\b[A-Z]{2,}\d*\b")
_WORDS = re.compile(r"\w{3,}")
_FRENCH = frozenset(
    ["le", "la", "les", "des", "est", "une", "dans", "pour", "que", "qui", "sur", "avec", "par", "du", "aux"]
)
_COMMON = frozenset(
    [
        "the",
        "and",
        "for",
        "was",
        "were",
        "are",
        "what",
        "when",
        "which",
        "who",
        "how",
        "why",
        "does",
        "did",
        "that",
        "this",
        "with",
        "from",
        "have",
        "has",
    ]
)


def tagged(name: str, text: str) -> str | None:
    """What stands in the last element of that name, stripped; None if there is none.

    Names may go on after a hyphen, and instructions may mention the tag:
    ``tagged("chunk", "It is between <chunk> tags: <chunk-7> a </chunk-7>") == "a"``.
    """
    element = element_in(name, text)
    return element[1] if element else None


def element_in(name: str, text: str) -> tuple[str, str] | None:
    """The attributes and the content of the last element of that name."""
    closings = list(re.finditer(rf"</({name}[\w-]*)\s*>", text))
    if not closings:
        return None
    end = closings[-1]
    openings = list(re.finditer(rf"<{re.escape(end[1])}((?:\s[^<>]*)?)>", text[: end.start()]))
    return (openings[-1][1], text[openings[-1].end() : end.start()].strip()) if openings else None


class Contexts:
    """Answers a contextualizing request with 50 to 100 plausible tokens, made of the document and the chunk.

    The document and the chunk are what stands between ``<document>`` and ``<chunk>`` tags (whatever follows the name
    in the tag). The context names the document, the nearest heading before the chunk, what the chunk begins with and
    the codes it mentions, in French where the document is French.
    """

    def __call__(self, request: Request) -> Reply:
        attributes, document = element_in("document", request.prompt) or ("", request.prompt)
        chunk = tagged("chunk", request.prompt) or request.last_turn[-1].get("text", "")
        title = re.search(r'title="([^"]+)"', attributes)
        return says(self.write(document, chunk, title[1] if title else None))

    def write(self, document: str, chunk: str, title: str | None = None) -> str:
        """The context of one chunk: ``write("# Phoenix\\n…", "It was closed in May.")``."""
        title = title or _first_line(document)
        before = document[: max(0, document.find(chunk[:80]))]
        headings = [line for line in before.splitlines() if line.startswith("#")]
        section = headings[-1].lstrip("# ").strip() if headings else title
        codes = sorted(set(_CODES.findall(chunk)))[:4]
        opening = " ".join(chunk.split())[:120]
        if _is_french(document):
            text = f"Cet extrait vient du document « {title} », section « {section} ». Il commence par « {opening} »"
            text += f" et mentionne {', '.join(codes)}." if codes else "."
            filler = " Il précise un point du document et se lit avec les sections voisines."
        else:
            text = f"This chunk is from the document “{title}”, section “{section}”. It begins with “{opening}”"
            text += f" and mentions {', '.join(codes)}." if codes else "."
            filler = " It details one point of the document and belongs with the neighbouring sections."
        while len(text.encode()) < 200:
            text += filler
        return text.encode()[:400].decode("utf-8", "ignore")


def _first_line(text: str) -> str:
    return next((line.strip("# \t")[:100] for line in text.splitlines() if line.strip("# \t")), "untitled")


def _is_french(text: str) -> bool:
    words = re.findall(r"\w+", text[:4_000].lower())
    return sum(word in _FRENCH for word in words) > sum(word in ("the", "of", "and", "is") for word in words)


@dataclass(frozen=True, slots=True)
class Found:
    """One text block of a search result, with where it stands in the request."""

    result: JSON
    index: int
    block: int

    @property
    def text(self) -> str:
        return str(self.result["content"][self.block]["text"])

    def cite(self) -> Citation:
        return Citation(self.result["source"], self.result["title"], self.text, self.index, self.block, self.block + 1)


class HonestAnswerer:
    """Searches first, then answers in sentences quoted from the results, each with its citation.

    Says ``NOTHING_FOUND`` when the searches for the question gave no results.
    """

    def __init__(self, sentences: int = 3) -> None:
        self.sentences = sentences

    def __call__(self, request: Request) -> Reply:
        if request.may_use_tools and not request.tool_results:
            return self.search(request)
        return self.answer(request)

    def search(self, request: Request, query: str | None = None) -> Reply:
        """A call of the search tool, the question in its query."""
        tool = search_tool(request)
        return Reply((ToolUse(tool["name"], {query_field(tool): query or asked(request)}),))

    def answer(self, request: Request) -> Reply:
        """The answer from what the searches for the current question found."""
        found = self.choose(asked(request), found_in(request))
        if not found:
            return says(NOTHING_FOUND)
        return Reply(
            tuple(
                Text((" " if number else "") + piece.text.strip(), (piece.cite(),))
                for number, piece in enumerate(found)
            )
        )

    def choose(self, question: str, found: Iterable[Found]) -> list[Found]:
        """The blocks that share most words with the question, best first, none twice."""
        wanted = words(question)
        ranked = sorted(found, key=lambda piece: -len(wanted & words(piece.text)))
        chosen: list[Found] = []
        for piece in ranked:
            if len(chosen) < self.sentences and piece.text not in [other.text for other in chosen]:
                chosen.append(piece)
        return chosen


def words(text: str) -> frozenset[str]:
    """The words of a text that tell something, in lower case."""
    return frozenset(_WORDS.findall(text.lower())) - _COMMON


def asked(request: Request) -> str:
    """The question: what stands in a ``<question>`` tag, else the whole of the person's last turn."""
    return tagged("question", request.question) or request.question


def search_tool(request: Request) -> JSON:
    """The tool that has "search" in its name, else the first one."""
    return next((tool for tool in request.tools if "search" in tool["name"]), request.tools[0])


def query_field(tool: JSON) -> str:
    """The name of a search tool's query: ``query`` if it has one, else its first property that is a string."""
    properties = tool["input_schema"].get("properties") or {}
    strings = [name for name, schema in properties.items() if schema.get("type") == "string"]
    return "query" if "query" in properties or not strings else strings[0]


def found_in(request: Request) -> list[Found]:
    """The blocks of all results since the person's last turn, with their index over the whole request."""
    turns = request.turns
    starts = [
        at
        for at, turn in enumerate(turns)
        if turn["role"] == "user" and not any(block["type"] == "tool_result" for block in turn["content"])
    ]
    start = starts[-1] if starts else 0
    index = sum(len(list(search_results_in(turn["content"]))) for turn in turns[:start])
    found: list[Found] = []
    for turn in turns[start:]:
        for result in search_results_in(turn["content"]):
            found += [Found(result, index, block) for block in range(len(result["content"]))]
            index += 1
    return found


class Auto:
    """Contexts for contextualizing requests, honest answers for requests with tools, a plain echo for the rest."""

    def __init__(self, answerer: Brain | None = None, contexts: Brain | None = None) -> None:
        self.answerer = answerer or HonestAnswerer()
        self.contexts = contexts or Contexts()

    def __call__(self, request: Request) -> Reply:
        if request.tools:
            return self.answerer(request)
        if tagged("chunk", request.prompt) is not None:
            return self.contexts(request)
        return says(f"You said: {request.question[:200]}")
