"""The form that adds documents, as Slack keeps it and sends it in: what it is about, and what a person put into it.

Nothing here asks Slack; whom they may let read it is seen to by those who take it.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, TypeGuard

from bot.adding import Item, What
from bot.answering.visible import one_line, visible
from bot.slack.adding.permalinks import item_of
from bot.slack.markup import unescape
from bot.slack.showing import actions
from bot.slack.showing.elements import web_address

MOST_FILES: Final = 10
LONGEST_TEXT: Final = 3_000  # characters; Slack's own limit for one field
LONGEST_TITLE: Final = 150
LONGEST_ADDRESS: Final = 2_000
_LONGEST_NAME = 80
_LONGEST_WAY = 500  # characters of a response URL
_GONE = {"tombstone", "hidden_by_limit"}
_ID = re.compile(r"[\w.-]{1,64}")
MOST_LINKS = 10  # in one command, as files in one form
_AS_LINK = re.compile(r"<(?P<url>[^<>|\s]+)(?:\|[^<>]*)?>")

Part = Literal["message", "thread", "files"]
Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Form:
    """What a form is about, from where it is opened to where it is sent in. Slack keeps it with the form.

    ``id`` becomes the request's, so that a form that is sent in twice adds once. ``channel`` is where it was opened,
    "" for the Home tab. Of a shortcut: ``message`` is the ``ts`` of the message it was used on, ``thread`` the root's
    where that is in a thread, ``name`` the message's first words, ``files`` its files as (id, name).
    """

    id: str
    channel: str = ""
    message: str = ""
    thread: str = ""
    name: str = ""
    files: tuple[tuple[str, str], ...] = ()
    response_url: str | None = None

    @property
    def origins(self) -> frozenset[str]:
        """The conversation that what is added stands in; empty for what is the person's own."""
        return frozenset({self.channel}) if self.message else frozenset()

    @property
    def parts(self) -> tuple[Part, ...]:
        """What of a message can be added."""
        parts: list[Part] = ["message"] if self.name else []
        parts += ["thread"] if self.thread else []
        parts += ["files"] if self.files else []
        return tuple(parts) or ("message",)

    def as_metadata(self) -> str:
        """For ``private_metadata``, which holds 3,000 characters; nobody sees it."""
        kept = {name: value for name, value in asdict(self).items() if value}
        if len(self.response_url or "") > _LONGEST_WAY:
            del kept["response_url"]
        return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def of_metadata(cls, kept: object) -> Form | None:
        """What ``as_metadata`` wrote; None for anything else."""
        try:
            told = json.loads(kept if isinstance(kept, str) else "")
            files = tuple((str(id), str(name)) for id, name in told.pop("files", ()))
            form = cls(**told, files=files)
            return form if _ID.fullmatch(form.id) else None
        except (ValueError, TypeError, AttributeError):
            return None


def new_id(trigger: str) -> str:
    """The id of a request that one gesture makes: told of twice it is the same one."""
    return hashlib.sha256(trigger.encode()).hexdigest()[:16] if trigger else secrets.token_hex(8)


def form_of_shortcut(body: Fields) -> Form | None:
    """The form for a shortcut that was used on a message; None where Slack does not tell which message that is.

    >>> body = {"trigger_id": "1.2", "channel": {"id": "C1"}, "message": {"ts": "1.1", "text": "Closed on 12 May."}}
    >>> form = form_of_shortcut(body)
    >>> form.channel, form.message, form.parts
    ('C1', '1.1', ('message',))
    """
    message = _fields(body, "message")
    channel, ts = _text(_fields(body, "channel"), "id"), _text(message, "ts")
    if not (_ID.fullmatch(channel) and _ID.fullmatch(ts)):
        return None
    files = [file for file in _list(message, "files") if file.get("mode") not in _GONE and _ID.fullmatch(_id(file))]
    thread = _text(message, "thread_ts") or (ts if message.get("reply_count") else "")
    return Form(
        id=new_id(_text(body, "trigger_id")),
        channel=channel,
        message=ts,
        thread=thread,
        name=one_line(unescape(_text(message, "text")), _LONGEST_NAME) or _words_in(message),
        files=tuple((_id(file), one_line(_name(file), 60)) for file in files[:MOST_FILES]),
        response_url=_text(body, "response_url") or None,
    )


@dataclass(frozen=True, slots=True)
class Sent:
    """What a person sent in. ``errors`` has by block the key of the text that says what is wrong with it."""

    items: tuple[Item, ...] = ()
    audience: str = ""
    errors: dict[str, str] = field(default_factory=dict)


def sent_in(form: Form, view: Fields, host: str) -> Sent:
    """What was put into a form; ``host`` is the workspace's own, whose links name messages and files.

    Two files, a link and a text are four items. A title is for one item: with more of them it is an error.

    >>> state = {"values": {"adding_text": {"adding_text": {"value": "Closed on 12 May."}},
    ...     "adding_audience": {"adding_audience": {"selected_option": {"value": "user:U1"}}}}}
    >>> sent = sent_in(Form("Ab3"), {"state": state}, "x.slack.com")
    >>> [(str(item.what), item.ref, item.name) for item in sent.items], sent.audience, sent.errors
    ([('text', 'Ab3', 'Closed on 12 May.')], 'user:U1', {})
    """
    title = one_line(_value(view, actions.TITLE_BLOCK), LONGEST_TITLE)
    errors: dict[str, str] = {}
    if form.message:
        items = _of_message(form, _chosen(view, actions.WHAT_BLOCK))
        if not items:
            errors[actions.WHAT_BLOCK] = "form_choose_what"
    else:
        link = _value(view, actions.LINK_BLOCK).strip()
        linked = linked_item(link, host)
        items = [*_of_files(view), *([linked] if linked else []), *_of_text(form, view)]
        if link and linked is None:
            errors[actions.LINK_BLOCK] = "form_no_address"
        elif not items:
            errors[actions.FILES_BLOCK] = "form_nothing"
    if title and len(items) > 1:
        errors[actions.TITLE_BLOCK] = "form_one_title"
    elif title:
        items = [_titled(item, title) for item in items]
    audience = _chosen(view, actions.AUDIENCE_BLOCK)
    if not audience:
        errors[actions.AUDIENCE_BLOCK] = "form_choose_audience"
    return Sent(tuple(items), audience, errors)


def linked_item(address: str, host: str) -> Item | None:
    """What an address names: a message, a thread or a file in Slack, or a page; None where it is no web address.

    >>> linked_item("https://example.com/guide.html?page=2", "x.slack.com").name
    'example.com/guide.html'
    """
    if not is_address(address):
        return None
    found = item_of(address, host)
    if found is not None:
        return found
    # The name is shown, so a password that stands in the address is not in it; such an address is refused later.
    shown = re.sub(r"^[a-z]+://([^/?#]*@)?(www\.)?", "", address, flags=re.IGNORECASE)
    name = shown.partition("?")[0].partition("#")[0]
    return Item(What.LINK, address, one_line(name.rstrip("/"), _LONGEST_NAME) or address)


def is_address(address: str) -> bool:
    """Whether it is one address of the web, of a length that can be kept."""
    return web_address(address) is not None and not re.search(r"\s", address) and len(address) <= LONGEST_ADDRESS


def command_links(argument: str, host: str) -> Sent:
    """What ``/docs add URL [title]`` or ``/docs add URL URL …`` adds; ``argument`` is as Slack sent it.

    Where there is no address, or a title for several, ``errors`` hold that for the field of the link.

    >>> (item,) = command_links("<https://example.com/?a=1&amp;b=2> Travel &amp; hotels", "x.slack.com").items
    >>> item.ref, item.title
    ('https://example.com/?a=1&b=2', 'Travel & hotels')
    """
    items: dict[str, Item] = {}  # by address: the same twice is one
    rest = argument.strip()
    while rest:
        match = _AS_LINK.match(rest)
        address, after = (match["url"], rest[match.end() :]) if match else rest.partition(" ")[::2]
        item = linked_item(unescape(address), host)
        if item is None:
            break
        items[item.ref], rest = item, after.strip()
    title = one_line(unescape(rest), LONGEST_TITLE)
    if not items or len(items) > MOST_LINKS:
        return Sent(errors={actions.LINK_BLOCK: "adding_too_many_links" if items else "adding_no_link"})
    if title and len(items) > 1:
        return Sent(errors={actions.LINK_BLOCK: "adding_link_is_none"})
    return Sent(tuple(_titled(item, title) if title else item for item in items.values()))


# -- within ------------------------------------------------------------------------------------------------------------


def _titled(item: Item, title: str) -> Item:
    return Item(item.what, item.ref, item.name, item.text, title)


def _of_message(form: Form, part: str) -> list[Item]:
    """The items of the chosen part of a message."""
    if part not in form.parts:
        return []
    if part == "message":
        return [Item(What.MESSAGE, f"{form.channel}:{form.message}", form.name)]
    if part == "thread":
        return [Item(What.THREAD, f"{form.channel}:{form.thread}", form.name)]
    return [Item(What.FILE, id, name) for id, name in form.files]


def _of_files(view: Fields) -> list[Item]:
    """The files that were uploaded, each once."""
    files = {_id(file): _name(file) for file in _list(_input(view, actions.FILES_BLOCK), "files")}
    named = [(id, one_line(name, _LONGEST_NAME)) for id, name in files.items() if _ID.fullmatch(id)]
    return [Item(What.FILE, id, name or id) for id, name in named[:MOST_FILES]]


def _of_text(form: Form, view: Fields) -> list[Item]:
    """The pasted text; named by its first line until it has been read. One form has one text, so it has its id."""
    text = visible(_value(view, actions.TEXT_BLOCK)).strip()
    first = next((line for line in text.splitlines() if line.strip()), "")
    return [Item(What.TEXT, form.id, one_line(first.lstrip("# "), 60) or "…", text)] if first else []


def _words_in(message: Fields) -> str:
    """The first words of a message that has them in blocks or attachments only."""
    for name in ("blocks", "attachments"):
        for one in _list(message, name):
            if found := one_line(_first_text(one), _LONGEST_NAME):
                return found
    return ""


def _first_text(value: object) -> str:
    if _is_object(value):
        own = next((value[name] for name in ("text", "fallback", "title") if isinstance(value.get(name), str)), "")
        return own or next((found for inner in value.values() if (found := _first_text(inner))), "")
    if isinstance(value, list):
        return next((found for inner in value if (found := _first_text(inner))), "")
    return ""


def _value(view: Fields, block: str) -> str:
    """What was written into a field."""
    return _text(_input(view, block), "value")


def _chosen(view: Fields, block: str) -> str:
    """The value of the option that was chosen."""
    return _text(_fields(_input(view, block), "selected_option"), "value")


def _input(view: Fields, block: str) -> Fields:
    return _fields(_fields(_fields(_fields(view, "state"), "values"), block), block)


def _id(file: Fields) -> str:
    return _text(file, "id")


def _name(file: Fields) -> str:
    return _text(file, "name") or _text(file, "title") or _id(file)


def _fields(body: Fields, name: str) -> Fields:
    value = body.get(name)
    return value if isinstance(value, Mapping) else {}


def _list(body: Fields, name: str) -> list[Fields]:
    value = body.get(name)
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _is_object(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _text(body: Fields, name: str) -> str:
    value = body.get(name)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
