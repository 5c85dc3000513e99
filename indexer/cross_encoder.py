"""A cross-encoder in this process: a folder with an ONNX model and its tokenizer, as exported for Hugging Face models.

The tokenizers are not installed by default: with what they bring they are large, and only this reranker needs them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from .errors import ModelUnavailable, SettingsInvalid

MODELS = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
WINDOW = 512  # tokens of question and passage together; what is past them is not read
BATCH = 8  # pairs at once: a search that gave up stops after these

_PACKAGES = (
    "RERANKER=local needs two packages: python -m pip install 'onnxruntime>=1.23' 'tokenizers>=0.20', "
    "or set another RERANKER."
)


class CrossEncoder:
    """A ``Reranker`` on this machine's processor. The model must give one number a pair. Raises SettingsInvalid."""

    def __init__(self, folder: Path) -> None:
        model = next((folder / name for name in MODELS if (folder / name).is_file()), None)
        tokenizer = folder / "tokenizer.json"
        if model is None or not tokenizer.is_file():
            raise SettingsInvalid("The folder at RERANKER_PATH must hold model.onnx and tokenizer.json.")
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise SettingsInvalid(_PACKAGES) from error
        try:
            self._session: Any = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
            self._tokenizer: Any = Tokenizer.from_file(str(tokenizer))
        except Exception as error:  # both raise classes of their own, and bare exceptions
            raise SettingsInvalid("The model at RERANKER_PATH cannot be loaded; export it again.") from error
        own = (self._tokenizer.truncation or {}).get("max_length", WINDOW)
        self._tokenizer.enable_truncation(min(own, WINDOW), strategy="longest_first")
        self._tokenizer.enable_padding(**_padding(self._tokenizer))
        self._inputs = [each.name for each in self._session.get_inputs()]
        self.name = f"local/{folder.resolve().name}"
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="rerank")

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        loop = asyncio.get_running_loop()
        by_length = sorted(range(len(texts)), key=lambda index: len(texts[index]))  # little is padded
        scores = [0.0] * len(texts)
        for start in range(0, len(by_length), BATCH):
            part = by_length[start : start + BATCH]
            found = await loop.run_in_executor(self._pool, self._judge, query, [texts[index] for index in part])
            for index, score in zip(part, found, strict=True):
                scores[index] = score
        return scores

    async def close(self) -> None:
        await asyncio.to_thread(self._pool.shutdown, cancel_futures=True)

    def _judge(self, query: str, texts: Sequence[str]) -> list[float]:
        pairs = [(_clean(query), _clean(text)) for text in texts]
        encoded = self._tokenizer.encode_batch(pairs)
        columns = {
            "input_ids": [each.ids for each in encoded],
            "attention_mask": [each.attention_mask for each in encoded],
            "token_type_ids": [each.type_ids for each in encoded],
        }
        if not columns.keys() >= set(self._inputs):
            raise _unfit()
        given = {name: np.array(columns[name], dtype=np.int64) for name in self._inputs}
        numbers = np.asarray(self._session.run(None, given)[0], dtype=np.float64)
        if numbers.size != len(texts) or not np.isfinite(numbers).all():
            raise _unfit()
        return [float(number) for number in numbers.reshape(len(texts))]


def _unfit() -> ModelUnavailable:
    sentence = "The model at RERANKER_PATH does not give one number for a question and a passage: use a cross-encoder."
    return ModelUnavailable(sentence, kind="reply")


def _padding(tokenizer: Any) -> dict[str, Any]:
    """How the model is padded: as its tokenizer says, or with the token that it has for that."""
    if tokenizer.padding:
        return {name: tokenizer.padding[name] for name in ("pad_id", "pad_type_id", "pad_token", "direction")}
    for token in ("[PAD]", "<pad>"):
        found = tokenizer.token_to_id(token)
        if found is not None:
            return {"pad_id": found, "pad_token": token}
    return {}


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
