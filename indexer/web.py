"""Fetches a document from a URL: only from public addresses, only so much, only so long, and only documents.

Each address is checked after the name was resolved and before anything is sent, for every redirect anew; the connection
is made to the checked address and no other, so a name cannot point elsewhere a moment later.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import zlib
from collections.abc import Callable
from datetime import datetime
from email.utils import parsedate_to_datetime
from ipaddress import IPv6Address
from pathlib import PurePosixPath
from socket import AF_INET, AF_INET6, AI_NUMERICHOST
from urllib.parse import unquote

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from .addresses import Address, Resolve, is_public, resolve
from .documents import Original
from .errors import SourceRefused
from .settings import IndexerSettings
from .web_pages import refuse_sign_in_page, refuse_sign_in_site

_MB = 1_000_000
_MOST_REDIRECTS = 5
_STEP = 64 * 1024
_HEADERS = {"User-Agent": "Situate/0.1", "Accept": "*/*", "Accept-Encoding": "identity"}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_FILE_NAME = re.compile(r"filename\*?=(?:UTF-8'')?\"?([^\";]+)", re.IGNORECASE)


class Web:
    """The public internet as a source of documents.

    ``allows`` and ``resolve`` are for tests that fetch from a server of their own; the default lets nothing through
    that is not public.
    """

    def __init__(self, *, allows: Callable[[Address], bool] = is_public, resolve: Resolve = resolve) -> None:
        self._allows = allows
        self._resolve = resolve

    async def fetch(self, source: str, settings: IndexerSettings) -> Original:
        """The document at a URL. Its key is the URL without a fragment; ``url`` is where redirects led.

        ``SourceRefused`` for an address that is not public, a sign-in page, a page that only a script fills, more than
        ``max_file_mb``, more than ``fetch_seconds`` in all, and what the server itself refuses.
        """
        url = _parsed(source)
        try:
            async with asyncio.timeout(settings.fetch_seconds):
                return await self._follow(url, settings)
        except TimeoutError as error:
            raise SourceRefused(
                f"{url} did not arrive within {settings.fetch_seconds:g} seconds; try again later, "
                "or download the file and add that."
            ) from error
        except (aiohttp.ClientError, ssl.SSLError, OSError, zlib.error, ValueError) as error:
            raise SourceRefused(
                f"{url} could not be fetched; check the address, or download the file and add that."
            ) from error

    async def _follow(self, url: URL, settings: IndexerSettings) -> Original:
        place = url
        for _ in range(_MOST_REDIRECTS + 1):
            refuse_sign_in_site(str(place), redirected=place != url)
            addresses = await self._checked(place)
            connector = aiohttp.TCPConnector(resolver=_Pinned(addresses), use_dns_cache=False, force_close=True)
            async with (
                aiohttp.ClientSession(
                    connector=connector,
                    headers=_HEADERS,
                    auto_decompress=False,
                    cookie_jar=aiohttp.DummyCookieJar(),
                    timeout=aiohttp.ClientTimeout(total=None),
                ) as session,
                session.get(place, allow_redirects=False) as response,
            ):
                if response.status in _REDIRECTS and "Location" in response.headers:
                    place = _parsed(str(place.join(URL(response.headers["Location"]))))
                    continue
                return await _document(url, place, response, settings)
        raise SourceRefused(f"{url} leads from one address to the next without end; add the document's own address.")

    async def _checked(self, url: URL) -> list[Address]:
        """The addresses of the URL's host, if it may be fetched from."""
        host = url.raw_host or ""
        try:
            addresses = await self._resolve(host, url.port or 443)
        except OSError as error:
            raise SourceRefused(f"{host} is no site that can be found; check the address.") from error
        if not addresses or not all(self._allows(address) for address in addresses):
            raise SourceRefused(
                f"{host} is not a public address, and documents are fetched from public ones only; "
                "download the file and add that."
            )
        return addresses


class _Pinned(AbstractResolver):
    """Answers with the addresses that were checked, whatever the name means by now."""

    def __init__(self, addresses: list[Address]) -> None:
        self._addresses = addresses

    async def resolve(self, host: str, port: int = 0, family: int = 0) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=str(address),
                port=port,
                family=AF_INET6 if isinstance(address, IPv6Address) else AF_INET,
                proto=0,
                flags=AI_NUMERICHOST,
            )
            for address in self._addresses
        ]

    async def close(self) -> None:
        return


def _parsed(source: str) -> URL:
    """The URL in its normal form, without fragment. Credentials in it are refused, and must not be shown again."""
    try:
        url = URL(source.strip()).with_fragment(None)
    except ValueError as error:
        raise SourceRefused("This is not a URL; check the address.") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise SourceRefused("Only http and https addresses of a site can be fetched; use one, or add the file itself.")
    if url.user is not None or url.password is not None:
        raise SourceRefused(
            f"{url.host} is given with a user name or password; use the address without them, "
            "or download the file and add that."
        )
    if not url.path:
        url = url.with_path("/")
    return url


async def _document(url: URL, place: URL, response: aiohttp.ClientResponse, settings: IndexerSettings) -> Original:
    if response.status in (401, 402, 403, 407):
        raise SourceRefused(
            f"{place} can only be read after signing in; download the file while signed in and add that."
        )
    if response.status in (404, 410):
        raise SourceRefused(f"{place} is not there (status {response.status}); check the address.")
    if response.status != 200:
        raise SourceRefused(
            f"{place} answered with status {response.status} instead of a document; try again later, "
            "or download the file and add that."
        )
    data = await _body(place, response, int(settings.max_file_mb * _MB), settings.max_file_mb)
    declared = response.headers.get("Content-Type")
    await asyncio.to_thread(refuse_sign_in_page, str(place), data, declared)
    return Original(
        source=str(url),
        data=data,
        name=_name(place, response.headers.get("Content-Disposition", "")),
        url=str(place),
        date=_date(response.headers.get("Last-Modified")),
        declared_type=declared,
    )


async def _body(place: URL, response: aiohttp.ClientResponse, limit: int, limit_mb: float) -> bytes:
    """The body, counted while it comes and while it unpacks; what the headers say about its length is not believed."""

    def too_large() -> SourceRefused:  # made where it is raised: one that this frame holds would hold its data, too
        return SourceRefused(f"{place} has more than {limit_mb:g} MB; download a part of it and add that.")

    if (response.content_length or 0) > limit:
        raise too_large()
    encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in ("identity", "", "gzip", "x-gzip", "deflate"):
        raise SourceRefused(f"{place} is packed in a way that cannot be read; download the file and add that.")
    unpacking = None if encoding in ("identity", "") else zlib.decompressobj(zlib.MAX_WBITS | 32)
    received, data = 0, bytearray()
    async for piece in response.content.iter_chunked(_STEP):
        received += len(piece)
        if unpacking is None:
            data += piece
        while unpacking is not None and piece and not unpacking.eof:
            data += unpacking.decompress(piece, _STEP)
            piece = unpacking.unconsumed_tail
            if len(data) > limit:
                raise too_large()
        if max(received, len(data)) > limit:
            raise too_large()
    return bytes(data)


def _name(place: URL, disposition: str) -> str:
    if match := _FILE_NAME.search(disposition):
        name = PurePosixPath(unquote(match[1]).replace("\\", "/").strip()).name
        if name:
            return name
    return PurePosixPath(place.path).name or str(place.host)


def _date(header: str | None) -> datetime | None:
    try:
        return parsedate_to_datetime(header) if header else None
    except ValueError:
        return None
