"""One thing that somebody wants added: fetched, looked at, asked about where that is due, indexed, published.

Whatever happens ends in a state that the person can be told: ready, refused with a sentence, or a question. Until it is
added nothing is stored and nothing is paid.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import chain, repeat
from typing import Final

from bot.adding import Item, Progress, Request, Twin, What
from bot.answering.trouble import logged
from bot.slack.adding.afterwards import tell_where_it_is_gone
from bot.slack.adding.named import name_out_of_sight
from bot.slack.adding.originals import Fetched, NotAdded, original_of, see_that_it_is_theirs
from bot.slack.adding.stages import passages_done, remarks
from bot.slack.adding.twin import name_of, twin_of
from bot.slack.audience import of_reader
from bot.slack.directory import CannotCheck
from bot.slack.naming import called
from bot.slack.parts import Parts
from bot.slack.refusals import failure_of, reason_of
from bot.slack.rights import choices, may_add, may_remove
from bot.slack.showing.sources import title_of
from bot.texts import Texts
from indexer import (
    Audience,
    CatalogueUnavailable,
    Document,
    DocumentId,
    Examined,
    SituateError,
    StoreFailed,
    Unavailable,
    Version,
    VersionId,
    Viewer,
    WeaviateUnavailable,
)

log = logging.getLogger(__name__)

# Seconds between two tries where a service is away, Slack too; before it is on the queue it is given up after these.
PAUSES: Final = (2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 60.0)
AT_ONCE: Final = 3  # files that are fetched and looked at side by side, each of which may be large
# Why something is not added whose words the person may not see (any more), as keys of the texts.
_OUT_OF_SIGHT: Final = ("message_out_of_sight", "file_not_yours", "slack_did_not_tell")


class Adder:
    """Adds items. Raises nothing but CatalogueUnavailable and CancelledError."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._one_by_one = asyncio.Lock()

    async def add(self, request: Request, number: int, item: Progress, changed: Callable[[], None]) -> None:
        """Take one item as far as it comes. ``changed`` is called after each step that people may see."""
        await _Adding(self._parts, self._turns, self._one_by_one, request, number, item, changed).run()

    async def remove(self, request: Request, number: int, item: Progress) -> None:
        """Take out the document that an item became. Raises SituateError."""
        if item.document is None:
            return
        await _take_out(self._parts, await self._parts.workspace.name(), DocumentId(item.document))
        await self._parts.ledger.set_progress(request.id, number, replace(item, state="removed"))


class _Adding:
    """One item while it is added."""

    def __init__(
        self,
        parts: Parts,
        turns: asyncio.Semaphore,
        one_by_one: asyncio.Lock,
        request: Request,
        number: int,
        item: Progress,
        changed: Callable[[], None],
    ) -> None:
        self._parts = parts
        self._turns = turns
        self._one_by_one = one_by_one
        self._request = request
        self._number = number
        asked_for = request.items[number]
        self._name = asked_for.title or asked_for.name  # what people call it until it is a document
        self._item: Item = replace(asked_for, name=self._name)
        self._progress = item
        self._changed = changed
        self._texts: Texts

    async def run(self) -> None:
        """To its end. What is away is waited for: with pauses, and on and on once it is on the queue, where it goes its
        way whatever is told of it."""
        self._texts = await self._parts.texts(self._request.user)
        for number, pause in enumerate(chain(PAUSES, repeat(PAUSES[-1]))):
            try:
                return await self._run()
            except CatalogueUnavailable:
                raise
            except NotAdded as error:
                return await self._not_added(error)
            except Unavailable as error:
                if number >= len(PAUSES) and self._progress.version is None:
                    return await self._refused(reason_of(error, self._name, self._texts))
                log.warning("adding waits: %s", error)
            except SituateError as error:
                return await self._refused(reason_of(error, self._name, self._texts))
            except Exception as error:  # noqa: BLE001 whoever adds gets a sentence, whatever is wrong in here
                sentence = self._texts.of_error(error)
                told = self._texts.say("reference", reference=logged(sentence, error))
                return await self._refused(f"{sentence} ({told})")
            await self._step(self._progress.state, sentence=self._texts.say("adding_waits"))
            await asyncio.sleep(pause)
        return None

    async def _not_added(self, error: NotAdded) -> None:
        """Who left meanwhile has the title that they gave it, and no words of it."""
        if error.key in _OUT_OF_SIGHT and not self._item.title:
            self._name = error.values["name"] = name_out_of_sight(self._item, self._texts)
        await self._refused(error.sentence(self._texts))

    async def _refused(self, sentence: str) -> None:
        """Under the name that the person gave it: they may not be let read its document's title."""
        await self._step("refused", sentence=sentence, document=None, title=self._name)

    async def _run(self) -> None:
        workspace = await self._parts.workspace.name()
        if self._progress.version is not None:  # it is on the queue since a process died that told of it
            await self._follow(workspace, VersionId(self._progress.version))
            return
        async with self._turns:
            version = await self._queued(workspace)
        if version is not None:
            await self._follow(workspace, version)

    async def _queued(self, workspace: str) -> VersionId | None:
        """Fetch it, look at it and put it on the queue: the version to follow; None where a person is asked first."""
        parts, request = self._parts, self._request
        await self._step("reading", sentence="")
        if not await may_add(parts, request.user, request.user_team):
            raise NotAdded("may_not_add")
        fetched = await original_of(parts, self._item, user=request.user, user_team=request.user_team)
        audience = await self._audience(fetched)
        title = self._item.title or fetched.title
        looked_at = await parts.library.examine(fetched.original, workspace=workspace, audience=audience, title=title)
        if self._item.what in (What.LINK, What.TEXT):  # which the person has before them; others may lose access
            await self._step("reading", title=looked_at.title)
        async with self._one_by_one:  # so that of two that are alike the second sees the first
            return await self._put_on_the_queue(workspace, fetched, looked_at)

    async def _put_on_the_queue(self, workspace: str, fetched: Fetched, looked_at: Examined) -> VersionId | None:
        parts, request = self._parts, self._request
        if await self._asks(workspace, fetched, looked_at):
            return None
        # Both may have changed: looking at a long file takes minutes.
        await see_that_it_is_theirs(parts, self._item, user=request.user)
        audience = await self._audience(fetched)
        title = self._item.title or fetched.title
        theirs = await self._of_another(workspace, fetched, audience)
        added_by = request.user if theirs is None else theirs.added_by
        title = title if theirs is None else theirs.title
        added = await parts.library.add(
            fetched.original, workspace=workspace, audience=audience, title=title, added_by=added_by
        )
        await parts.ledger.made_of(added.document, workspace, fetched.made_of, added_by or request.user)
        await self._see_that_it_is_still_there(workspace, fetched, added.document)
        await self._step(
            "indexing",
            title=title or looked_at.title,
            document=added.document,
            version=added.version,
            total=looked_at.chunks,
            adder=await name_of(parts, added_by) if theirs is not None else None,
        )
        return added.version

    async def _see_that_it_is_still_there(self, workspace: str, fetched: Fetched, document: DocumentId) -> None:
        """What was deleted in Slack while it was looked at, before anybody knew what it was made of, goes again.

        Raises NotAdded then. From here on the event that tells of a deletion finds it.
        """
        parts, request = self._parts, self._request
        try:
            match self._item.what:
                case What.FILE:
                    await parts.attachments.files.looked_up(self._item.ref, self._item.name)
                case What.MESSAGE | What.THREAD:
                    again = await original_of(parts, self._item, user=request.user, user_team=request.user_team)
                    if not set(fetched.made_of) <= set(again.made_of):
                        raise NotAdded("message_gone", name=self._item.name)
        except NotAdded as error:
            if error.key not in ("file_gone", "message_gone"):
                return  # Slack does not tell; a deletion that it tells of later is heard
            with suppress(WeaviateUnavailable, StoreFailed):  # it answers nothing any more; the rest is done later
                await parts.library.remove(workspace, document)
            await parts.ledger.forgotten(document)
            raise

    async def _audience(self, fetched: Fetched) -> Audience:
        """The audience that was chosen, if it may be, now and for where this comes from; else a refusal."""
        request = self._request
        told = await choices(
            self._parts,
            request.user,
            request.channel,
            user_team=request.user_team,
            origins=fetched.origins,
            made_from=fetched.made_from,
        )
        if told.refused is not None:
            raise NotAdded(told.refused)
        if not request.audience and told.default is not None:
            return told.default
        for choice in told.options:
            if str(choice.audience) == request.audience:
                return choice.audience
        raise NotAdded("audience_too_wide" if told.limited else "audience_not_yours")

    async def _asks(self, workspace: str, fetched: Fetched, looked_at: Examined) -> bool:
        """Whether a person must decide first; they are asked then."""
        decided = self._progress.decisions
        if not {"replace", "keep"} & set(decided):
            twin = await twin_of(self._parts, workspace, self._request, self._item, fetched, looked_at)
            if twin is not None:
                await self._step("asks_twin", twin=twin)
                return True
        if "go_on" not in decided and looked_at.estimate_usd > self._parts.settings.confirm_cost_usd:
            await self._step("asks_cost", estimate_usd=looked_at.estimate_usd)
            return True
        return False

    async def _of_another(self, workspace: str, fetched: Fetched, audience: Audience) -> Document | None:
        """The document that this is already, where the person may not remove it: it is read anew, and stays whose it
        is, under its title."""
        found = await self._parts.library.documents(workspace, Viewer(frozenset({audience})))
        same = next((one for one in found if one.source == fetched.original.source), None)
        return None if same is None or await may_remove(self._parts, self._request.user, same) else same

    async def _follow(self, workspace: str, version: VersionId) -> None:
        """Tell of a version on its way, to the end."""
        await self._parts.library.work()  # a version that another process queued is worked on here, too
        last: Version | None = None
        async for row in self._parts.library.follow([version]):
            last = row
            if row.state in ("queued", "running"):
                total = row.chunks or row.total or self._progress.total  # it was counted before it was queued
                done = max(self._progress.done, passages_done(row))
                await self._step("indexing", done=done, total=total, sentence="")
        if last is not None and last.state in ("published", "replaced"):
            await self._published(workspace, last)
        elif last is not None and last.state in ("refused", "failed"):
            await self._refused(failure_of(last, self._name, self._texts))
        else:  # a version that was removed while it was worked on is not told of again
            await self._step("removed")

    async def _published(self, workspace: str, version: Version) -> None:
        sentence = ""
        if "replace" in self._progress.decisions and self._progress.twin is not None:
            sentence = await self._replaced(workspace, self._progress.twin)
        told = [sentence, *(self._texts.say(key) for key in remarks(self._item, version))]
        await self._step(
            "ready",
            title=version.title,
            done=version.chunks,
            total=version.chunks,
            twin=None,
            sentence=" ".join(filter(None, told)),
            cost_usd=version.usage.cost_usd,
            failed_contexts=len(version.failures),
        )

    async def _replaced(self, workspace: str, twin: Twin) -> str:
        """Take out what this replaces; "" where that is done, or a sentence."""
        parts, user = self._parts, self._request.user
        try:
            reading = await of_reader(parts.directory, user, self._request.user_team)
            there = await parts.library.documents(workspace, reading.viewer, coming=True)
            known = {one.id: one for one in there}
            old = known.get(DocumentId(twin.document))
            if old is None:
                return ""
            if await may_remove(parts, user, old):
                await _take_out(parts, workspace, old.id)
                return ""
        except CannotCheck:
            pass
        except SituateError as error:
            log.warning("a document that was replaced could not be removed: %s", error)
        return self._texts.say("old_one_stays", title=called(title_of(twin.title, self._texts), self._texts))

    async def _step(self, state: str, **values: object) -> None:
        """Write how far it has come. Raises CatalogueUnavailable."""
        after = replace(self._progress, state=state, **values)  # type: ignore[arg-type]  # checked by its callers' tests
        if after != self._progress:
            self._progress = after
            await self._parts.ledger.set_progress(self._request.id, self._number, after)
            self._changed()


async def _take_out(parts: Parts, workspace: str, document: DocumentId) -> None:
    """Remove a document, and what is known of its origin with it; what told of it says so. Raises SituateError."""
    await parts.library.remove(workspace, document)
    await parts.ledger.forgotten(document)
    await tell_where_it_is_gone(parts, document)
