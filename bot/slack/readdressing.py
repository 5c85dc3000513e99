"""An administrator gives a document other readers: guests too, or all employees and no guests."""

from __future__ import annotations

from bot.slack import rights
from bot.slack.adding.afterwards import tell_of_as
from bot.slack.clicks import Click
from bot.slack.directory import CannotCheck
from bot.slack.documents import Listed, shelf
from bot.slack.home import Homes
from bot.slack.naming import called
from bot.slack.parts import Parts
from bot.slack.showing.sources import title_of
from bot.texts import Texts
from indexer import Audience, NotFound, SituateError


async def readdress(parts: Parts, homes: Homes, click: Click, document: str, audience: Audience) -> None:
    """Let ``audience`` (EVERYONE or WORKSPACE) read a document, and tell on the Home tab what came of it.

    Only an administrator, of a document that they may read themself, checked now. Clicked twice it is done once.
    """
    texts = await parts.texts(click.user)

    async def told(sentence: str) -> None:
        await homes.publish(click.user, click.user_team, notice=sentence)

    try:
        found = await _theirs(parts, click, document, texts)
    except CannotCheck as error:
        await told(texts.of_error(error))
        return
    if isinstance(found, str):
        await told(texts.say(found))
        return
    title = called(title_of(found.title, texts), texts)
    key = f"{document}:{audience}"
    if await parts.ledger.begin_errand(key) == "busy":
        return
    try:
        await told(texts.say("home_readdressing", title=title))
        outcome = await _outcome(parts, found, audience, title, texts)
    finally:
        await parts.ledger.end_errand(key, done=False)
    await told(outcome)


async def _theirs(parts: Parts, click: Click, document: str, texts: Texts) -> Listed | str:
    """The document, as an administrator may read it; else the text that says why not. Raises CannotCheck."""
    if not await rights.is_admin(parts, click.user, click.user_team):
        return "home_admins_only"
    there = await shelf(parts, click.user, click.user_team, texts, most_named=0)
    found = there.find(document)
    if found is None and there.unsure:
        raise CannotCheck
    return found or "removing_gone"


async def _outcome(parts: Parts, found: Listed, audience: Audience, title: str, texts: Texts) -> str:
    workspace = await parts.workspace.name()
    try:
        added = await parts.library.readdress(workspace, found.id, audience)
        await parts.ledger.now_called(found.id, added.document)
        await tell_of_as(parts, found.id, added.document, added.version)
    except NotFound:
        return texts.say("removing_gone")
    except SituateError as error:
        return texts.say("home_not_readdressed", title=title, why=texts.of_error(error))
    return texts.say(f"home_readdressed_{audience.kind}", title=title)
