"""Run the stand-in by hand: ``python -m tests.claude_server --port 8787 --brain honest``."""

from __future__ import annotations

import argparse
import sys
import threading

from tests.claude_server.brains import Auto, Brain, Contexts, HonestAnswerer
from tests.claude_server.liars import LIARS
from tests.claude_server.server import ClaudeServer


def brains() -> dict[str, Brain]:
    """The brains by the names of the command line."""
    honest: dict[str, Brain] = {"auto": Auto(), "honest": HonestAnswerer(), "contexts": Contexts()}
    return honest | {name: Auto(answerer=make()) for name, make in LIARS.items()}


def main() -> None:
    """Serve until interrupted."""
    known = brains()
    parser = argparse.ArgumentParser(prog="python -m tests.claude_server", description=__doc__)
    parser.add_argument("--port", type=int, default=8787, help="port on 127.0.0.1 (default: 8787)")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--brain", choices=sorted(known), default="auto", help="who answers (default: auto)")
    chosen = parser.parse_args()
    with ClaudeServer(known[chosen.brain], latency=chosen.latency).start(chosen.port) as server:
        sys.stdout.write(f"export ANTHROPIC_BASE_URL={server.base_url} ANTHROPIC_API_KEY=any\n")
        sys.stdout.flush()
        try:
            seen = 0
            while True:
                threading.Event().wait(0.5)
                for request in server.requests[seen:]:
                    sys.stdout.write(f"{request.path} {request.model} {request.refusal or ''}\n")
                    seen += 1
                sys.stdout.flush()
        except KeyboardInterrupt:
            sys.stdout.write("Stopped.\n")


if __name__ == "__main__":
    main()
