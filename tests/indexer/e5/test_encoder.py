"""How weights are rounded. That the model computes what it should is tested with ``OnnxEmbedder``."""

from __future__ import annotations

import numpy as np

from indexer.e5.encoder import rounded_weights


def test_each_row_is_rounded_by_its_greatest_weight() -> None:
    rounded, scales = rounded_weights(np.array([[0.5, -1.26], [63, 10.4]], dtype=np.float32))
    assert rounded.tolist() == [[25, -63], [63, 10]]
    assert np.allclose(scales, [0.02, 1])


def test_a_row_of_zeros_stays_one() -> None:
    rounded, scales = rounded_weights(np.zeros((1, 4), dtype=np.float32))
    assert rounded.tolist() == [[0, 0, 0, 0]]
    assert np.isfinite(scales).all()
