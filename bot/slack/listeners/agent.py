"""The agent's own surface: the Messages tab, and the Stop button that Slack shows while an answer is made."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncApp

from bot.slack.clicks import try_to
from bot.slack.desk import Desk
from bot.slack.parts import Parts


def register(app: AsyncApp, parts: Parts, desk: Desk) -> None:
    async def opened(event: dict[str, Any]) -> None:
        """Suggest questions when somebody opens the conversation; in a thread Slack would take them in silence."""
        channel, user = str(event.get("channel", "")), str(event.get("user", ""))
        if event.get("tab") != "messages" or not channel:
            return
        texts = await parts.texts(user)
        prompts = [
            {"title": texts.say(f"prompt_{number}_title"), "message": texts.say(f"prompt_{number}")}
            for number in (1, 2, 3)
        ]
        title = texts.say("prompts_title")
        await try_to(
            parts.client.assistant_threads_setSuggestedPrompts(channel_id=channel, title=title, prompts=prompts)
        )

    async def stopped(event: dict[str, Any]) -> None:
        """End what is being answered in a thread; whichever process answers sees it."""
        channel, thread = str(event.get("channel", "")), str(event.get("thread_ts", ""))
        if channel and thread:
            place = (channel, thread)
            await desk.end(lambda one: (one.channel, one.thread) == place and not one.private, "stopped")

    app.event("app_home_opened")(opened)
    app.event("agent_session_stopped")(stopped)
