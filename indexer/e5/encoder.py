"""multilingual-e5-small as an ONNX model that multiplies whole numbers of 8 bits.

Weights are rounded to 7 bits (±63), with a scale for each output: on processors without instructions for such products
(AVX2 alone) the sums of two would overflow with 8, and the same text would have another vector there. What they are
multiplied with is rounded to 8 bits as it comes, with one scale for all tokens of a text. In three layers what goes
into the second half of the feed-forward net has single numbers far larger than the rest, which would then all be
rounded away: there, and only there, the product stays one of floats.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from . import messages
from .weights import Weights

_IN_FLOATS: Final = ("l0.fo", "l4.fo", "l5.fo")
_TOP: Final = 63


def onnx_model(weights: Weights) -> bytes:
    """Takes ``embedded``, a text as ``(1, tokens, 384)``; gives ``pooled``, ``(1, 384)``: the mean over the tokens.

    One text a call: nothing is padded, and a vector does not hang on the texts beside it, as it would with one scale
    for them all. From a hundred tokens on several at once are not faster either.
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
        hidden, inner = self._sizes.hidden, self._sizes.inner
        whole = self._in_whole_numbers(x)
        query, key, value = (self._product(whole, f"{layer}.{part}", hidden) for part in "qkv")
        heads = self._sizes.heads
        seen = self._node("MultiHeadAttention", [query, key, value], f"{layer}.attention", own=True, num_heads=heads)
        out = self._product(self._in_whole_numbers(seen), f"{layer}.ao", hidden)
        x = self._normed(self._node("Add", [x, out], f"{layer}.attended"), f"{layer}.aln")
        wide = self._product(self._in_whole_numbers(x), f"{layer}.fi", hidden, biased=False)
        bias = self._tensor(f"{layer}.fi.b", self._weights.floats(f"{layer}.fi.b"))
        wide = self._node("BiasGelu", [wide, bias], f"{layer}.wide", own=True)
        if f"{layer}.fo" in _IN_FLOATS:
            out = self._float_product(wide, f"{layer}.fo", inner)
        else:
            out = self._product(self._in_whole_numbers(wide), f"{layer}.fo", inner)
        return self._normed(self._node("Add", [x, out], f"{layer}.fed"), f"{layer}.oln")

    def _in_whole_numbers(self, x: str) -> tuple[str, str, str]:
        """Its numbers rounded, their scale, and which number stands for zero."""
        names = (f"{x}.rounded", f"{x}.scale", f"{x}.zero")
        self._node("DynamicQuantizeLinear", [x], names)
        return names

    def _product(self, whole: tuple[str, str, str], name: str, columns: int, *, biased: bool = True) -> str:
        rounded, scales = rounded_weights(self._weights.matrix(f"{name}.w", columns))
        values, scale, zero = whole
        weight, weight_scale = self._tensor(f"{name}.w", rounded.T), self._tensor(f"{name}.s", scales)
        weight_zero = self._tensor(f"{name}.z", np.zeros(len(scales), dtype=np.int8))
        bias = [self._tensor(f"{name}.b", self._weights.floats(f"{name}.b"))] if biased else []
        takes = [values, weight, scale, weight_scale, zero, weight_zero, *bias]
        return self._node("MatMulIntegerToFloat", takes, f"{name}.out", own=True)

    def _float_product(self, x: str, name: str, columns: int) -> str:
        weight = self._tensor(f"{name}.w", self._weights.matrix(f"{name}.w", columns).T)
        bias = self._tensor(f"{name}.b", self._weights.floats(f"{name}.b"))
        return self._node("Add", [self._node("MatMul", [x, weight], f"{name}.product"), bias], f"{name}.out")

    def _normed(self, x: str, name: str) -> str:
        scale, shift = (self._tensor(f"{name}.{part}", self._weights.floats(f"{name}.{part}")) for part in "wb")
        epsilon = self._sizes.epsilon
        return self._node("LayerNormalization", [x, scale, shift], f"{name}.out", axis=2, epsilon=epsilon)

    def _node(
        self, operator: str, takes: list[str], gives: str | tuple[str, ...], *, own: bool = False, **options: float
    ) -> str:
        self._nodes.append(messages.node(operator, takes, gives, own=own, **options))
        return gives if isinstance(gives, str) else gives[0]

    def _tensor(self, name: str, array: NDArray[np.generic]) -> str:
        self._tensors.append(messages.tensor(name, array))
        return name


def rounded_weights(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Each row in whole numbers from −63 to 63, and its scale: ``[[0.5, -1.26]]`` → ``[[25, -63]]``, ``[0.02]``."""
    scales = np.maximum(np.abs(matrix).max(axis=1), np.finfo(np.float32).tiny) / _TOP
    rounded = np.rint(matrix / scales[:, None]).astype(np.int8)
    return rounded, scales.astype(np.float32)
