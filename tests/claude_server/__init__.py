"""A strict local stand-in for Claude's Messages API, over real sockets. Nothing here can reach a model.

In a test the fixture ``claude`` is a running server of its own on a free loopback port::

    async def test_something(claude: ClaudeServer) -> None:
        client = AsyncAnthropic(api_key="any", base_url=claude.base_url)   # or the fixture claude_client
        claude.script(calls("search_documents", query="May"), says("It was closed in May."))
        ...
        assert [request.body["model"] for request in claude.messages] == [...]

At the end of the test nothing may have been refused (``claude.violations``), unless it called
``claude.expect_violations()``, and no brain may have raised (``claude.mistakes``).

**Who answers.** Scripted replies first, in order of arrival: ``claude.script(says(…), calls(…), Reply(…))``, made of
``Text`` (with ``Citation``), ``ToolUse`` and ``Thinking`` blocks. After them ``claude.brain``, a function from
``Request`` to ``Reply``. Ready ones: ``Contexts`` (situates the chunk between ``<chunk>`` tags in the document between
``<document>`` tags), ``HonestAnswerer`` (searches, then quotes the results with citations, or says
``NOTHING_FOUND``), ``Auto`` (each where it fits; the default), and everything in ``liars``: false quotes, leaked
markup, no search, endless search, refusals, empty answers.

**Faults.** ``claude.fail(fault, times=1)`` for the next requests, without using up a scripted reply (``times=None``:
until ``claude.recover()``); or one reply's own: ``fails(Midway("cut", after=3))``.

===========================  ========================================================================================
``HttpError(529)``           an error response, with ``retry_after`` if given; also ``OVERLOADED``, ``RATE_LIMITED`` …
``Hangup()``                 the connection is closed before anything is answered
``Midway("error")``          an ``error`` event after so many deltas; ``"cut"``, ``"reset"``: the connection goes;
                             ``"stall"``: silence; ``"end"``: the stream ends without ``message_stop``
``claude.close_port()``      connections are refused until ``claude.open_port()``
``claude.latency``           seconds before each answer; a reply has ``latency``, ``first_token``, ``pause``, ``hold``
``claude.chunk_bytes``       what goes over the wire is cut into such chunks, through words and characters
``claude.tokens_per_minute`` a rate limit, which leaves out what is read from the cache
===========================  ========================================================================================

**What it checks** is in ``validation``, ``tools``, ``blocks`` and ``conversation``, in the words of the real API where
they are known. Thinking blocks are signed with a hash of model, tools, system prompt and all that came before them, and
refused when they come back under another.

**The prompt cache** (``prompt_cache``) behaves as documented, its race and its minimum included. Sizes are estimates:
four bytes are a token. ``claude.minimum_prefix(model, tokens)`` changes a model's minimum; ``ClaudeServer(clock=…)``
takes a clock. ``claude.spent`` adds up the usage, ``claude.most_in_flight`` tells how many calls ran side by side.

**Models** (``models``): the fast one thinks unless ``thinking`` is disabled, and that counts toward ``max_tokens``
(``claude.thinking_tokens`` says how much); on the larger ones what is said before a tool call comes as thinking.

By hand: ``python -m tests.claude_server --port 8787 --latency 0.05 --brain auto``, then the ``export`` line it prints.
Batches are not there.
"""

from __future__ import annotations

from tests.claude_server.brains import NOTHING_FOUND, Auto, Brain, Contexts, HonestAnswerer
from tests.claude_server.models import MODELS, Model
from tests.claude_server.replies import (
    OVERLOADED,
    RATE_LIMITED,
    SERVER_ERROR,
    Citation,
    Hangup,
    Hold,
    HttpError,
    Midway,
    Reply,
    Text,
    Thinking,
    ToolUse,
    calls,
    fails,
    says,
)
from tests.claude_server.request import Request
from tests.claude_server.server import ClaudeServer

__all__ = [
    "MODELS",
    "NOTHING_FOUND",
    "OVERLOADED",
    "RATE_LIMITED",
    "SERVER_ERROR",
    "Auto",
    "Brain",
    "Citation",
    "ClaudeServer",
    "Contexts",
    "Hangup",
    "Hold",
    "HonestAnswerer",
    "HttpError",
    "Midway",
    "Model",
    "Reply",
    "Request",
    "Text",
    "Thinking",
    "ToolUse",
    "calls",
    "fails",
    "says",
]
