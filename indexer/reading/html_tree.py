"""A small tree of HTML's elements, made with the standard library's tokenizer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)
HEADINGS = {f"h{level}": level for level in range(1, 7)}
BLOCKS = frozenset(HEADINGS) | frozenset(
    {
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div",
        "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "html", "legend",
        "li", "main", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
        "ul",
    }
)  # fmt: skip
# A new element of the key ends an open element of the values, up to the element that holds the list or table.
_ENDS = {
    "li": (frozenset({"li"}), frozenset({"ul", "ol", "menu"})),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "tr": (frozenset({"tr", "td", "th"}), frozenset({"table"})),
    "td": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
    "th": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
    "option": (frozenset({"option"}), frozenset({"select"})),
}
_DEEPEST = 150  # deeper elements hang on the last one allowed, so that no page can exhaust the stack


@dataclass(slots=True)
class Element:
    """An element with its children, which are elements and text."""

    tag: str
    attributes: dict[str, str]
    children: list[Element | str] = field(default_factory=list)

    def walk(self) -> Iterator[Element]:
        """This element and all below it."""
        stack: list[Element] = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(child for child in reversed(element.children) if isinstance(child, Element))

    def text(self) -> str:
        """All text below, as it stands."""
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)


class Tree(HTMLParser):
    """Builds the tree while it is fed; ``root`` is its top."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("#document", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._end_implied(tag)
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(element)
        if tag not in _VOID and len(self._open) < _DEEPEST:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # <div/> opens a div in HTML but is empty in XHTML; a self-closed element that is meant to hold text is rare.
        self._end_implied(tag)
        self._open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        for number in range(len(self._open) - 1, 0, -1):
            if self._open[number].tag == tag:
                del self._open[number:]
                return

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)

    def _end_implied(self, tag: str) -> None:
        if tag in BLOCKS and tag not in ("html", "body"):
            self._end(frozenset({"p"}), frozenset({"td", "th", "li", "div", "section", "article", "table"}))
        if tag in _ENDS:
            self._end(*_ENDS[tag])

    def _end(self, ended: frozenset[str], bounds: frozenset[str]) -> None:
        outermost = None
        for number in range(len(self._open) - 1, 0, -1):
            if self._open[number].tag in bounds:
                break
            if self._open[number].tag in ended:
                outermost = number
        if outermost is not None:
            del self._open[outermost:]
