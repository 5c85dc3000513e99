"""What nothing else takes: acknowledged, so that Slack shows no warning and sends nothing again. Registered last."""

from __future__ import annotations

import re

from slack_bolt.async_app import AsyncAck, AsyncApp


def register(app: AsyncApp) -> None:
    anything = re.compile(".*", re.DOTALL)

    async def acknowledge(ack: AsyncAck) -> None:
        await ack()

    async def heard() -> None:
        """Bolt acknowledges events by itself."""

    app.event(anything)(heard)
    app.action(anything)(acknowledge)
    app.shortcut(anything)(acknowledge)
    app.options(anything)(acknowledge)
    app.view_submission(anything)(acknowledge)
    app.view_closed(anything)(acknowledge)
