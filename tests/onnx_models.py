"""A cross-encoder small enough to be written down: ONNX by hand, a tokenizer of whole words, and stand-ins for what
runs them, where ONNX Runtime and the tokenizers are not installed.

The model's score is the sum of the passage's token ids: known, of the passage alone, and blind to what is padded.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

WORDS = ["[PAD]", "[UNK]", "one", "two", "three", "four", "five"]  # "two" has the id 3


def write_model(folder: Path, *, columns: int = 1, inputs: Sequence[str] = ()) -> Path:
    """Write the model and its tokenizer. ``columns``: numbers a pair; ``inputs``: names that it wants besides."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(_model(columns, inputs))
    (folder / "tokenizer.json").write_text(json.dumps(_tokenizer()), "utf-8")
    return folder


# -- ONNX, as its protocol buffers have it ----------------------------------------------------------------------------


def _varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _node(kind: str, inputs: Sequence[str], output: str, *attributes: bytes) -> bytes:
    names = b"".join(_field(1, name) for name in inputs)
    return names + _field(2, output) + _field(4, kind) + b"".join(_field(5, each) for each in attributes)


def _whole(name: str, number: int) -> bytes:
    return _field(1, name) + _field(3, number) + _field(20, 2)


def _wholes(name: str, *numbers: int) -> bytes:
    return _field(1, name) + b"".join(_field(8, number) for number in numbers) + _field(20, 7)


def _value(name: str, element: int, *sizes: int | str) -> bytes:
    shape = b"".join(_field(1, _field(1, size) if isinstance(size, int) else _field(2, size)) for size in sizes)
    return _field(1, name) + _field(2, _field(1, _field(1, element) + _field(2, shape)))


def _model(columns: int, inputs: Sequence[str]) -> bytes:
    names = ["input_ids", "attention_mask", "token_type_ids", *inputs]
    nodes = [
        _node("Mul", names[:2], "seen"),
        _node("Mul", ["seen", names[2]], "passage"),
        _node("Cast", ["passage"], "numbers", _whole("to", 1)),
        _node("ReduceSum", ["numbers"], "sum", _wholes("axes", 1), _whole("keepdims", 1)),
        _node("Concat", ["sum"] * columns, "logits", _whole("axis", 1)),
    ]
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, "sum")
    graph += b"".join(_field(11, _value(name, 7, "pairs", "tokens")) for name in names)
    graph += _field(12, _value("logits", 1, "pairs", columns))
    return _field(1, 6) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 11))


def _tokenizer() -> dict[str, Any]:
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {},
        },
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {word: id for id, word in enumerate(WORDS)}, "unk_token": "[UNK]"},
    }


# -- stand-ins for the packages ---------------------------------------------------------------------------------------


class InferenceSession:
    """Runs what ``write_model`` writes: it takes exactly the model's inputs, as 64-bit integers of one shape."""

    def __init__(self, path: str, providers: Sequence[str]) -> None:
        data = Path(path).read_bytes()
        if b"ReduceSum" not in data:
            raise RuntimeError("INVALID_PROTOBUF")
        self._columns = data.count(b"\x0a\x03sum")  # inputs of that name: those of the last node
        known = (b"input_ids", b"attention_mask", b"token_type_ids", b"position_ids")
        self._names = [name.decode() for name in known if name in data]

    def get_inputs(self) -> list[Any]:
        return [SimpleNamespace(name=name) for name in self._names]

    def run(self, outputs: None, given: dict[str, Any]) -> list[Any]:
        assert sorted(given) == sorted(self._names)
        assert {array.dtype for array in given.values()} == {np.dtype(np.int64)}
        assert len({array.shape for array in given.values()}) == 1
        seen = given["input_ids"] * given["attention_mask"] * given["token_type_ids"]
        return [np.repeat(seen.sum(axis=1, keepdims=True).astype(np.float32), self._columns, axis=1)]


class Tokenizer:
    """Whole words, as ``_tokenizer`` says. A batch is of one length only once padding is on."""

    truncation: dict[str, Any] | None = None
    padding: dict[str, Any] | None = None

    @staticmethod
    def from_file(path: str) -> Tokenizer:
        json.loads(Path(path).read_text("utf-8"))
        return Tokenizer()

    def token_to_id(self, token: str) -> int | None:
        return WORDS.index(token) if token in WORDS else None

    def enable_truncation(self, max_length: int, strategy: str) -> None:
        assert strategy == "longest_first"
        self.truncation = {"max_length": max_length}

    def enable_padding(self, **how: Any) -> None:
        self.padding = how

    def encode_batch(self, pairs: Sequence[tuple[str, str]]) -> list[Any]:
        assert self.truncation is not None
        rows = []
        for query, text in pairs:
            first, second = query.split(), text.split()
            while len(first) + len(second) > self.truncation["max_length"]:
                (first if len(first) > len(second) else second).pop()
            rows.append((first, second))
        longest = max(len(first) + len(second) for first, second in rows)
        return [self._encoded(first, second, longest) for first, second in rows]

    def _encoded(self, first: list[str], second: list[str], longest: int) -> Any:
        assert self.padding is not None
        pads = longest - len(first) - len(second)
        ids = [WORDS.index(word) if word in WORDS else 1 for word in first + second]
        return SimpleNamespace(
            ids=ids + [self.padding["pad_id"]] * pads,
            attention_mask=[1] * len(ids) + [0] * pads,
            type_ids=[0] * len(first) + [1] * len(second) + [0] * pads,
        )


def stand_ins() -> dict[str, ModuleType]:
    """The two packages by name, for ``sys.modules``."""
    runtime, tokenizers = ModuleType("onnxruntime"), ModuleType("tokenizers")
    runtime.InferenceSession = InferenceSession  # type: ignore[attr-defined]  # this is how a module is made
    tokenizers.Tokenizer = Tokenizer  # type: ignore[attr-defined]  # likewise
    return {"onnxruntime": runtime, "tokenizers": tokenizers}
