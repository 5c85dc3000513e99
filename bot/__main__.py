"""``python -m bot``: Slack where there are tokens, else the console; and ``ask QUESTION``, ``doctor``."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NoReturn

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from bot.answering.answerer import Answerer
from bot.answering.events import Found, Kind, Reset, Searching
from bot.answering.events import Text as Said
from bot.console import Conversation, run_console, run_lines
from bot.rendering import answer_json, plain_answer, searched, whole_answer
from bot.settings import BotSettings
from indexer import (
    EVERYONE,
    WORKSPACE,
    Audience,
    Indexer,
    IndexerSettings,
    SettingsInvalid,
    SituateError,
    Viewer,
    load_prices,
    log_to,
    open_claude,
    run_to_end,
    unexpected,
)

ANSWERED, TO_MEND, USAGE, AWAY, INTERRUPTED = 0, 1, 2, 3, 130

err = Console(stderr=True, highlight=False, soft_wrap=True)

app = typer.Typer(
    help="Ask the documents. Without a command: the bot in Slack where SLACK_BOT_TOKEN is set; else the console, or an "
    "answer to each line of a standard input that is no terminal. Exit codes: 0 answered, also with passages where "
    "Claude is away; 2 wrong usage or settings; 3 neither an answer nor passages could be had.",
    add_completion=False,
    pretty_exceptions_enable=False,  # its tracebacks would show local variables: document text, keys
)

ViewerOption = typer.Option([], "--viewer", help="Who asks: workspace, channel:ID or user:ID; repeat it for several.")
WorkspaceOption = typer.Option(None, "--workspace", help="The workspace (default: the setting WORKSPACE).")


@app.callback(invoke_without_command=True)
def console(
    context: typer.Context,
    viewer: list[str] = ViewerOption,
    workspace: str | None = WorkspaceOption,
    http: bool = typer.Option(False, "--http", help="Take Slack's events over HTTP, not by Socket Mode."),
) -> None:
    """Be in Slack, or open the console."""
    if context.invoked_subcommand is not None:
        return

    interactive = sys.stdin.isatty() and sys.stdout.isatty()

    async def work(conversation: Conversation) -> int:
        if interactive:
            await run_console(conversation, Console(highlight=False))
        else:
            await run_lines(conversation, sys.stdin, sys.stdout, sys.stderr)
        return ANSWERED

    who = viewer_of(viewer)

    async def call() -> int:
        settings, indexer_settings = read_settings()
        if http or settings.slack_bot_token is not None:
            return await _be_in_slack(settings, indexer_settings, http=http)
        async with _conversation(who, workspace, serve=interactive) as conversation:
            return await work(conversation)

    _end(call())


@app.command()
def ask(
    question: str = typer.Argument(..., help="The question."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON on standard output."),
    viewer: list[str] = ViewerOption,
    workspace: str | None = WorkspaceOption,
) -> None:
    """Answer one question."""

    def watch(event: Searching | Found | Reset | Said) -> None:
        if isinstance(event, Found):
            err.print(f"[dim]{escape(searched(event))}[/dim]")

    async def work(conversation: Conversation) -> int:
        answer = await conversation.ask(question, watch)
        if as_json:
            sys.stdout.write(json.dumps(answer_json(answer), ensure_ascii=False, indent=2) + "\n")
        elif sys.stdout.isatty():
            Console(highlight=False).print(whole_answer(answer))
        else:
            sys.stdout.write(plain_answer(answer) + "\n")
        return AWAY if answer.kind is Kind.TROUBLE else ANSWERED

    _run(work, viewer, workspace)


@app.command()
def doctor(as_json: bool = typer.Option(False, "--json", help="Print JSON on standard output.")) -> None:
    """Check Slack, Claude, the databases and the settings; exit code 1 where something must be mended."""
    from bot import health
    from bot.slack.doctor import examine

    async def work() -> int:
        settings, indexer_settings = read_settings()
        log_to(indexer_settings.data_dir / "bot.log")
        with err.status("Looking …") as status:
            checks = await examine(settings, indexer_settings, tell=lambda sentence: status.update(escape(sentence)))
        if as_json:
            sys.stdout.write(json.dumps(health.as_json(checks), ensure_ascii=False, indent=2) + "\n")
        else:
            Console(highlight=False).print(health.table(checks))
        return ANSWERED if health.mended(checks) else TO_MEND

    _end(work())


@app.command()
def feedback(
    to: Path = typer.Option(..., "--out", help="The file to write; it must not be there yet."),
    private: bool = typer.Option(
        False, "--private", help="Also what only the asker saw, or what is not for all employees."
    ),
) -> None:
    """Write what people thought of answers, for 'python -m indexer questions --feedback'."""
    from bot.ledger import Ledger
    from bot.slack.opinions import for_all_employees, opinion_lines

    async def work() -> int:
        _, indexer_settings = read_settings()
        log_to(indexer_settings.data_dir / "bot.log")
        async with Indexer.open(indexer_settings, notify=_tell) as library:
            opinions = await (await Ledger.open(library.database)).opinions()
            for_all = await for_all_employees(library, opinions)
        written = opinion_lines(opinions, for_all=for_all, private=private)
        lines = [json.dumps(line, ensure_ascii=False) for line in written]
        try:
            with to.open("x", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in lines)
        except OSError as error:
            raise SettingsInvalid(f"'{to}' is there already or cannot be written; name a new file.") from error
        err.print(f"{len(lines)} of {len(opinions)} opinions written.")
        return ANSWERED

    _end(work())


def read_settings() -> tuple[BotSettings, IndexerSettings]:
    """Both packages' settings, or SettingsInvalid with the names of those that are wrong; never with their values."""
    try:
        return BotSettings(), IndexerSettings()
    except ValidationError as error:
        wrong = "; ".join(f"{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors(include_input=False))
        raise SettingsInvalid(f"These settings are wrong: {wrong}.") from error


def viewer_of(texts: list[str]) -> Viewer:
    """The union of the audiences named; where none is, what the workspace's own people may read."""
    try:
        return Viewer(frozenset(Audience.parse(text) for text in texts) or frozenset({WORKSPACE, EVERYONE}))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


@asynccontextmanager
async def _open(
    settings: BotSettings, indexer_settings: IndexerSettings, *, serve: bool
) -> AsyncIterator[tuple[Indexer, Answerer]]:
    """Everything that is open while questions are answered. ``serve``: documents that wait are indexed meanwhile."""
    log_to(indexer_settings.data_dir / "bot.log")
    async with AsyncExitStack() as stack:
        client = None
        if settings.anthropic_api_key is not None:
            client = open_claude(
                settings.anthropic_api_key.get_secret_value(),
                settings.anthropic_base_url,
                settings.claude_timeout_seconds,
            )
            stack.push_async_callback(client.close)
        library = await stack.enter_async_context(Indexer.open(indexer_settings, notify=_tell))
        if serve:
            with err.status("Opening the documents …"):
                await library.work()
        yield library, Answerer(library, client, settings, load_prices(settings.prices_file))


@asynccontextmanager
async def _conversation(viewer: Viewer, workspace: str | None, *, serve: bool) -> AsyncIterator[Conversation]:
    settings, indexer_settings = read_settings()
    async with _open(settings, indexer_settings, serve=serve) as (library, answerer):
        yield Conversation(answerer, library, viewer, workspace or settings.workspace)


async def _be_in_slack(settings: BotSettings, indexer_settings: IndexerSettings, *, http: bool) -> int:
    from bot.slack.app import knock, serve  # Bolt takes long to load, and the console needs none of it

    await knock(settings, http=http)
    async with _open(settings, indexer_settings, serve=True) as (library, answerer):
        await serve(settings, library, answerer, http=http, tell=_tell)
    return ANSWERED


def _run(work: Callable[[Conversation], Awaitable[int]], viewer: list[str], workspace: str | None) -> NoReturn:
    who = viewer_of(viewer)

    async def call() -> int:
        async with _conversation(who, workspace, serve=False) as conversation:
            return await work(conversation)

    _end(call())


def _end(work: Coroutine[Any, Any, int]) -> NoReturn:
    """Run to the end, and leave with the exit code."""
    try:
        code = run_to_end(work)
    except SituateError as error:
        err.print(f"[red]{escape(str(error))}[/red]")
        code = USAGE if isinstance(error, SettingsInvalid) else AWAY
    except KeyboardInterrupt:
        code = INTERRUPTED
    except Exception as error:  # noqa: BLE001 - whatever it is, a person gets a sentence, and the log the rest
        err.print(f"[red]{escape(unexpected(error, 'bot.log'))}[/red]")
        code = AWAY
    raise typer.Exit(code)


def _tell(sentence: str) -> None:
    """Show what takes long, on standard error."""
    err.print(f"[dim]{escape(sentence)}[/dim]")


if __name__ == "__main__":
    app(prog_name="python -m bot")
