"""A strict local Slack, over real sockets: Web API, Socket Mode, HTTP events, files, modals, streams.

In a test the fixture ``slack`` is a running server of its own on a free loopback port, with a small company in it::

    async def test_something(slack: SlackServer, company: Company) -> None:
        client = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url)     # or the bot, with SLACK_API_URL …
        ...
        await slack.ready()                                                        # the app's Socket Mode connection
        ts = slack.says(company.ana, company.finance, "@Situate, what is in the budget?")
        await slack.until(lambda: slack.replies(company.finance, ts) and not slack.open_streams)
        assert "41,000" in slack.shown(company.finance, ts)

At the end of the test there may be no violation (unless it called ``slack.expect_violations("*not_in_channel*")``), no
acknowledgement that took over three seconds, and no stream that is still open or broke off. Everything runs in a
thread of its own: the app may live in the test's loop or in another process, and a loop that is blocked is noticed.

**What people do**: ``says``, ``edits``, ``deletes``, ``unfurls``, ``reacts``, ``unreacts``, ``presses_stop``,
``other_bot_says``, ``raw_event`` (``acting``); ``joins``, ``leaves``, ``makes_private``, ``makes_public``,
``archives``, ``unarchives``, ``deletes_channel``, ``renames``, ``deletes_file``, ``changes`` (an account),
``opens_messages_tab``, ``opens_home_tab`` (``changing``); and what the app must acknowledge: ``commands``, ``clicks``,
``uses_shortcut``, ``clicks_in_view``, ``clicks_in_home``, ``submits``, ``closes`` (``clicking``). None of them waits.
The latter give a ``Delivery``: ``await delivery.arrives()`` (or ``delivery.wait()`` in a test whose thread is not the
app's) gives what came with the acknowledgement. Who and where are objects: ``slack.person("Ana", admin=True)``,
``slack.channel("finance", private=True)``, ``slack.direct(ana)``, ``slack.group(ana, ben)``, ``slack.file(…)``. The app
is taken out of a channel by ``slack.leaves(slack.bot, channel)``. People type as in Slack: ``@Situate``, ``#finance``,
``&``, addresses. Clicking what is not there is an error.

A form is filled in by ``action_id``: ``slack.submits(ana, {"files": [file], "who": "me", "title": "Plan"})``. A file is
Ana's own by that: shared nowhere, and the app may read it. Other files the app sees where they are shared and it is.

**What tests ask** (``reading``): ``thread``, ``replies``, ``message``, ``messages``, ``shown``, ``ephemerals``,
``view``, ``home_of``, ``permalink_of``, ``status``, ``session``, ``open_streams``; ``calls`` and ``called(method)``,
``statuses``, ``deliveries``, ``slowest_ack``, ``suggested_prompts``. A ``Message`` has ``shown`` (what a person sees,
as plain text), ``markdown``, ``tasks``, ``links``, ``blocks``, ``metadata``, ``open``, ``edited``, ``reactions`` and
``history`` (what was shown when). Waiting: ``await slack.until(lambda: …)``, or ``slack.wait_for(lambda: …)``.

**What goes wrong on order**

================================  ====================================================================================
``fail(method, …)``               ``error=``, ``status=``, ``ratelimited=``, ``hang=``, ``drop="before"|"after"``;
                                  ``times=None``: until ``recover()``; ``chat.*`` means a family. An ``error`` that
                                  says that a stream is over ends it
``slow(method, seconds)``         takes so long, and works
``enforce_rates()``               the tiers of the Web API hold
``says(…, deliver=(…))``          the events of a message, in order, also twice; ``deliver_again(delivery)``
``expire_streams()``              Slack ends all open streams, as after their five minutes
``hold_events()``                 nothing is delivered until ``release_events(reverse=True)``
``disconnect(reason)``            ``warning``, ``refresh_requested``, ``link_disabled``
``go_silent()``                   connections stay open and nothing comes through
``drop_connections()``            they are cut; ``close_port()`` and ``open_port()``: Slack is away
``deliver_to(url)``               by signed HTTP requests instead of Socket Mode
================================  ====================================================================================

**Settings**: ``clock_factor`` (stretches Slack's long waits: retries after 0, 60 and 300 s, the lifetime of streams and
response URLs, the minutes of rate limits), ``stream_seconds``, ``stream_bytes``, ``block_text_limit``, ``page_size``
(15: as some apps get), ``root_on_every_page``, ``echoes`` (the app hears of its own messages), ``scopes`` and
``events`` (from ``manifest.yml``; ``allow_all()`` grants everything), ``ack_seconds``, ``may_ping(person)``. Where
nobody knows how Slack behaves there is a setting for the other way: ``refuses_recipients_in_direct`` (recipients of a
stream in a direct message), ``refuses_updates_of_streams`` (``block_mismatch`` for ``chat.update`` of what was
streamed), ``shows_public_files`` (of channels that the app is not in), ``archives(…, removes_bot=True)``.

**What it refuses** is refused as Slack does, and is a violation: unknown methods and arguments, missing scopes,
everything over a limit (``blocks``, ``elements``, ``content``, ``modals``), wrong threads and channels, streams
(``methods_streams``): one mode for a stream's whole life, no update while it is open, 10,600 bytes in all. Also a
violation, though Slack takes it: links that would unfurl, mentions that would ping, blocks without a text, a reply
that lands in the channel. What can befall an app that does everything right is no violation: somebody pressed Stop, a
stream's five minutes are over, a message was deleted, a private channel is out of sight.

By hand: ``python -m tests.slack_server --port 8788``, then the ``export`` line it prints.
"""

from __future__ import annotations

from tests.slack_server.deliveries import Delivery
from tests.slack_server.errors import JSON, Refused
from tests.slack_server.messages import Message
from tests.slack_server.server import SlackServer
from tests.slack_server.world import Channel, File, Person, View

__all__ = ["JSON", "Channel", "Delivery", "File", "Message", "Person", "Refused", "SlackServer", "View"]
