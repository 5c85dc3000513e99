"""Opens what the library uses: the store and its server, and what situates chunks."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from .documents import Audience
from .embedding import Embedder
from .paid_answers import PaidAnswers
from .settings import IndexerSettings
from .store import Store
from .structural import StructuralContextualizer
from .weaviate_server import weaviate_server

if TYPE_CHECKING:  # it loads Claude's client, which takes seconds; without a key nobody needs it
    from .contextualizer import Contextualizer

CLAUDE_RETRIES = 4  # by the SDK, with backoff: half a minute of overload is waited out
LONGEST_QUERY_SECONDS = 15.0  # a database that takes longer is away, as far as somebody who waits is concerned


async def open_store(
    settings: IndexerSettings, embedder: Embedder, stack: AsyncExitStack, notify: Callable[[str], None]
) -> Store:
    """A store on the server that the settings name, or on the embedded one, which is started where nobody has.

    It holds what this embedder made, and nothing that another did.

    Both are closed with ``stack``. Raises WeaviateUnavailable and SettingsInvalid.
    """
    endpoint = await stack.enter_async_context(weaviate_server(settings, notify=notify))
    store = await Store.connect(
        endpoint,
        api_key=settings.weaviate_api_key.get_secret_value() if settings.weaviate_api_key else None,
        dimensions=embedder.dimensions,
        model=embedder.name,
        timeout_seconds=min(settings.weaviate_start_seconds, LONGEST_QUERY_SECONDS),
    )
    stack.push_async_callback(store.close)
    return store


def contextualizers(
    settings: IndexerSettings, count: Callable[[str], int], stack: AsyncExitStack
) -> Callable[[PaidAnswers, Audience], Contextualizer | StructuralContextualizer]:
    """What makes the contextualizer of one version, by its account and who may read it.

    By the audience, since that is kept with the document: a retry and another process come to the same.
    """
    structural = StructuralContextualizer(settings.context_max_tokens, count)
    if settings.anthropic_api_key is None:
        return lambda account, audience: structural

    from .claude import open_claude
    from .contextualizer import Contextualizer
    from .prices import load_prices

    prices = load_prices(settings.prices_file)
    client = open_claude(
        settings.anthropic_api_key.get_secret_value(),
        settings.anthropic_base_url,
        settings.claude_timeout_seconds,
        max_retries=CLAUDE_RETRIES,
    )
    stack.push_async_callback(client.close)

    def contextualizer(account: PaidAnswers, audience: Audience) -> Contextualizer | StructuralContextualizer:
        return structural if audience.is_passing else Contextualizer(client, account, settings, prices, count)

    return contextualizer
