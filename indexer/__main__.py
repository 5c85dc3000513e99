"""``python -m indexer``: add documents, look at them, search them, serve the queue."""

from __future__ import annotations

import typer

from .commands import adding, asking, evaluating, keeping, protocol, reading, searching

app = typer.Typer(
    help="Documents in: extracted, situated, indexed. Exit codes: 0 done, 1 some documents were refused or failed, "
    "2 wrong usage or settings, 3 a service does not answer, 4 no such document, 130 interrupted, 143 told to stop.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # its tracebacks would show local variables: document text, keys
)
for family in (adding, reading, searching, keeping, evaluating, asking, protocol):
    app.add_typer(family.app)

if __name__ == "__main__":
    app(prog_name="python -m indexer")
