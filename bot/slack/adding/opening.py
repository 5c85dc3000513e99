"""Opens the form that adds documents: at once, and filled as soon as it is known what the person may choose."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.answering.trouble import logged
from bot.slack.adding.conversation import tell_directly
from bot.slack.adding.form import Form
from bot.slack.adding.not_added import NotAdded
from bot.slack.adding.originals import both_are_in
from bot.slack.adding.own_answers import OwnAnswers
from bot.slack.clicks import fill_form, open_form, respond_alone
from bot.slack.directory import CannotCheck
from bot.slack.parts import FORM_SECONDS, Parts
from bot.slack.rights import Choices, choices
from bot.slack.showing.adding_form import adding_form, loading_form, refusal_form
from bot.slack.showing.forms import View
from bot.slack.showing.messages import sentence_message
from bot.texts import Texts
from indexer import Audience, SituateError


@dataclass(frozen=True, slots=True)
class Opener:
    """Who opens a form, and the ``trigger`` that Slack gave for it: good once, for three seconds."""

    user: str
    team: str | None
    trigger: str


async def open_adding_form(parts: Parts, form: Form, opener: Opener) -> None:
    """Open the form; where Slack does not, the person is told so. Whoever may not add is told why, in the form."""
    texts = await parts.texts(opener.user, seconds=FORM_SECONDS)
    id = await open_form(parts, opener.trigger, loading_form(texts))
    if id is None:
        await _say_not_opened(parts, form, opener, texts)
        return
    await fill_form(parts, id, await _filled(parts, form, opener, texts))


async def _filled(parts: Parts, form: Form, opener: Opener, texts: Texts) -> View:
    try:
        kept = await _of_answers(parts, form, opener, texts) if form.message else _Kept()
        offered = await _offered(parts, form, opener, kept.made_from)
        of_thread = offered
        if not kept.thread_made_from <= kept.made_from:
            of_thread = await _offered(parts, form, opener, kept.made_from | kept.thread_made_from)
        if offered.refused not in ("may_not_add", "cannot_check"):
            await _see_that_it_is_in_sight(parts, form, opener)
    except NotAdded as error:
        return refusal_form(error.sentence(texts), texts)
    except CannotCheck:
        return refusal_form(texts.say("form_cannot_check_yet"), texts)
    except SituateError as error:
        return refusal_form(texts.of_error(error), texts)
    except Exception as error:  # noqa: BLE001 whoever opens it gets a sentence, whatever is wrong in here
        sentence = texts.of_error(error)
        return refusal_form(sentence, texts, reference=logged(sentence, error))
    if offered.refused is not None:
        key = "form_cannot_check_yet" if offered.refused == "cannot_check" else offered.refused
        return refusal_form(texts.say(key), texts)
    return adding_form(form, _good_for_both(offered, of_thread), texts, title=kept.title)


async def _offered(parts: Parts, form: Form, opener: Opener, made_from: frozenset[Audience]) -> Choices:
    return await choices(
        parts, opener.user, form.channel, user_team=opener.team, origins=form.origins, made_from=made_from
    )


def _good_for_both(offered: Choices, of_thread: Choices) -> Choices:
    """What is ``offered``; what is chosen at first may be chosen for the whole thread, too, if anything may."""
    if of_thread.default is None:
        return offered
    both = offered.allow(of_thread.default)
    return replace(offered, default=of_thread.default if both else offered.options[-1].audience)


async def _see_that_it_is_in_sight(parts: Parts, form: Form, opener: Opener) -> None:
    """A message can only be read where the bot and the person are. Raises NotAdded where not, CannotCheck."""
    if form.message and not await both_are_in(parts, form.origins, opener.user):
        raise NotAdded("form_out_of_sight_direct" if form.channel.startswith("D") else "form_out_of_sight")


@dataclass(frozen=True, slots=True)
class _Kept:
    """Of an answer of the bot's own that is added: what was asked, for its title, and whose documents it rests on; of
    the thread that a message is in whose documents its answers rest on.
    """

    title: str = ""
    made_from: frozenset[Audience] = frozenset()
    thread_made_from: frozenset[Audience] = frozenset()


async def _of_answers(parts: Parts, form: Form, opener: Opener, texts: Texts) -> _Kept:
    """What is offered rests on it; what is allowed is worked out anew when it is added.

    Raises NotAdded, CannotCheck, SituateError.
    """
    own = OwnAnswers(parts, form.channel, opener.user, texts)
    await own.look_up(form.thread or form.message, [form.message])
    kept = _Kept(thread_made_from=await own.all_made_from() if form.thread else frozenset())
    answer = own.of(form.message)
    if answer is None:
        return kept
    return replace(kept, title=await own.question(answer), made_from=await own.made_from(answer))


async def _say_not_opened(parts: Parts, form: Form, opener: Opener, texts: Texts) -> None:
    """By the response URL, which costs Slack nothing; else in the direct conversation."""
    told = sentence_message(texts.say("form_not_opened"))
    if not await respond_alone(form.response_url, told):
        await tell_directly(parts, opener.user, told, key=f"{form.id}:not_opened", user_team=opener.team)
