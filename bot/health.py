"""Looks at everything that answering needs, from outside and without paying: what was found, and what to do about it.

Every look gives checks and raises nothing. No sentence here holds a secret.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from anthropic import AsyncAnthropic
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bot.settings import BotSettings
from indexer import (
    WORKSPACE,
    Indexer,
    IndexerSettings,
    SituateError,
    Viewer,
    explain,
    load_prices,
    open_claude,
)

CLAUDE_SECONDS = 15.0
_GB = 1_000_000_000
# Weaviate warns from here on, and takes nothing more from there on.
_DISK_WARNS, _DISK_CLOSES = 80, 90
_NO_ROOM = 0.2 * _GB


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. ``ok``: True is fine, False must be mended, None works but deserves a look.

    ``found`` and ``advice`` are sentences; advice is empty where there is nothing to do.
    """

    name: str
    ok: bool | None
    found: str
    advice: str = ""


# -- Claude --------------------------------------------------------------------------------------------------------


async def claude(settings: BotSettings, indexer_settings: IndexerSettings) -> list[Check]:
    """Whether the key is taken and both models are known. Models are only looked up, which costs nothing."""
    if settings.anthropic_api_key is None:
        found = "ANTHROPIC_API_KEY is not set: questions get passages instead of answers, contexts are structural."
        return [Check("Claude", None, found, "Put a key into .env (console.anthropic.com).")]
    key = settings.anthropic_api_key.get_secret_value()
    client = open_claude(key, settings.anthropic_base_url, CLAUDE_SECONDS, max_retries=1)
    models = {"ANSWER_MODEL": settings.answer_model, "CONTEXT_MODEL": indexer_settings.context_model}
    checks: list[Check] = []
    try:
        for setting, model in models.items():
            checks.append(await _model(client, setting, model))
            if checks[-1].name == "Claude":  # what is wrong has nothing to do with the model: once is enough
                return checks
    finally:
        await client.close()
    return checks + _prices(settings, indexer_settings)


async def _model(client: AsyncAnthropic, setting: str, model: str) -> Check:
    name = f"Claude, {setting}"
    try:
        await client.models.retrieve(model)
    except Exception as error:  # noqa: BLE001 - whatever a call raises is explained in one sentence
        told = explain(error)
        if told.kind == "model":
            return Check(name, False, f"Claude knows no model {model}.", f"Set {setting} to a model that there is.")
        found, _, advice = str(told).partition("; ")
        passing = told.retryable and told.kind != "unreachable"
        return Check("Claude", None if passing else False, f"{found.rstrip('.')}.", _said(advice))
    return Check(name, True, f"The key is taken, and {model} is there.")


def _prices(settings: BotSettings, indexer_settings: IndexerSettings) -> list[Check]:
    """Whether what models cost is known; only told where it is not."""
    try:
        prices = load_prices(settings.prices_file)
    except SituateError as error:
        return [Check("Prices", False, str(error))]
    unknown = sorted({m for m in (settings.answer_model, indexer_settings.context_model) if not prices.knows(m)})
    if not unknown:
        return []
    found = f"What {' and '.join(unknown)} costs is not known, so it is counted as nothing."
    if settings.day_cap_usd is None:
        return [Check("Prices", None, found, "Give its prices in PRICES_FILE.")]
    return [Check("Prices", False, f"{found} DAY_CAP_USD cannot hold.", "Give its prices in PRICES_FILE.")]


# -- storage -------------------------------------------------------------------------------------------------------


def disk(settings: IndexerSettings) -> Check:
    """The room under ``DATA_DIR``. Blocking."""
    folder = settings.data_dir.absolute()
    place = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        usage = shutil.disk_usage(place)
    except OSError as error:
        return Check(
            "Disk", False, f"{place} cannot be looked at ({error.strerror}).", "Set DATA_DIR to another folder."
        )
    used = 100 * (usage.total - usage.free) / usage.total
    found = f"{usage.free / _GB:.1f} GB are free at {_shown(place)} ({used:.0f}% used)."
    embedded = settings.weaviate_url is None
    if usage.free < _NO_ROOM or (embedded and used >= _DISK_CLOSES):
        why = f" Weaviate takes nothing more from {_DISK_CLOSES}% on." if embedded else ""
        return Check("Disk", False, found + why, "Free some room, or set DATA_DIR to a larger disk.")
    if embedded and used >= _DISK_WARNS:
        return Check("Disk", None, found, f"Weaviate takes nothing more from {_DISK_CLOSES}% on: free some room soon.")
    return Check("Disk", True, found)


@asynccontextmanager
async def catalogue(
    settings: IndexerSettings, checks: list[Check], tell: Callable[[str], None]
) -> AsyncIterator[Indexer | None]:
    """The open library for the block, or None where the catalogue cannot be opened; a check says which."""
    opening = Indexer.open(settings, notify=tell)
    try:
        library = await opening.__aenter__()
    except (SituateError, OSError) as error:
        checks.append(Check("Catalogue", False, str(error)))
        yield None
        return
    try:
        where = "the database at DATABASE_URL" if settings.database_url else str(settings.data_dir / "situate.db")
        checks.append(Check("Catalogue", True, f"It opens: {where}."))
        yield library
    finally:
        await opening.__aexit__(None, None, None)


async def search(library: Indexer) -> list[Check]:
    """Whether Weaviate and the embedder answer: by its version, and by a search."""
    where = "The server at WEAVIATE_URL" if library.settings.weaviate_url else "The embedded server"
    try:
        version = await library.server_version()
    except (SituateError, OSError) as error:
        found, _, advice = str(error).partition(": ")
        return [Check("Weaviate", False, f"{found.rstrip('.')}.", _said(advice))]
    checks = [Check("Weaviate", True, f"{where} answers over HTTP and gRPC, version {version}.")]
    since = time.monotonic()
    try:
        await library.search(library.settings.workspace, "Which documents are there?", Viewer(frozenset({WORKSPACE})))
    except (SituateError, OSError) as error:
        return [*checks, Check("Search", False, str(error))]
    took = 1000 * (time.monotonic() - since)
    found = f"The embedder ({await library.embedder_name()}) works; a search took {took:.0f} ms."
    return [*checks, Check("Search", True, found), *await reranker(library)]


async def reranker(library: Indexer) -> list[Check]:
    """Whether the reranker answers, where there is one. Searches work without it, too."""
    try:
        name = await library.check_reranker()
    except SituateError as error:
        found, _, advice = str(error).partition("; ")
        return [Check("Reranker", None, f"{found.rstrip('.')}. Searches go without it.", _said(advice))]
    return [Check("Reranker", True, f"The reranker ({name}) works.")] if name else []


async def documents(library: Indexer, workspace: str) -> list[Check]:
    """How many documents answer in a workspace, how many are on their way, and what failed."""
    name = f"Documents of {workspace}"
    try:
        answering = [d for d in await library.documents(workspace, None) if not d.audience.is_passing]
        attempts = [row for row in await library.attempts(workspace) if not row.audience.is_passing]
        lost = [row for row in await library.unindexed(workspace) if not row.audience.is_passing]
    except SituateError as error:
        return [Check(name, False, str(error))]
    failed = [row for row in attempts if row.state == "failed"]
    waiting = [row for row in attempts if row.state in ("queued", "running")]
    found = f"{len(answering)} answer" + (f", {len(waiting)} are on their way" if waiting else "")
    if failed:
        advice = f"python -m indexer status --workspace {workspace} says why; retry in its place tries again."
        return [Check(name, None, f"{found}, {len(failed)} failed.", advice)]
    if lost:
        advice = f"Make them anew: python -m indexer retry --workspace {workspace}"
        if {row.document for row in lost} <= {row.document for row in waiting}:
            advice = (
                "They are made anew while the bot, or python -m indexer serve, runs; until then they are not found."
            )
        return [Check(name, None, f"{found}, but {len(lost)} of them are not in the index of this embedder.", advice)]
    if not answering and not waiting:
        advice = f"Add some: python -m indexer add FOLDER --workspace {workspace}"
        return [Check(name, None, "There are none yet.", advice)]
    return [Check(name, True, f"{found}.")]


async def room(settings: IndexerSettings) -> list[Check]:
    """``disk``, off the loop."""
    return [await asyncio.to_thread(disk, settings)]


# -- telling -------------------------------------------------------------------------------------------------------

_MARKS = {True: ("✓", "green"), False: ("✗", "bold red"), None: ("!", "yellow")}


def mended(checks: list[Check]) -> bool:
    """Whether nothing must be mended."""
    return all(check.ok is not False for check in checks)


def as_json(checks: list[Check]) -> dict[str, Any]:
    """``{"ok": …, "checks": [{"name", "ok", "found", "advice"}, …]}``; ``ok`` of a check is null for a mere remark."""
    return {"ok": mended(checks), "checks": [asdict(check) for check in checks]}


def table(checks: list[Check]) -> RenderableType:
    """One line for each check, its advice below it; at the end what is to be done in all."""
    rows = Table.grid(padding=(0, 2, 0, 0))
    rows.add_column(no_wrap=True)
    rows.add_column(no_wrap=True)
    rows.add_column(overflow="fold")
    for check in checks:
        mark, style = _MARKS[check.ok]
        told = Text(check.found)
        if check.advice:
            told.append(f"\n→ {check.advice}", style="bold" if check.ok is False else "default")
        rows.add_row(Text(mark, style=style), Text(check.name), told)
    wrong = sum(check.ok is False for check in checks)
    end = "Everything that is needed is there." if not wrong else f"{wrong} to mend."
    return Group(rows, Text(), Text(end, style="bold red" if wrong else "green"))


def _said(advice: str) -> str:
    """The second half of a sentence as a sentence: ``check it`` → ``Check it.``"""
    advice = advice.strip().rstrip(".")
    return f"{advice[:1].upper()}{advice[1:]}." if advice else ""


def _shown(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
