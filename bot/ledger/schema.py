"""The ledger's SQL tables; they stand in the catalogue's database.

Timestamps are UTC, stored without a zone. Texts that people or models wrote stand in JSON columns only: there every
character is stored, also those that a database's text column refuses.
"""

from __future__ import annotations

import sqlalchemy as sa

LEDGER_VERSION = 1

metadata = sa.MetaData()

ledger_schema = sa.Table("ledger_schema", metadata, sa.Column("version", sa.Integer, primary_key=True))

questions = sa.Table(
    "questions",
    metadata,
    sa.Column("key", sa.String(255), primary_key=True),
    sa.Column("team", sa.String(64), nullable=False),
    sa.Column("channel", sa.String(64), nullable=False),
    sa.Column("thread", sa.String(64), nullable=False),  # "" for a command, which has none
    sa.Column("ts", sa.String(64), nullable=False),
    sa.Column("asker", sa.String(64), nullable=False),
    sa.Column("how", sa.String(16), nullable=False),
    sa.Column("payload", sa.JSON(none_as_null=True)),  # null once it is forgotten
    sa.Column("owner", sa.String(128), nullable=False),  # the executor that answers it
    sa.Column("state", sa.String(16), nullable=False),  # open, or how it was closed
    sa.Column("taken_at", sa.DateTime, nullable=False),
    sa.Column("closed_at", sa.DateTime),
    sa.Index("questions_by_thread", "team", "channel", "thread"),
    sa.Index("questions_by_message", "team", "channel", "ts"),
    sa.Index("questions_by_state", "state", "closed_at"),
    sa.Index("questions_by_time", "team", "taken_at"),
)

question_messages = sa.Table(
    "question_messages",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("question", sa.String(255), nullable=False),
    sa.Column("message_ts", sa.String(64), nullable=False),
    sa.UniqueConstraint("question", "message_ts"),
)

answers = sa.Table(
    "answers",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("team", sa.String(64), nullable=False),
    sa.Column("channel", sa.String(64), nullable=False),
    sa.Column("thread", sa.String(64), nullable=False),
    sa.Column("question_ts", sa.String(64), nullable=False),
    sa.Column("replaced_by", sa.String(32)),
    sa.Column("created_at", sa.DateTime, nullable=False),
    sa.Column("content", sa.JSON, nullable=False),
    sa.Index("answers_by_thread", "team", "channel", "thread"),
    sa.Index("answers_by_question", "team", "channel", "question_ts"),
)

answer_messages = sa.Table(
    "answer_messages",
    metadata,
    sa.Column("team", sa.String(64), primary_key=True),
    sa.Column("channel", sa.String(64), primary_key=True),
    sa.Column("message_ts", sa.String(64), primary_key=True),
    sa.Column("answer", sa.String(32), nullable=False),
)

muted_threads = sa.Table(
    "muted_threads",
    metadata,
    sa.Column("team", sa.String(64), primary_key=True),
    sa.Column("channel", sa.String(64), primary_key=True),
    sa.Column("thread", sa.String(64), primary_key=True),
    sa.Column("muted_by", sa.String(64), nullable=False),
    sa.Column("muted_at", sa.DateTime, nullable=False),
)

feedback = sa.Table(
    "feedback",
    metadata,
    sa.Column("answer", sa.String(32), primary_key=True),
    sa.Column("person", sa.String(64), primary_key=True),
    sa.Column("value", sa.Integer, nullable=False),  # 1 or -1
    sa.Column("how", sa.String(16), nullable=False),  # button or reaction
    sa.Column("comment", sa.JSON(none_as_null=True)),
    sa.Column("given_at", sa.DateTime, nullable=False),
)

errands = sa.Table(
    "errands",
    metadata,
    sa.Column("key", sa.String(128), primary_key=True),
    sa.Column("busy_until", sa.DateTime),  # null once it is done
)

capped_questions = sa.Table(  # answered without Claude because of a cap
    "capped_questions",
    metadata,
    sa.Column("question", sa.String(255), primary_key=True),
)

additions = sa.Table(
    "additions",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("team", sa.String(64), nullable=False),
    sa.Column("person", sa.String(64), nullable=False),
    sa.Column("payload", sa.JSON(none_as_null=True)),  # null once it is forgotten
    sa.Column("owner", sa.String(128), nullable=False),  # the executor that works on it
    sa.Column("state", sa.String(16), nullable=False),  # open, asking or closed
    sa.Column("message_channel", sa.String(64)),
    sa.Column("message_ts", sa.String(64)),
    sa.Column("taken_at", sa.DateTime, nullable=False),
    sa.Column("rested_at", sa.DateTime),
    sa.Index("additions_by_state", "state", "rested_at"),
)

added_items = sa.Table(
    "added_items",
    metadata,
    sa.Column("addition", sa.String(32), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("progress", sa.JSON, nullable=False),
)

document_parts = sa.Table(
    "document_parts",
    metadata,
    sa.Column("document", sa.String(32), primary_key=True),
    sa.Column("part", sa.String(128), primary_key=True),  # a file's id, or a message's channel and ts: "C1:1.2"
    sa.Column("workspace", sa.String(64), nullable=False),
    sa.Column("person", sa.String(64), nullable=False),  # who added the document
    sa.Column("gone", sa.Boolean, nullable=False),  # the part was deleted in Slack, and the document is to be
    sa.Index("document_parts_by_part", "part"),
    sa.Index("document_parts_gone", "gone"),
)

directory_changes = sa.Table(  # what Slack said of people and channels, to one bot of several
    "directory_changes",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("channel", sa.String(64)),
    sa.Column("person", sa.String(64)),
    sa.Column("owner", sa.String(128), nullable=False),  # the executor that heard it
    sa.Column("heard_at", sa.DateTime, nullable=False),
    sqlite_autoincrement=True,  # a number is not given again once all rows are deleted
)

forgotten_documents = sa.Table(  # with what they were made of, which was deleted in Slack; until that is told
    "forgotten_documents",
    metadata,
    sa.Column("version", sa.String(32), primary_key=True),
    sa.Column("person", sa.String(64), nullable=False),  # who is to be told
    sa.Column("title", sa.Text, nullable=False),
)

alerts = sa.Table(  # the latest trouble of each kind
    "alerts",
    metadata,
    sa.Column("team", sa.String(64), primary_key=True),
    sa.Column("kind", sa.String(16), primary_key=True),
    sa.Column("number", sa.Integer, nullable=False),  # counts the troubles of this kind
    sa.Column("began_at", sa.DateTime, nullable=False),
    sa.Column("ended_at", sa.DateTime),  # null while it lasts
    sa.Column("begun_told", sa.Boolean, nullable=False),
    sa.Column("is_closed", sa.Boolean, nullable=False),  # nothing more is to be told of it
    sa.Column("told_at", sa.DateTime),  # when the telling of one of this kind last began
    sa.Column("busy_until", sa.DateTime),  # while somebody tells it, or nobody is to try
    sa.Column("detail", sa.JSON, nullable=False),
)

alert_sightings = sa.Table(  # where a trouble is seen that each process or machine has for itself
    "alert_sightings",
    metadata,
    sa.Column("team", sa.String(64), primary_key=True),
    sa.Column("kind", sa.String(16), primary_key=True),
    sa.Column("place", sa.String(128), primary_key=True),
    sa.Column("seen_at", sa.DateTime, nullable=False),
)
