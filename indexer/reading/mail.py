"""Mail as text: subject, who wrote when to whom, and the body. Attachments are named, not read."""

from __future__ import annotations

from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage

from indexer.reading.details import sensible_date
from indexer.reading.draft import Draft, one_line
from indexer.reading.markup import parse
from indexer.reading.plain_text import decode

_HEADERS = ("From", "To", "Cc", "Date")


def write(data: bytes, draft: Draft) -> tuple[str | None, datetime | None]:
    """Write a mail into the draft; its subject and date.

    The plain text of the body is taken where there is one, as it stands; else its HTML as a reader shows it.
    """
    if data.startswith(b"From ") and b"\n" in data:  # a mailbox file: the line before the first mail
        data = data[data.index(b"\n") + 1 :]
    message = message_from_bytes(data, policy=policy.default)
    subject = _header(message, "Subject")
    if subject:
        draft.heading(1, subject)
    for name in _HEADERS:
        if value := _header(message, name):
            draft.line(f"{name}: {value}", "headers")
    _body(message, draft)
    names = [
        one_line(part.get_filename() or "") for part in message.walk() if part.get_content_disposition() == "attachment"
    ]
    if names := [name for name in names if name]:
        draft.paragraph("Attachments: " + ", ".join(names))
    return subject or None, sensible_date(_header(message, "Date"))


def _header(message: EmailMessage, name: str) -> str:
    try:
        return one_line(str(message.get(name) or ""))
    except (ValueError, IndexError, AttributeError, TypeError):  # the standard library fails on some broken headers
        return ""


def _body(message: EmailMessage, draft: Draft) -> None:
    plain = _parts(message, "text/plain")
    if any(text.strip() for text in plain):
        for text in plain:
            draft.verbatim(text)
        return
    for text in _parts(message, "text/html"):
        parse(text).write(draft)


def _parts(message: EmailMessage, media_type: str) -> list[str]:
    return [
        _text(part)
        for part in message.walk()
        if part.get_content_type() == media_type and part.get_content_disposition() != "attachment"
    ]


def _text(part: EmailMessage) -> str:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    declared = part.get_content_charset()
    if declared:
        try:
            return payload.decode(declared)
        except (UnicodeDecodeError, LookupError):
            pass
    try:
        return decode(payload)
    except ValueError:
        return ""
