"""The bot's own answers in a conversation that is to be kept: what they said, and whose documents they rest on.

Slack has an answer as it was shown, cut into messages; the ledger has it whole, with what it was made from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from bot.answering.events import Kind
from bot.answering.markers import without_marks
from bot.answering.visible import one_line
from bot.ledger import StoredAnswer
from bot.slack.adding.not_added import NotAdded
from bot.slack.audience import of_person
from bot.slack.directory import CannotCheck
from bot.slack.parts import Parts
from bot.slack.showing.sources import place, title_of
from bot.slack.threads import plain_question
from bot.texts import Texts
from indexer import Audience, DocumentId, Viewer


@dataclass(slots=True)
class OwnAnswers:
    """The answers in one thread, as far as ``user`` may keep them."""

    parts: Parts
    channel: str
    user: str
    texts: Texts
    _answers: dict[str, StoredAnswer] = field(default_factory=dict)  # by the ts of each of their messages
    _in_thread: list[StoredAnswer] = field(default_factory=list)
    _readable: dict[Viewer, dict[DocumentId, Audience]] = field(default_factory=dict)

    async def look_up(self, root: str, shown: Iterable[str]) -> None:
        """Find the answers that the messages ``shown``, by their ``ts``, are of. Raises CatalogueUnavailable."""
        ledger, team = self.parts.ledger, self.parts.me.team
        # What only one person was told in a thread went into nothing that others were told there.
        self._in_thread = [one for one in await ledger.answers_in(team, self.channel, root) if not one.private]
        self._answers = {ts: answer for answer in self._in_thread for ts in answer.messages}
        for ts in {*shown, root} - set(self._answers):  # one that was shared here was given elsewhere
            if (answer := await ledger.answer_of_message(team, self.channel, ts)) is not None:
                self._answers[ts] = answer
                self._in_thread.append(answer)

    def of(self, ts: str) -> StoredAnswer | None:
        """The answer that a message shows, or shows a part of; None for what is none, or is not kept any more."""
        answer = self._answers.get(ts)
        return answer if answer is not None and answer.kind in (Kind.ANSWER, Kind.PASSAGES) else None

    async def question(self, answer: StoredAnswer) -> str:
        """What it answers, as a person reads it."""
        return one_line(await plain_question(answer.question, self.parts.directory, self.parts.me))

    def text(self, answer: StoredAnswer) -> str:
        """What an answer says, without the numbers of its sources, and the sources below, each once.

        Worked example: of ``It was in May. [1]`` that is ``It was in May.``, an empty line, ``Sources:``, an empty
        line, ``- Review › Incidents, p. 14``.
        """
        by_marker = {source.marker: source for source in answer.sources}
        said = without_marks(answer.text, by_marker)
        cited = [by_marker[marker] for marker in sorted(by_marker)]
        lines = dict.fromkeys(f"- {title_of(one.title, self.texts)}{place(one, self.texts)}" for one in cited)
        return "\n".join([said, "", self.texts.say("transcript_sources"), "", *lines]) if lines else said

    async def as_document(self, answer: StoredAnswer) -> str:
        """The same under what was asked, in Markdown: ``# When was it?``, an empty line, and ``text``."""
        return f"# {await self.question(answer)}\n\n{self.text(answer)}\n"

    async def made_from(self, answer: StoredAnswer) -> frozenset[Audience]:
        """The audiences of all documents that an answer was, or may have been, made from.

        What was said before it in its thread may have gone into it. For a document that the person may not read, or
        that is not there any more, all audiences stand that the answer was made under: that only narrows.
        Raises NotAdded for an answer that quotes such a document or was replaced, CannotCheck, CatalogueUnavailable.
        """
        if answer.replaced_by is not None:
            raise NotAdded("answer_was_replaced")
        cited = {source.document for source in answer.sources}
        if not cited <= set(await self._readable_by(answer)):
            raise NotAdded("answer_outdated")
        audiences: set[Audience] = set()
        for one in self._up_to(answer):
            readable = await self._readable_by(one)
            shown = {hit.document for hit in one.hits} | {source.document for source in one.sources}
            audiences.update(readable[document] for document in shown & set(readable))
            if not shown <= set(readable):
                audiences.update(Audience.parse(audience) for audience in one.audiences)
        return frozenset(audiences)

    async def all_made_from(self) -> frozenset[Audience]:
        """The same of all answers in the thread that may be kept, as far as that can be told.

        Raises CatalogueUnavailable.
        """
        audiences: set[Audience] = set()
        for one in self._in_thread:
            with suppress(NotAdded, CannotCheck):
                audiences |= await self.made_from(one)
        return frozenset(audiences)

    def _up_to(self, answer: StoredAnswer) -> Sequence[StoredAnswer]:
        return [one for one in self._in_thread if one.created_at <= answer.created_at]

    async def _readable_by(self, answer: StoredAnswer) -> dict[DocumentId, Audience]:
        """The documents that the person may read themself now, of those that an answer could be made from."""
        viewer = await of_person(self.parts.directory, self.user, answer)
        if viewer not in self._readable:
            workspace = await self.parts.workspace.name()
            listed = await self.parts.library.documents(workspace, viewer)
            self._readable[viewer] = {document.id: document.audience for document in listed}
        return self._readable[viewer]
