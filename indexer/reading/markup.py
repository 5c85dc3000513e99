"""HTML as text: what a browser would show, block by block. No comments, scripts or hidden elements.

Made here and not by the engine: text outside of paragraphs, captions and quotes must not get lost, and hidden text must
not get in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from indexer.reading.draft import Draft, one_line
from indexer.reading.html_tree import BLOCKS, HEADINGS, Element, Tree

_NO_TEXT = frozenset(
    {
        "audio", "button", "canvas", "datalist", "embed", "head", "iframe", "input", "map", "math", "menu", "meter",
        "nav", "noscript", "object", "picture", "progress", "script", "select", "style", "svg", "template", "textarea",
        "title", "video",
    }
)  # fmt: skip
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all|color\s*:\s*transparent"
    r"|(?:opacity|font-size)\s*:\s*0+(?:\.0+)?(?:px|pt|em|rem|%)?\s*(?:!|;|$)"
    r"|(?:left|top|text-indent)\s*:\s*-\d{3,}",
    re.IGNORECASE,
)
_CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_CSS_AT_BLOCK = re.compile(r"@[^{};]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_CSS_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_CSS_SIMPLE = re.compile(r"[\w-]*([.#])([\w-]+)")


@dataclass(frozen=True, slots=True)
class WebPage:
    """A parsed page. ``title``, ``language`` and ``date`` are what its head says."""

    root: Element
    title: str | None
    language: str | None
    date: datetime | None

    def write(self, draft: Draft) -> None:
        """Write what a browser would show into the draft; of a page with a main part, that part."""
        start = draft.length
        hidden = _hidden_by_style_sheet(self.root)
        _Writer(draft, hidden).blocks(self._main())
        if hidden and draft.length == start:
            # A page that hides all of itself until a script shows it.
            _Writer(draft, frozenset()).blocks(self._main())

    def _main(self) -> Element:
        """The one ``main`` element if it holds a good part of the page, so that menus and footers stay out."""
        found = [
            element for element in self.root.walk() if element.tag == "main" or element.attributes.get("role") == "main"
        ]
        if len(found) != 1:
            return self.root
        main, whole = Draft(), Draft()
        _Writer(main, frozenset()).blocks(found[0])
        _Writer(whole, frozenset()).blocks(self.root)
        return found[0] if main.length * 3 > whole.length else self.root


def parse(html: str) -> WebPage:
    """Parse HTML or XHTML, however broken."""
    tree = Tree()
    tree.feed(html)
    tree.close()
    title = language = None
    meta: dict[str, str] = {}
    for element in tree.root.walk():
        if element.tag == "title" and title is None:
            title = one_line(element.text()) or None
        elif element.tag == "html" and language is None:
            language = element.attributes.get("lang") or element.attributes.get("xml:lang") or None
        elif element.tag == "meta":
            name = element.attributes.get("name") or element.attributes.get("property") or ""
            meta.setdefault(name.lower(), element.attributes.get("content", ""))
    return WebPage(tree.root, title or one_line(meta.get("og:title", "")) or None, language, _date(meta))


def _date(meta: dict[str, str]) -> datetime | None:
    for name in (
        "article:modified_time", "og:updated_time", "last-modified", "dcterms.modified",
        "article:published_time", "date", "dc.date", "dcterms.created", "pubdate",
    ):  # fmt: skip
        if value := meta.get(name, "").strip():
            try:
                return datetime.fromisoformat(value)
            except ValueError:
                continue
    return None


def _hidden_by_style_sheet(root: Element) -> frozenset[str]:
    """``.class`` and ``#id`` names that a style sheet of the page hides, outside of media queries.

    Only plain selectors: ``.menu .item`` depends on more than the element.
    """
    names: set[str] = set()
    for element in root.walk():
        if element.tag == "style":
            css = _CSS_AT_BLOCK.sub("", _CSS_COMMENT.sub("", element.text()[:200_000]))
            for selectors, declarations in _CSS_RULE.findall(css):
                if _HIDING.search(declarations):
                    for selector in selectors.split(","):
                        if match := _CSS_SIMPLE.fullmatch(selector.strip()):
                            names.add(match[1] + match[2])
    return frozenset(names)


class _Writer:
    def __init__(self, draft: Draft, hidden: frozenset[str]) -> None:
        self._draft = draft
        self._hidden = hidden
        self._inline: list[str] = []
        self._marker = ""
        self._runs = 0

    def blocks(self, element: Element) -> None:
        self._children(element, depth=0)
        self._flush()

    def _children(self, element: Element, depth: int) -> None:
        for child in element.children:
            if isinstance(child, str):
                self._inline.append(_collapsed(child))
            elif not self._is_hidden(child):
                self._element(child, depth)

    def _element(self, element: Element, depth: int) -> None:
        tag = element.tag
        if tag == "br":
            self._inline.append("\n")
        elif tag not in BLOCKS:
            self._children(element, depth)
        else:
            self._flush()
            self._block(element, depth)
            self._flush()

    def _block(self, element: Element, depth: int) -> None:
        tag = element.tag
        if tag in HEADINGS:
            self._draft.heading(HEADINGS[tag], self._shown(element))
        elif tag == "pre":
            self._draft.verbatim(self._shown(element, preformatted=True))
        elif tag in ("ul", "ol"):
            self._list(element, depth)
        elif tag == "table":
            self._table(element, depth)
        else:
            self._children(element, depth)

    def _list(self, element: Element, depth: int) -> None:
        number = _integer(element.attributes.get("start"), 1)
        self._runs += 1 if depth == 0 else 0
        for child in element.children:
            if not isinstance(child, Element):
                continue
            if self._is_hidden(child):
                continue
            if child.tag in ("ul", "ol"):
                self._list(child, depth + 1)
                continue
            self._marker = "  " * depth + (f"{number}. " if element.tag == "ol" else "- ")
            number += 1
            self._children(child, depth + 1)
            self._flush()
            self._marker = ""

    def _table(self, element: Element, depth: int) -> None:
        rows = list(_rows(element))
        for caption in (c for c in element.children if isinstance(c, Element) and c.tag == "caption"):
            self._children(caption, depth)
            self._flush()
        layout = element.attributes.get("role") == "presentation" or all(len(row) <= 1 for row in rows)
        self._runs += 1
        for row in rows:
            cells = [cell for cell in row if not self._is_hidden(cell)]
            if layout or _is_layout(cells):
                for cell in cells:
                    self._children(cell, depth)
                    self._flush()
            else:
                self._draft.row((self._shown(cell) for cell in cells), f"table {self._runs}")

    def _shown(self, element: Element, *, preformatted: bool = False) -> str:
        """The text of an element that is not hidden, with ``br`` and inner blocks as newlines."""
        parts: list[str] = []
        stack: list[Element | str] = list(reversed(element.children))
        while stack:
            node = stack.pop()
            if isinstance(node, str):
                parts.append(node if preformatted else _collapsed(node))
            elif node.tag == "br":
                parts.append("\n")
            elif not self._is_hidden(node):
                if node.tag in BLOCKS:
                    parts.append("\n")
                    stack.append("\n" if preformatted else " ")
                stack.extend(reversed(node.children))
        return "".join(parts)

    def _flush(self) -> None:
        text = "".join(self._inline)
        self._inline.clear()
        if not text.strip():
            return
        if self._marker:
            self._draft.line(text, f"list {self._runs}", marker=self._marker)
            self._marker = ""
        else:
            self._draft.paragraph(text)

    def _is_hidden(self, element: Element) -> bool:
        attributes = element.attributes
        if element.tag in _NO_TEXT or "hidden" in attributes or attributes.get("role") == "navigation":
            return True
        if element.tag == "a" and "hreflang" in attributes:  # the same page in another language
            return True
        if element.tag == "dialog" and "open" not in attributes:
            return True
        if "style" in attributes and _HIDING.search(attributes["style"]):
            return True
        if not self._hidden or element.tag in ("html", "body", "main", "article"):
            return False
        return f"#{attributes.get('id')}" in self._hidden or any(
            f".{name}" in self._hidden for name in attributes.get("class", "").split()
        )


def _rows(table: Element) -> Iterator[list[Element]]:
    for child in table.children:
        if isinstance(child, Element):
            if child.tag == "tr":
                yield [cell for cell in child.children if isinstance(cell, Element) and cell.tag in ("td", "th")]
            elif child.tag in ("thead", "tbody", "tfoot"):
                yield from _rows(child)


def _is_layout(cells: list[Element]) -> bool:
    """A row that arranges blocks on the page rather than facts beside each other."""
    for cell in cells:
        blocks = [element.tag for element in cell.walk() if element is not cell and element.tag in BLOCKS]
        if "table" in blocks or any(tag in HEADINGS for tag in blocks) or blocks.count("p") > 2:
            return True
    return False


def _collapsed(text: str) -> str:
    return re.sub(r"[ \t\n\r\f]+", " ", text)


def _integer(text: str | None, otherwise: int) -> int:
    return int(text) if text and re.fullmatch(r"-?\d{1,6}", text) else otherwise
