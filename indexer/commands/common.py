"""What all commands share: settings, the open indexer, where output goes, and what an error exits with.

Exit codes: 0 done · 1 some documents were refused or failed · 2 wrong usage or settings · 3 a service that is needed
does not answer · 4 no such document · 130 interrupted · 143 told to stop.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, NoReturn

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from ..documents import EVERYONE, WORKSPACE, Audience, Viewer
from ..errors import NotFound, Refused, SettingsInvalid, SituateError, StoreFailed, Unavailable
from ..library import Indexer
from ..reading.sanitising import visible
from ..running import STOPPED, log_to, run_to_end, unexpected
from ..settings import IndexerSettings

DONE, INCOMPLETE, USAGE, AWAY, MISSING, INTERRUPTED = 0, 1, 2, 3, 4, 130

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def _workspace(named: str | None) -> str:
    """The workspace of an option, or of the settings."""
    try:
        workspace = named or read_settings().workspace
    except SettingsInvalid as error:
        fail(error)
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", workspace):
        raise typer.BadParameter("a workspace is named with letters, digits, _ and -, at most 64 of them.")
    return workspace


WorkspaceOption = typer.Option(
    None, "--workspace", help="The workspace (a Slack team's id); default: WORKSPACE.", callback=_workspace
)
JsonOption = typer.Option(False, "--json", help="Print JSON on standard output.")


def exit_code(error: SituateError) -> int:
    """The exit code that stands for an error.

    >>> exit_code(NotFound("…"))
    4
    """
    for kind, code in (
        (NotFound, MISSING),
        (Refused, INCOMPLETE),
        (StoreFailed, INCOMPLETE),
        (SettingsInvalid, USAGE),
        (Unavailable, AWAY),
    ):
        if isinstance(error, kind):
            return code
    return INCOMPLETE


def read_settings() -> IndexerSettings:
    """The settings, or SettingsInvalid with the names of those that are wrong; never with their values."""
    try:
        return IndexerSettings()
    except ValidationError as error:
        wrong = "; ".join(f"{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors(include_input=False))
        raise SettingsInvalid(f"These settings are wrong: {wrong}.") from error


def fail(error: SituateError) -> NoReturn:
    """Say what is wrong on standard error and exit with the code that stands for it."""
    err.print(f"[red]{escape(str(error))}[/red]")
    raise typer.Exit(exit_code(error))


def run(work: Callable[[Indexer], Awaitable[int]]) -> NoReturn:
    """Open the indexer, do the work, exit with its code."""

    async def call() -> int:
        settings = read_settings()
        log_to(settings.data_dir / "indexer.log")
        async with Indexer.open(settings, notify=tell) as indexer:
            return await work(indexer)

    try:
        code = run_to_end(call())
    except SituateError as error:
        fail(error)
    except KeyboardInterrupt:
        err.print("Interrupted. What is queued goes on the next time.")
        raise typer.Exit(INTERRUPTED) from None
    except Exception as error:  # noqa: BLE001 - whatever it is, a person gets a sentence, and the log the rest
        err.print(f"[red]{shown(unexpected(error, 'indexer.log'))}[/red]")
        raise typer.Exit(INCOMPLETE) from None
    if code == STOPPED:
        err.print("Stopped. What is queued goes on the next time.")
    raise typer.Exit(code)


def tell(sentence: str) -> None:
    """Show what takes long, on standard error."""
    err.print(f"[dim]{escape(sentence)}[/dim]")


@asynccontextmanager
async def waiting_for(what: str) -> AsyncIterator[Callable[[str], None]]:
    """A spinner on a terminal, while something may take longer than two seconds; what is given changes its text."""
    if not err.is_terminal:
        yield lambda text: None
        return
    with err.status(what) as status:
        yield lambda text: status.update(text)


def steady_lines(every_seconds: float = 10.0) -> Callable[[str], None]:
    """Where no bar can be shown (a log, a pipe): a line on standard error every few seconds, so that work is seen."""
    last = time.monotonic()

    def say(sentence: str) -> None:
        nonlocal last
        if not err.is_terminal and time.monotonic() - last >= every_seconds:
            last = time.monotonic()
            tell(sentence)

    return say


def said_of(title: str, error: str, name: str = "") -> str:
    """What is wrong with a document, its title before it unless the sentence begins with that or its file's name.

    >>> said_of("scan.pdf", "scan.pdf is empty; add a file with text in it.")
    'scan.pdf is empty; add a file with text in it.'
    """
    begins = error.startswith((title, name) if name else title)
    return shown(error) if begins else f"{shown_line(title)}: {shown(error)}"


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "passage"), counted(2, "passage")
    ('1 passage', '2 passages')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def shown(text: str) -> str:
    """Text from documents, people or Claude, as rich's markup: nothing in it is markup or steers the terminal."""
    return escape(visible(text))


def shown_line(text: str) -> str:
    """The same on one line: titles and file names."""
    return " ".join(shown(text).split())


def print_json(value: Any) -> None:
    """JSON on standard output, as it is: no colours, no wrapping, characters of all languages readable."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")


def audience_of(text: str) -> Audience:
    """The audience of an option; typer's usage error for anything else."""
    try:
        return Audience.parse(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def viewer_of(texts: list[str]) -> Viewer:
    """Who looks: the union of the audiences named; where none is, one of the workspace's own people."""
    return Viewer(frozenset(audience_of(text) for text in texts) or frozenset({WORKSPACE, EVERYONE}))
