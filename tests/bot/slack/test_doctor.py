"""The doctor finds what is wrong, says what to do about it, pays nothing and shows no secret."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from rich.console import Console

from bot import health
from bot.asking import How, Question
from bot.health import Check
from bot.ledger import Ledger
from bot.settings import BotSettings
from bot.slack.doctor import _ago, examine, manifest_scopes
from indexer import Indexer, IndexerSettings
from tests.claude_server import ClaudeServer
from tests.fixtures.command_line import CommandLine
from tests.fixtures.indexer import MakeSettings, added
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio

BOT, APP = "xoxb-12345-67890-the-bot-s-secret", "xapp-1-A1-2-the-app-s-secret"
SIGNING = "0123456789abcdef0123456789abcdef"
TEAM = "TDOCTOR"


@dataclass
class Answering:
    """The two methods that the doctor calls: what they answer, and the tokens that they were called with."""

    answers: dict[str, dict[str, Any]] = field(
        default_factory=lambda: {
            "auth.test": {"ok": True, "team": "Institute", "team_id": TEAM, "user": "situate", "user_id": "U0"},
            "apps.connections.open": {"ok": True, "url": "wss://slack.example/link"},
        }
    )
    scopes: str | None = ",".join(sorted(manifest_scopes()))
    called: list[tuple[str, str]] = field(default_factory=list)
    url: str = ""

    async def serve(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        self.called.append((method, request.headers.get("Authorization", "")))
        headers = {"x-oauth-scopes": self.scopes} if self.scopes is not None else {}
        return web.json_response(self.answers[method], headers=headers)


@pytest.fixture
async def answering() -> AsyncIterator[Answering]:
    told = Answering()
    app = web.Application()
    app.router.add_post("/api/{method}", told.serve)
    server = TestServer(app)
    await server.start_server()
    told.url = str(server.make_url("/api/"))
    yield told
    await server.close()


def settings(answering: Answering, **changes: object) -> BotSettings:
    values: dict[str, object] = {
        "anthropic_api_key": None,
        "slack_bot_token": BOT,
        "slack_app_token": APP,
        "slack_api_url": answering.url,
    }
    return BotSettings.model_validate(values | changes)


async def looked(bot: BotSettings, indexer: IndexerSettings) -> dict[str, Check]:
    checks = await examine(bot, indexer)
    assert len({check.name for check in checks}) == len(checks)
    assert all(check.found.endswith(".") for check in checks)
    assert all(check.advice for check in checks if check.ok is False and check.name not in ("FOLLOW_UPS", "Catalogue"))
    return {check.name: check for check in checks}


async def test_everything_that_is_right_is_said_to_be_right(
    answering: Answering, make_settings: MakeSettings, claude: ClaudeServer
) -> None:
    key = {"anthropic_api_key": "sk-test", "anthropic_base_url": claude.base_url}
    indexer = make_settings(**key)
    async with Indexer.open(indexer) as library:
        await added(library, TEAM, "The office closes at six.")
        ledger = await Ledger.open(library.database)
        await ledger.take(Question(TEAM, "C1", "1.1", "1.1", "U1", "?", How.MENTION), "somebody")
    checks = await looked(settings(answering, **key), indexer)
    assert {name: check.ok for name, check in checks.items() if check.ok is not True} == {}
    assert list(checks) == [
        "SLACK_BOT_TOKEN",
        "Scopes",
        "SLACK_APP_TOKEN",
        "Events",
        "Claude, ANSWER_MODEL",
        "Claude, CONTEXT_MODEL",
        "Catalogue",
        "Weaviate",
        "Search",
        f"Documents of {TEAM}",
        "Disk",
    ]
    assert checks["SLACK_BOT_TOKEN"].found == f"It is @situate in Institute ({TEAM})."
    assert checks["Events"].found == "The last question came just now."
    assert checks[f"Documents of {TEAM}"].found == "1 answer."
    assert "version 1." in checks["Weaviate"].found
    assert claude.messages == []
    assert answering.called == [("auth.test", f"Bearer {BOT}"), ("apps.connections.open", f"Bearer {APP}")]


async def test_a_workspace_made_from_the_manifest_is_fine(slack: SlackServer, make_settings: MakeSettings) -> None:
    tokens = {"slack_bot_token": slack.bot_token, "slack_app_token": slack.app_token, "slack_api_url": slack.api_url}
    checks = await looked(BotSettings.model_validate(tokens), make_settings())
    assert [checks[name].ok for name in ("SLACK_BOT_TOKEN", "Scopes", "SLACK_APP_TOKEN")] == [True, True, True]
    assert checks["SLACK_BOT_TOKEN"].found.startswith("It is @")


async def test_without_any_setting_it_says_which_are_missing(make_settings: MakeSettings) -> None:
    checks = await looked(BotSettings.model_validate({}), make_settings())
    for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"):
        assert (checks[name].ok, checks[name].found) == (False, "It is not set.")
        assert "README" in checks[name].advice
    assert checks["Claude"].ok is None  # it works without
    assert "ANTHROPIC_API_KEY is not set" in checks["Claude"].found
    assert checks["Weaviate"].ok
    assert "Events" not in checks


@pytest.mark.parametrize(
    ("changes", "name", "told"),
    [
        ({"slack_bot_token": APP}, "SLACK_BOT_TOKEN", "an app-level token, not a bot token"),
        ({"slack_app_token": BOT}, "SLACK_APP_TOKEN", "a bot token, not an app-level token"),
        ({"slack_bot_token": "xoxp-1-2-3-abcdefghijkl"}, "SLACK_BOT_TOKEN", "a user token"),
        ({"slack_bot_token": "secret"}, "SLACK_BOT_TOKEN", "no token of Slack's"),
        ({"slack_bot_token": "xoxb-…"}, "SLACK_BOT_TOKEN", "not whole"),
        ({"slack_bot_token": f'"{BOT}"'}, "SLACK_BOT_TOKEN", "no token of Slack's"),
        ({"slack_signing_secret": "secret"}, "SLACK_SIGNING_SECRET", "does not look like"),
        ({"follow_ups": "sometimes"}, "FOLLOW_UPS", "'sometimes' is not understood"),
    ],
)
async def test_a_setting_that_cannot_be_right_is_told_without_its_value(
    answering: Answering, make_settings: MakeSettings, changes: dict[str, str], name: str, told: str
) -> None:
    check = (await looked(settings(answering, **changes), make_settings()))[name]
    assert check.ok is False
    assert told in check.found


@pytest.mark.parametrize(
    ("method", "error", "name", "told"),
    [
        ("auth.test", "invalid_auth", "SLACK_BOT_TOKEN", "does not know the token"),
        ("auth.test", "account_inactive", "SLACK_BOT_TOKEN", "was removed"),
        ("auth.test", "something_new", "SLACK_BOT_TOKEN", "refuses it (something_new)"),
        ("apps.connections.open", "missing_scope", "SLACK_APP_TOKEN", "connections:write"),
        ("apps.connections.open", "socket_mode_disabled", "SLACK_APP_TOKEN", "refuses it (socket_mode_disabled)"),
    ],
)
async def test_what_slack_refuses_is_told_with_what_to_do(
    answering: Answering, make_settings: MakeSettings, method: str, error: str, name: str, told: str
) -> None:
    answering.answers[method] = {"ok": False, "error": error}
    check = (await looked(settings(answering), make_settings()))[name]
    assert check.ok is False
    assert told in check.found


async def test_slack_out_of_reach_is_told_apart_from_a_wrong_token(make_settings: MakeSettings) -> None:
    checks = await looked(settings(Answering(url="http://127.0.0.1:9/api/")), make_settings())
    assert checks["SLACK_BOT_TOKEN"].found == "Slack cannot be reached."
    assert "SLACK_API_URL" in checks["SLACK_APP_TOKEN"].advice


@pytest.mark.parametrize(
    ("change", "ok", "told"),
    [
        (lambda scopes: scopes - {"files:read", "users:read"}, False, "Missing: files:read, users:read."),
        (lambda scopes: scopes | {"admin"}, None, "All are there. Not needed: admin."),
        (lambda scopes: None, None, "Slack did not say which scopes the token has."),
    ],
)
async def test_granted_scopes_are_held_to_the_manifest(
    answering: Answering, make_settings: MakeSettings, change: Any, ok: bool | None, told: str
) -> None:
    granted = change(manifest_scopes())
    answering.scopes = None if granted is None else ",".join(granted)
    check = (await looked(settings(answering), make_settings()))["Scopes"]
    assert (check.ok, check.found) == (ok, told)
    assert "reinstall" in check.advice


async def test_http_mode_needs_no_app_token(answering: Answering, make_settings: MakeSettings) -> None:
    checks = await looked(settings(answering, slack_app_token=None, slack_signing_secret=SIGNING), make_settings())
    assert "SLACK_APP_TOKEN" not in checks
    assert checks["SLACK_SIGNING_SECRET"].ok
    assert "127.0.0.1:3000" in checks["SLACK_SIGNING_SECRET"].found


async def test_before_the_first_question_it_says_what_to_do_if_none_comes(
    answering: Answering, make_settings: MakeSettings
) -> None:
    check = (await looked(settings(answering), make_settings()))["Events"]
    assert (check.ok, check.found) == (None, "No question has come yet.")
    assert all(word in check.advice for word in ("/invite", "Event Subscriptions", "reinstall"))


async def test_a_command_that_the_manifest_lacks_is_a_remark(answering: Answering, make_settings: MakeSettings) -> None:
    assert (await looked(settings(answering, ask_command="/frage"), make_settings()))["ASK_COMMAND"].ok is None


async def test_a_key_that_claude_refuses_is_told_once(
    answering: Answering, make_settings: MakeSettings, claude: ClaudeServer
) -> None:
    claude.expect_violations()
    claude.keys = frozenset({"another"})
    key = {"anthropic_api_key": "sk-test", "anthropic_base_url": claude.base_url}
    checks = await looked(settings(answering, **key), make_settings(**key))
    assert [name for name in checks if name.startswith("Claude")] == ["Claude"]
    assert (checks["Claude"].ok, checks["Claude"].found) == (False, "Claude refused the key.")
    assert checks["Claude"].advice == "Check ANTHROPIC_API_KEY."


async def test_claude_out_of_reach_is_told_once(answering: Answering, make_settings: MakeSettings) -> None:
    key = {"anthropic_api_key": "sk-test", "anthropic_base_url": "http://127.0.0.1:9"}
    checks = await looked(settings(answering, **key), make_settings(**key))
    assert [name for name in checks if name.startswith("Claude")] == ["Claude"]
    assert (checks["Claude"].ok, checks["Claude"].found) == (False, "Claude cannot be reached.")
    assert checks["Claude"].advice == "Check the network and ANTHROPIC_BASE_URL."


async def test_a_model_that_there_is_not_names_its_setting(
    answering: Answering, make_settings: MakeSettings, claude: ClaudeServer
) -> None:
    claude.expect_violations()
    key = {"anthropic_api_key": "sk-test", "anthropic_base_url": claude.base_url}
    checks = await looked(settings(answering, **key, answer_model="claude-nothing-1"), make_settings(**key))
    assert checks["Claude, ANSWER_MODEL"].ok is False
    assert checks["Claude, ANSWER_MODEL"].advice == "Set ANSWER_MODEL to a model that there is."
    assert checks["Claude, CONTEXT_MODEL"].ok
    assert checks["Prices"].ok is None
    capped = await looked(
        settings(answering, **key, answer_model="claude-nothing-1", day_cap_usd=5), make_settings(**key)
    )
    assert capped["Prices"].ok is False
    assert capped["Prices"].found.endswith("it is counted as nothing. DAY_CAP_USD cannot hold.")


async def test_weaviate_out_of_reach_leaves_the_other_checks(answering: Answering, make_settings: MakeSettings) -> None:
    away = make_settings(weaviate_url="http://127.0.0.1:9", weaviate_start_seconds=1)
    checks = await looked(settings(answering), away)
    assert checks["Weaviate"].ok is False
    assert "127.0.0.1:9" in checks["Weaviate"].found
    assert checks["Catalogue"].ok
    assert "Search" not in checks


async def test_a_catalogue_that_cannot_be_opened_leaves_the_other_checks(
    answering: Answering, make_settings: MakeSettings
) -> None:
    checks = await looked(settings(answering), make_settings(database_url="postgresql://nobody@127.0.0.1:9/none"))
    assert checks["Catalogue"].ok is False
    assert checks["SLACK_BOT_TOKEN"].ok
    assert checks["Disk"].ok is not None


async def test_documents_that_failed_are_a_remark(
    answering: Answering, make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexer = make_settings()
    async with Indexer.open(indexer) as library:
        version = await added(library, TEAM, "The office closes at six.")
        await library._catalogue.update(version.id, state="failed")
    check = (await looked(settings(answering, workspace=TEAM), indexer))[f"Documents of {TEAM}"]
    assert (check.ok, "1 failed" in check.found, "status" in check.advice) == (None, True, True)


@pytest.mark.parametrize(
    ("free", "embedded", "ok"),
    [(50, True, True), (15, True, None), (5, True, False), (5, False, True), (0, False, False)],
)
def test_a_disk_is_full_where_weaviate_says_so(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch, free: int, embedded: bool, ok: bool | None
) -> None:
    usage = type("Usage", (), {"total": 100 * 10**9, "free": free * 10**9})
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage)
    changes = {"weaviate_url": None} if embedded else {}
    assert health.disk(make_settings(**changes)).ok is ok


@pytest.mark.parametrize(
    ("since", "told"),
    [(0, "just now"), (60, "1 minute ago"), (7_300, "2 hours ago"), (90_000, "1 day ago"), (-5, "just now")],
)
def test_how_long_ago(since: int, told: str) -> None:
    assert _ago(timedelta(seconds=since)) == told


def test_table_shows_marks_advice_and_how_much_there_is_to_mend() -> None:
    checks = [Check("[b]A", True, "Fine."), Check("B", False, "Bad.", "Mend it."), Check("C", None, "So.")]
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(health.table(checks))
    lines = [line.rstrip() for line in console.export_text().splitlines()]
    assert lines == ["✓  [b]A  Fine.", "✗  B     Bad.", "         → Mend it.", "!  C     So.", "", "1 to mend."]


def test_command_prints_json_shows_no_secret_and_says_by_its_exit_code_what_it_found(command_line: CommandLine) -> None:
    line = command_line.but(
        SLACK_BOT_TOKEN=BOT, SLACK_APP_TOKEN=APP, SLACK_SIGNING_SECRET=SIGNING, SLACK_API_URL="http://127.0.0.1:9/api/"
    )
    code, out, err = line("bot", "doctor", "--json")
    assert code == 1
    told = json.loads(out)
    assert told["ok"] is False
    assert {"name", "ok", "found", "advice"} == set(told["checks"][0])
    code, table, _ = line("bot", "doctor")
    assert code == 1
    assert "to mend" in table
    for secret in (BOT, APP, SIGNING):
        assert secret not in out + err + table
