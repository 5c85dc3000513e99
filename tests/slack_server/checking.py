"""What block checks are made of: a list of errors with JSON pointers, and checks of text objects and fields."""

from __future__ import annotations

from typing import Any

from tests.slack_server.errors import JSON

ID_LIMIT = 255


class Checker:
    """Collects what is wrong. ``text_characters`` and ``markdown_characters`` add up what there is to read."""

    def __init__(self) -> None:
        self.errors: list[str] = []
        self.text_characters = 0
        self.markdown_characters = 0
        self.action_ids: set[tuple[str, str]] = set()

    def wrong(self, path: str, what: str) -> None:
        self.errors.append(f"{what} [json-pointer:{path}]")

    def fields(self, value: Any, path: str, required: str, optional: str) -> bool:
        """An object with all required fields and no unknown ones (names separated by spaces)."""
        if not isinstance(value, dict):
            self.wrong(path, "must be an object")
            return False
        needed, allowed = required.split(), required.split() + optional.split()
        missing = [name for name in needed if value.get(name) is None]
        for name in missing:
            self.wrong(path, f"missing required field: {name}")
        for name in value:
            if name not in allowed:
                self.wrong(f"{path}/{name}", f"no more fields allowed: {name}")
        return not missing

    def string(self, value: Any, path: str, limit: int, *, least: int = 1) -> bool:
        if not isinstance(value, str):
            self.wrong(path, "must be a string")
            return False
        if len(value) < least:
            self.wrong(path, f"must be more than {least - 1} characters")
        if len(value) > limit:
            self.wrong(path, f"must be less than {limit + 1} characters")
        return True

    def optional(self, value: JSON, name: str, path: str, limit: int) -> None:
        """A string field that may be missing."""
        if value.get(name) is not None:
            self.string(value[name], f"{path}/{name}", limit)

    def array(self, value: Any, path: str, limit: int, *, least: int = 1) -> list[Any]:
        """The items, or none where it is no list."""
        if not isinstance(value, list):
            self.wrong(path, "must be an array")
            return []
        if len(value) < least:
            self.wrong(path, f"must have at least {least} items")
        if len(value) > limit:
            self.wrong(path, f"no more than {limit} items allowed")
        return value

    def boolean(self, value: JSON, name: str, path: str) -> None:
        if value.get(name) is not None and not isinstance(value[name], bool):
            self.wrong(f"{path}/{name}", "must be a boolean")

    def one_of(self, value: JSON, name: str, path: str, allowed: str) -> None:
        if value.get(name) is not None and value[name] not in allowed.split():
            self.wrong(f"{path}/{name}", f"must be one of: {', '.join(allowed.split())}")

    def url(self, value: Any, path: str) -> None:
        """An absolute address."""
        if self.string(value, path, 3000) and not value.lower().startswith(
            ("http://", "https://", "mailto:", "slack:")
        ):
            self.wrong(path, "invalid url")

    def text(self, value: Any, path: str, limit: int, *, plain: bool = False, least: int = 1) -> None:
        """A text object; ``plain``: only ``plain_text`` is taken here."""
        kind = value.get("type") if isinstance(value, dict) else None
        if kind not in (("plain_text",) if plain else ("plain_text", "mrkdwn")):
            self.wrong(f"{path}/type", "must be plain_text" if plain else "must be plain_text or mrkdwn")
            return
        if self.fields(value, path, "type text", "emoji" if kind == "plain_text" else "verbatim") and self.string(
            value["text"], f"{path}/text", limit, least=least
        ):
            self.text_characters += len(value["text"])
        for name in ("emoji", "verbatim"):
            self.boolean(value, name, path)

    def action_id(self, value: JSON, path: str, block_path: str) -> None:
        """An ``action_id`` that no other element of the block has."""
        name = value.get("action_id")
        if name is None or not self.string(name, f"{path}/action_id", ID_LIMIT):
            return
        if (block_path, name) in self.action_ids:
            self.wrong(f"{path}/action_id", f"`action_id` {name} already exists")
        self.action_ids.add((block_path, name))

    def confirm(self, value: Any, path: str) -> None:
        """A confirmation dialog, if there is one."""
        if value is None or not self.fields(value, path, "title text confirm deny", "style"):
            return
        for name, limit in (("title", 100), ("confirm", 30), ("deny", 30)):
            self.text(value[name], f"{path}/{name}", limit, plain=True)
        self.text(value["text"], f"{path}/text", 300)

    def option(self, value: Any, path: str, *, plain: bool, links: bool = False) -> None:
        """An option of a menu; ``plain``: its text can be ``plain_text`` only; ``links``: it may open an address."""
        if self.fields(value, path, "text value", "description url" if links else "description"):
            self.text(value["text"], f"{path}/text", 75, plain=plain)
            self.string(value["value"], f"{path}/value", 150)
            if value.get("description") is not None:
                self.text(value["description"], f"{path}/description", 75, plain=plain)
            if links and value.get("url") is not None:
                self.url(value["url"], f"{path}/url")

    def options(self, element: JSON, path: str, limit: int, *, plain: bool = True) -> None:
        """``options`` (or ``option_groups``) of a menu, and its first choice, which must be one of them."""
        known = list(self.array(element["options"], f"{path}/options", limit)) if "options" in element else []
        for at, option in enumerate(known):
            self.option(option, f"{path}/options/{at}", plain=plain, links=element.get("type") == "overflow")
        for at, group in enumerate(element.get("option_groups") or []):
            where = f"{path}/option_groups/{at}"
            if self.fields(group, where, "label options", ""):
                self.text(group["label"], f"{where}/label", 75, plain=True)
                self.options(group, where, limit, plain=plain)
                known += group["options"]
        chosen = list(element.get("initial_options") or [])
        chosen += [element["initial_option"]] if element.get("initial_option") else []
        if any(option not in known for option in chosen):
            self.wrong(path, "initial option must be one of the options")
