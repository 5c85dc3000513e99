"""ONNX's file format, against bytes worked out by hand, and against ONNX Runtime, which must read what is written."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest

from indexer.e5.messages import model, node, tensor, value


def test_a_message_is_its_fields_each_with_its_number() -> None:
    named = tensor("w", np.array([300], dtype=np.int64))
    assert named.hex(" ") == "08 01 10 07 42 01 77 4a 08 2c 01 00 00 00 00 00 00"


def test_a_number_has_seven_bits_in_a_byte() -> None:
    assert tensor("", np.zeros(300, dtype=np.float32))[:3].hex(" ") == "08 ac 02"


def test_the_runtime_reads_a_model_and_computes_it() -> None:
    written = model(
        [
            node("Add", ["x", "one"], "more"),
            node("LeakyRelu", ["more"], "kept", alpha=0.5),
            node("BiasGelu", ["kept", "minus"], "y", own=True),
        ],
        [tensor("one", np.ones(2, dtype=np.float32)), tensor("minus", np.full(2, -9, dtype=np.float32))],
        [value("x", "rows", 2)],
        [value("y", "rows", 2)],
    )
    session = onnxruntime.InferenceSession(written, providers=["CPUExecutionProvider"])
    assert [each.shape for each in session.get_inputs()] == [["rows", 2]]
    (y,) = session.run(None, {"x": np.array([[18, -5], [8, 9]], dtype=np.float32)})
    assert y == pytest.approx(np.array([[10, 0], [0, 0.8413]]), abs=1e-4)
