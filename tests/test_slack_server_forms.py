"""Forms with files and choices, and the Home tab, in the stand-in for Slack."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.block_kit import actions, button, option, overflow, plain, section
from tests.fixtures.slack import Company
from tests.slack_server import JSON, File, Person, SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def everything(slack: SlackServer) -> None:
    """Here the app may do everything that the stand-in knows; nobody answers it, so nothing is acknowledged."""
    slack.allow_all()


def question(action_id: str, kind: str, *, optional: bool = True, **more: Any) -> JSON:
    """An input block named after its element."""
    element = {"type": kind, "action_id": action_id, **more}
    return {"type": "input", "block_id": action_id, "label": plain(action_id), "element": element, "optional": optional}


WHO = [option("All employees", "workspace"), option("Only me", "me")]
FORM = [
    question("files", "file_input", max_files=2, filetypes=["pdf", "md"]),
    question("link", "url_text_input"),
    question("who", "radio_buttons", options=WHO, initial_option=WHO[0]),
    question("tags", "checkboxes", options=WHO, initial_options=[WHO[1]]),
]


async def opened(slack: SlackServer, client: AsyncWebClient, person: Person, blocks: list[JSON]) -> None:
    trigger = slack.on_loop(lambda: slack.new_trigger(person.id))
    view = {"type": "modal", "callback_id": "c", "title": plain("T"), "submit": plain("Add"), "blocks": blocks}
    await client.views_open(trigger_id=trigger, view=view)


def submitted(slack: SlackServer, person: Person, values: JSON) -> JSON:
    """What the app is told, by block."""
    values = slack.submits(person, values).payload["view"]["state"]["values"]
    return {block: next(iter(told.values())) for block, told in values.items()}


def report(slack: SlackServer, by: Person, **more: Any) -> File:
    return slack.file("Q3 report.pdf", b"%PDF-1.7", by=by, mimetype="application/pdf", **more)


async def test_a_file_in_a_form_is_private_and_can_be_read_by_the_app_alone(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    file = report(slack, company.ana)
    with pytest.raises(SlackApiError, match="file_not_found"):
        await slack_client.files_info(file=file.id)
    await opened(slack, slack_client, company.ana, FORM)
    (told,) = submitted(slack, company.ana, {"files": [file]})["files"]["files"]
    assert (told["id"], told["user"], told["is_public"], told["channels"]) == (file.id, company.ana.id, False, [])
    info = (await slack_client.files_info(file=file.id))["file"]
    assert [info[name] for name in ("is_public", "shares", "channels", "groups", "ims")] == [False, {}, [], [], []]
    headers = {"Authorization": f"Bearer {slack.bot_token}"}
    async with aiohttp.ClientSession() as http, http.get(told["url_private_download"], headers=headers) as response:
        assert await response.read() == b"%PDF-1.7"


async def test_a_form_is_submitted_as_it_stands_where_nothing_is_changed(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    await opened(slack, slack_client, company.ana, FORM)
    told = submitted(slack, company.ana, {})
    assert told["files"] == {"type": "file_input", "files": []}
    assert told["link"]["value"] is None
    assert told["who"]["selected_option"]["value"] == "workspace"
    assert [chosen["value"] for chosen in told["tags"]["selected_options"]] == ["me"]


async def test_what_is_chosen_and_typed_is_told(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    await opened(slack, slack_client, company.ana, FORM)
    told = submitted(slack, company.ana, {"who": "me", "tags": [], "link": "https://a.example/"})
    assert told["who"]["selected_option"] == WHO[1]
    assert told["tags"]["selected_options"] == []
    assert told["link"]["value"] == "https://a.example/"


async def test_what_slack_does_not_take_in_a_form_is_an_error_of_the_test(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    await opened(slack, slack_client, company.ana, FORM)
    good = report(slack, company.ana)
    wrong: list[tuple[JSON, str]] = [
        ({"files": [good, good, good]}, "no more than 2 files"),
        ({"files": [slack.file("run.exe", b"MZ", by=company.ana)]}, "only pdf, md"),
        ({"files": [report(slack, company.ben)]}, "is not Ana's"),
        ({"files": [report(slack, company.ana, size=10_000_001)]}, "10 MB"),
        ({"link": "an address"}, "only addresses"),
        ({"who": "everybody"}, "no option everybody"),
    ]
    for values, told in wrong:
        with pytest.raises(AssertionError, match=told):
            slack.submits(company.ana, values)
    with pytest.raises(SlackApiError, match="file_not_found"):
        await slack_client.files_info(file=good.id)


async def test_an_input_tells_of_a_change_only_where_that_was_asked_for(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    telling = question("who", "radio_buttons", options=WHO) | {"dispatch_action": True}
    await opened(slack, slack_client, company.ana, [*FORM[:2], telling, FORM[3]])
    with pytest.raises(AssertionError, match="shows no tags, but"):
        slack.clicks_in_view(company.ana, "tags", option="me")
    payload = slack.clicks_in_view(
        company.ana, "who", option="me", filled={"link": "https://a.example/", "who": "me"}
    ).payload
    assert payload["actions"][0]["selected_option"]["value"] == "me"
    assert payload["view"]["state"]["values"]["link"]["link"]["value"] == "https://a.example/"
    assert payload["view"]["state"]["values"]["who"]["who"]["selected_option"]["value"] == "me"


async def test_a_form_with_files_needs_the_scope(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    slack.expect_violations("views.open: invalid_arguments*")
    slack.scopes.discard("files:read")
    with pytest.raises(SlackApiError, match="invalid_arguments"):
        await opened(slack, slack_client, company.ana, FORM)


@pytest.mark.parametrize(("block", "blamed"), [("who", False), ("told", True), ("nowhere", True)])
async def test_errors_belong_to_inputs(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient, block: str, blamed: bool
) -> None:
    slack.expect_violations("view_submission: errors of no input*")
    await opened(slack, slack_client, company.ana, [*FORM, section("Told") | {"block_id": "told"}])
    delivery = slack.submits(company.ana)
    slack.on_loop(lambda: delivery.settle(delivery.made, {"response_action": "errors", "errors": {block: "No."}}))
    assert bool(slack.violations) is blamed
    view = slack.view(company.ana)
    assert view is not None
    assert view.errors == {block: "No."}


async def test_only_a_menu_behind_three_dots_opens_addresses(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    linked = option("Open", "open") | {"url": "https://a.example/"}
    view: JSON = {"type": "home", "blocks": [actions(overflow(linked))]}
    await slack_client.views_publish(user_id=company.ana.id, view=view)
    slack.expect_violations("views.publish: invalid_arguments*")
    for bad in (question("who", "radio_buttons", options=[linked]), actions(overflow(linked | {"url": "nowhere"}))):
        with pytest.raises(SlackApiError, match="invalid_arguments"):
            await slack_client.views_publish(user_id=company.ana.id, view={"type": "home", "blocks": [bad]})


HOME: list[JSON] = [
    section("Travel policy"),
    actions(overflow(option("Remove", "remove:1"))),
    section("Annual review"),
    actions(overflow(option("Remove", "remove:2")), button("add")),
]


async def test_the_home_tab_shows_what_was_published_last(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    assert slack.home_of(company.ana) is None
    first = slack.opens_home_tab(company.ana).payload["event"]
    assert (first["tab"], first["user"], first["channel"]) == ("home", company.ana.id, slack.direct(company.ana).id)
    assert "view" not in first
    for blocks in ([section("Loading")], HOME):
        await slack_client.views_publish(user_id=company.ana.id, view={"type": "home", "blocks": blocks})
    home = slack.home_of(company.ana)
    assert home is not None
    assert home.shown.split("\n") == ["Travel policy", "[⋯ Remove]", "Annual review", "[⋯ Remove]  [add]"]
    assert slack.home_of(company.ben) is None
    assert slack.view(company.ana) is None
    again = slack.opens_home_tab(company.ana).payload["event"]
    assert again["view"]["id"] == home.id
    assert again["view"]["hash"] == home.hash


async def test_a_click_on_the_home_tab_comes_from_no_channel(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    with pytest.raises(AssertionError, match="nothing was published on Ana's Home tab"):
        slack.clicks_in_home(company.ana, "add")
    view = {"type": "home", "callback_id": "home", "private_metadata": "m", "blocks": HOME}
    published = (await slack_client.views_publish(user_id=company.ana.id, view=view))["view"]
    payload = slack.clicks_in_home(company.ana, "o", option="remove:2").payload
    assert payload["container"] == {"type": "view", "view_id": published["id"]}
    assert (payload["view"]["type"], payload["view"]["private_metadata"]) == ("home", "m")
    assert payload["actions"][0]["selected_option"]["value"] == "remove:2"
    assert payload["trigger_id"]
    assert not {"channel", "message", "response_url"} & payload.keys()
    with pytest.raises(AssertionError, match="Ana's home shows no gone, but"):
        slack.clicks_in_home(company.ana, "gone")
    with pytest.raises(AssertionError, match="no option remove:3"):
        slack.clicks_in_home(company.ana, "o", option="remove:3")


@pytest.mark.parametrize(
    ("view", "user", "told"),
    [
        ({"type": "home", "blocks": [section("x")] * 101}, "", "invalid_arguments"),
        ({"type": "home", "blocks": []}, "", "invalid_arguments"),
        ({"type": "modal", "title": plain("T"), "blocks": [section("x")]}, "", "invalid_arguments"),
        ({"type": "home", "title": plain("T"), "blocks": [section("x")]}, "", "invalid_arguments"),
        ({"type": "home", "blocks": [{"type": "markdown", "text": "x"}]}, "", "invalid_arguments"),
        ({"type": "home", "blocks": [section("x" * 2900)] * 95}, "", "view_too_large"),
        ({"type": "home", "blocks": [section("x")]}, "U0NOBODY", "user_not_found"),
    ],
)
async def test_a_bad_home_tab_is_refused(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient, view: JSON, user: str, told: str
) -> None:
    slack.expect_violations(f"views.publish: {told}*")
    with pytest.raises(SlackApiError, match=told):
        await slack_client.views_publish(user_id=user or company.ana.id, view=view)
    assert slack.home_of(company.ana) is None


async def test_a_home_tab_needs_to_be_enabled_in_the_manifest(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    slack.expect_violations("views.publish: not_enabled*")
    slack.home_tab = False
    with pytest.raises(SlackApiError, match="not_enabled"):
        await slack_client.views_publish(user_id=company.ana.id, view={"type": "home", "blocks": HOME})
    with pytest.raises(AssertionError, match="no Home tab"):
        slack.opens_home_tab(company.ana)


async def test_an_outdated_hash_of_a_home_tab_is_refused_without_blame(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    view: JSON = {"type": "home", "blocks": HOME}
    old = (await slack_client.views_publish(user_id=company.ana.id, view=view))["view"]
    await slack_client.views_publish(user_id=company.ana.id, view=view, hash=old["hash"])
    with pytest.raises(SlackApiError, match="hash_conflict"):
        await slack_client.views_publish(user_id=company.ana.id, view=view, hash=old["hash"])
    assert slack.violations == []
