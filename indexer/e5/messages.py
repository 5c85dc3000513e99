"""As much of ONNX's file format as an encoder needs: Protocol Buffers, written field by field.

A field is its number and what kind of value follows, then the value; a message is its fields in a row, and a text,
a list of numbers or another message is written with its length before it. The numbers of the fields are ONNX's
(``onnx.proto3``); ONNX's own package, which writes all of the format, takes 30 MB.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Value = int | float | str | bytes

FLOAT: Final = 1
_KINDS: Final = {"float32": FLOAT, "int64": 7}
_OWN: Final = "com.microsoft"  # ONNX Runtime's own operators
_FORMAT, _OPERATORS, _OWN_OPERATORS = 8, 18, 1


def node(operator: str, takes: Sequence[str], gives: str, *, own: bool = False, **options: float) -> bytes:
    """One step: ``node("Add", ["x", "y"], "sum")``. ``own``: an operator of ONNX Runtime's, not of ONNX."""
    return _message(
        *((1, name) for name in takes),
        (2, gives),
        (3, f"{gives}/{operator}"),
        (4, operator),
        *((5, _attribute(name, value)) for name, value in options.items()),
        *([(7, _OWN)] if own else []),
    )


def tensor(name: str, array: NDArray[Any]) -> bytes:
    """A weight."""
    return _message(
        *((1, size) for size in array.shape),
        (2, _KINDS[array.dtype.name]),
        (8, name),
        (9, np.ascontiguousarray(array).tobytes()),
    )


def value(name: str, *shape: int | str) -> bytes:
    """An input or output of float32 numbers; a size that is not fixed has a name."""
    sizes = [(1, _message((1, size) if isinstance(size, int) else (2, size))) for size in shape]
    return _message((1, name), (2, _message((1, _message((1, FLOAT), (2, _message(*sizes)))))))


def model(nodes: Iterable[bytes], tensors: Iterable[bytes], takes: Iterable[bytes], gives: Iterable[bytes]) -> bytes:
    """All of it, as a file would have it."""
    graph = _parts(
        *((1, each) for each in nodes),
        (2, "graph"),
        *((5, each) for each in tensors),
        *((11, each) for each in takes),
        *((12, each) for each in gives),
    )
    versions = [(8, _message((1, ""), (2, _OPERATORS))), (8, _message((1, _OWN), (2, _OWN_OPERATORS)))]
    length = sum(map(len, graph))  # the graph is as large as all weights: it is put together once, with the rest
    return b"".join([*_parts((1, _FORMAT)), _varint(7 << 3 | 2), _varint(length), *graph, *_parts(*versions)])


def _attribute(name: str, option: int | float) -> bytes:
    kind, field = (1, 2) if isinstance(option, float) else (2, 3)
    return _message((1, name), (field, option), (20, kind))


def _message(*fields: tuple[int, Value]) -> bytes:
    """``(1, 300)`` → ``08 ac 02``; ``(2, "ab")`` → ``12 02 61 62``."""
    return b"".join(_parts(*fields))


def _parts(*fields: tuple[int, Value]) -> list[bytes]:
    """A message, not put together yet."""
    parts = []
    for number, content in fields:
        if isinstance(content, float):
            parts += [_varint(number << 3 | 5), struct.pack("<f", content)]
        elif isinstance(content, int):
            parts += [_varint(number << 3), _varint(content)]
        else:
            encoded = content.encode() if isinstance(content, str) else content
            parts += [_varint(number << 3 | 2), _varint(len(encoded)), encoded]
    return parts


def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; all but the last have their eighth bit set. Not for negative ones."""
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    written.append(number)
    return bytes(written)
