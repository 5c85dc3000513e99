"""A site of a test's own on this machine, and a way to the web that takes it for a public one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from ipaddress import ip_address

from aiohttp import web

from indexer.addresses import Address, is_public, resolve
from indexer.web import Web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def website(**pages: Handler) -> AsyncIterator[str]:
    """A server with these pages; its address is given, as ``http://docs.test:<port>``."""
    app = web.Application()
    for name, handler in pages.items():
        app.router.add_get(f"/{name}", handler)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://docs.test:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


THIS_MACHINE = ip_address("127.0.0.1")


async def local_names(host: str, port: int) -> list[Address]:
    """``*.test`` is this machine; everything else is what it is."""
    return [THIS_MACHINE] if host.endswith(".test") else await resolve(host, port)


def is_site_or_public(address: Address) -> bool:
    """Whether an address is what ``local_names`` gave for a site, or public; the same written out is refused."""
    return address is THIS_MACHINE or is_public(address)


LOCAL = Web(allows=is_site_or_public, resolve=local_names)


def page(body: str, status: int = 200) -> Handler:
    """A web page."""

    async def answer(request: web.Request) -> web.Response:
        return web.Response(
            text=f"<!DOCTYPE html><html><body>{body}</body></html>", content_type="text/html", status=status
        )

    return answer


def redirect(place: str) -> Handler:
    """Sends on to another address."""

    async def answer(request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": place})

    return answer
