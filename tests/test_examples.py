"""The examples can be read, agree with one another, and are what their maker makes."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from indexer.documents import ExtractedText, Original
from indexer.extraction import extract
from indexer.settings import IndexerSettings
from tests.make_examples import EXAMPLES, make_examples

pytestmark = pytest.mark.anyio

FILES = sorted(path for path in EXAMPLES.iterdir() if not path.name.startswith("."))
KNOWN = {
    "annual-review-2023.md": ("en", "The root cause was an expired certificate on the login gateway"),
    "budget-2024.xlsx": ("en", "INC-2023-04-011"),
    "certificate-renewal-thread.eml": (None, "can we close?"),
    "certificate-renewal.toml": (None, "renew_before_days = 20"),
    "equipment.csv": (None, "Slide scanner 2"),
    "incident-report-INC-2023-04-011.pdf": ("en", "E-4417"),
    "kengaku-annai.txt": ("ja", "見学は毎月第二火曜日"),
    "laborordnung.txt": ("de", "Hitzeschutzhandschuhe"),
    "phoenix-steering-2023-06.pptx": ("en", "97 certificates known"),
    "politique-frais-2025.docx": ("fr", "plafond est de 160 €"),
    "revue-annuelle-2023-extrait.md": ("fr", "Il a été clos le 12 mai"),
    "travel-policy-2024.md": ("en", "up to €110 a night"),
    "travel-policy-2025.html": ("en", "replaces the Travel Policy 2024"),
}


async def read(path: Path) -> ExtractedText:
    return await extract(original(path), settings())


def original(path: Path) -> Original:
    return Original(path.name, path.read_bytes(), path.name)


@cache
def settings() -> IndexerSettings:
    return IndexerSettings(_env_file=None)


def test_there_is_a_word_about_every_example() -> None:
    assert {path.name for path in FILES} == KNOWN.keys()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
async def test_example_is_read_in_its_language(path: Path) -> None:
    language, words = KNOWN[path.name]
    extracted = await read(path)
    assert words in re.sub(r"\s+", " ", extracted.text)
    if language:
        assert extracted.language == language


async def test_report_keeps_its_pages() -> None:
    extracted = await read(EXAMPLES / "incident-report-INC-2023-04-011.pdf")
    pages = [extracted.text[page.start : page.end] for page in extracted.pages]
    assert [page.number for page in extracted.pages] == [1, 2, 3, 4]
    assert "Timeline" in pages[1]
    assert "Root cause" in pages[2]


async def test_examples_tell_the_same_cost_and_the_same_end_of_the_incident() -> None:
    for name in ("annual-review-2023.md", "revue-annuelle-2023-extrait.md", "certificate-renewal-thread.eml"):
        text = (await read(EXAMPLES / name)).text
        assert re.search(r"41[, \u00a0\u202f]000", text), name
        assert re.search(r"12 (May|mai)", text), name
    assert re.search(r"INC-2023-04-011 \| Q2 2023 \| 41,?000", (await read(EXAMPLES / "budget-2024.xlsx")).text)


async def test_examples_carry_their_own_dates_where_these_decide_which_is_newer() -> None:
    """The date of a file in a fresh checkout is that of the checkout."""
    names = ("travel-policy-2024.md", "annual-review-2023.md", "budget-2024.xlsx", "travel-policy-2025.html")
    dates = [(await read(EXAMPLES / name)).date for name in names]
    assert [f"{date:%Y-%m-%d}" for date in dates if date] == ["2024-01-01", "2024-01-30", "2024-02-02", "2025-01-10"]


async def test_no_example_says_whether_the_old_gateway_is_in_use() -> None:
    """A question that has no answer, for trying what is said then."""
    for path in FILES:
        assert not re.search(r"(old|former|ancienne|alte\w?) (login )?(gateway|passerelle)", (await read(path)).text)


async def test_maker_makes_what_is_committed(tmp_path: Path) -> None:
    for made in make_examples(tmp_path):
        fresh, kept = await read(made), await read(EXAMPLES / made.name)
        assert (fresh.text, fresh.title, fresh.date) == (kept.text, kept.title, kept.date)
