"""Pages that are not the document somebody meant: sign-in pages, and pages that only a script would fill."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from .errors import SourceRefused
from .reading.draft import Draft
from .reading.markup import parse

# Sites whose documents are shown to people who have signed in, by a script. The pattern names what to do instead.
_SITES = (
    (re.compile(r"(?:docs|drive|sheets|slides)\.google\.com"), "Google Drive", "File › Download"),
    (re.compile(r"(?:[\w-]+\.)*notion\.(?:so|site|com)"), "Notion", "Export"),
    (re.compile(r"[\w-]+\.atlassian\.net"), "Confluence", "Export to PDF or Word"),
    (re.compile(r"[\w-]+\.sharepoint\.com|onedrive\.live\.com|1drv\.ms"), "SharePoint or OneDrive", "Download"),
)
_PUBLISHED = re.compile(r"/(?:export|pub|pubhtml|uc)(?:$|[/?])")  # of Google: the file itself, or a page without script
_SIGN_IN_HOSTS = re.compile(
    r"accounts\.google\.com|login\.microsoftonline\.com|login\.live\.com|(?:[\w-]+\.)*okta\.com|(?:[\w-]+\.)*auth0\.com"
    r"|(?:[\w-]+\.)*onelogin\.com|id\.atlassian\.com|(?:[\w-]+\.)*duosecurity\.com|login\.[\w.-]+|sso\.[\w.-]+"
)
_SIGN_IN_PATHS = re.compile(r"/(?:login|log-in|signin|sign-in|sso|saml2?|adfs/ls|oauth2?/authorize)(?:$|[/.?])", re.I)
_SAML = re.compile(r"""name=["']?(?:SAMLRequest|SAMLResponse)\b""", re.IGNORECASE)
_SCRIPT_WANTED = re.compile(r"(?:enable|requires?|activer|activate|needs?)\s+(?:\w+\s+){0,4}javascript", re.IGNORECASE)
_FILLED_BY_SCRIPT = frozenset({"root", "app", "__next", "__nuxt", "svelte", "main-app", "react-root", "application"})
_LOOKED_AT = 1_000_000  # bytes; a page of more is neither a form nor empty
_LITTLE_TEXT = 250
_SIGN_IN_TEXT = 2_000


def refuse_sign_in_site(url: str, *, redirected: bool) -> None:
    """``SourceRefused`` where a URL is known to lead to a sign-in page; nothing is fetched to find out.

    ``redirected``: a site sent us there, so that a host or path with "login" in it means what it says.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    for pattern, site, export in _SITES:
        if pattern.fullmatch(host) and not (site == "Google Drive" and _PUBLISHED.search(parts.path + "?")):
            raise SourceRefused(
                f"Documents in {site} cannot be read by their link; use {export} there and add the file, "
                "or paste the text."
            )
    if redirected and (_SIGN_IN_HOSTS.fullmatch(host) or _SIGN_IN_PATHS.search(parts.path)):
        raise _sign_in(host)


def refuse_sign_in_page(url: str, data: bytes, declared_type: str | None) -> None:
    """``SourceRefused`` where HTML is a sign-in page, or an empty page that a script fills. Other bytes are left alone.

    Blocking: it parses the page.
    """
    head = data[:2048].lstrip().lower()
    if b"<html" not in head and b"<!doctype html" not in head and "html" not in (declared_type or ""):
        return
    html = data[:_LOOKED_AT].decode("utf-8", "replace")  # words in other encodings do not matter here
    page, draft = parse(html), Draft()
    page.write(draft)
    host = urlsplit(url).hostname or url
    elements = list(page.root.walk())
    password = any(element.tag == "input" and element.attributes.get("type") == "password" for element in elements)
    if (password and draft.length < _SIGN_IN_TEXT) or _SAML.search(html):
        raise _sign_in(host)
    if len(data) <= _LOOKED_AT and draft.length < _LITTLE_TEXT and any(element.tag == "script" for element in elements):
        filled = any(element.attributes.get("id") in _FILLED_BY_SCRIPT for element in elements)
        wanted = any(element.tag == "noscript" and _SCRIPT_WANTED.search(element.text()) for element in elements)
        if filled or wanted or not draft.length:
            raise SourceRefused(
                f"{host} shows a page that is empty until a script in a browser fills it; print it to a PDF "
                "and add that, or paste the text."
            )


def _sign_in(host: str) -> SourceRefused:
    return SourceRefused(
        f"{host} shows a sign-in page instead of the document; download the file while signed in and add that."
    )
