"""A small Slack workspace behind the SDK's client: it records what is asked, pages, and can be slow, rude or away."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

TEAM = "T1"
ME = "U0BOT"


@dataclass
class FakeSlack(AsyncWebClient):
    """``users`` and ``channels`` are Slack's objects by id, ``inside`` the members of each channel.

    ``failing`` maps a method to an error word, or to an exception; ``limited`` maps a method to the seconds of a 429
    that the SDK's retry handler waits out; ``page`` is the most that it gives at once.
    """

    users: dict[str, dict[str, Any]] = field(default_factory=dict)
    channels: dict[str, dict[str, Any]] = field(default_factory=dict)
    inside: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    threads: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)
    failing: dict[str, str | Exception] = field(default_factory=dict)
    limited: dict[str, float] = field(default_factory=dict)
    page: int = 999
    broken: dict[str, dict[str, Any]] = field(default_factory=dict)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(token="xoxb-test")

    # -- building --------------------------------------------------------------------------------------------------

    def person(self, id: str, *, name: str = "", team: str = TEAM, **fields: Any) -> str:
        self.users[id] = {
            "id": id,
            "team_id": team,
            "name": name or id.lower(),
            "is_restricted": False,
            "is_ultra_restricted": False,
            "is_bot": False,
            "deleted": False,
            "locale": "en-US",
            **fields,
        }
        return id

    def channel(self, id: str, *members: str, private: bool = False, **fields: Any) -> str:
        """A channel with the bot in it, unless ``is_member=False``."""
        self.channels[id] = {
            "id": id,
            "name": id.lower(),
            "is_private": private,
            "is_archived": False,
            "is_shared": False,
            "is_ext_shared": False,
            "is_org_shared": False,
            "is_pending_ext_shared": False,
            "pending_shared": [],
            "shared_team_ids": [TEAM],
            "is_member": True,
            **fields,
        }
        self.inside[id] = {*members, *([ME] if self.channels[id]["is_member"] else [])}
        return id

    def count(self, method: str) -> int:
        return sum(name == method for name, _ in self.calls)

    # -- the SDK's one way out -------------------------------------------------------------------------------------

    async def api_call(self, api_method: str, **request: Any) -> AsyncSlackResponse:
        given = {key: value for key, value in (request.get("params") or {}).items() if value is not None}
        self.calls.append((api_method, given))
        told, status = self._told(api_method, given)  # as it is now; it may be on its way for a while
        await asyncio.sleep(self.limited.get(api_method, 0.0))
        failure = self.failing.get(api_method)
        if isinstance(failure, Exception):
            raise failure
        if not told["ok"]:
            raise SlackApiError("refused", self._response(told, status))  # type: ignore[no-untyped-call]
        return self._response(told, status)

    def _told(self, method: str, given: dict[str, Any]) -> tuple[dict[str, Any], int]:
        failure = self.failing.get(method)
        if isinstance(failure, str):
            return {"ok": False, "error": failure}, 429 if failure == "ratelimited" else 200
        try:
            return {"ok": True, **(self.broken.get(method) or self._answer(method, given))}, 200
        except _Refused as refused:
            return {"ok": False, "error": str(refused)}, 200

    def _response(self, data: dict[str, Any], status: int) -> AsyncSlackResponse:
        return AsyncSlackResponse(
            client=self, http_verb="GET", api_url="", req_args={}, data=data, headers={}, status_code=status
        )

    def _answer(self, method: str, given: dict[str, Any]) -> dict[str, Any]:
        match method:
            case "users.info":
                if given["user"] not in self.users:
                    raise _Refused("user_not_found")
                return {"user": self.users[given["user"]]}
            case "users.list":
                ours = [user for user in self.users.values() if user["team_id"] == TEAM]
                return self._paged("members", ours, given)
            case "conversations.info":
                return {"channel": self._visible(given["channel"])}
            case "conversations.members":
                self._visible(given["channel"])
                return self._paged("members", sorted(self.inside[given["channel"]]), given)
            case "users.conversations":
                assert given["types"] == "public_channel,private_channel,mpim"
                assert given["exclude_archived"]
                user = given.get("user", ME)
                mine = [c for id, c in self.channels.items() if user in self.inside[id] and self._lists(id)]
                return self._paged("channels", mine, given)
            case "conversations.replies":
                return self._replies(given)
            case _:
                raise AssertionError(f"nobody should call {method}")

    def _visible(self, id: str) -> dict[str, Any]:
        channel = self.channels.get(id)
        if channel is None or (channel["is_private"] and ME not in self.inside[id]):
            raise _Refused("channel_not_found")
        return {**channel, "is_member": ME in self.inside[id]}

    def _lists(self, id: str) -> bool:
        channel = self.channels[id]
        if channel.get("is_im"):  # not of the kinds that are asked for
            return False
        return not channel["is_archived"] and (not channel["is_private"] or ME in self.inside[id])

    def _replies(self, given: dict[str, Any]) -> dict[str, Any]:
        thread = self.threads.get((given["channel"], given["ts"]))
        if thread is None:
            raise _Refused("thread_not_found")
        latest = given.get("latest", "9")
        return self._paged("messages", [one for one in thread if one["ts"] < latest], given)

    def _paged(self, items: str, listed: list[Any], given: dict[str, Any]) -> dict[str, Any]:
        start = int(given.get("cursor", 0))
        end = start + min(self.page, given.get("limit", 100))
        more = end < len(listed)
        metadata = {"next_cursor": str(end) if more else ""}
        return {items: listed[start:end], "has_more": more, "response_metadata": metadata}


class _Refused(Exception):
    """What Slack refuses with this word."""
