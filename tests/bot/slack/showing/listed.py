"""Documents as they are listed, for the builders of lists, forms and the Home tab, and odd ones to try them with."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from bot.slack.documents import Listed, Money, Shelf
from indexer import EVERYONE, WORKSPACE, Audience, DocumentId
from tests.bot.slack.showing.stored import odd_text, odd_url

NOW = datetime(2024, 2, 2, 12, tzinfo=UTC)
FINANCE = Audience("channel", "C1FINANCE")
SECRET = Audience("user", "U1ANA")


def listed(number: int = 1, **changes: Any) -> Listed:
    values: dict[str, Any] = {
        "id": DocumentId(f"{number:016x}"),
        "title": f"Budget {2023 + number}",
        "audience": WORKSPACE,
        "state": "ready",
        "name": f"budget-{2023 + number}.pdf",
        "url": f"https://docs.example.com/{number}",
        "added_by": "U2BEN",
        "added_at": NOW - timedelta(days=number),
        "passages": 42,
        "adder": "Ben",
    }
    return Listed(**(values | changes))


def shelf_of(*documents: Listed, **changes: Any) -> Shelf:
    return Shelf(documents, **changes)


@st.composite
def _odd_listed(draw: st.DrawFn) -> Listed:
    title, name, error, adder, channel_name = (draw(odd_text) for _ in range(5))
    return listed(
        draw(st.integers(1, 9_999)),
        title=title,
        name=name,
        url=draw(odd_url),
        error=error,
        adder=adder,
        channel_name=channel_name,
        audience=draw(st.sampled_from([WORKSPACE, EVERYONE, FINANCE, SECRET])),
        state=draw(st.sampled_from(["ready", "renewing", "waiting", "reading", "indexing", "failed"])),
        added_at=draw(st.one_of(st.none(), st.datetimes(timezones=st.just(UTC)))),
        passages=draw(st.integers(0, 10**6)),
        done=draw(st.integers(0, 500)),
        total=draw(st.integers(0, 500)),
        mine=draw(st.booleans()),
        may_remove=draw(st.booleans()),
        cost_usd=draw(st.floats(0, 10**4)),
        failed_contexts=draw(st.integers(0, 10**6)),
    )


@st.composite
def _odd_shelf(draw: st.DrawFn) -> Shelf:
    """A few odd ones, again and again: so many that not all fit."""
    few = draw(st.lists(odd_listed, max_size=4))
    many = [
        replace(one, id=DocumentId(f"{time}x{n}"))
        for time in range(draw(st.integers(1, 30)))
        for n, one in enumerate(few)
    ]
    return shelf_of(*many, is_admin=draw(st.booleans()), unsure=draw(st.booleans()))


odd_listed = _odd_listed()
odd_shelves = _odd_shelf()
odd_money = st.one_of(
    st.none(),
    st.builds(
        Money,
        st.floats(0, 10**5),
        st.floats(0, 10**5),
        st.one_of(st.none(), st.floats(0, 10**5)),
        st.integers(0, 10**6),
        st.integers(0, 10**6),
    ),
)
