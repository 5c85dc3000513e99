"""The catalogue's SQL tables.

Timestamps are UTC, stored without a zone. ``number`` counts a document's versions from 1; ``published`` is the number
of the version that answers, or null.
"""

from __future__ import annotations

import sqlalchemy as sa

SCHEMA_VERSION = 1

metadata = sa.MetaData()

schema_table = sa.Table("situate_schema", metadata, sa.Column("version", sa.Integer, primary_key=True))

documents = sa.Table(
    "documents",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("workspace", sa.String(64), nullable=False),
    sa.Column("audience", sa.String(128), nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("published", sa.Integer),
    sa.Column("last_number", sa.Integer, nullable=False, default=0),
    sa.Column("added_at", sa.DateTime, nullable=False),
    sa.Index("documents_by_workspace", "workspace", "audience"),
)

# Stored and not answering, as far as a version's own row tells: no more are read at each search, however many answer.
# Every transaction that changes `documents.published` leaves `state` right with it. It is text, since a database takes
# a partial index only where a query has the index's own words.
UNSETTLED = sa.text("stored AND state <> 'published'")

versions = sa.Table(
    "versions",
    metadata,
    sa.Column("document", sa.String(32), sa.ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("workspace", sa.String(64), nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("stored", sa.Boolean, nullable=False, default=False),
    sa.Column("stage", sa.String(24), nullable=False, default=""),
    sa.Column("done", sa.Integer, nullable=False, default=0),
    sa.Column("total", sa.Integer, nullable=False, default=0),
    sa.Column("sha256", sa.String(64), nullable=False),
    sa.Column("fingerprint", sa.String(64), nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("declared_type", sa.Text),
    sa.Column("given_title", sa.Text),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("url", sa.Text),
    sa.Column("source_date", sa.DateTime),
    sa.Column("date", sa.DateTime),
    sa.Column("language", sa.String(8)),
    sa.Column("media_type", sa.Text),
    sa.Column("added_by", sa.Text),
    sa.Column("created_at", sa.DateTime, nullable=False),
    sa.Column("updated_at", sa.DateTime, nullable=False),
    sa.Column("chunks", sa.Integer, nullable=False, default=0),
    sa.Column("context_kind", sa.String(16)),
    sa.Column("failures", sa.JSON, nullable=False, default=dict),
    sa.Column("warnings", sa.JSON, nullable=False, default=list),
    sa.Column("cache_misses", sa.Integer, nullable=False, default=0),
    sa.Column("error", sa.Text),
    sa.Column("input_tokens", sa.Integer, nullable=False, default=0),
    sa.Column("cache_write_tokens", sa.Integer, nullable=False, default=0),
    sa.Column("cache_read_tokens", sa.Integer, nullable=False, default=0),
    sa.Column("output_tokens", sa.Integer, nullable=False, default=0),
    sa.Column("cost_usd", sa.Float, nullable=False, default=0.0),
    sa.Index("versions_stored", "workspace", "stored"),
    sa.Index("versions_by_state", "state"),
    sa.Index("versions_unsettled", "workspace", sqlite_where=UNSETTLED, postgresql_where=UNSETTLED),
)

sketches = sa.Table(
    "sketches",
    metadata,
    sa.Column("document", sa.String(32), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("signature", sa.LargeBinary, nullable=False),  # of the text: 64-bit hashes, little endian
    sa.ForeignKeyConstraint(["document", "number"], ["versions.document", "versions.number"], ondelete="CASCADE"),
)

paid_answers = sa.Table(
    "paid_answers",
    metadata,
    sa.Column("request_hash", sa.String(64), primary_key=True),
    sa.Column("version", sa.String(48), nullable=False, index=True),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("stop_reason", sa.String(48), nullable=False),
    sa.Column("input_tokens", sa.Integer, nullable=False),
    sa.Column("cache_write_tokens", sa.Integer, nullable=False),
    sa.Column("cache_read_tokens", sa.Integer, nullable=False),
    sa.Column("output_tokens", sa.Integer, nullable=False),
    sa.Column("cost_usd", sa.Float, nullable=False),
    sa.Column("created_at", sa.DateTime, nullable=False),
)

spending = sa.Table(
    "spending",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("workspace", sa.String(64), nullable=False),
    sa.Column("at", sa.DateTime, nullable=False),
    sa.Column("what", sa.String(16), nullable=False),  # context or answer
    sa.Column("cost_usd", sa.Float, nullable=False),
    sa.Index("spending_by_time", "workspace", "at"),
)

embeddings = sa.Table(
    "embeddings",
    metadata,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("vector", sa.LargeBinary, nullable=False),  # float32, little endian
)

executors = sa.Table(
    "executors",
    metadata,
    sa.Column("id", sa.String(128), primary_key=True),
    sa.Column("beats", sa.Integer, nullable=False),  # counts up while the executor lives
)
