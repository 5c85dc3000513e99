"""Pages that are not the document somebody meant: sign-in pages, and pages that only a script would fill."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from .errors import SourceRefused
from .reading.draft import Draft
from .reading.html_tree import Element
from .reading.markup import parse

# Sites whose documents are shown to people who have signed in, by a script: host and path, the site's name, what to do
# there instead, and the addresses (path and query) that give the file itself, or a page without a script.
_SITES = (
    (
        re.compile(r"(?:docs|drive|sheets|slides|forms|keep)\.google\.com/"),
        "Google Drive",
        "File › Download",
        re.compile(r"/(?:export|pub|pubhtml|uc)(?:$|[/?])"),
    ),
    (re.compile(r"(?:[\w-]+\.)*notion\.(?:so|site|com)/"), "Notion", "Export", None),
    (re.compile(r"[\w-]+\.atlassian\.net/"), "Confluence", "Export to PDF or Word", None),
    (
        re.compile(r"[\w-]+\.sharepoint\.com/|onedrive\.live\.com/|1drv\.ms/"),
        "SharePoint or OneDrive",
        "Download",
        None,
    ),
    (
        re.compile(r"(?:www\.)?dropbox\.com/(?:s|scl|sh|home|preview)/"),
        "Dropbox",
        "Download",
        re.compile(r"\b(?:dl|raw)=1\b"),
    ),
    (re.compile(r"(?:[\w-]+\.)*box\.com/(?:s|file|folder|v)/"), "Box", "Download", re.compile(r"/shared/static/")),
    (
        re.compile(r"(?:[\w-]+\.)*slack\.com/(?:archives|files|files-pri|docs|canvas|client)/"),
        "Slack",
        "Download",
        None,
    ),
)
_SIGN_IN_HOSTS = re.compile(
    r"accounts\.google\.com|login\.microsoftonline\.com|login\.live\.com|id\.atlassian\.com"
    r"|[\w-]+\.(?:b2clogin|ciamlogin|cloudflareaccess)\.com"
)
# What these hosts and paths are called is taken at its word only where a site sent us there: their makers have
# documents, too.
_SIGN_IN_NAMES = re.compile(
    r"(?:log-?in|sign-?in|sso|auth|idp|adfs|cas)\.[\w.-]+"
    r"|(?:[\w-]+\.)*(?:okta|oktapreview|auth0|onelogin|duosecurity|pingone|pingidentity|jumpcloud|amazoncognito)\.com"
)
_SIGN_IN_PATHS = re.compile(
    r"/(?:wp-login|log[-_]?in|sign[-_]?in|log[-_]?on|sso|saml2?|samlsso|adfs/ls|oauth2?/(?:authorize|auth|start)"
    r"|openid-connect/auth|external-login|shibboleth\.sso|my\.policy|dana-na)(?:$|[/.?])",
    re.IGNORECASE,
)
_SAML = re.compile(r"""name=["']?(?:SAMLRequest|SAMLResponse)\b""", re.IGNORECASE)
_SIGN_IN_TITLES = re.compile(
    r"^\W*(?:please |bitte |veuillez )?(?:log[\s-]?in|sign[\s-]?in|log[\s-]?on|single sign[\s-]?on"
    r"|anmelden|anmeldung|einloggen|connexion|se connecter|connectez-vous|identifiez-vous"
    r"|iniciar sesi[oó]n|inicio de sesi[oó]n|accedi|inloggen|logga in|ログイン|サインイン|登录|登入)"
    r"(?:$|[^\w]|\s)"
    r"|[-–—|·:»]\s*(?:log[\s-]?in|sign[\s-]?in|log[\s-]?on|anmelden|anmeldung|connexion|iniciar sesi[oó]n)\W*$",
    re.IGNORECASE,
)
_ASKS_WHO = re.compile(
    r"user|login|log-?on|e-?mail|identifier|account|benutzer|identifiant|usuario|kennung", re.IGNORECASE
)
_CONFLUENCE = re.compile(
    r"os_username|dologin\.action|ajs-confluence|com-atlassian-confluence|ajs-remote-user", re.IGNORECASE
)
_SENDS_ON = re.compile(r"^\s*(\d+)(?:\.\d*)?\s*[;,]\s*url\s*=\s*['\"]?([^'\"\s]+)", re.IGNORECASE)
_SENDS_ON_SECONDS = 10
_WITHHELD_TITLES = re.compile(r"^Google Drive - (?:Virus scan warning|Quota exceeded|Access denied)", re.IGNORECASE)
_SCRIPT_WANTED = re.compile(r"java\s?script", re.IGNORECASE)
_FILLED_BY_SCRIPT = frozenset(
    {"root", "app", "__next", "__nuxt", "svelte", "main-app", "react-root", "application", "app-root", "___gatsby",
     "q-app", "notion-app", "ember-app", "mount", "main-root"}
)  # fmt: skip
_LOADING = re.compile(
    r"\W*(?:loading|please wait|one moment|chargement|wird geladen|lädt|laden|cargando)\b.{0,40}",
    re.IGNORECASE | re.DOTALL,
)
_LOOKED_AT = 1_000_000  # bytes; a page of more is neither a form nor empty
_LITTLE_TEXT = 250
_SIGN_IN_TEXT = 2_000
_ASKING_TEXT = 800  # of a page that asks for a name alone
_LONG_SIGN_IN_TEXT = 10_000  # of a page that calls itself one: terms and notices stand on some


def refuse_sign_in_site(url: str, *, redirected: bool) -> None:
    """``SourceRefused`` where a URL is known to lead to a sign-in page; nothing is fetched to find out.

    ``redirected``: a site sent us there, so that a host or path with "login" in it means what it says.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    place = f"{parts.path or '/'}?{parts.query}"
    for pattern, site, export, published in _SITES:
        if pattern.match(host + place) and not (published and published.search(place)):
            raise _of_site(site, export)
    if _SIGN_IN_HOSTS.fullmatch(host):
        raise _sign_in(host)
    if redirected and (_SIGN_IN_NAMES.fullmatch(host) or _SIGN_IN_PATHS.search(parts.path)):
        raise _sign_in(host)


def refuse_sign_in_page(url: str, data: bytes, declared_type: str | None) -> None:
    """``SourceRefused`` where HTML is a sign-in page, or an empty page that a script fills. Other bytes are left alone.

    A page is for signing in when it is short and asks for a password, when it is called so and asks who somebody is,
    when it hands on a sign-in (SAML), or when it only sends a browser on to such an address.

    Blocking: it parses the page.
    """
    head = data[:2048].lstrip().lower()
    if b"<html" not in head and b"<!doctype html" not in head and "html" not in (declared_type or "").lower():
        return
    html = data[:_LOOKED_AT].decode("utf-8", "replace")  # words in other encodings do not matter here
    page, draft = parse(html), Draft()
    page.write(draft)
    host = urlsplit(url).hostname or url
    elements = list(page.root.walk())
    if _is_sign_in(page.title or "", draft.length, elements) or _SAML.search(html):
        if _CONFLUENCE.search(html):
            raise _of_site("Confluence", "Export to PDF or Word")
        raise _sign_in(host)
    if _WITHHELD_TITLES.match(page.title or ""):
        raise _of_site("Google Drive", "File › Download")
    if len(data) > _LOOKED_AT or draft.length >= _LITTLE_TEXT:
        return
    if target := _sent_on_to(elements):
        if _SIGN_IN_PATHS.search(urlsplit(target).path) or _SIGN_IN_HOSTS.fullmatch(urlsplit(target).hostname or ""):
            raise _sign_in(host)
        raise SourceRefused(
            f"{host} shows a page that only sends a browser on to another address; open it and add the address that it "
            "leads to, or download the file and add that."
        )
    if _is_shell(draft.text, elements):
        raise SourceRefused(
            f"{host} shows a page that is empty until a script in a browser fills it; print it to a PDF "
            "and add that, or paste the text."
        )


def _is_sign_in(title: str, length: int, elements: Sequence[Element]) -> bool:
    """Whether a page asks people to sign in; ``length`` is that of its text."""
    inputs = [one for one in elements if one.tag == "input"]
    named_so = any(_SIGN_IN_TITLES.search(text) for text in (title, *_headings(elements)))
    if any(one.attributes.get("type", "").lower() == "password" for one in inputs):
        return length < (_LONG_SIGN_IN_TEXT if named_so else _SIGN_IN_TEXT)
    if not named_so:
        return False
    asks = any(
        one.attributes.get("type", "text").lower() in ("text", "email", "")
        and _ASKS_WHO.search(" ".join(one.attributes.get(name, "") for name in ("name", "id", "autocomplete", "type")))
        for one in inputs
    )
    scripted = length < _LITTLE_TEXT and any(one.tag == "script" for one in elements)
    return (asks and length < _ASKING_TEXT) or scripted


def _headings(elements: Sequence[Element]) -> list[str]:
    return [" ".join(one.text().split()) for one in elements if one.tag == "h1"]


def _sent_on_to(elements: Sequence[Element]) -> str | None:
    """The address that a page sends browsers on to within some seconds, if it does."""
    for one in elements:
        if one.tag == "meta" and one.attributes.get("http-equiv", "").lower() == "refresh":
            match = _SENDS_ON.match(one.attributes.get("content", ""))
            if match and int(match[1]) <= _SENDS_ON_SECONDS:
                return match[2]
    return None


def _is_shell(text: str, elements: Sequence[Element]) -> bool:
    """Whether a page of little text has a script that is to fill it."""
    if not any(one.tag == "script" for one in elements):
        return False
    filled = any(one.attributes.get("id") in _FILLED_BY_SCRIPT or one.tag == "app-root" for one in elements)
    wanted = any(one.tag == "noscript" and _SCRIPT_WANTED.search(one.text()) for one in elements)
    return filled or wanted or not text.strip() or _LOADING.fullmatch(text.strip()) is not None


def _of_site(site: str, export: str) -> SourceRefused:
    return SourceRefused(
        f"Documents in {site} cannot be read by their link; use {export} there and add the file, or paste the text."
    )


def _sign_in(host: str) -> SourceRefused:
    return SourceRefused(
        f"{host} shows a sign-in page instead of the document; download the file while signed in and add that."
    )
