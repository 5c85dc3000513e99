"""An answer is released sentence by sentence, each with its checked markers, whatever way the stream is cut."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.answering.citations import Location, ShownSources
from bot.answering.draft import Draft, Sentence
from tests.bot.shelf import Shelf

MARK = "[not in your documents]"
Block = tuple[str, Sequence[Location]]


@pytest.fixture
def shown() -> ShownSources:
    return shown_sources()


def shown_sources() -> ShownSources:
    shelf = Shelf()
    shelf.put("Review", "It failed. It was closed on 12 June. Finance booked 41,000 euros.")
    sources = ShownSources()
    sources.add(shelf.hits[0])
    return sources


def cite(shown: ShownSources, start: int, end: int | None = None, text: str | None = None) -> Location:
    source = next(iter(shown))
    end = start + 1 if end is None else end
    quoted = "".join(source.blocks[start:end]) if text is None else text
    return Location("search_result_location", source.key, quoted, source.index, start, end)


def feed(draft: Draft, blocks: Sequence[Block], piece: int = 1_000, *, cut: bool = False) -> list[list[Sentence]]:
    """What is released after each block, the rest last."""
    released: list[list[Sentence]] = []
    for number, (text, locations) in enumerate(blocks):
        step: list[Sentence] = []
        for at in range(0, len(text), piece):
            draft.write(number, text[at : at + piece])
            step += draft.ready()
        for location in locations:
            draft.cite(number, location)
        draft.close(number)
        released.append(step + draft.ready())
    released.append(draft.finish(cut=cut))
    return released


def said(released: Sequence[Sequence[Sentence]]) -> str:
    return "".join(sentence.text for step in released for sentence in step)


def test_a_marker_stands_behind_the_words_that_it_backs(shown: ShownSources) -> None:
    draft = Draft(shown, "en")
    text = said(
        feed(
            draft,
            [
                ("The gateway failed.", [cite(shown, 0)]),
                (" It was ", []),
                ("closed on 12 June", [cite(shown, 1)]),
                (", and ", []),
                ("Finance booked 41,000 euros for it", [cite(shown, 2)]),
                (".", []),
            ],
        )
    )
    assert text == "The gateway failed. [1] It was closed on 12 June [2], and Finance booked 41,000 euros for it. [3]"
    assert [citation.quote for citation in draft.citations] == [
        "It failed.",
        "It was closed on 12 June.",
        "Finance booked 41,000 euros.",
    ]


def test_the_same_sentence_cited_twice_has_one_marker(shown: ShownSources) -> None:
    draft = Draft(shown, "en")
    text = said(
        feed(
            draft,
            [
                ("It was closed on 12 June.", [cite(shown, 1)]),
                (" It had failed before.", [cite(shown, 0)]),
                (" So it was over on 12 June.", [cite(shown, 1), cite(shown, 0)]),
            ],
        )
    )
    assert text == "It was closed on 12 June. [1] It had failed before. [2] So it was over on 12 June. [1][2]"
    assert len(draft.citations) == 2


def test_a_sentence_waits_for_its_blocks(shown: ShownSources) -> None:
    """Citations come with their block, some after its text: nothing is released before they are checked."""
    draft = Draft(shown, "en")
    draft.write(0, "It failed. It was closed on 12 June. And so it")
    assert draft.ready() == []
    draft.cite(0, cite(shown, 0, 2))
    draft.close(0)
    assert [sentence.text for sentence in draft.ready()] == ["It failed. [1] ", "It was closed on 12 June. [1] "]


def test_nothing_is_said_before_something_cites(shown: ShownSources) -> None:
    """What Claude says on its way to another search is never seen."""
    draft = Draft(shown, "en")
    released = feed(
        draft,
        [("Let me look at that first. ", []), ("It was closed on 12 June.", [cite(shown, 1)]), (" More follows.", [])],
    )
    assert released[0] == []
    assert released[1][0].text == "Let me look at that first. "


def test_a_false_citation_leaves_its_statement_marked(shown: ShownSources) -> None:
    draft = Draft(shown, "en")
    released = feed(
        draft, [("It was closed on 13 June.", [cite(shown, 1, text="It was closed on 13 June.")]), (" It failed.", [])]
    )
    assert said(released) == f"It was closed on 13 June. {MARK} It failed. {MARK}"
    assert draft.dropped == 1
    assert draft.citations == ()
    assert not released[-1][0].statement.sources


def test_a_true_citation_beside_a_false_one_stays(shown: ShownSources) -> None:
    draft = Draft(shown, "en")
    locations = [cite(shown, 1), cite(shown, 1, text="It was closed on 13 June.")]
    assert said(feed(draft, [("It was closed on 12 June.", locations)])) == "It was closed on 12 June. [1]"
    assert draft.dropped == 1


def test_a_statement_without_any_citation_is_marked_in_the_askers_language(shown: ShownSources) -> None:
    draft = Draft(shown, "fr")
    text = said(
        feed(
            draft,
            [
                ("Il a été clos le 12 juin.", [cite(shown, 1)]),
                (" La cause était un certificat expiré.\n\nAbsent de vos documents : le prix. Et la date de 2025.", []),
            ],
        )
    )
    assert text == (
        "Il a été clos le 12 juin. [1] La cause était un certificat expiré. [absent de vos documents]\n\n"
        "Absent de vos documents : le prix. Et la date de 2025. [absent de vos documents]"
    )


def test_small_talk_is_not_marked(shown: ShownSources) -> None:
    draft = Draft(ShownSources(), "en")
    draft.write(0, "Hello! I answer questions from your documents.")
    assert said([draft.finish(casual=True)]) == "Hello! I answer questions from your documents."


def test_leaked_markup_is_removed_across_deltas_and_blocks(shown: ShownSources) -> None:
    for piece in (1, 2, 3, 7, 1_000):
        draft = Draft(shown, "en")
        text = said(
            feed(
                draft,
                [
                    ('<cite index="0-1">It failed.</ci', []),
                    ("te> It was <ci", []),
                    ('te index="1">closed on 12 June.', [cite(shown, 1)]),
                    ("</cite> [7] So it ended.", [cite(shown, 0)]),
                ],
                piece,
            )
        )
        assert text == f"It failed. {MARK} It was closed on 12 June. [1] So it ended. [2]"


def test_a_link_in_pieces_is_removed(shown: ShownSources) -> None:
    for piece in (1, 4, 1_000):
        draft = Draft(shown, "en")
        text = said(
            feed(
                draft,
                [("It failed. See [the. Details](http://ev", [cite(shown, 0)]), ("il/?q=SECRET) or so. End", [])],
                piece,
            )
        )
        assert "evil" not in text
        assert "SECRET" not in text
        assert "http" not in text


def test_a_link_over_a_sentence_end_is_removed_as_a_whole(shown: ShownSources) -> None:
    for piece in (1, 1_000):
        draft = Draft(shown, "en")
        blocks: list[Block] = [
            ("It failed. [See here. All of it](javascript:SECRET) is known. End of it.", [cite(shown, 0)])
        ]
        text = said(feed(draft, blocks, piece))
        assert re.sub(r" \[1\]", "", text) == "It failed. See here. All of it is known. End of it."


def test_a_half_sentence_never_stays(shown: ShownSources) -> None:
    draft = Draft(shown, "en")
    blocks: list[Block] = [("It failed.", [cite(shown, 0)]), (" It was closed in the first week of M", [])]
    assert said(feed(draft, blocks, cut=True)).strip() == "It failed. [1]"


def test_hidden_characters_of_the_model_do_not_pass(shown: ShownSources) -> None:
    draft = Draft(shown, "en")
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "SECRET")
    assert said(feed(draft, [(f"It fai{hidden}led.", [cite(shown, 0)])])) == "It failed. [1]"


def test_flags_and_emoji_survive_being_streamed_in_pieces(shown: ShownSources) -> None:
    england = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    text = f"It failed in {england} and 👩‍👩‍👧 saw ❤️ of می‌خواهم."
    for piece in (1, 2, 5):
        assert said(feed(Draft(shown, "en"), [(text, [cite(shown, 0)])], piece)) == f"{text} [1]"


def test_what_may_be_said_again_is_known_by_its_sources(shown: ShownSources) -> None:
    draft = Draft(shown, "en")
    released = feed(draft, [("It failed.", [cite(shown, 0)]), (" It was a dark and stormy night.", [])])
    statements = [sentence.statement for step in released for sentence in step]
    assert [statement.text for statement in statements] == ["It failed.", "It was a dark and stormy night."]
    assert [source.version for source in statements[0].sources] == ["review.1"]
    assert statements[1].sources == ()


def test_release_takes_linear_time(shown: ShownSources) -> None:
    """A sentence that is open while a long block streams, or through many blocks, is not cleaned at each piece."""

    def seconds(length: int, size: int) -> float:
        text = "".join(f"word{number} " for number in range(length // 8))
        blocks: list[Block] = [("As the report says, ", [cite(shown, 0)])]
        blocks += [(text[at : at + size], []) for at in range(0, len(text), size)]
        start = time.process_time()
        feed(Draft(shown, "en"), blocks, 12)
        return time.process_time() - start

    for size in (100, 1_000_000):
        small = min(seconds(10_000, size) for _ in range(2))
        assert seconds(60_000, size) < 14 * small + 0.5


def test_a_sentence_shows_when_its_block_is_closed(shown: ShownSources) -> None:
    """It does not wait for the next one to begin."""
    for text in ("It failed.", "It failed. ", "失敗しました。"):
        assert said(feed(Draft(shown, "en"), [(text, [cite(shown, 0)])])[:1]).strip() == f"{text.strip()} [1]"
    for text in ("It failed, said Dr.", "It failed on 12.", "It failed"):
        assert said(feed(Draft(shown, "en"), [(text, [cite(shown, 0)])])[:1]) == ""


@pytest.mark.parametrize(
    ("before", "cited", "after"),
    [
        ("Aliens from Mars attacked the gateway and killed nine people, and ", "the certificate had expired", "."),
        ("", "The certificate had expired", ", which the director then covered up."),
        ("", "As the report says, ", "the certificate had expired and nobody saw it."),
        ("", "The certificate had expired", " on 31 May."),
        ("The director stole the money, because ", "the certificate had expired", "."),
        ("外国人が攻撃して九人を殺し、そして", "証明書が切れました", "。"),
    ],
)
def test_a_sentence_that_says_more_than_is_cited_is_marked(
    shown: ShownSources, before: str, cited: str, after: str
) -> None:
    draft = Draft(shown, "en")
    blocks: list[Block] = [(before, []), (cited, [cite(shown, 0)]), (after, [])]
    sentences = [sentence for step in feed(draft, [block for block in blocks if block[0]]) for sentence in step]
    assert [sentence.unbacked for sentence in sentences] == [True]
    assert sentences[0].text.rstrip().endswith(MARK)
    assert "[1]" in sentences[0].text
    assert not sentences[0].statement.sources


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("According to the review, ", "."),
        ("In short, ", "."),
        ("The cause of it was that ", "."),
        ("- **Root cause**: ", "."),
        ("In the review of 12 June, ", "."),
        ("", ", according to the review."),
        ("", ", but the documents do not mention the price."),
    ],
)
def test_what_leads_in_or_links_claims_nothing(shown: ShownSources, before: str, after: str) -> None:
    blocks: list[Block] = [(before, []), ("the certificate had expired", [cite(shown, 0)]), (after, [])]
    assert MARK not in said(feed(Draft(shown, "en"), [block for block in blocks if block[0]]))


def test_a_clause_whose_citation_was_dropped_is_marked_and_a_link_word_is_not(shown: ShownSources) -> None:
    false = cite(shown, 1, text="zzz")
    blocks: list[Block] = [("The cause was a rotten cable from Mars, ", [false]), ("and it failed.", [cite(shown, 0)])]
    assert (
        said(feed(Draft(shown, "en"), blocks)) == f"The cause was a rotten cable from Mars, and it failed. [1] {MARK}"
    )
    blocks = [("In short, ", [false]), ("it failed.", [cite(shown, 0)])]
    assert said(feed(Draft(shown, "en"), blocks)) == "In short, it failed. [1]"


def test_markers_stand_outside_of_code_and_inside_of_table_rows(shown: ShownSources) -> None:
    blocks: list[Block] = [
        (
            "Run this:\n\n```bash\necho arr [1] <cite>\n\nexit. Now it ends.\n```\n\n"
            "| a | b |\n|---|---|\n| 12 | 7 |\n",
            [],
        ),
        ("| It failed | it did |\n\nUse `a. B ", [cite(shown, 0)]),
        ("c` for it.", []),
    ]
    for piece in (1, 3, 1_000):
        assert said(feed(Draft(shown, "en"), blocks, piece)) == (
            f"Run this:\n\n```bash\necho arr [1] <cite>\n\nexit. Now it ends.\n```\n{MARK}\n\n| a | b |\n|---|---|\n"
            f"| 12 | 7 {MARK} |\n| It failed | it did [1] |\n\nUse `a. B c` for it. [1]"
        )


def test_code_that_is_cut_off_is_closed_before_its_marker(shown: ShownSources) -> None:
    text = said(feed(Draft(shown, "en"), [("It failed:\n\n```\nrun it\n", [cite(shown, 0)])]))
    assert text == "It failed:\n\n```\nrun it\n```\n[1]\n\n"


def test_items_under_the_label_of_what_is_missing_are_not_marked(shown: ShownSources) -> None:
    blocks: list[Block] = [
        ("It failed.\n\n", [cite(shown, 0)]),
        ("Not in your documents:\n- the price\n- the date", []),
    ]
    assert MARK not in said(feed(Draft(shown, "en"), blocks))


def test_tags_and_mail_addresses_of_a_shown_source_stay() -> None:
    shelf = Shelf()
    shelf.put("Guide", "An <invoke> holds ops@example.org .")
    shown = ShownSources()
    shown.add(shelf.hits[0])
    text = said(feed(Draft(shown, "en"), [("An <invoke> holds ops@example.org now.", [cite(shown, 0)])]))
    assert text == "An <invoke> holds ops@example.org now. [1]"


TEXT = st.text(st.sampled_from("ab1 .!?\n-[]()<>é中。🏴"), max_size=25)


@given(st.lists(st.tuples(TEXT, st.lists(st.integers(0, 2), max_size=2)), max_size=6), st.integers(1, 9))
def test_the_way_the_stream_is_cut_changes_nothing(blocks: list[tuple[str, list[int]]], piece: int) -> None:
    sources = shown_sources()
    cited: list[Block] = [(text, [cite(sources, start) for start in starts]) for text, starts in blocks]
    whole, pieces = Draft(sources, "en"), Draft(sources, "en")
    text = said(feed(whole, cited))
    in_pieces = said(feed(pieces, cited, piece))
    assert bare(in_pieces) == bare(text)
    for draft, shown_text in ((whole, text), (pieces, in_pieces)):
        assert [citation.marker for citation in draft.citations] == list(range(1, len(draft.citations) + 1))
        assert all(f"[{citation.marker}]" in shown_text for citation in draft.citations)
    assert {citation.quote for citation in whole.citations} == {citation.quote for citation in pieces.citations}


def bare(text: str) -> str:
    """Without markers, labels and white space: where a sentence ends may be seen differently with less ahead."""
    return re.sub(r"\[\d\]|\s", "", text.replace(MARK, ""))
