"""Strict local stand-ins for the APIs of embedders and rerankers. They refuse what the real ones refuse.

Vectors are made of the text alone, so that a test knows which belongs to which; they are not of length 1, as some
servers' are not. Tokens are words.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import numpy as np
from aiohttp import web
from aiohttp.test_utils import TestServer

KEY = "pa-very-secret"

Body = dict[str, Any]


def vector_of(text: str, dimensions: int) -> list[float]:
    """The vector that every stand-in gives for a text."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    return [round(float(number), 6) for number in 3 * np.random.default_rng(seed).standard_normal(dimensions)]


class Refusal(Exception):
    """What a stand-in refuses, as the real API says it."""

    def __init__(self, status: int, body: object) -> None:
        super().__init__(str(body))
        self.status = status
        self.body = body


class ModelServer:
    """What all stand-ins have: a key, faults, and what they were asked.

    ``faults`` are answered first, one a request. ``spoil`` changes an answer before it is sent.
    """

    paths: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.key: str | None = KEY
        self.requests: list[Body] = []
        self.faults: deque[web.Response] = deque()
        self.spoil: Callable[[Body], object] = lambda answer: answer
        self.before: Callable[[], Any] | None = None

    def fail(self, status: int, body: object = None, *, times: int = 1, **headers: str) -> None:
        """The next ``times`` requests get this answer; ``retry_after="1"`` is a header."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        for _ in range(times):
            text = body if isinstance(body, str) else json.dumps(body)
            kind = "text/html" if isinstance(body, str) else "application/json"
            self.faults.append(web.Response(status=status, text=text, headers=named, content_type=kind))

    def answer(self, path: str, body: Body) -> Body:
        raise NotImplementedError

    def unauthorised(self) -> Refusal:
        raise NotImplementedError

    async def handle(self, request: web.Request) -> web.Response:
        if self.before is not None:
            await self.before()
        if self.faults:
            return self.faults.popleft()
        try:
            if self.key is not None and request.headers.get("Authorization") != f"Bearer {self.key}":
                raise self.unauthorised()
            assert request.content_type == "application/json"
            body = await request.json()
            self.requests.append(body)
            answer = self.spoil(self.answer(request.path, body))
        except Refusal as refusal:
            return web.json_response(refusal.body, status=refusal.status)
        text = answer if isinstance(answer, str) else json.dumps(answer)
        return web.Response(text=text, content_type="application/json")

    @asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        """Serve on a free loopback port; gives the address without a path."""
        app = web.Application(client_max_size=2_000_000)
        for path in self.paths:
            app.router.add_post(path, self.handle)
        async with TestServer(app, host="127.0.0.1") as server:
            yield str(server.make_url("")).rstrip("/")


def _only(body: Body, known: set[str], refuse: Callable[[str], Refusal]) -> None:
    for name in body:
        if name not in known:
            raise refuse(f"Argument '{name}' is not supported by our API.")


class Voyage(ModelServer):
    """``/v1/embeddings`` and ``/v1/rerank``: at most 1,000 texts, none empty, 120,000 tokens a batch."""

    paths = ("/v1/embeddings", "/v1/rerank")
    dimensions: ClassVar = {"voyage-4": 1_024, "voyage-code-2": 1_536}
    rerankers = ("rerank-2.5", "rerank-2.5-lite")
    most_tokens = 120_000
    context = 16_000

    def unauthorised(self) -> Refusal:
        return Refusal(401, {"detail": "Provided API key is invalid."})

    def answer(self, path: str, body: Body) -> Body:
        return self._embeddings(body) if path.endswith("/embeddings") else self._rerank(body)

    def _embeddings(self, body: Body) -> Body:
        _only(body, {"input", "model", "input_type", "truncation", "output_dimension"}, _detail)
        own = self.dimensions.get(body.get("model", ""))
        if own is None:
            raise _detail(f"Model {body.get('model')} is not supported. Supported models are {list(self.dimensions)}.")
        texts = body["input"]
        self._texts(texts, "input")
        if body.get("input_type") not in (None, "query", "document"):
            raise _detail("Value supplied for argument 'input_type' is not valid.")
        dimensions = body.get("output_dimension", own)
        if dimensions not in ({256, 512, 1_024, 2_048} if own == 1_024 else {own}):
            raise _detail(f"Value {dimensions} supplied for argument 'output_dimension' is not valid.")
        for index, text in enumerate(texts):
            if len(text.split()) > self.context and body.get("truncation") is False:
                raise _detail(
                    f"Request to model '{body['model']}' failed. The example at index {index} in your batch has too "
                    f"many tokens and does not fit into the model's context window of {self.context} tokens."
                )
        total = sum(len(text.split()) for text in texts)
        if total > self.most_tokens:
            raise _detail(
                f"The max allowed tokens per submitted batch is {self.most_tokens}. Your batch has {total} tokens "
                f"after truncation. Please lower the number of tokens in the batch."
            )
        data = [
            {"object": "embedding", "embedding": vector_of(text, dimensions), "index": index}
            for index, text in enumerate(texts)
        ]
        return {"object": "list", "data": data, "model": body["model"], "usage": {"total_tokens": total}}

    def _rerank(self, body: Body) -> Body:
        _only(body, {"query", "documents", "model", "top_k", "return_documents", "truncation"}, _detail)
        if body.get("model") not in self.rerankers:
            raise _detail(f"Model {body.get('model')} is not supported. Supported models are {list(self.rerankers)}.")
        self._texts([body["query"]], "query")
        self._texts(body["documents"], "documents")
        found = _ranked(body["query"], body["documents"])
        return {"object": "list", "data": found, "model": body["model"], "usage": {"total_tokens": 1}}

    def _texts(self, texts: object, name: str) -> None:
        if not isinstance(texts, list) or not texts or not all(isinstance(t, str) and t.strip() for t in texts):
            raise _detail(f"Argument '{name}' must be a non-empty list of non-empty strings.")
        if len(texts) > 1_000:
            raise _detail(f"The batch size limit is 1000. Your batch size is {len(texts)}.")


def _detail(said: str) -> Refusal:
    return Refusal(400, {"detail": said})


class Cohere(ModelServer):
    """``/v2/rerank``: results come best first, with the index that a document had."""

    paths = ("/v2/rerank",)
    models = ("rerank-v3.5",)

    def unauthorised(self) -> Refusal:
        return Refusal(401, {"id": "1", "message": "invalid api token"})

    def answer(self, path: str, body: Body) -> Body:
        _only(body, {"model", "query", "documents", "top_n", "max_tokens_per_doc", "priority"}, _message)
        if body.get("model") not in self.models:
            said = f"model '{body.get('model')}' not found, make sure the correct model ID was used"
            raise Refusal(404, {"id": "1", "message": said})
        if not isinstance(body.get("query"), str) or not body["query"].strip():
            raise _message("invalid request: query must be a non-empty string")
        documents = body.get("documents")
        if not isinstance(documents, list) or not documents or not all(isinstance(d, str) and d for d in documents):
            raise _message("invalid request: list of documents must not be empty, nor any of them")
        found = _ranked(body["query"], documents)
        return {"id": "1", "results": found, "meta": {"api_version": {"version": "2"}}}


def _message(said: str) -> Refusal:
    return Refusal(400, {"id": "1", "message": said})


class OpenAICompatible(ModelServer):
    """``/v1/embeddings`` of the strictest of them: at most ``most`` texts, none empty, each within ``window`` tokens.

    ``shortens``: whether the model can give fewer dimensions. ``style`` is whose words it refuses with.
    """

    paths = ("/v1/embeddings",)

    def __init__(self, style: str = "openai", *, dimensions: int = 8, most: int = 32, window: int = 512) -> None:
        super().__init__()
        self.style = style
        self.own = dimensions
        self.most = most
        self.window = window
        self.shortens = False

    def unauthorised(self) -> Refusal:
        return self._refusal(401, "Incorrect API key provided: pa-v****. You can find your API key at …")

    def answer(self, path: str, body: Body) -> Body:
        _only(body, {"model", "input", "dimensions"}, lambda said: self._refusal(400, said))
        if body.get("model") != "small":
            raise self._refusal(404, self._unknown(body.get("model")))
        texts = body["input"]
        if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
            raise self._refusal(400, "'$.input' is invalid. It cannot be an empty string.")
        if len(texts) > self.most:
            raise self._refusal(413, f"batch size {len(texts)} > maximum allowed batch size {self.most}")
        if any(len(text.split()) > self.window for text in texts):
            raise self._too_long(max(len(text.split()) for text in texts))
        dimensions = body.get("dimensions", self.own)
        if dimensions != self.own and not self.shortens:
            raise self._refusal(400, "This model does not support specifying dimensions.")
        data = [
            {"object": "embedding", "embedding": vector_of(text, dimensions), "index": index}
            for index, text in enumerate(texts)
        ]
        data.reverse()  # nothing says that they come in order
        return {"object": "list", "data": data, "model": "small", "usage": {"prompt_tokens": 1, "total_tokens": 1}}

    def _unknown(self, model: object) -> str:
        return {
            "openai": f"The model `{model}` does not exist or you do not have access to it.",
            "vllm": f"The model `{model}` does not exist.",
            "ollama": f'model "{model}" not found, try pulling it first',
        }.get(self.style, f"Unknown model {model}")

    def _too_long(self, tokens: int) -> Refusal:
        status, said = {
            "openai": (400, f"Invalid 'input': maximum context length is {self.window} tokens."),
            "vllm": (
                400,
                f"This model's maximum context length is {self.window} tokens. However, you requested {tokens} tokens "
                f"in the input for embedding generation. Please reduce the length of the input.",
            ),
            "ollama": (500, "the input length exceeds the context length"),
            "tei": (413, f"Input validation error: `inputs` must have less than {self.window} tokens. Given: {tokens}"),
        }[self.style]
        return self._refusal(status, said)

    def _refusal(self, status: int, said: str) -> Refusal:
        if self.style == "tei":
            return Refusal(status, {"message": said, "code": status, "type": "Validation"})
        if self.style == "ollama" and status == 500:
            return Refusal(status, {"error": said})
        return Refusal(
            status, {"error": {"message": said, "type": "invalid_request_error", "param": None, "code": None}}
        )


def _ranked(query: str, documents: list[str]) -> list[Body]:
    """Best first: by the share of the query's words that a document holds."""
    words = set(query.casefold().split())
    shares = [len(words & set(document.casefold().split())) / len(words) for document in documents]
    order = sorted(range(len(documents)), key=lambda index: -shares[index])
    return [{"index": index, "relevance_score": round(shares[index], 6)} for index in order]
