"""The Web API's methods of the agent surface and of views, and those about the app itself."""

from __future__ import annotations

import json
import time

from tests.slack_server.clicking import Clicking
from tests.slack_server.errors import JSON, Refused, invalid_arguments
from tests.slack_server.methods_streams import STATUSES
from tests.slack_server.records import Session, Status
from tests.slack_server.world import Channel

TITLE_LIMIT = 200
LOADING_MESSAGES, PROMPTS = 10, 4
VIEW_BYTES = 250_000


def api_test(slack: Clicking, args: JSON) -> JSON:
    if args.get("error"):
        raise Refused(args["error"], blameless=True)
    return {"args": args}


def auth_test(slack: Clicking, args: JSON) -> JSON:
    return {
        "url": "https://situate.example/",
        "team": slack.team_name,
        "user": slack.bot.name.lower(),
        "team_id": slack.team_id,
        "user_id": slack.bot.id,
        "bot_id": slack.bot.bot_id,
        "is_enterprise_install": False,
    }


def connections_open(slack: Clicking, args: JSON) -> JSON:
    return {"url": slack.new_ticket()}


def set_status(slack: Clicking, args: JSON) -> JSON:
    channel = _thread(slack, args, "assistant.threads.setStatus")
    loading = args.get("loading_messages") or []
    if len(loading) > LOADING_MESSAGES or not all(isinstance(text, str) and text for text in loading):
        raise invalid_arguments(f"at most {LOADING_MESSAGES} loading_messages, each a text")
    at = time.monotonic()
    slack.statuses.append(Status(at, channel.id, args["thread_ts"], args["status"], "status", tuple(loading)))
    return {}


def set_title(slack: Clicking, args: JSON) -> JSON:
    channel = _thread(slack, args, "assistant.threads.setTitle")
    session = slack.sessions.setdefault((channel.id, args["thread_ts"]), Session("active"))
    session.title = _title(args["title"])
    return {}


def set_suggested_prompts(slack: Clicking, args: JSON) -> JSON:
    channel = slack.writable(args["channel_id"])
    prompts = args["prompts"]
    good = all(isinstance(prompt, dict) and prompt.get("title") and prompt.get("message") for prompt in prompts)
    if not 1 <= len(prompts) <= PROMPTS or not good:
        raise invalid_arguments(f"one to {PROMPTS} prompts, each with title and message")
    if args.get("thread_ts"):
        slack.violation("assistant.threads.setSuggestedPrompts: with a thread_ts nothing is shown, and no error comes")
    else:
        slack.suggested_prompts[channel.id] = prompts
    return {}


def set_session_status(slack: Clicking, args: JSON) -> JSON:
    channel = _thread(slack, args, "agents.sessions.setStatus")
    if args["status"] not in STATUSES:
        raise invalid_arguments(f"status must be one of {', '.join(STATUSES)}")
    initiator = args.get("initiator_user_id")
    if initiator is not None and initiator not in channel.members:
        raise Refused("user_not_in_channel")
    key = (channel.id, str(args.get("thread_ts")))
    session = slack.sessions.setdefault(key, Session(args["status"], _title(args.get("title") or "-").strip("-")))
    session.status = args["status"]
    slack.statuses.append(Status(time.monotonic(), channel.id, key[1], args["status"], "session"))
    answer = {"status": session.status, "agent_status": session.status, "title": session.title}
    if slack.events is not None and "agent_session_stopped" not in slack.events:
        answer["warning"] = "missing_agent_session_stopped_event_subscription"
        slack.violation("agents.sessions.setStatus: the app is not subscribed to agent_session_stopped")
    return answer


def rename(slack: Clicking, args: JSON) -> JSON:
    channel = _thread(slack, args, "agents.sessions.rename")
    session = slack.sessions.get((channel.id, str(args.get("thread_ts"))))
    if session is None:
        raise Refused("session_not_found")
    session.title = _title(args["title"])
    return {"title": session.title}


def _title(title: str) -> str:
    if not 1 <= len(title) <= TITLE_LIMIT:
        raise invalid_arguments(f"a title of 1 to {TITLE_LIMIT} characters")
    return title


def _thread(slack: Clicking, args: JSON, method: str) -> Channel:
    channel = slack.writable(args["channel_id"])
    if not args.get("thread_ts"):
        raise invalid_arguments("missing required field: thread_ts")
    root = channel.messages.get(args["thread_ts"])
    if root is None:
        raise Refused("invalid_thread_ts", f"thread_ts {args['thread_ts']} is no message of {channel.id}")
    if root.root != root.ts:
        slack.violation(f"{method}: thread_ts {args['thread_ts']} is a reply, not the root of a thread")
    return channel


def views_open(slack: Clicking, args: JSON) -> JSON:
    view = slack.check_view(args["view"])
    return {"view": slack.view_json(slack.put_view(slack.use_trigger(args), view))}


def views_push(slack: Clicking, args: JSON) -> JSON:
    view = slack.check_view(args["view"])
    user = slack.use_trigger(args)
    below = slack.views_of(user)
    if not below:
        raise Refused("invalid_trigger_id", "there is no modal to push upon")
    return {"view": slack.view_json(slack.put_view(user, view, under=below[-1]))}


def views_update(slack: Clicking, args: JSON) -> JSON:
    content = slack.check_view(args["view"])
    if not args.get("view_id") and not args.get("external_id"):
        raise invalid_arguments("view_id or external_id is required")
    for view in slack.views.values():
        if view.id == args.get("view_id") or view.content.get("external_id") == args.get("external_id", ""):
            if args.get("hash") not in (None, view.hash):
                raise Refused("hash_conflict", blameless=True)
            slack.replace_view(view, content)
            return {"view": slack.view_json(view)}
    raise Refused("not_found", blameless=True)  # closed by the person, perhaps


def views_publish(slack: Clicking, args: JSON) -> JSON:
    content = slack.check_view(args["view"], kind="home")
    if not slack.home_tab:
        raise Refused("not_enabled", "the Home tab is not enabled for the app")
    if args["user_id"] not in slack.people:
        raise Refused("user_not_found")
    if len(json.dumps(content).encode()) > VIEW_BYTES:
        raise Refused("view_too_large")
    home = slack.homes.get(args["user_id"])
    if args.get("hash") not in (None, home.hash if home else None):
        raise Refused("hash_conflict", blameless=True)
    if home is None:
        home = slack.put_view(args["user_id"], content)
        slack.homes[home.user] = slack.views.pop(home.id)
    else:
        slack.replace_view(home, content)
    return {"view": slack.view_json(home)}


METHODS = {
    "api.test": api_test,
    "auth.test": auth_test,
    "apps.connections.open": connections_open,
    "assistant.threads.setStatus": set_status,
    "assistant.threads.setTitle": set_title,
    "assistant.threads.setSuggestedPrompts": set_suggested_prompts,
    "agents.sessions.setStatus": set_session_status,
    "agents.sessions.rename": rename,
    "views.open": views_open,
    "views.push": views_push,
    "views.update": views_update,
    "views.publish": views_publish,
}
