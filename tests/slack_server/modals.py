"""Modals and Home tabs: what a view may be, and whose screen it is on."""

from __future__ import annotations

import copy
import json
import time
import uuid
from dataclasses import dataclass
from typing import Any

from tests.slack_server.blocks import view_errors, with_ids
from tests.slack_server.checking import Checker
from tests.slack_server.content import check_pings
from tests.slack_server.core import Core
from tests.slack_server.errors import JSON, Refused, invalid_arguments
from tests.slack_server.rendering import nodes
from tests.slack_server.world import View

TRIGGER_SECONDS = 3.0
STACK = 3
_MODAL = "submit close callback_id private_metadata clear_on_close notify_on_close external_id submit_disabled"
_HOME = "callback_id private_metadata external_id"


@dataclass(eq=False, repr=False)
class Modals(Core):
    """Open views. On the loop only."""

    def check_view(self, content: Any, *, kind: str = "modal") -> JSON:
        """A view as it may be shown, or ``invalid_arguments``."""
        if isinstance(content, str):
            content = json.loads(content)
        check = Checker()
        required, optional = ("type title blocks", _MODAL) if kind == "modal" else ("type blocks", _HOME)
        if not check.fields(content, "/view", required, optional) or content["type"] != kind:
            raise invalid_arguments(*check.errors or [f"must be a {kind} [json-pointer:/view/type]"])
        for name in ("title", "submit", "close"):
            if content.get(name) is not None:
                check.text(content[name], f"/view/{name}", 24, plain=True)
        for name, limit in (("callback_id", 255), ("external_id", 255), ("private_metadata", 3000)):
            if content.get(name) is not None:
                check.string(content[name], f"/view/{name}", limit, least=0)
        check.errors += view_errors(content)
        if check.errors:
            raise invalid_arguments(*check.errors)
        if "files:read" not in self.scopes and any(
            node.get("type") == "file_input" for node in nodes(content["blocks"])
        ):
            raise invalid_arguments("file_input needs the scope files:read [json-pointer:/view/blocks]")
        check_pings(self, "views", [], content["blocks"])
        view: JSON = copy.deepcopy(content)
        with_ids(view["blocks"])
        return view

    def use_trigger(self, args: JSON) -> str:
        """The person behind a trigger id, which is good once and for three seconds."""
        trigger_id = args.get("trigger_id")
        if not trigger_id:
            raise invalid_arguments("missing required field: trigger_id")
        if trigger_id not in self.triggers:
            raise Refused("invalid_trigger_id")
        trigger = self.triggers[trigger_id]
        if trigger is None:
            raise Refused("exchanged_trigger_id")
        if time.monotonic() - trigger.at > TRIGGER_SECONDS:
            raise Refused("expired_trigger_id")
        self.triggers[trigger_id] = None
        return trigger.user

    def views_of(self, user: str) -> list[View]:
        """The stack of a person's open modals, the top one last."""
        return [view for view in list(self.views.values()) if view.user == user]

    def put_view(self, user: str, content: JSON, *, under: View | None = None) -> View:
        """Show a checked view; ``under``: the view that it is pushed upon."""
        if under is not None and len(self.views_of(user)) >= STACK:
            raise Refused("push_limit_reached")
        id = self.new_id("V")
        view = View(id, user, content, under.root_id if under else id, self.name_of, under.id if under else None)
        view.hash = uuid.uuid4().hex[:12]
        self.views[id] = view
        return view

    def replace_view(self, view: View, content: JSON) -> None:
        """Show other checked content in an open view."""
        view.content, view.hash, view.errors = content, uuid.uuid4().hex[:12], {}

    def close_view(self, view: View) -> None:
        """Take a view away; what lies under it comes up."""
        self.views.pop(view.id, None)
