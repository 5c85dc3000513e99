"""``manifest.yml`` is what Slack takes, and asks for what the code uses: no scope more, no event less."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, cast

import pytest
import slack_sdk.web.async_client
import yaml  # type: ignore[import-untyped]  # it has no types of its own
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.settings import BotSettings
from bot.slack.app import build
from bot.slack.doctor import manifest_scopes
from bot.slack.intake import Me
from bot.slack.parts import Parts
from bot.texts import ENGLISH
from tests.bot.slack.schema import violations

ROOT = Path(__file__).parents[3]
MANIFEST: Final[dict[str, Any]] = yaml.safe_load((ROOT / "manifest.yml").read_text("utf-8"))
SCHEMA: Final[dict[str, Any]] = json.loads((ROOT / "tests" / "slack_manifest.schema.json").read_text("utf-8"))
SCOPES: Final[frozenset[str]] = frozenset(MANIFEST["oauth_config"]["scopes"]["bot"])
EVENTS: Final[frozenset[str]] = frozenset(MANIFEST["settings"]["event_subscriptions"]["bot_events"])

# What a method needs of a bot token, by Slack's reference. For those of conversations: by the kinds that we ask about.
READ_CONVERSATIONS = frozenset({"channels:read", "groups:read", "mpim:read"})
LOOK_AT_CONVERSATIONS = READ_CONVERSATIONS | {"im:read"}  # /ask may be used in a direct conversation
READ_MESSAGES = frozenset({"channels:history", "groups:history", "im:history", "mpim:history"})
NEEDED_BY_METHOD: Final[dict[str, frozenset[str]]] = {
    "agents.sessions.setStatus": frozenset({"chat:write"}),
    "apps.connections.open": frozenset(),  # connections:write, of the app token
    "assistant.threads.setStatus": frozenset({"assistant:write"}),
    "assistant.threads.setSuggestedPrompts": frozenset({"assistant:write"}),
    "auth.test": frozenset(),
    "chat.appendStream": frozenset({"chat:write"}),
    "chat.delete": frozenset({"chat:write"}),
    "chat.getPermalink": frozenset(),
    "chat.postEphemeral": frozenset({"chat:write"}),
    "chat.postMessage": frozenset({"chat:write"}),
    "chat.startStream": frozenset({"chat:write"}),
    "chat.stopStream": frozenset({"chat:write"}),
    "chat.update": frozenset({"chat:write"}),
    "conversations.history": READ_MESSAGES,
    "conversations.info": LOOK_AT_CONVERSATIONS,
    "conversations.members": READ_CONVERSATIONS,
    "conversations.open": frozenset({"im:write"}),
    "conversations.replies": READ_MESSAGES,
    "files.info": frozenset({"files:read"}),
    "users.conversations": frozenset({"channels:read", "groups:read"}),
    "users.info": frozenset({"users:read"}),
    "users.list": frozenset({"users:read"}),
    "views.open": frozenset(),
    "views.publish": frozenset(),
    "views.update": frozenset(),
}
# The events that Slack has, of those that an app like this might want, with the scopes they need.
NEEDED_BY_EVENT: Final[dict[str, frozenset[str]]] = {
    "agent_session_stopped": frozenset({"assistant:write"}),
    "app_home_opened": frozenset(),
    "app_mention": frozenset({"app_mentions:read"}),
    "app_uninstalled": frozenset(),
    "channel_archive": frozenset({"channels:read"}),
    "channel_deleted": frozenset({"channels:read"}),
    "channel_left": frozenset({"channels:read"}),
    "channel_rename": frozenset({"channels:read"}),
    "channel_shared": frozenset({"channels:read", "groups:read"}),
    "channel_unarchive": frozenset({"channels:read"}),
    "channel_unshared": frozenset({"channels:read", "groups:read"}),
    "file_deleted": frozenset({"files:read"}),
    "group_archive": frozenset({"groups:read"}),
    "group_deleted": frozenset({"groups:read"}),
    "group_left": frozenset({"groups:read"}),
    "group_rename": frozenset({"groups:read"}),
    "group_unarchive": frozenset({"groups:read"}),
    "member_joined_channel": frozenset({"channels:read", "groups:read"}),
    "member_left_channel": frozenset({"channels:read", "groups:read"}),
    "message.channels": frozenset({"channels:history"}),
    "message.groups": frozenset({"groups:history"}),
    "message.im": frozenset({"im:history"}),
    "message.mpim": frozenset({"mpim:history"}),
    "reaction_added": frozenset({"reactions:read"}),
    "reaction_removed": frozenset({"reactions:read"}),
    "team_join": frozenset({"users:read"}),
    "tokens_revoked": frozenset(),
    "user_change": frozenset({"users:read"}),
}
WITHOUT_METHOD = frozenset({"commands"})  # what slash commands need


def methods_by_function() -> dict[str, str]:
    """``chat_postMessage`` → ``chat.postMessage``, of every function of the SDK's client."""
    source = Path(slack_sdk.web.async_client.__file__).read_text("utf-8")
    functions = re.split(r"^    async def ", source, flags=re.MULTILINE)[1:]
    called = {text.split("(")[0]: re.findall(r'self\.api_call\(\s*"([\w.]+)"', text) for text in functions}
    methods = {name: found[0] for name, found in called.items() if found}
    # Helpers of the SDK that call others: a stream is three methods.
    assert methods["chat_postMessage"] == "chat.postMessage"
    return methods


def methods_called() -> frozenset[str]:
    """Every Web API method that the bot's code calls, by the client's functions or by name."""
    known = methods_by_function()
    found: set[str] = set()
    for path in (ROOT / "bot").rglob("*.py"):
        text = path.read_text("utf-8")
        found |= {known[name] for name in re.findall(r"\.(\w+)\b", text) if name in known and "_" in name}
        found |= set(re.findall(r'"((?:\w+\.)+\w+)"', text)) & set(known.values())
        if re.search(r"\.chat_stream\(|\bset_status\(", text):
            found |= {"chat.startStream", "chat.appendStream", "chat.stopStream"}
    return frozenset(found)


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str | re.Pattern[str]]]:
    """What the built app listens to: events and commands, by name or by pattern."""
    heard: dict[str, list[str | re.Pattern[str]]] = {"event": [], "command": [], "shortcut": []}

    def note(kind: str) -> Any:
        original = getattr(AsyncApp, kind)

        def register(self: AsyncApp, name: str | re.Pattern[str], *more: Any, **options: Any) -> Any:
            heard[kind].append(name)
            return original(self, name, *more, **options)

        return register

    for kind in heard:
        monkeypatch.setattr(AsyncApp, kind, note(kind))
    settings = BotSettings.model_validate({})
    client = AsyncWebClient(token="xoxb-1")
    parts = SimpleNamespace(
        settings=settings, client=client, me=Me("U0", "B0", "T1"), ledger=None, directory=None, attachments=None
    )
    desks: Any = SimpleNamespace()  # nothing of them is used before something happens
    build(cast(Parts, parts), desks, desks, desks, desks, desks)
    return heard


def test_manifest_fits_slack_s_schema() -> None:
    assert violations(MANIFEST, SCHEMA) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"display_information": {"name": "x" * 36}}, "longer than 35"),
        ({"features": {"agent_view": {"suggested_prompts": [{"title": "x"}]}}}, "message is missing"),
        ({"features": {"slash_commands": [{"command": "ask", "description": "x"}]}}, "does not match"),
        ({"setings": {}}, "setings is not known"),
        ({"settings": {"socket_mode_enabled": "yes"}}, "is no boolean"),
        ({"settings": {"event_subscriptions": {"bot_events": ["a", "a"]}}}, "repeats"),
    ],
)
def test_schema_check_sees_what_is_wrong(change: dict[str, Any], told: str) -> None:
    assert any(told in violation for violation in violations(MANIFEST | change, SCHEMA))


def test_manifest_names_only_scopes_and_events_that_slack_has() -> None:
    assert NEEDED_BY_EVENT.keys() >= EVENTS
    assert frozenset().union(*NEEDED_BY_METHOD.values(), *NEEDED_BY_EVENT.values(), WITHOUT_METHOD) >= SCOPES


def test_methods_that_the_code_calls_are_known_with_their_scopes() -> None:
    assert methods_called() <= NEEDED_BY_METHOD.keys()


def test_scopes_are_exactly_what_methods_events_and_commands_need() -> None:
    by_methods = frozenset().union(*(NEEDED_BY_METHOD[method] for method in methods_called()))
    by_events = frozenset().union(*(NEEDED_BY_EVENT[event] for event in EVENTS))
    assert by_methods | by_events | WITHOUT_METHOD == SCOPES


def test_events_are_exactly_those_that_the_app_listens_to(
    registered: dict[str, list[str | re.Pattern[str]]],
) -> None:
    names = {name for name in registered["event"] if isinstance(name, str)}
    assert "message" in names
    messages = {f"message.{kind}" for kind in ("channels", "groups", "im", "mpim")}
    assert names - {"message"} | messages == EVENTS


def test_commands_are_exactly_those_that_the_app_listens_to(
    registered: dict[str, list[str | re.Pattern[str]]],
) -> None:
    names = {name for name in registered["command"] if isinstance(name, str)}
    assert names == {command["command"] for command in MANIFEST["features"]["slash_commands"]}


def test_shortcuts_are_exactly_those_that_the_app_listens_to(
    registered: dict[str, list[str | re.Pattern[str]]],
) -> None:
    names = {name for name in registered["shortcut"] if isinstance(name, str)}
    assert names == {shortcut["callback_id"] for shortcut in MANIFEST["features"]["shortcuts"]}


def test_a_scope_or_an_event_stands_once() -> None:
    listed = [*MANIFEST["oauth_config"]["scopes"]["bot"], *MANIFEST["settings"]["event_subscriptions"]["bot_events"]]
    assert len(listed) == len(set(listed))


def test_commands_are_those_of_the_settings_and_escape_what_people_type() -> None:
    commands = {command["command"]: command for command in MANIFEST["features"]["slash_commands"]}
    assert set(commands) == {BotSettings.model_fields[f"{name}_command"].default for name in ("ask", "docs")}
    assert all(command["should_escape"] for command in commands.values())


def test_the_chat_is_the_messages_tab_of_the_agent_view() -> None:
    features = MANIFEST["features"]
    assert "assistant_view" not in features  # the two must not be mixed
    assert features["agent_view"]["agent_description"]
    assert features["app_home"]["messages_tab_enabled"]
    assert not features["app_home"]["messages_tab_read_only_enabled"]


def test_the_home_tab_is_on_and_opening_it_is_heard() -> None:
    assert MANIFEST["features"]["app_home"]["home_tab_enabled"]
    assert "app_home_opened" in EVENTS


def test_suggested_prompts_are_those_that_the_app_sets() -> None:
    listed = MANIFEST["features"]["agent_view"]["suggested_prompts"]
    keys = [f"prompt_{number}" for number in range(1, len(listed) + 1)]
    assert listed == [{"title": ENGLISH.say(f"{key}_title"), "message": ENGLISH.say(key)} for key in keys]


def test_socket_mode_is_on_and_buttons_reach_the_app() -> None:
    assert MANIFEST["settings"]["socket_mode_enabled"]
    assert MANIFEST["settings"]["interactivity"]["is_enabled"]


def test_doctor_reads_the_scopes_from_the_manifest() -> None:
    assert manifest_scopes() == SCOPES
