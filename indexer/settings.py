"""Settings of the indexer, from the environment or a ``.env`` file. Built in ``__main__`` and passed down."""

from __future__ import annotations

from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

_SHORTEST_TOKEN = 16  # characters


class IndexerSettings(BaseSettings):
    """Each field is an environment variable of the same name in capitals; each stands in the README's table."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", env_ignore_empty=True, frozen=True)

    # Claude
    anthropic_api_key: SecretStr | None = Field(None, description="Key for Claude. Without it contexts are structural.")
    anthropic_base_url: str | None = Field(None, description="Another address for Claude's API.")
    context_model: str = Field("claude-haiku-5-5", description="Model that writes contexts.")
    context_concurrency: int = Field(8, ge=1, le=64, description="Context calls side by side.")
    context_max_tokens: int = Field(100, ge=20, le=200, description="Longest context, in the embedder's tokens.")
    context_document_tokens: int = Field(
        70_000, ge=1_000, le=900_000, description="A longer document is shown to Claude as a reduced set of its chunks."
    )
    num_start_chunks: int = Field(8, ge=0, description="Reduced set: chunks from the beginning.")
    num_prev_chunks: int = Field(4, ge=0, description="Reduced set: chunks before the target.")
    context_cache_ttl: Literal["5m", "1h"] = Field("5m", description="How long Claude keeps a document cached.")
    claude_timeout_seconds: float = Field(120.0, gt=0, description="Longest wait for Claude without a byte.")
    prices_file: Path | None = Field(None, description="JSON file of prices that replaces the built-in table.")

    day_cap_usd: float | None = Field(
        None,
        ge=0,
        allow_inf_nan=False,
        description="Most US dollars for Claude a day (UTC), contexts and answers; at the cap it is not asked.",
    )

    # Where things are kept
    data_dir: Path = Field(Path("data"), description="Folder for everything that is kept on this machine.")
    database_url: str | None = Field(None, description="Catalogue and queue. Default: SQLite under DATA_DIR.")
    originals_url: str | None = Field(None, description="Where originals go (fsspec URL). Default: under DATA_DIR.")
    weaviate_url: str | None = Field(None, description="A Weaviate server. Default: an embedded one.")
    weaviate_grpc_port: int = Field(50051, ge=1, le=65535, description="gRPC port of the server at WEAVIATE_URL.")
    weaviate_api_key: SecretStr | None = Field(None, description="Key for the server at WEAVIATE_URL.")
    weaviate_start_seconds: float = Field(120.0, gt=0, description="Longest wait for the database to be ready.")

    # Reading documents
    max_file_mb: float = Field(50.0, gt=0, description="Largest file or download.")
    max_unpacked_mb: float = Field(500.0, gt=0, description="Largest unpacked size of an archive-like file (docx …).")
    max_pages: int = Field(2_000, ge=1, description="Most pages of one document.")
    extraction_seconds: float = Field(120.0, gt=0, description="Longest time to read one document.")
    ocr_languages: str = Field("eng", description="Tesseract languages for scans, joined by +.")
    fetch_seconds: float = Field(60.0, gt=0, description="Longest time for one download.")

    # Chunks and vectors
    embedder: Literal["local", "voyage", "openai", "hashing"] = Field(
        "local", description="`local`, `voyage`, `openai` (any compatible server), or `hashing` (tests only)."
    )
    embedder_model: str | None = Field(None, description="Model of the embedder. Default with voyage: voyage-4.")
    embedder_url: str | None = Field(
        None, description="Address of the embedder's API, such as http://localhost:11434/v1. Default: Voyage's."
    )
    embedder_api_key: SecretStr | None = Field(None, description="Key for the embedder's API.")
    embedder_dimensions: int | None = Field(
        None, ge=2, le=65_535, description="Numbers in a vector of the embedder's model. Default with voyage: 1024."
    )
    embedder_max_tokens: int | None = Field(
        None,
        ge=256,
        le=1_000_000,
        description="Longest text that the embedder's model takes, in tokens. Default: 8000 with voyage, else 512.",
    )
    embedder_query_prefix: str | None = Field(None, description="What openai's model wants before a question.")
    embedder_document_prefix: str | None = Field(None, description="What openai's model wants before a passage.")
    embedder_seconds: float = Field(60.0, gt=0, description="Longest wait for an answer of the embedder's API.")
    chunk_tokens: int | None = Field(
        None, ge=32, description="Longest chunk. Default: what fits the embedder beside a context."
    )

    # Search
    search_alpha: float = Field(0.6, ge=0, le=1, description="0 is keywords only, 1 is meaning only.")
    search_fusion: Literal["relative_score", "ranked"] = Field("relative_score", description="How both are combined.")
    search_limit: int = Field(10, ge=1, le=100, description="Passages a search gives.")
    search_passage_weight: float = Field(0.8, ge=0, le=1, description="Weight of the passage's vector.")
    search_context_weight: float = Field(0.2, ge=0, le=1, description="Weight of the context's vector.")
    reranker: Literal["none", "voyage", "cohere", "local"] = Field(
        "none", description="Second ranking of what a search finds: `none`, `voyage`, `cohere`, or `local`."
    )
    reranker_model: str | None = Field(
        None, description="Model of the reranker. Default: rerank-2.5 with voyage, rerank-v3.5 with cohere."
    )
    reranker_url: str | None = Field(None, description="Address of the reranker's API. Default: Voyage's or Cohere's.")
    reranker_api_key: SecretStr | None = Field(None, description="Key for the reranker's API.")
    reranker_path: Path | None = Field(
        None, description="Folder of the local reranker: a cross-encoder's model.onnx and tokenizer.json."
    )
    rerank_candidates: int = Field(50, ge=1, le=100, description="Passages that the reranker is shown.")
    reranker_seconds: float = Field(3.0, gt=0, description="Longest wait for the reranker; then a search does without.")

    # Other programs
    mcp_token: SecretStr | None = Field(
        None, description="What clients of `indexer mcp --http` must send; 16 characters or more."
    )

    # Work
    index_workers: int = Field(2, ge=1, le=16, description="Documents indexed side by side in one process.")
    workspace: str = Field("local", description="Workspace of the command line.")

    @field_validator("mcp_token")
    @classmethod
    def _is_long(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and len(value) < _SHORTEST_TOKEN:
            raise ValueError(f"it must have {_SHORTEST_TOKEN} characters or more")
        return value

    @field_validator("embedder_url", "reranker_url")
    @classmethod
    def _is_whole_and_holds_no_key(cls, value: str | None) -> str | None:
        if value is not None and "://" not in value:
            raise ValueError("it must be an address such as http://localhost:11434/v1")
        if value is not None and "@" in value:
            raise ValueError("it must hold no key or password; those go into the setting that ends in _API_KEY")
        return value

    @field_validator("weaviate_url", "anthropic_base_url", "embedder_url", "reranker_url")
    @classmethod
    def _is_web_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        try:
            parts = urlsplit(value if "://" in value or ":" not in value else f"http://{value}")  # host:port will do
            fits = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            fits = False
        if not fits:
            raise ValueError("it must be an address such as http://localhost:8080")
        return value
