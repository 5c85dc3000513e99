"""Slack's files, fetched with the bot's token: from Slack's own hosts only, bounded, and no sign-in page among them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from yarl import URL

from bot.settings import BotSettings
from bot.slack.adding.not_added import NotAdded
from indexer import IndexerSettings, Original, visible

_MB = 1_000_000
_STEP = 64 * 1024
_MOST_REDIRECTS = 5
# Slack's own, as such or with subdomains: nobody else is shown the token, or asked for anything.
_SLACK_HOSTS: Final = ("slack.com", "slack-files.com", "slack-edge.com", "slack-gov.com")
_GONE: Final = frozenset({"tombstone", "hidden_by_limit"})
_NO_SCOPE: Final = frozenset({"missing_scope", "no_permission", "not_allowed_token_type"})
_NOT_THERE: Final = frozenset({"file_not_found", "file_deleted"})


class _Refused(Exception):
    """Why a file is not fetched: a key of the texts; it is told with the file's name."""


class Files:
    """Fetches files of Slack's. Who may read them is for others to ask."""

    def __init__(self, client: AsyncWebClient, settings: BotSettings, limits: IndexerSettings) -> None:
        self._client = client
        self._settings = settings
        self._limit_mb = limits.max_file_mb
        self._seconds = limits.fetch_seconds

    async def fetched(self, file: Mapping[str, Any]) -> Original:
        """The bytes of a file object, and what Slack tells about it; of a stub the whole object is looked up first.

        Raises NotAdded, with the file's ``name`` and the ``limit`` in megabytes.
        """
        try:
            return await self._fetched(file)
        except _Refused as refused:
            raise self._not_added(refused, name_of(file)) from refused

    async def looked_up(self, id: str, name: str = "") -> Mapping[str, Any]:
        """The whole file object; ``name`` is what it is called where it cannot be had. Raises NotAdded."""
        try:
            return await self._looked_up(id)
        except _Refused as refused:
            raise self._not_added(refused, name or id) from refused

    def _not_added(self, refused: _Refused, name: str) -> NotAdded:
        return NotAdded(str(refused), name=name, limit=f"{self._limit_mb:g}")

    async def _fetched(self, file: Mapping[str, Any]) -> Original:
        """The file's bytes, and what Slack tells about it. Raises _Refused."""
        if not _address(file) and file.get("mode") not in _GONE:
            file = await self._looked_up(str(file.get("id", "")))
        if file.get("mode") in _GONE:
            raise _Refused("file_gone")
        if file.get("is_external") or file.get("mode") == "external":
            raise _Refused("file_elsewhere")
        if int(file.get("size") or 0) > self._limit_mb * _MB:
            raise _Refused("file_too_large")
        try:
            data, media_type = await self._downloaded(_address(file))
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise _Refused("file_not_fetched") from error
        if _is_sign_in_page(file, data, media_type):
            raise _Refused("file_no_scope")
        created = file.get("created")
        return Original(
            source=source_of(str(file.get("id") or _address(file))),
            data=data,
            name=name_of(file),
            url=file.get("permalink"),
            date=datetime.fromtimestamp(float(created), UTC) if created else None,
            declared_type=file.get("mimetype"),
        )

    async def _looked_up(self, file: str) -> Mapping[str, Any]:
        """The whole file object; events of channels shared with other organisations hold only its id."""
        try:
            answer = await self._client.files_info(file=file)
        except SlackApiError as error:
            told = str(error.response.get("error", ""))
            if told in _NO_SCOPE:
                raise _Refused("file_no_scope") from error
            raise _Refused("file_gone" if told in _NOT_THERE else "file_not_fetched") from error
        except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError) as error:
            raise _Refused("file_not_fetched") from error
        found: Mapping[str, Any] = answer.get("file") or {}
        if not _address(found) or found.get("mode") in _GONE:
            raise _Refused("file_gone")
        return {"id": file, **found}

    async def _downloaded(self, address: str) -> tuple[bytes, str]:
        """The bytes at an address of Slack's, and the media type that they were sent with. Raises _Refused."""
        place = URL(address)
        timeout = aiohttp.ClientTimeout(total=self._seconds)
        headers = {"Authorization": f"Bearer {self._client.token}"}
        async with aiohttp.ClientSession(timeout=timeout, trust_env=self._client.trust_env_in_session) as session:
            for _ in range(_MOST_REDIRECTS + 1):
                if not self._is_slack(place):
                    raise _Refused("file_elsewhere")
                async with session.get(
                    place,
                    headers=headers,
                    allow_redirects=False,
                    proxy=self._client.proxy,
                    ssl=self._client.ssl or True,
                ) as response:
                    if response.status in (301, 302, 303, 307, 308) and "Location" in response.headers:
                        place = place.join(URL(response.headers["Location"]))
                        continue
                    if response.status in (404, 410):
                        raise _Refused("file_gone")
                    if response.status in (401, 403):
                        raise _Refused("file_no_scope")
                    if response.status != 200:
                        raise _Refused("file_not_fetched")
                    return await self._body(response), response.content_type
        raise _Refused("file_not_fetched")

    async def _body(self, response: aiohttp.ClientResponse) -> bytes:
        """The body, counted while it comes: what headers say about its length is not believed."""
        data = bytearray()
        async for piece in response.content.iter_chunked(_STEP):
            data += piece
            if len(data) > self._limit_mb * _MB:
                raise _Refused("file_too_large")
        return bytes(data)

    def _is_slack(self, place: URL) -> bool:
        """Whether an address is Slack's own, or on the server that ``SLACK_API_URL`` names."""
        if place.origin() == URL(self._settings.slack_api_url).origin():
            return True
        host = (place.host or "").lower()
        ours = any(host == name or host.endswith(f".{name}") for name in _SLACK_HOSTS)
        return ours and place.scheme == "https" and place.explicit_port in (None, 443)


def source_of(file: str) -> str:
    """The key of a file of Slack's among the documents: ``slack:file:F1``."""
    return f"slack:file:{file}"


def name_of(file: Mapping[str, Any]) -> str:
    """What people call the file; its id where Slack has not told."""
    name = str(file.get("name") or file.get("title") or file.get("id") or "?")
    return " ".join(visible(name).split()) or "?"


def _address(file: Mapping[str, Any]) -> str:
    if file.get("file_access") == "check_file_info":
        return ""
    return str(file.get("url_private_download") or file.get("url_private") or "")


def _is_sign_in_page(file: Mapping[str, Any], data: bytes, media_type: str) -> bool:
    """Whether Slack sent its sign-in page, with status 200, in the place of a file that the token may not read."""
    beginning = data[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if not beginning.startswith((b"<!doctype html", b"<html")):
        return False
    is_page = "html" in str(file.get("mimetype", "")) or str(file.get("filetype", "")) in ("html", "htm")
    if is_page:  # a web page that was attached has the size that it had
        return bool(file.get("size")) and int(file["size"]) != len(data)
    return media_type == "text/html" or not str(file.get("mimetype", "")).startswith("text/")
