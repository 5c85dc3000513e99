"""An indexer of the bench's own, in a folder that goes away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from indexer.documents import LOCAL_WORKSPACE, WORKSPACE, Original
from indexer.library import Indexer
from indexer.rows import Version
from indexer.settings import IndexerSettings


class _Chosen(IndexerSettings):
    """Settings that are given, and defaults."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)


def bench_settings(folder: Path, **chosen: Any) -> IndexerSettings:
    """Settings that nothing of this machine's environment changes."""
    return _Chosen.model_validate({"data_dir": folder, **chosen})


async def add(indexer: Indexer, *texts: str, name: str = "report") -> list[Version]:
    """Add texts as Markdown files and wait until they answer."""
    added = [
        await indexer.add(
            Original(f"file:///{name}-{number}.md", text.encode(), f"{name}-{number}.md"),
            workspace=LOCAL_WORKSPACE,
            audience=WORKSPACE,
        )
        for number, text in enumerate(texts)
    ]
    done: dict[str, Version] = {}
    async for version in indexer.follow([each.version for each in added]):
        done[version.id] = version
    failed = [version for version in done.values() if version.state != "published"]
    if failed or len(done) != len(texts):
        raise RuntimeError(f"Not all documents were published: {[version.error for version in failed]}")
    return [done[each.version] for each in added]
