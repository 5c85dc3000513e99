"""The price table: what a call costs, and a file that replaces the table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from indexer.errors import SettingsInvalid
from indexer.prices import load_prices

HAIKU = "claude-haiku-5-5"
PRICE = {"input": 1, "output": 2, "cache_write_5m": 3, "cache_write_1h": 4, "cache_read": 5}


def test_each_class_of_tokens_has_its_price() -> None:
    prices = load_prices()
    million = 1_000_000
    assert prices.cost("claude-sonnet-5-5", input_tokens=million) == pytest.approx(2)
    assert prices.cost("claude-sonnet-5-5", input_tokens=0, output_tokens=million) == pytest.approx(10)
    assert prices.cost("claude-sonnet-5-5", input_tokens=0, cache_write_tokens=million) == pytest.approx(2.5)
    assert prices.cost("claude-sonnet-5-5", input_tokens=0, cache_write_tokens=million, ttl="1h") == pytest.approx(4)
    assert prices.cost("claude-sonnet-5-5", input_tokens=0, cache_read_tokens=million) == pytest.approx(0.1)


def test_a_prompt_over_100k_tokens_costs_five_times_cached_tokens_counted() -> None:
    prices = load_prices()
    short = prices.cost(HAIKU, input_tokens=1_000, cache_read_tokens=99_000, output_tokens=100)
    long = prices.cost(HAIKU, input_tokens=1_001, cache_read_tokens=99_000, output_tokens=100)
    assert short == pytest.approx((1_000 * 0.10 + 99_000 * 0.01 + 100 * 0.50) / 1e6)
    assert long == pytest.approx(5 * (1_001 * 0.10 + 99_000 * 0.01 + 100 * 0.50) / 1e6)


@pytest.mark.parametrize("name", ["claude-haiku-5-5-20261001", "claude-haiku-5-5-latest"])
def test_dated_names_have_the_price_of_their_model(name: str) -> None:
    prices = load_prices()
    assert prices.of(name) == prices.of(HAIKU) is not None


@pytest.mark.parametrize("name", ["claude-haiku-5-50", "claude-haiku-5-5-fast", "gpt", ""])
def test_an_unknown_model_costs_nothing_and_is_known_to_be_unknown(name: str) -> None:
    prices = load_prices()
    assert not prices.knows(name)
    assert prices.cost(name, input_tokens=1_000_000) == 0.0


def test_the_table_has_a_date() -> None:
    assert load_prices().as_of == "2026-11"


def test_a_file_replaces_the_table(tmp_path: Path) -> None:
    file = tmp_path / "prices.json"
    file.write_text(json.dumps({"as_of": "2027-01-15", "models": {"claude-x": PRICE}}))
    prices = load_prices(file)
    assert prices.as_of == "2027-01-15"
    assert prices.cost("claude-x", input_tokens=2_000_000) == pytest.approx(2)
    assert not prices.knows(HAIKU)


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ({"as_of": "2027-01", "models": {"m": {**PRICE, "input": -1}}}, "models.m.input"),
        ({"as_of": "2027-01", "models": {"m": {**PRICE, "outptu": 1}}}, "models.m.outptu"),
        ({"as_of": "2027-01", "models": {"m": {"input": 1}}}, "models.m.output"),
        ({"as_of": "yesterday", "models": {}}, "as_of"),
        ({"models": {}}, "as_of"),
        ([], "PRICES_FILE"),
    ],
)
def test_a_wrong_file_is_refused_naming_what_is_wrong(tmp_path: Path, table: Any, named: str) -> None:
    file = tmp_path / "prices.json"
    file.write_text(json.dumps(table))
    with pytest.raises(SettingsInvalid, match=named):
        load_prices(file)


def test_a_missing_file_and_one_that_is_no_json_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsInvalid, match="cannot be read"):
        load_prices(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(SettingsInvalid, match="not a price table"):
        load_prices(tmp_path / "bad.json")
