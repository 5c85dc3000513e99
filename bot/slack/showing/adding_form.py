"""The form that adds documents: what is added, what it is called, and who may get answers from it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.answering.visible import one_line
from bot.slack.adding.form import LONGEST_ADDRESS, LONGEST_TEXT, LONGEST_TITLE, MOST_FILES, Form, Part
from bot.slack.showing import actions
from bot.slack.showing.elements import Block, Element, grey, plain
from bot.slack.showing.forms import View, label, modal, one_sentence
from bot.texts import Texts

if TYPE_CHECKING:
    from bot.slack.rights import Choice, Choices

_LONGEST_OPTION = 75
_LONGEST_CHANNEL = 50


def loading_form(texts: Texts) -> View:
    """Opened at once, as Slack waits three seconds for a form; ``adding_form`` then takes its place."""
    return _view(texts, [grey(texts.say("form_loading"))])


def refusal_form(sentence: str, texts: Texts, *, reference: str | None = None) -> View:
    """In place of the form: why there is nothing to add here, for this person, now."""
    return _view(texts, one_sentence(sentence, texts, reference=reference))


def adding_form(form: Form, choices: Choices, texts: Texts, *, title: str = "") -> View:
    """What somebody fills in: files, a link or text of their own; or, of a message, which part of it.

    ``choices`` has at least one option (what is refused is ``refusal_form``). ``title`` is proposed.
    """
    asked = [_what(form, texts)] if form.message else _own(texts)
    blocks = [
        *asked,
        _title(title, texts),
        _audience(choices, texts),
        grey(texts.say("form_deleted_message" if form.message else "form_deleted_file")),
    ]
    return _view(texts, blocks) | {
        "submit": label(texts.say("form_add")),
        "close": label(texts.say("adding_button_cancel")),
        "private_metadata": form.as_metadata(),
    }


def audience_option(choice: Choice, texts: Texts) -> str:
    """``All employees (not guests)``, ``#finance, 12 members``, ``Only me``."""
    audience, count = choice.audience, choice.members
    if audience.kind == "workspace":
        return texts.say("form_for_employees")
    if audience.kind == "user":
        return texts.say("form_for_me")
    if audience.kind != "channel":
        return texts.say("form_for_everybody")
    name = one_line(choice.channel_name, _LONGEST_CHANNEL)
    if name:
        return texts.say("form_for_channel", name=name, count=count)
    return texts.say("form_for_conversation", count=count)


# -- within ------------------------------------------------------------------------------------------------------------


def _view(texts: Texts, blocks: list[Block]) -> View:
    return modal(actions.ADDING_VIEW, "form_title", blocks, texts)


def _own(texts: Texts) -> list[Block]:
    """Files, or a link, or text: each may be left out."""
    files: Element = {"type": "file_input", "max_files": MOST_FILES}
    return [
        _input(actions.FILES_BLOCK, texts.say("form_files"), files, optional=True),
        _input(actions.LINK_BLOCK, texts.say("form_link"), _field(LONGEST_ADDRESS), optional=True),
        _input(actions.TEXT_BLOCK, texts.say("form_text"), _field(LONGEST_TEXT, multiline=True), optional=True),
    ]


def _what(form: Form, texts: Texts) -> Block:
    """Which part of the message; its files are the likeliest, then the thread that it begins."""
    options = {part: _option(_part(part, form, texts), part) for part in form.parts}
    likely: list[Part] = ["files", "thread"] if form.thread == form.message else ["files", "message"]
    chosen = next((part for part in likely if part in options), form.parts[0])
    return _input(actions.WHAT_BLOCK, texts.say("form_what"), _radio(list(options.values()), options[chosen]))


def _part(part: Part, form: Form, texts: Texts) -> str:
    if part == "files" and len(form.files) == 1:
        return texts.say("form_what_file", name=one_line(form.files[0][1], 50) or form.files[0][0])
    return texts.say("form_what_files", count=len(form.files)) if part == "files" else texts.say(f"form_what_{part}")


def _title(proposed: str, texts: Texts) -> Block:
    title = one_line(proposed, LONGEST_TITLE)
    element = _field(LONGEST_TITLE) | ({"initial_value": title} if title else {})
    hint = texts.say("form_document_title_hint")
    return _input(actions.TITLE_BLOCK, texts.say("form_document_title"), element, hint=hint, optional=True)


def _audience(choices: Choices, texts: Texts) -> Block:
    options = [_option(audience_option(choice, texts), str(choice.audience)) for choice in choices.options]
    default = next((one for one in options if one["value"] == str(choices.default)), None)
    hint = None
    if choices.beyond:
        hint = texts.say("form_beyond")
    elif choices.limited:
        hint = texts.say("form_limited")
    return _input(actions.AUDIENCE_BLOCK, texts.say("form_audience"), _radio(options, default), hint=hint)


def _input(block: str, label: str, element: Element, *, hint: str | None = None, optional: bool = False) -> Block:
    field = element | {"action_id": block}
    asked: Block = {"type": "input", "block_id": block, "label": plain(label), "element": field}
    return asked | ({"hint": plain(hint)} if hint else {}) | ({"optional": True} if optional else {})


def _field(longest: int, *, multiline: bool = False) -> Element:
    field: Element = {"type": "plain_text_input", "max_length": longest}
    return field | ({"multiline": True} if multiline else {})


def _radio(options: list[Element], chosen: Element | None) -> Element:
    radio: Element = {"type": "radio_buttons", "options": options}
    return radio | ({"initial_option": chosen} if chosen else {})


def _option(label: str, value: str) -> Element:
    return {"text": plain(label, _LONGEST_OPTION), "value": value}
