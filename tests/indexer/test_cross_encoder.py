"""The local reranker: with ONNX Runtime and the tokenizers where they are installed, and with stand-ins for both."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from indexer.cross_encoder import BATCH, WINDOW, CrossEncoder
from indexer.errors import ModelUnavailable, SettingsInvalid
from indexer.reranking import open_reranker
from indexer.settings import IndexerSettings
from tests.onnx_models import WORDS, stand_ins, write_model

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["stand-in", "real"], autouse=True)
def packages(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "real":
        pytest.importorskip("tokenizers", reason="only RERANKER=local needs it")
        return
    for name, module in stand_ins().items():
        monkeypatch.setitem(sys.modules, name, module)


@pytest.fixture
async def encoder(tmp_path: Path) -> AsyncIterator[CrossEncoder]:
    opened = CrossEncoder(write_model(tmp_path / "sum"))
    yield opened
    await opened.close()


def total(text: str) -> float:
    return float(sum(WORDS.index(word) if word in WORDS else 1 for word in text.split()))


async def test_scores_follow_the_texts_whatever_their_lengths(encoder: CrossEncoder) -> None:
    texts = [" ".join(WORDS[2 + (n + i) % 5] for i in range(1 + n * 7 % 11)) for n in range(3 * BATCH + 1)]
    assert await encoder.scores("one two", texts) == [total(text) for text in texts]


async def test_question_and_passage_are_told_apart_and_padding_does_not_count(encoder: CrossEncoder) -> None:
    assert await encoder.scores("five five", ["one", "one two three four", ""]) == [2.0, 14.0, 0.0]


async def test_what_is_past_the_window_is_not_read(encoder: CrossEncoder) -> None:
    (score,) = await encoder.scores("one", ["two " * 2_000])
    assert score == 3.0 * (WINDOW - 1)


async def test_no_texts_and_odd_texts_are_judged(encoder: CrossEncoder) -> None:
    assert await encoder.scores("one", []) == []
    assert len(await encoder.scores("q\ud800", ["a\ud800", "\x00"])) == 2


async def test_a_search_that_gave_up_stops_at_the_next_few_pairs(encoder: CrossEncoder) -> None:
    work = asyncio.create_task(encoder.scores("one", ["two " * 400] * 2_000))
    await asyncio.sleep(0.01)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert await asyncio.wait_for(encoder.scores("one", ["two"]), 2) == [3.0]


async def test_a_model_that_gives_several_numbers_a_pair_is_refused(tmp_path: Path) -> None:
    encoder = CrossEncoder(write_model(tmp_path, columns=2))
    with pytest.raises(ModelUnavailable, match="does not give one number for a question and a passage"):
        await encoder.scores("one", ["two"])
    await encoder.close()


async def test_a_model_that_wants_what_a_cross_encoder_does_not_is_refused(tmp_path: Path) -> None:
    encoder = CrossEncoder(write_model(tmp_path, inputs=["position_ids"]))
    with pytest.raises(ModelUnavailable, match="use a cross-encoder"):
        await encoder.scores("one", ["two"])
    await encoder.close()


async def test_a_model_in_the_folder_of_an_export_is_found(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "mini")
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    reranker = open_reranker(IndexerSettings.model_validate({"reranker": "local", "reranker_path": folder}))
    assert reranker is not None
    assert reranker.name == "local/mini"
    await reranker.close()


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_folder_that_lacks_a_file_is_refused(tmp_path: Path, missing: str) -> None:
    (write_model(tmp_path) / missing).unlink()
    with pytest.raises(SettingsInvalid, match=r"RERANKER_PATH must hold model\.onnx and tokenizer\.json"):
        CrossEncoder(tmp_path)


@pytest.mark.parametrize("broken", ["model.onnx", "tokenizer.json"])
def test_a_broken_file_is_refused(tmp_path: Path, broken: str) -> None:
    (write_model(tmp_path) / broken).write_bytes(b"\x01not it")
    with pytest.raises(SettingsInvalid, match="cannot be loaded"):
        CrossEncoder(tmp_path)


def test_without_the_packages_it_is_said_how_to_install_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(SettingsInvalid, match=r"pip install 'onnxruntime>=1\.23' 'tokenizers>=0\.20'"):
        CrossEncoder(write_model(tmp_path))
