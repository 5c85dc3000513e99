"""Text in from Slack and Markdown out to it: shown as meant, and nothing in it acts."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.slack.markup import JOINER, SafeMarkdown, escape, harmless, safe_markdown, unescape

HAIR = "\u200a"
NAMES = {"U1": "Ana", "U2": "Ben <b> & co"}

# What Slack would act on, in any of the places where it reads text.
ACTS = re.compile(
    r"<[@#!][^<>\n]*>|<[a-z][a-z0-9+.-]*:[^<>\n|]*\|[^<>\n]*>|(?:&lt;|&#60;|&#x3c;)[@#!]"
    r"|(?<![\w.])@(?:channel|here|everyone)\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("if a &lt; b &amp;&amp; c", "if a < b && c"),
        ("docs &gt; setup", "docs > setup"),
        ("&amp;lt; stays", "&lt; stays"),
        ("<https://a|b>", "b (https://a)"),
        ("<https://a.example>", "https://a.example"),
        ("<http://a.example|a.example>", "http://a.example"),
        ("<https://a.example/?x=1&amp;y=2|https://a.example/?x=1&amp;y=2>", "https://a.example/?x=1&y=2"),
        ("<mailto:a@b.example|a@b.example>", "a@b.example"),
        ("<#C1|finance> and <#C2>", "#finance and #C2"),
        ("<!here> <!channel> <!everyone|everyone>", "@here @channel @everyone"),
        ("<!subteam^S1|@ops> <!subteam^S2>", "@ops @S2"),
        ("<!date^1392734382^{date}|18 Feb 2014>", "18 Feb 2014"),
        ("<@U1> <@U9> <@U9|old>", "@Ana @U9 @old"),
        ("<@U2>", "@Ben <b> & co"),
        ("", ""),
        ("< > <", "< > <"),
    ],
)
def test_what_slack_sent_is_read_as_it_was_written(sent: str, meant: str) -> None:
    assert unescape(sent, NAMES.get) == meant


@given(st.text())
def test_escaped_text_comes_back_as_it_was(text: str) -> None:
    assert unescape(escape(text)) == text
    assert not ACTS.search(re.sub("&lt;[@#!]", "", escape(text)).replace("@", ""))


@pytest.mark.parametrize(
    "text",
    [
        "if a < b && c",
        "docs > setup",
        "a<b, c>d & e; x <= y <- z",
        "`if a < b && c` and ``a ` b``",
        "```python\nif a < b && c > d:\n    x = '&lt;'\n```\nthen",
        "write to ana@here.example or a@channel",
        "see https://a.example/?a=1&b=2 or <https://a.example/x>",
        "**bold** and *italic*, 3 * 4 * 5, ~~gone~~ [1][2]",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "это **важно**, voilà **déjà**-vu",
        "a \\* b \\` c",
        "",
        "`",
        "```",
        "* one\n* two\n  * three",
    ],
)
def test_ordinary_text_goes_out_as_it_is(text: str) -> None:
    assert safe_markdown(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<!channel>", "@·channel"),
        ("<!here|here> now", "@·here now"),
        ("<@U123> and <@U1|ana>", "@U123 and @ana"),
        ("<#C1|general>", "#general"),
        ("@here, @Channel and @everyone", "@·here, @·Channel and @·everyone"),
        ("@channels and @hereby", "@channels and @hereby"),
        ("<https://evil.example|https://good.example>", "https://good.example (https://evil.example)"),
        ("<https://a|b>", "b (https://a)"),
        ("&lt;!channel&gt;", "&lt;·!channel&gt;"),
        ("<!chan\nnel>", "<·!chan\nnel>"),
        ("`<!channel>` in code", "`<·!channel>` in code"),
        ("`ping @here`", "`ping @·here`"),
        ("```\n<@U1> @here\n```", "```\n<·@U1> @·here\n```"),
        ("`<https://a|b>`", "`<·https://a|b>`"),
        ("<<!channel>>", "<@·channel>"),
        ("<!subteam^S1>", "@S1"),
    ],
)
def test_nothing_pings_and_no_link_hides_where_it_leads(text: str, shown: str) -> None:
    assert safe_markdown(text).replace(JOINER, "·") == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("これは**重要**です", "これは·**重要**·です"),
        ("含**「重点」**内容", "含·**「重点」**·内容"),
        ("한글**강조**한글", "한글·**강조**·한글"),
        ("結論。**期限**、次に", "結論。·**期限**·、次に"),
        ("これは **重要** です", "これは **重要** です"),
        ("*斜体*と~~取消~~です", "*斜体*·と~~取消~~·です".replace("と~~", "と·~~")),
        ("`**重要**です`", "`**重要**です`"),
    ],
)
def test_bold_beside_scripts_without_spaces_is_bold(text: str, shown: str) -> None:
    assert safe_markdown(text).replace(HAIR, "·") == shown


def test_hidden_characters_go_and_flags_stay() -> None:
    england = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    hidden = "".join(chr(0xE0000 + ord(char)) for char in "ping <!channel>")
    assert safe_markdown(f"Hi{hidden} {england}") == f"Hi {england}"
    assert safe_markdown(f"<{hidden}!channel>") == f"@{JOINER}channel"
    assert "\ud800" not in safe_markdown("half \ud800 pair")


PIECES = st.lists(
    st.sampled_from(
        [
            *(
                "<",
                ">",
                "@",
                "!",
                "#",
                "|",
                "&",
                "lt;",
                "*",
                "**",
                "~~",
                "`",
                "``",
                "```",
                "\n",
                "\n\n",
                " ",
                "\\",
                ";",
            ),
            *("channel", "here", "everyone", "U1", "https://a", "重要", "「です」", "word", ".", "~~~", "python", "🏴"),
        ]
    ),
    max_size=25,
)


@pytest.mark.parametrize(
    "text", ["<@>channel", "<@chan>nel", "<!he>re", "<!subteam^every>one", "<http:@|http:@>channel", "<@|c>hannel"]
)
def test_no_command_comes_out_of_two_pieces_that_are_none(text: str) -> None:
    assert not ACTS.search(safe_markdown(text))


@given(PIECES)
@example(["<", "@", ">", "channel"])
def test_nothing_acts_however_it_is_put_together(pieces: list[str]) -> None:
    assert not ACTS.search(safe_markdown("".join(pieces)))
    assert not ACTS.search(harmless("".join(pieces)))


@given(PIECES)
def test_pieces_joined_are_the_whole(pieces: list[str]) -> None:
    safe = SafeMarkdown()
    assert "".join([*(safe.feed(piece) for piece in pieces), safe.finish()]) == safe_markdown("".join(pieces))


def test_a_sentence_goes_out_at_once() -> None:
    safe = SafeMarkdown()
    assert safe.feed("The budget was 4 < 5 [1]. ") == "The budget was 4 < 5 [1]. "
    assert safe.feed("See `a < b`, that is it.") == "See `a < b`, that is it."
