"""A door before a server: what comes is let through, or turned away while it is shut, as where the server is away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace

from indexer.weaviate_server import Endpoint


@dataclass(eq=False)
class Door:
    """One port. ``turned_away`` counts the connections that came while it was shut."""

    host: str
    port: int  # of what is behind it
    is_open: bool = True
    turned_away: int = 0
    _inside: set[asyncio.StreamWriter] = field(default_factory=set)

    async def comes(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self.is_open:
            self.turned_away += 1
            writer.transport.abort()
            return
        from_server, to_server = await asyncio.open_connection(self.host, self.port)
        self._inside |= {writer, to_server}
        try:
            await asyncio.gather(_carried(reader, to_server), _carried(from_server, writer))
        finally:
            self._inside -= {writer, to_server}

    def shut(self) -> None:
        """Cut what is inside, and turn away what comes."""
        self.is_open = False
        for writer in self._inside:
            writer.transport.abort()

    def open(self) -> None:
        self.is_open = True


@dataclass(frozen=True, slots=True)
class Doors:
    """Those of a Weaviate server; ``endpoint`` is where it is found behind them."""

    endpoint: Endpoint
    doors: tuple[Door, ...]

    def shut(self) -> None:
        for door in self.doors:
            door.shut()

    def open(self) -> None:
        for door in self.doors:
            door.open()

    @property
    def turned_away(self) -> int:
        return sum(door.turned_away for door in self.doors)


@asynccontextmanager
async def doors_before(weaviate: Endpoint) -> AsyncIterator[Doors]:
    """Doors before a server, open at first."""
    rest, grpc = Door(weaviate.host, weaviate.port), Door(weaviate.grpc_host, weaviate.grpc_port)
    async with AsyncExitStack() as stack:
        ports = []
        for door in (rest, grpc):
            server = await asyncio.start_server(door.comes, "127.0.0.1", 0)
            stack.callback(server.close)
            stack.callback(door.shut)
            ports.append(server.sockets[0].getsockname()[1])
        here = replace(weaviate, host="127.0.0.1", port=ports[0], grpc_host="127.0.0.1", grpc_port=ports[1])
        yield Doors(here, (rest, grpc))


async def _carried(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(64 * 1024):
            writer.write(data)
            await writer.drain()
    writer.close()
