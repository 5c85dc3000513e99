"""Run the stand-in by hand: ``python -m tests.slack_server --port 8788``, then what it prints, then the bot."""

from __future__ import annotations

import argparse
import sys
import threading

from tests.slack_server.server import SlackServer


def main() -> None:
    """Serve until interrupted; lines typed are said by Ana in #general."""
    parser = argparse.ArgumentParser(prog="python -m tests.slack_server", description=__doc__)
    parser.add_argument("--port", type=int, default=8788, help="port on 127.0.0.1 (default: 8788)")
    chosen = parser.parse_args()
    with SlackServer().start(chosen.port) as slack:
        ana = slack.person("Ana")
        general = slack.channel("general", members=[ana])
        sys.stdout.write(
            f"export SLACK_API_URL={slack.api_url} SLACK_BOT_TOKEN={slack.bot_token} "
            f"SLACK_APP_TOKEN={slack.app_token} SLACK_SIGNING_SECRET={slack.signing_secret}\n"
            "Type what Ana says in #general; @Situate names the app.\n"
        )
        sys.stdout.flush()
        threading.Thread(target=lambda: _report(slack), daemon=True).start()
        try:
            for line in sys.stdin:
                if line.strip():
                    slack.says(ana, general, line.strip())
            threading.Event().wait()
        except KeyboardInterrupt:
            sys.stdout.write("Stopped.\n")


def _report(slack: SlackServer) -> None:
    """Say what the app calls and what it does wrong."""
    calls = wrong = 0
    while True:
        threading.Event().wait(0.3)
        for call in slack.calls[calls:]:
            error = (call.result or {}).get("error", "")
            sys.stdout.write(f"{call.method} {error}\n")
        for what in slack.violations[wrong:]:
            sys.stdout.write(f"VIOLATION {what}\n")
        calls, wrong = len(slack.calls), len(slack.violations)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
