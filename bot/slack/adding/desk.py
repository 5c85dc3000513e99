"""Every request to add documents is worked off once, whatever dies on the way.

A request is a row in the ledger, held by the process that took it, as a question is (see ``bot.slack.desk``). Its
items are worked on side by side. One that needs a person's word rests, and costs nothing, until that is given.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from bot.adding import AT_WORK, Decision, Progress, Request
from bot.slack.adding.adder import Adder
from bot.slack.adding.moving import Moving
from bot.slack.background import every
from bot.slack.parts import Parts
from indexer import CatalogueUnavailable, Leases

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0  # between two looks whether a person has answered meanwhile
TAKE_OVER_SECONDS = 5.0
LATER_SECONDS = 10.0  # before a request is taken up again whose row could not be written


class AddingDesk:
    """The requests that this process works on."""

    def __init__(
        self,
        parts: Parts,
        leases: Leases,
        owner: str,
        *,
        settled: Callable[[str], Awaitable[None]] | None = None,
    ) -> None:
        """``settled`` is told whose documents have changed, by the person's id."""
        self._parts = parts
        self._ledger = parts.ledger
        self._leases = leases
        self._owner = owner
        self._adder = Adder(parts)
        self._settled = settled
        self._at_work: dict[str, asyncio.Task[None]] = {}
        self._rounds: list[asyncio.Task[None]] = []
        self._closing = False

    async def open(self) -> None:
        """Begin: what dead processes left is taken over from now on. Raises CatalogueUnavailable."""
        await self._take_over()
        left = "requests to add that others left could not be looked for"
        self._rounds = [asyncio.create_task(every(TAKE_OVER_SECONDS, self._take_over, left))]

    async def close(self) -> None:
        """Leave what is in hand to a successor. What is on the queue is indexed all the same."""
        self._closing = True
        tasks = [*self._at_work.values(), *self._rounds]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def take(self, request: Request) -> bool:
        """Make a request durable; False: it was taken before. Raises CatalogueUnavailable."""
        return await self._ledger.take_addition(request, self._owner)

    def begin(self, request: Request, *, again: bool = False) -> None:
        """Work on a request that this process holds, in a task of its own; ``again``: it may have been begun before."""
        if self._closing or request.id in self._at_work:
            return
        task = asyncio.create_task(self._work(request, again=again))
        self._at_work[request.id] = task
        task.add_done_callback(lambda _: self._at_work.pop(request.id, None))

    async def decide(self, id: str, number: int, decision: Decision, user: str) -> bool:
        """Answer the question that an item waits with; False: it is not theirs to answer, or does not wait any more.

        Raises CatalogueUnavailable.
        """
        request = await self._ledger.addition(id)
        if request is None or request.user != user:
            return False
        turn = await self._ledger.decide(id, number, decision, self._owner)
        if turn == "yours":
            self.begin(request)
        return turn != "over"

    async def request(self, id: str) -> Request | None:
        """A request as it was made. Raises CatalogueUnavailable."""
        return await self._ledger.addition(id)

    async def progress(self, id: str) -> tuple[Progress, ...]:
        """How far each item has come. Raises CatalogueUnavailable."""
        return await self._ledger.progress_of(id)

    async def remove(self, id: str, number: int, user: str) -> None:
        """Take out what became of an item, and say so where it is told of. Raises SituateError.

        Nothing happens for somebody else, or where there is nothing (any more) to take out.
        """
        request = await self._ledger.addition(id)
        items = await self._ledger.progress_of(id)
        if request is None or request.user != user or not 0 <= number < len(items):
            return
        item = items[number]
        if item.state == "ready" and item.document is not None:
            await self._adder.remove(request, number, item)
            await Moving(self._parts, request).show()
            await self._tell_of(request)

    async def idle(self) -> None:
        """Wait until nothing is in hand."""
        while self._at_work:
            await asyncio.wait(self._at_work.values())

    # -- within --------------------------------------------------------------------------------------------------------

    async def _work(self, request: Request, *, again: bool) -> None:
        """All items until none is to be worked on, and the message that tells of them."""
        moving = Moving(self._parts, request, again=again)
        while True:
            try:
                async with moving.kept_up():
                    await self._items(request, moving)
                if moving.is_behind:  # how it ended is told before it is over
                    await asyncio.sleep(LATER_SECONDS)
                    continue
                if await self._ledger.rest_addition(request.id, self._owner):
                    await self._tell_of(request)
                    return
                if not await self._is_ours(request.id):
                    return
            except CatalogueUnavailable as error:
                log.warning("the ledger is away; a request to add is taken up again later: %s", error)
                await asyncio.sleep(LATER_SECONDS)

    async def _items(self, request: Request, moving: Moving) -> None:
        """Work on the items, also on those that somebody decides about meanwhile, until none is left."""
        tasks: dict[int, asyncio.Task[None]] = {}
        try:
            while True:
                for number, item in enumerate(await self._ledger.progress_of(request.id)):
                    if item.state in AT_WORK and number not in tasks:
                        tasks[number] = asyncio.create_task(self._adder.add(request, number, item, moving.changed))
                if not tasks:
                    return
                await asyncio.wait(tasks.values(), timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                for number in [number for number, task in tasks.items() if task.done()]:
                    tasks.pop(number).result()
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)

    async def _tell_of(self, request: Request) -> None:
        if self._settled is not None:
            await self._settled(request.user)

    async def _is_ours(self, id: str) -> bool:
        unfinished = await self._ledger.unfinished_additions()
        return any(request.id == id and owner == self._owner for request, owner in unfinished)

    async def _take_over(self) -> None:
        """Claim the open requests of processes that are dead, and begin those of our own that nobody works on."""
        unfinished = await self._ledger.unfinished_additions()
        dead = await self._leases.dead(frozenset(holder for _, holder in unfinished))
        for request, holder in unfinished:
            taken = holder in dead and await self._ledger.claim_addition(request.id, self._owner, held_by=holder)
            if taken or holder == self._owner:
                self.begin(request, again=True)
