"""Commands, buttons and modals in the stand-in for Slack, with real Bolt on the other side."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from tests.block_kit import actions, button, feedback, option, overflow, plain, section
from tests.fixtures.slack import Company
from tests.slack_server import JSON, SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def everything(slack: SlackServer) -> None:
    """Here the app may do everything that the stand-in knows."""
    slack.allow_all()


@pytest.fixture
async def app(slack: SlackServer, slack_client: AsyncWebClient) -> AsyncIterator[AsyncApp]:
    """Real Bolt, connected by Socket Mode."""
    app = AsyncApp(client=slack_client)
    handler = AsyncSocketModeHandler(app, slack.app_token, ping_interval=0.2)
    await handler.connect_async()  # type: ignore[no-untyped-call]  # Bolt has no types there
    await slack.ready()
    yield app
    await handler.close_async()  # type: ignore[no-untyped-call]  # Bolt has no types there


def modal(title: str = "T", **more: Any) -> JSON:
    return {"type": "modal", "callback_id": "c", "title": plain(title), "blocks": [section("Hello")], **more}


INPUT: JSON = {
    "type": "input",
    "block_id": "wrong",
    "label": plain("What was wrong?"),
    "element": {"type": "plain_text_input", "action_id": "words", "multiline": True, "max_length": 20},
}
CHOICE: JSON = {
    "type": "input",
    "optional": True,
    "label": plain("Who?"),
    "element": {"type": "radio_buttons", "action_id": "who", "options": [option("All", "all"), option("Me", "me")]},
}


async def posted(client: AsyncWebClient, company: Company, *blocks: JSON) -> str:
    """A message with blocks in #general."""
    return str((await client.chat_postMessage(channel=company.general.id, text="x", blocks=blocks))["ts"])


async def test_a_command_is_answered_by_the_acknowledgement_and_by_its_url(
    slack: SlackServer, company: Company, app: AsyncApp
) -> None:
    seen: list[JSON] = []

    @app.command("/ask")
    async def ask(ack: Any, command: JSON, respond: Any) -> None:
        seen.append(command)
        await ack("One moment …")
        await respond(text="Here", response_type="in_channel")

    answer = await slack.commands(company.ana, company.general, "/ask", "What of @Ben & #finance?").arrives()
    assert answer == {"text": "One moment …"}
    assert [message.shown for message in slack.ephemerals(company.ana)] == ["One moment …"]
    assert slack.ephemerals(company.ben) == []
    await slack.until(lambda: slack.messages(company.general))
    assert slack.messages(company.general)[0].shown == "Here"
    escaped = f"What of <@{company.ben.id}|ben> &amp; <#{company.finance.id}|finance>?"
    assert (seen[0]["text"], seen[0]["channel_id"]) == (escaped, company.general.id)


async def test_only_what_is_there_can_be_clicked(
    slack: SlackServer, company: Company, app: AsyncApp, slack_client: AsyncWebClient
) -> None:
    seen: list[JSON] = []

    async def take(ack: Any, action: JSON) -> None:
        seen.append(action)
        await ack()

    for name in ("go", "o", "f"):
        app.action(name)(take)
    ts = await posted(
        slack_client,
        company,
        actions(button(value="1")),
        actions(button(value="2"), overflow(option("Mute", "mute"))),
        feedback("good"),
    )
    await slack.clicks(company.ben, company.general, ts, "go", value="2").arrives()
    await slack.clicks(company.ben, company.general, ts, "o", option="mute").arrives()
    await slack.clicks(company.ben, company.general, ts, "f", option="good").arrives()
    assert [action.get("value") for action in seen] == ["2", None, "good"]
    assert seen[1]["selected_option"]["value"] == "mute"
    with pytest.raises(AssertionError, match="Ben sees no stop, but"):
        slack.clicks(company.ben, company.general, ts, "stop")
    with pytest.raises(AssertionError, match="no option unmute"):
        slack.clicks(company.ben, company.general, ts, "o", option="unmute")
    with pytest.raises(AssertionError, match="Olga is not in general"):
        slack.clicks(company.olga, company.general, ts, "go")


async def test_a_click_carries_the_message_unless_it_is_ephemeral(
    slack: SlackServer, company: Company, app: AsyncApp, slack_client: AsyncWebClient
) -> None:
    seen: list[JSON] = []

    @app.action("go")
    async def go(ack: Any, body: JSON) -> None:
        seen.append(body)
        await ack()

    where: JSON = {"channel": company.general.id, "text": "x", "blocks": [actions(button())]}
    ts = await posted(slack_client, company, actions(button()))
    whispered = await slack_client.chat_postEphemeral(**where, user=company.ana.id)
    await slack.clicks(company.ana, company.general, ts, "go").arrives()
    await slack.clicks(company.ana, company.general, whispered["message_ts"], "go").arrives()
    assert seen[0]["message"]["ts"] == ts
    assert "message" not in seen[1]
    assert [body["container"]["is_ephemeral"] for body in seen] == [False, True]
    with pytest.raises(KeyError):
        slack.clicks(company.ben, company.general, whispered["message_ts"], "go")


async def test_a_modal_is_opened_changed_and_submitted(
    slack: SlackServer, company: Company, app: AsyncApp, slack_client: AsyncWebClient
) -> None:
    values: list[JSON] = []

    @app.action("go")
    async def go(ack: Any, body: JSON, client: AsyncWebClient) -> None:
        await ack()
        opened = await client.views_open(trigger_id=body["trigger_id"], view=modal("Loading"))
        view = modal("Feedback", submit=plain("Send"), blocks=[INPUT, CHOICE])
        await client.views_update(view_id=opened["view"]["id"], hash=opened["view"]["hash"], view=view)

    @app.view("c")
    async def sent(ack: Any, view: JSON) -> None:
        values.append(view["state"]["values"])
        wrong = view["state"]["values"]["wrong"]["words"]["value"] == "nothing"
        await (ack(response_action="errors", errors={"wrong": "Say more"}) if wrong else ack())

    ts = await posted(slack_client, company, actions(button()))
    await slack.clicks(company.ana, company.general, ts, "go").arrives()
    await slack.until(lambda: (view := slack.view(company.ana)) and view.title == "Feedback")
    with pytest.raises(AssertionError, match="Slack wants a value for What was wrong"):
        slack.submits(company.ana)
    with pytest.raises(AssertionError, match="max_length"):
        slack.submits(company.ana, {"words": "x" * 21})
    with pytest.raises(AssertionError, match="no inputs"):
        slack.submits(company.ana, {"words": "x", "more": "y"})
    await slack.submits(company.ana, {"words": "nothing"}).arrives()
    view = slack.view(company.ana)
    assert view is not None
    assert view.errors == {"wrong": "Say more"}
    await slack.submits(company.ana, {"words": "the date", "who": "me"}).arrives()
    assert slack.view(company.ana) is None
    assert values[1]["wrong"]["words"]["value"] == "the date"
    (who,) = [state["who"] for state in values[1].values() if "who" in state]
    assert who["selected_option"]["value"] == "me"


async def test_modals_stack_and_close(slack: SlackServer, company: Company, app: AsyncApp) -> None:
    closed: list[str] = []

    @app.command("/ask")
    async def ask(ack: Any, body: JSON, client: AsyncWebClient) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=modal("One", blocks=[actions(button())]))

    @app.action("go")
    async def go(ack: Any, body: JSON, client: AsyncWebClient) -> None:
        await ack()
        await client.views_push(trigger_id=body["trigger_id"], view=modal("Two", notify_on_close=True))

    @app.view_closed("c")
    async def gone(ack: Any, view: JSON) -> None:
        closed.append(view["title"]["text"])
        await ack()

    await slack.commands(company.ana, company.general, "/ask").arrives()
    await slack.until(lambda: slack.view(company.ana))
    await slack.clicks_in_view(company.ana, "go").arrives()
    await slack.until(lambda: len(slack.views_of(company.ana.id)) == 2)
    delivery = slack.closes(company.ana)
    assert delivery is not None
    await delivery.arrives()
    assert closed == ["Two"]
    view = slack.view(company.ana)
    assert view is not None
    assert view.shown == "One\n[Go]"
    assert slack.closes(company.ana) is None
    with pytest.raises(AssertionError, match="no modal open"):
        slack.closes(company.ana)


async def test_an_outdated_hash_and_a_closed_modal_are_refused_without_blame(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    trigger = slack.on_loop(lambda: slack.new_trigger(company.ana.id))
    opened = (await slack_client.views_open(trigger_id=trigger, view=modal()))["view"]
    await slack_client.views_update(view_id=opened["id"], view=modal("Newer"))
    with pytest.raises(SlackApiError, match="hash_conflict"):
        await slack_client.views_update(view_id=opened["id"], hash=opened["hash"], view=modal("Older"))
    slack.closes(company.ana)
    with pytest.raises(SlackApiError, match="not_found"):
        await slack_client.views_update(view_id=opened["id"], view=modal("Too late"))
    assert slack.violations == []


async def test_a_response_url_is_good_for_five_answers(slack: SlackServer, company: Company) -> None:
    slack.expect_violations("response_url: used_url*")
    payload = slack.commands(company.ana, company.finance, "/ask").payload
    answers = AsyncWebhookClient(payload["response_url"])
    for number in range(5):
        assert (await answers.send(text=f"{number}")).status_code == 200
    assert (await answers.send(text="one too many")).status_code == 404
    assert [message.shown for message in slack.ephemerals(company.ana)] == ["0", "1", "2", "3", "4"]
    assert slack.violations == ["response_url: used_url"]


async def test_a_response_url_is_good_for_thirty_minutes(slack: SlackServer, company: Company) -> None:
    slack.expect_violations("response_url: expired_url*")
    payload = slack.commands(company.ana, company.finance, "/ask").payload
    slack.clock_factor = 0.0
    assert (await AsyncWebhookClient(payload["response_url"]).send(text="late")).status_code == 404
    assert slack.ephemerals(company.ana) == []


async def test_answers_to_a_click_replace_or_delete_what_was_clicked(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    blocks = [actions(button())]
    whispered = await slack_client.chat_postEphemeral(
        channel=company.general.id, user=company.ana.id, text="x", blocks=blocks
    )
    payload = slack.clicks(company.ana, company.general, whispered["message_ts"], "go").payload
    answers = AsyncWebhookClient(payload["response_url"])
    await answers.send(text="Shared.", blocks=[section("Shared.")], replace_original=True)
    assert [message.shown for message in slack.ephemerals(company.ana)] == ["Shared."]
    await answers.send(delete_original=True)
    assert slack.ephemerals(company.ana) == []


async def test_bad_answers_to_a_url_are_refused(slack: SlackServer, company: Company) -> None:
    slack.expect_violations("response_url*")
    payload = slack.commands(company.ana, company.finance, "/ask").payload
    answer = await AsyncWebhookClient(payload["response_url"]).send(text="x", blocks=[section("x" * 3001)])
    assert "invalid_blocks" in answer.body


def test_it_runs_by_hand_and_prints_what_to_export() -> None:
    root = Path(__file__).parents[1]
    run = [sys.executable, "-m", "tests.slack_server", "--port", "0"]
    with subprocess.Popen(run, cwd=root, stdout=subprocess.PIPE, stdin=subprocess.PIPE, env=os.environ) as process:
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        process.terminate()
    assert line.startswith("export SLACK_API_URL=http://127.0.0.1:")
    assert "SLACK_BOT_TOKEN=xoxb-" in line
    assert "SLACK_APP_TOKEN=xapp-" in line
