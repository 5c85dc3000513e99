"""Files attached to a question: read for its thread, refused with the reason, added for good when somebody says so."""

from __future__ import annotations

import pytest

from bot.slack.app import SlackBot
from indexer import Indexer
from tests.bot.slack.clicked import Slack
from tests.fixtures.bot import StartBot
from tests.fixtures.slack import Company
from tests.indexer.documents_to_read import pdf
from tests.slack_server import Channel, Message, Person, SlackServer

pytestmark = pytest.mark.anyio


PLAN = b"# Move Plan\n\nThe Lisbon office moves to Rua Augusta on 9 June.\n"
WHERE = "Where does the Lisbon office move?"
MOVED = "moves to Rua Augusta"


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> Slack:
    return Slack(slack, answering)


async def attaches(people: Slack, person: Person, channel: Channel, name: str = "plan.md", **more: object) -> Message:
    """The answer to a question about the office with this file."""
    data = more.pop("data", PLAN)
    assert isinstance(data, bytes)
    file = people.slack.file(name, data, by=person, **more)  # type: ignore[arg-type]
    return await people.asks(person, channel, WHERE, files=[file])


async def test_an_attached_file_is_read_and_the_status_tells_so(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    message = await attaches(people, company.ana, company.office)
    assert MOVED in message.shown
    assert "[1] Move Plan" in message.shown or "[1] plan.md" in message.shown
    assert "Add plan.md to the documents" in message.shown
    assert any("Reading plan.md …" in status.text for status in slack.statuses)


async def test_it_answers_in_this_thread_and_nowhere_else(people: Slack, company: Company, slack: SlackServer) -> None:
    message = await attaches(people, company.ana, company.office)
    later = await people.asks(company.ben, company.office, "When does the Lisbon office move?", thread=message.root)
    assert "9 June" in later.shown
    elsewhere = await people.asks(company.ana, company.office, WHERE)
    (command,) = await people.commands(company.ana, company.office, WHERE)
    direct = await people.asks(company.ana, slack.direct(company.ana), WHERE)
    for other in (elsewhere, command, direct):
        assert MOVED not in other.shown
        assert "plan.md" not in other.shown
    await people.clicks(company.ben, company.office, message.ts, "show_passages")
    assert MOVED in (await people.form(company.ben, without="Je cherche")).shown


async def test_a_private_answer_may_use_what_is_attached_in_its_thread(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    message = await attaches(people, company.ana, company.general)
    await people.clicks(company.ben, company.general, message.ts, "answer_privately")
    assert MOVED in people.told(company.ben)


async def test_a_pdf_and_a_stub_of_slack_connect_are_read(people: Slack, company: Company, slack: SlackServer) -> None:
    data = pdf("The Lisbon office moves to Rua Augusta on 9 June.")
    message = await attaches(people, company.ana, company.office, "plan.pdf", data=data, mimetype="application/pdf")
    assert MOVED in message.shown
    message = await attaches(people, company.ana, company.shared, "plan.md", stub=True, mimetype="text/markdown")
    assert MOVED in message.shown
    assert slack.called("files.info")


@pytest.mark.parametrize(
    ("name", "more", "english", "french"),
    [
        ("plan.pdf", {"mimetype": "application/pdf"}, "files:read", "files:read"),
        ("plan.md", {"mode": "tombstone"}, "is no longer in Slack", "n'est plus dans Slack"),
        ("plan.md", {"size": 999_000_000}, "MB. Attach a part of it.", "Mo. Joignez-en une partie."),
        (
            "plan.pdf",
            {"data": pdf("Secret.", password="x")},
            "protected with a password",
            "protégé par un mot de passe",
        ),
        ("plan.md", {"data": b""}, "is empty", "est vide"),
        ("plan.pdf", {"data": b"%PDF-1.7\n broken"}, "damaged", "endommagé"),
        ("plan.bin", {"data": bytes(range(256)) * 9}, "is no document that I can read", "je sache lire"),
    ],
    ids=["login page", "tombstone", "too large", "encrypted", "empty", "broken", "unknown"],
)
async def test_what_cannot_be_read_is_refused_with_the_reason_in_the_askers_language(
    people: Slack, company: Company, slack: SlackServer, name: str, more: dict[str, object], english: str, french: str
) -> None:
    if english == "files:read":
        slack.scopes = slack.scopes - {"files:read"}  # Slack sends its login page then, with status 200
    for person, told in ((company.ana, english), (company.ben, french)):
        message = await attaches(people, person, company.office, name, **dict(more))
        assert told in message.shown
        assert "add_file" not in message.actions


async def test_one_bad_file_does_not_keep_the_other_and_only_good_ones_are_offered(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    good = slack.file("plan.md", PLAN, by=company.ana)
    bad = slack.file("[click](evil.example).pdf", b"%PDF-1.7\n broken", by=company.ana)
    message = await people.asks(company.ana, company.office, WHERE, files=[good, bad])
    assert MOVED in message.shown
    assert "damaged" in message.shown
    assert all("evil" not in url for _, url in message.links)
    assert "Add plan.md to the documents" in message.shown


async def test_the_same_file_twice_in_a_thread_is_one_document(
    people: Slack, company: Company, slack: SlackServer, library: Indexer
) -> None:
    file = slack.file("plan.md", PLAN, by=company.ana)
    message = await people.asks(company.ana, company.office, WHERE, files=[file])
    await people.asks(company.ana, company.office, WHERE, files=[file], thread=message.root)
    passing = [one for one in await library.documents(slack.team_id, None) if one.audience.is_passing]
    assert len(passing) == 1


async def test_a_file_without_a_question_is_read_and_a_question_is_asked_for(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    file = slack.file("plan.md", PLAN, by=company.ana)
    message = await people.asks(company.ana, company.office, "", files=[file])
    assert "I have read what you attached. What do you want to know?" in message.shown
    later = await people.asks(company.ana, company.office, WHERE, thread=message.root)
    assert MOVED in later.shown


# -- for good --------------------------------------------------------------------------------------------------------


async def test_added_to_the_documents_it_answers_in_the_whole_channel_until_it_is_deleted_in_slack(
    people: Slack, company: Company, slack: SlackServer, library: Indexer
) -> None:
    file = slack.file("plan.md", PLAN, by=company.ana)
    other = slack.file("other.md", b"# Other\n\nThe other office stays in Porto.\n", by=company.ana)
    message = await people.asks(company.ana, company.office, WHERE, files=[file])
    await people.asks(company.ana, company.office, WHERE, files=[other], thread=message.root)
    for click in [slack.clicks(company.ben, company.office, message.ts, "add_file") for _ in range(2)]:
        await click.arrives()
    await people.idle()
    told = [one.shown for one in slack.ephemerals(company.ben)]
    begun = "J'ajoute plan.md aux documents … Je vous tiens au courant par message direct."
    assert sorted(told) == [begun, "plan.md : déjà ajouté, ou sur le point de l'être."]
    (progress,) = slack.direct(company.ben).messages.values()
    assert "C'est prêt. Interrogez-moi sur plan.md." in progress.shown
    assert "#office" in progress.shown
    kept = [one for one in await library.documents(slack.team_id, None) if one.audience.kind == "channel"]
    assert [(one.title, one.audience.id, one.added_by) for one in kept] == [
        ("plan.md", company.office.id, company.ben.id)
    ]
    assert MOVED in (await people.asks(company.ana, company.office, WHERE)).shown
    assert MOVED not in (await people.asks(company.ana, company.finance, WHERE)).shown
    await slack.deletes_file(file).arrives()
    await people.idle()
    assert MOVED not in (await people.asks(company.ana, company.office, WHERE)).shown
    await people.clicks(company.ana, company.office, message.ts, "add_file")
    assert "The file is not kept any more; attach it again." in people.told(company.ana)


async def test_in_a_direct_conversation_it_is_added_for_the_adder_alone(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    direct = slack.direct(company.ana)
    message = await attaches(people, company.ana, direct)
    await people.clicks(company.ana, direct, message.ts, "add_file")
    assert people.told(company.ana) == "Adding plan.md to the documents …", "how far it is stands right below"
    progress = list(direct.messages.values())[-1]
    assert "Ready. Ask me about plan.md." in progress.shown
    assert "Only me" in progress.shown
    assert MOVED in (await people.asks(company.ana, direct, WHERE)).shown
    assert MOVED not in (await people.asks(company.ben, slack.direct(company.ben), WHERE)).shown


async def test_guests_have_no_documents_of_their_own(people: Slack, company: Company, slack: SlackServer) -> None:
    direct = slack.direct(company.gus)
    message = await attaches(people, company.gus, direct)
    assert MOVED in message.shown
    assert "add_file" not in message.actions
    assert "general" not in message.shown


async def test_attached_files_are_read_again_after_a_crash(
    another_bot: StartBot, company: Company, slack: SlackServer
) -> None:
    """What was read before is found; the next question in the thread knows it after a restart, too."""
    async with another_bot() as bot:
        message = await attaches(Slack(slack, bot), company.ana, company.office)
    async with another_bot() as bot:
        later = await Slack(slack, bot).asks(company.ana, company.office, WHERE, thread=message.root)
    assert MOVED in later.shown
