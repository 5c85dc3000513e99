"""HTML as a browser shows it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from indexer.reading.draft import Draft
from indexer.reading.markup import parse


def _text(html: str) -> str:
    draft = Draft()
    parse(html).write(draft)
    return draft.text


@pytest.mark.parametrize(
    "hidden",
    [
        "<!-- SECRET -->",
        "<script>var SECRET</script>",
        "<style>.SECRET{}</style>",
        "<template>SECRET</template>",
        "<noscript>SECRET</noscript>",
        '<p style="display: none">SECRET</p>',
        '<p style="visibility:hidden">SECRET</p>',
        '<span style="font-size:0px">SECRET</span>',
        '<span style="opacity:0">SECRET</span>',
        '<div style="position:absolute;left:-9999px">SECRET</div>',
        "<div hidden>SECRET<p>SECRET</p></div>",
        "<style>.x{display:none}</style><p class='y x'>SECRET</p>",
        "<style>#z, b { visibility: hidden }</style><p id=z>SECRET</p>",
        '<img alt="SECRET" src="x.png">',
        '<a href="http://evil/?q=SECRET">words</a>',
        '<input value="SECRET"><textarea>SECRET</textarea><select><option>SECRET</option></select>',
        "<dialog>SECRET</dialog>",
    ],
)
def test_what_a_browser_does_not_show_is_no_text(hidden: str) -> None:
    text = _text(f"<html><body><p>before</p>{hidden}<p>after</p></body></html>")
    assert "SECRET" not in text
    assert text.startswith("before")
    assert text.endswith("after")


def test_rules_for_other_media_hide_nothing() -> None:
    assert _text("<style>@media print {.x{display:none}}</style><p class=x>shown</p>") == "shown"


def test_a_page_that_hides_itself_until_a_script_runs_is_read() -> None:
    assert _text("<style>.app{visibility:hidden}</style><div class=app><p>words</p></div>") == "words"


def test_no_text_is_lost_outside_of_paragraphs() -> None:
    html = (
        "<h1>T</h1>bare<div>in div</div><blockquote>quoted</blockquote><table><caption>Cap</caption>"
        "<tr><th>a<th>b<tr><td>1<td>2</table><figure><figcaption>Fig</figcaption></figure><dl><dt>t<dd>d</dl>tail"
    )
    assert _text(html) == "T\n\nbare\n\nin div\n\nquoted\n\nCap\n\na | b\n1 | 2\n\nFig\n\nt\n\nd\n\ntail"


def test_lists_keep_their_numbers_and_depth() -> None:
    html = "<ol start=3><li>three<li>four<ul><li>inner</ul></ol>"
    assert _text(html) == "3. three\n4. four\n  - inner"


def test_code_keeps_its_lines() -> None:
    assert _text("<pre><code>def f(x):\n    return x\n</code></pre>") == "def f(x):\n    return x"


def test_a_table_that_only_arranges_the_page_is_read_as_blocks() -> None:
    html = "<table><tr><td>menu</td><td><h1>Title</h1><p>one</p></td></tr></table>"
    assert _text(html) == "menu\n\nTitle\n\none"


def test_menus_and_footers_around_the_main_part_are_left_out() -> None:
    html = f"<header>Site</header><nav>Home</nav><main><p>{'word ' * 30}</p></main><footer>Imprint</footer>"
    assert _text(html) == ("word " * 30).strip()


def test_title_language_and_date_come_from_the_head() -> None:
    page = parse(
        '<html lang="fr"><head><title>Bilan &amp; suite</title>'
        '<meta property="article:published_time" content="2022-05-06T10:00:00Z"></head><body>x</body></html>'
    )
    assert (page.title, page.language) == ("Bilan & suite", "fr")
    assert page.date == datetime(2022, 5, 6, 10, tzinfo=UTC)
    assert _text("<title>not text</title><p>text</p>") == "text"


def test_deep_nesting_is_survived() -> None:
    assert _text("<div>" * 50_000 + "deep" + "</div>" * 50_000) == "deep"


def test_headings_stand_where_they_say() -> None:
    draft = Draft()
    parse("<p>x<h2>A <em>b</em></h2><p>y<h3>C</h3>").write(draft)
    assert [(h.level, h.title) for h in draft.headings] == [(2, "A b"), (3, "C")]
    assert all(draft.text[h.start :].startswith(h.title) for h in draft.headings)
