"""Brains that do what models do at their worst. Call one for a brain: ``claude.brain = WrongIndex()``.

Those about citations search honestly first, so that what they say goes wrong in one point only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from tests.claude_server.brains import Brain, Found, HonestAnswerer, asked, query_field, search_tool
from tests.claude_server.replies import Citation, Reply, StopReason, Text, ToolUse, says
from tests.claude_server.request import Request


class _Misciter(HonestAnswerer):
    """Answers honestly, but for what ``cite`` and ``word`` make of each citation and its text."""

    def answer(self, request: Request) -> Reply:
        reply = super().answer(request)
        blocks = [block for block in reply.blocks if isinstance(block, Text)]
        return reply.but(
            blocks=tuple(
                replace(block, text=self.word(block), citations=tuple(self.cite(one) for one in block.citations))
                for block in blocks
            )
        )

    def cite(self, citation: Citation) -> Citation:
        return citation

    def word(self, block: Text) -> str:
        return block.text


class WrongIndex(_Misciter):
    """Cites a result that is not there: result 7 of 5. Its source and quote are invented too."""

    def __init__(self, offset: int = 7) -> None:
        super().__init__()
        self.offset = offset

    def cite(self, citation: Citation) -> Citation:
        return replace(
            citation,
            search_result_index=citation.search_result_index + self.offset,
            source="no-such-source",
            cited_text="Nobody ever wrote this.",
        )


class AlteredQuote(_Misciter):
    """Cites the right block, with words in the quote that are not in it."""

    def cite(self, citation: Citation) -> Citation:
        return replace(citation, cited_text=citation.cited_text.rstrip().rstrip(".") + ", as everybody agreed.")


class WrongSource(_Misciter):
    """Quotes faithfully, but gives a source that no result has."""

    def cite(self, citation: Citation) -> Citation:
        return replace(citation, source="https://elsewhere.example/page", title="Elsewhere")


class WrongSpan(_Misciter):
    """Cites blocks past the end of the result."""

    def cite(self, citation: Citation) -> Citation:
        return replace(citation, start_block_index=citation.start_block_index + 1_000, end_block_index=2_000)


class LeakedMarkup(HonestAnswerer):
    """Writes its citations as ``<cite index="…">`` markup into the text instead of citing."""

    def __init__(self, opening: str = '<cite index="{0}-{1}">', closing: str = "</cite>") -> None:
        super().__init__()
        self.opening = opening
        self.closing = closing

    def answer(self, request: Request) -> Reply:
        reply = super().answer(request)
        texts = [block for block in reply.blocks if isinstance(block, Text)]
        marked = [
            f"{self.opening.format(number, number + 1)}{block.text.strip()}{self.closing}"
            for number, block in enumerate(texts)
        ]
        return says(" ".join(marked))


class Uncited(HonestAnswerer):
    """Says the right things without a single citation."""

    def answer(self, request: Request) -> Reply:
        return says(*(block.text for block in super().answer(request).blocks if isinstance(block, Text)))


class NeverSearches(HonestAnswerer):
    """Answers from its own head. ``until`` answers it gives so before it does search (None: it never does)."""

    def __init__(self, until: int | None = None) -> None:
        super().__init__()
        self.until = until
        self.answered = 0

    def search(self, request: Request, query: str | None = None) -> Reply:
        if self.until is not None and self.answered >= self.until:
            return super().search(request, query)
        self.answered += 1
        return says("As far as I remember, it was a Tuesday.")


class Ending(HonestAnswerer):
    """Searches, then its answer ends in the way given, after ``said`` (nothing where empty)."""

    def __init__(self, stop_reason: StopReason, said: str = "", **details: str | None) -> None:
        super().__init__()
        self.stop_reason: StopReason = stop_reason
        self.said = said
        self.details = details

    def answer(self, request: Request) -> Reply:
        blocks = (Text(self.said),) if self.said else ()
        return Reply(blocks, self.stop_reason, {"type": self.stop_reason, **self.details} if self.details else None)


def refusal(said: str = "") -> Brain:
    """Refuses, with ``stop_details``, after what it has said already."""
    return Ending("refusal", said, category="general_harms", explanation="This cannot be answered here.")


def refuses_at_once() -> Brain:
    """Refuses the very first request, before any search."""
    reply = Reply((), "refusal", {"type": "refusal", "category": None, "explanation": None})
    return lambda request: reply


def cut_at_max_tokens(said: str = "The incident was closed in the first week of M") -> Brain:
    """Stops in the middle of a word."""
    return Ending("max_tokens", said)


def window_exceeded(said: str = "The incident was cl") -> Brain:
    """Runs out of the context window."""
    return Ending("model_context_window_exceeded", said)


def empty_reply() -> Brain:
    """Answers without a single block."""
    return Ending("end_turn")


def whitespace_reply() -> Brain:
    """Answers a text block of whitespace."""
    return Ending("end_turn", " \n\n ")


class PausesOnce(HonestAnswerer):
    """Stops with ``pause_turn`` where it should answer; sent back as it is, it goes on with the answer."""

    def __call__(self, request: Request) -> Reply:
        if request.turns[-1]["role"] == "assistant":
            return self.answer(request)
        if request.tool_results:
            return says("Let me look at this more closely.", stop_reason="pause_turn")
        return self.search(request)


class EndlessSearcher(HonestAnswerer):
    """Searches in every round, each time for something else, as long as it may; then it answers."""

    def __call__(self, request: Request) -> Reply:
        if not request.may_use_tools:
            return self.answer(request)
        return self.search(request, f"{asked(request)} ({len(request.turns)})")


class ParallelSearcher(HonestAnswerer):
    """Makes several searches in one turn, three if not told otherwise, then answers from all of them."""

    def __init__(self, calls: int = 3) -> None:
        super().__init__()
        self.calls = calls

    def search(self, request: Request, query: str | None = None) -> Reply:
        tool = search_tool(request)
        question = query or asked(request)
        if (request.body.get("tool_choice") or {}).get("disable_parallel_tool_use"):
            return super().search(request, question)
        queries = [question, *(f"{question} {number}" for number in range(2, self.calls + 1))]
        return Reply(tuple(ToolUse(tool["name"], {query_field(tool): text}) for text in queries))


class Talkative(HonestAnswerer):
    """Says what it is about to do before it calls the tool."""

    def search(self, request: Request, query: str | None = None) -> Reply:
        reply = super().search(request, query)
        return reply.but(blocks=(Text("I will search the documents for this."), *reply.blocks))


class BadArguments(HonestAnswerer):
    """Calls the tool with arguments that its schema does not allow, once; then rightly."""

    def __init__(self) -> None:
        super().__init__()
        self.called = False

    def search(self, request: Request, query: str | None = None) -> Reply:
        if self.called:
            return super().search(request, query)
        self.called = True
        return Reply((ToolUse(search_tool(request)["name"], {"qery": 7}),))

    def __call__(self, request: Request) -> Reply:
        results = request.tool_results
        if request.may_use_tools and results and all(result.get("is_error") for result in results):
            return super().search(request)
        return super().__call__(request)


class UnknownTool(BadArguments):
    """Calls a tool that was not offered, once; then the right one."""

    def search(self, request: Request, query: str | None = None) -> Reply:
        if self.called:
            return HonestAnswerer.search(self, request, query)
        self.called = True
        return Reply((ToolUse("delete_everything", {}),))


class Repeats(HonestAnswerer):
    """Cites one sentence in sixty blocks."""

    def choose(self, question: str, found: Iterable[Found]) -> list[Found]:
        return super().choose(question, found)[:1] * 60


LIARS: dict[str, Callable[[], Brain]] = {
    "altered-quote": AlteredQuote,
    "bad-arguments": BadArguments,
    "cut-at-max-tokens": cut_at_max_tokens,
    "empty-reply": empty_reply,
    "endless-searcher": EndlessSearcher,
    "leaked-markup": LeakedMarkup,
    "never-searches": NeverSearches,
    "parallel-searcher": ParallelSearcher,
    "pauses-once": PausesOnce,
    "refusal": refusal,
    "refuses-at-once": refuses_at_once,
    "repeats": Repeats,
    "talkative": Talkative,
    "uncited": Uncited,
    "unknown-tool": UnknownTool,
    "whitespace-reply": whitespace_reply,
    "window-exceeded": window_exceeded,
    "wrong-index": WrongIndex,
    "wrong-source": WrongSource,
    "wrong-span": WrongSpan,
}
