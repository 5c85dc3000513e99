"""What an answer's messages are to say, as it grows: its searches as tasks, its text as one part a message."""

from __future__ import annotations

import hashlib
from typing import Any, Final

from bot.answering.events import Found, Searching
from bot.answering.visible import one_line
from bot.slack.markup import JOINER, SafeMarkdown, harmless
from bot.slack.sending.splitting import POST_LIMIT, STREAM_LIMIT, Piece, Splitter, utf8_size
from bot.texts import Texts

_LONGEST_QUERY: Final = 80  # characters
_LONGEST_FAILURE: Final = 200
_MOST_TASKS = 30


class Outgoing:
    """The text, made safe for Slack and split into messages. It grows, or is taken back as a whole."""

    def __init__(self) -> None:
        self._begin(Splitter(STREAM_LIMIT, utf8_size))

    def _begin(self, splitter: Splitter) -> None:
        self.parts: list[str] = []
        self._raw = ""
        self._closed = False
        self._safe = SafeMarkdown()
        self._splitter = splitter

    def add(self, text: str) -> None:
        """More text, which may not all show yet: a table only when it is whole."""
        self._raw += text
        self._take(self._splitter.feed(self._safe.feed(text)))

    def clear(self) -> None:
        """Take back all text."""
        self._begin(Splitter(STREAM_LIMIT, utf8_size))

    def close(self) -> None:
        """No more text comes."""
        if not self._closed:
            self._closed = True
            self._take([*self._splitter.feed(self._safe.finish()), *self._splitter.finish()])

    def settle(self, text: str) -> None:
        """The text is, whatever came before, ``text``."""
        if self._raw.rstrip() != text.rstrip():
            self.clear()
            self.add(text)
        self.close()

    def for_posting(self) -> None:
        """Split it anew into messages as long as those may be that are no streams."""
        raw = self._raw
        self._begin(Splitter(POST_LIMIT))
        self.add(raw)
        self.close()

    def _take(self, pieces: list[Piece]) -> None:
        for piece in pieces:
            if piece.begins:
                self.parts.append(piece.text)
            else:
                self.parts[-1] += piece.text


class Tasks:
    """The searches, as task cards of a stream. Of each, what changed is sent once."""

    def __init__(self, key: str) -> None:
        self.mark = hashlib.sha256(key.encode()).hexdigest()[:12]  # with which the ids of this answer's tasks begin
        self._ids: dict[str, str] = {}  # of the searches that go on, by query
        self._changed: dict[str, dict[str, Any]] = {}
        self._open: dict[str, dict[str, Any]] = {}
        self._count = 0

    def begin(self, event: Searching, texts: Texts) -> None:
        """A search has begun."""
        if self._count == _MOST_TASKS:
            return
        self._count += 1
        task_id = self._ids[event.query] = f"{self.mark}-{self._count}"
        self._put(task_id, texts.say("searching_for", query=_shown(event.query)), "in_progress")

    def end(self, event: Found, texts: Texts) -> None:
        """A search has ended."""
        task_id = self._ids.pop(event.query, None)
        if task_id is None:
            return
        title = texts.say("searched_for", query=_shown(event.query))
        if event.failure is not None:
            self._put(task_id, title, "error", harmless(one_line(event.failure, _LONGEST_FAILURE)))
        else:
            self._put(task_id, title, "complete", found(event, texts))

    def close(self) -> None:
        """No search goes on any more."""
        self._ids.clear()
        for task_id, task in list(self._open.items()):
            self._put(task_id, task["title"], "complete")

    def changed(self) -> list[dict[str, Any]]:
        """Chunks to be sent; they count as sent."""
        chunks, self._changed = list(self._changed.values()), {}
        return chunks

    def put_back(self, chunks: list[dict[str, Any]]) -> None:
        """They could not be sent."""
        self._changed = {chunk["id"]: chunk for chunk in chunks} | self._changed

    def __bool__(self) -> bool:
        """Whether something is to be sent."""
        return bool(self._changed)

    def _put(self, task_id: str, title: str, status: str, output: str | None = None) -> None:
        task: dict[str, Any] = {"type": "task_update", "id": task_id, "title": title, "status": status}
        if output:
            task["output"] = output
        self._changed[task_id] = task
        if status == "in_progress":
            self._open[task_id] = task
        else:
            self._open.pop(task_id, None)


def found(event: Found, texts: Texts) -> str:
    """What a search came to: ``8 passages in 3 documents``."""
    if not event.hits:
        return texts.say("found_nothing")
    if event.new == event.hits:
        documents = texts.say("documents", count=event.documents)
        return texts.say("found_in", passages=texts.say("passages", count=event.hits), documents=documents)
    return texts.say("new_passages", count=event.new) if event.new else texts.say("nothing_new")


def _shown(query: str) -> str:
    """A query as it can stand in a title: whether Slack reads those as Markdown or not, it makes no link there.

    >>> _shown("see [x](http://evil.example)")
    'see [x] (http:\u2060//evil.example)'
    """
    return harmless(one_line(query, _LONGEST_QUERY)).replace("](", "] (").replace("://", f":{JOINER}//")
