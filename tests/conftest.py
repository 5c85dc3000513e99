"""Fixtures for every test. Parts with servers of their own live in ``tests/fixtures``."""

from __future__ import annotations

import pytest

pytest_plugins = [
    "tests.fixtures.weaviate",
    "tests.fixtures.claude",
    "tests.fixtures.indexer",
    "tests.fixtures.command_line",
    "tests.fixtures.postgres",
    "tests.fixtures.databases",
    "tests.fixtures.slack",
    "tests.fixtures.bot",
]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Everything here runs on asyncio."""
    return "asyncio"
