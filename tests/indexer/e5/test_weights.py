"""The file of weights: what is in it, and files that are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from indexer.e5.weights import Sizes, Weights, WeightsUnreadable, packaged, unpacked

BLOCK = np.dtype([("scale", "<f2"), ("weights", "u1", 16)])


@pytest.fixture(scope="module")
def weights() -> Weights:
    return Weights(packaged())


def test_a_block_has_its_first_half_in_the_low_bits() -> None:
    blocks = np.array([[(0.5, [0x98] + [0x88] * 15)], [(2.0, [0x0F] * 16)]], dtype=BLOCK)
    assert unpacked(blocks).tolist() == [[0.0] * 16 + [0.5] + [0.0] * 15, [14.0] * 16 + [-16.0] * 16]


def test_the_packages_file_is_multilingual_e5_small(weights: Weights) -> None:
    assert weights.sizes == Sizes(384, 12, 12, 1536, 512, float(np.float32(1e-12)))
    assert len(weights.vocabulary.pieces) == len(weights.vocabulary.scores) == 250_002
    assert [weights.vocabulary.pieces[at] for at in (0, 1, 2, 3, 5)] == ["<s>", "<pad>", "</s>", "<unk>", "."]
    assert weights.vocabulary.spelling[ord("ﬁ")] == "fi"
    assert weights.floats("emb.ln.w").shape == (384,)
    assert weights.matrix("l11.fo.w", 1536).shape == (384, 1536)


def test_a_tensor_that_is_not_there_is_named(weights: Weights) -> None:
    with pytest.raises(WeightsUnreadable, match=r"l12\.q\.w"):
        weights.matrix("l12.q.w", 384)


@pytest.mark.parametrize("content", [b"", b"E5S1", b"E5S1" + b"\x02\x00\x00\x00" * 20, b"GGUF" * 50])
def test_another_file_is_unreadable(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "weights.bin").write_bytes(content)
    with pytest.raises(WeightsUnreadable):
        Weights(tmp_path / "weights.bin")


def test_a_file_that_ends_too_early_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_bytes(packaged().read_bytes()[:3_000_000])
    with pytest.raises(WeightsUnreadable):
        Weights(tmp_path / "weights.bin")


def test_a_missing_file_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(WeightsUnreadable):
        Weights(tmp_path / "weights.bin")
