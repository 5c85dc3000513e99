"""Text taken apart into terms: what is indexed and what is asked meet in them."""

from __future__ import annotations

import doctest
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer import terms as module
from indexer.function_words import FUNCTION_WORDS
from indexer.terms import LONGEST_TERM, parts, question_terms, terms

NEGATIONS = (
    "no not nor none never without cannot ne pas non sans jamais aucun aucune ni nicht kein keine keinen nie niemals"
    " ohne nunca sin ningún ninguna tampoco senza mai nessun nessuna não sem nenhum nenhuma niet geen nooit zonder"
)


def test_the_examples_in_the_docstrings_are_true() -> None:
    assert doctest.testmod(module).failed == 0
    assert " ".join(terms("INC-2031-07-014: getUserById failed")) in " ".join((module.__doc__ or "").split())


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("certificates", "a certificate expired"),
        ("renouvelé", "le renouvellement"),
        ("Zertifikatsfehler", "das Zertifikat lief ab"),
        ("Kündigungsfrist", "Kündigungsfristen"),
        ("inc-2031-07-014", "see INC-2031-07-014."),
        ("backoff", "let retryBackoffSeconds = 5"),
        ("open_files", "max_open_files=1024"),
        ("HTTPServer", "the http server"),
        ("ＩＮＣ－７", "INC-7"),
        ("STRASSE", "strasse"),
        ("障害の原因", "原因は不明"),
        ("회의는", "회의를 마쳤다"),
        ("การประชุม", "ในการประชุมครั้งนี้"),
        ("हिन्दी", "हिन्दी में"),
        ("σύμβαση", "συμβάσεις ή Σύμβαση"),
        ("договора", "договоры"),
    ],
)
def test_what_is_asked_shares_a_term_with_what_says_it(asked: str, text: str) -> None:
    assert set(question_terms(asked)) & set(terms(text))


@pytest.mark.parametrize(
    ("asked", "text"), [("cat", "concatenate"), ("station", "nation"), ("原因", "因果と原理"), ("हिन्दी", "हवा")]
)
def test_what_only_looks_alike_shares_none(asked: str, text: str) -> None:
    assert not set(question_terms(asked)) & set(terms(text))


def test_a_code_is_one_term_and_another_code_is_not_it() -> None:
    assert "inc-2031-07-014" in terms("INC-2031-07-014")
    assert "inc-2031-07-014" not in terms("INC-2031-07-015 INC-2031-07-0140")
    assert "read-only" not in terms("read-only")


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("What is the notice period?", "notic notice perio period"),
        ("Quelle est la durée du préavis ?", "durée préav préavis"),
        ("Wie lange ist die Kündigungsfrist?", "lange kündi kündigungsfrist"),
        ("Which services are not covered?", "servi services not cover covered"),
        ("Welche Kosten sind nicht gedeckt?", "koste kosten nicht gedec gedeckt"),
        ("Quels frais sans justificatif ?", "frais sans justi justificatif"),
        ("What does plan C cover?", "plan c cover"),
        ("Qu'est-ce que c'est l'assurance C ?", "assur assurance c"),
        ("原因は何ですか", "原因 因は は何 何で です すか"),
    ],
)
def test_function_words_are_dropped_and_negations_and_names_stay(question: str, left: str) -> None:
    assert question_terms(question) == left.split()


@pytest.mark.parametrize("question", ["Who is who?", "où est-ce ?", "The The"])
def test_of_a_question_of_function_words_nothing_is_dropped(question: str) -> None:
    assert question_terms(question) == terms(question) != []


def test_no_negation_is_a_function_word() -> None:
    assert len(FUNCTION_WORDS) == 7
    for language, words in FUNCTION_WORDS.items():
        assert not words & set(NEGATIONS.split()), language
        assert all(word == unicodedata.normalize("NFKC", word).lower() for word in words), language


@pytest.mark.parametrize(
    ("word", "of"),
    [
        ("HTTPServer_v2", ["HTTP", "Server", "v", "2"]),
        ("__init__", ["init"]),
        ("entréeServeur", ["entrée", "Serveur"]),
        ("ÄnderungsDatum", ["Änderungs", "Datum"]),
        ("Σύμβαση", ["Σύμβαση"]),
        ("x", ["x"]),
        ("", []),
    ],
)
def test_identifiers_come_apart_in_every_alphabet(word: str, of: list[str]) -> None:
    assert parts(word) == of


@given(st.text())
def test_terms_never_fail_and_can_be_stored_apart_by_spaces(text: str) -> None:
    for found in (terms(text), question_terms(text)):
        assert " ".join(found).split() == found
        " ".join(found).encode()
        assert all(0 < len(term) <= LONGEST_TERM for term in found)
        assert all(term == term.strip("\x00") for term in found)


@given(st.text(alphabet=st.characters(codec="utf-8") | st.sampled_from("-_./: 'aAbB01éあ亜"), max_size=200), st.text())
def test_a_question_of_a_texts_own_words_has_no_other_terms_than_the_text(text: str, around: str) -> None:
    assert set(question_terms(text)) <= set(terms(text)) <= set(terms(f"{around} {text} {around}"))


@given(st.from_regex(r"[a-z]{1,12}_[A-Z][a-z]{1,12}[0-9]{1,4}", fullmatch=True))
def test_an_identifier_is_found_whole_and_by_each_of_its_parts(name: str) -> None:
    found = set(terms(f"call {name}(7)"))
    assert name.lower() in found
    for part in parts(name):
        assert set(terms(part)) <= found


@pytest.mark.parametrize(
    "text",
    ["a" * 100_000, "a-" * 50_000, "a_" * 100_000, "aA" * 100_000, "障" * 100_000, "1." * 100_000, "\ufdfa" * 10_000,
     "\u0301" * 100_000, "a\u0301" * 100_000, "l'" * 100_000, "the " * 50_000],
    ids=["letters", "hyphens", "underscores", "camel", "kanji", "dots", "ligatures", "marks", "accents", "elided",
         "words"],
)  # fmt: skip
def test_a_long_text_takes_time_in_proportion(text: str) -> None:
    begun = time.process_time()
    terms(text)
    question_terms(text)
    assert time.process_time() - begun < 5
