"""A strict local stand-in for Claude's Messages API, over real sockets."""

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
