"""Opens the form that adds documents: at once, and filled as soon as it is known what the person may choose."""

from __future__ import annotations

from dataclasses import dataclass

from bot.answering.trouble import logged
from bot.slack.adding.conversation import tell_directly
from bot.slack.adding.form import Form
from bot.slack.adding.not_added import NotAdded
from bot.slack.adding.originals import both_are_in
from bot.slack.adding.own_answers import OwnAnswers
from bot.slack.clicks import fill_form, open_form, respond_alone
from bot.slack.directory import CannotCheck
from bot.slack.parts import FORM_SECONDS, Parts
from bot.slack.rights import choices
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
        title, made_from = await _of_answer(parts, form, opener, texts) if form.message else ("", frozenset())
        offered = await choices(
            parts, opener.user, form.channel, user_team=opener.team, origins=form.origins, made_from=made_from
        )
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
    return adding_form(form, offered, texts, title=title)


async def _see_that_it_is_in_sight(parts: Parts, form: Form, opener: Opener) -> None:
    """A message can only be read where the bot and the person are. Raises NotAdded where not, CannotCheck."""
    if form.message and not await both_are_in(parts, form.origins, opener.user):
        raise NotAdded("form_out_of_sight_direct" if form.channel.startswith("D") else "form_out_of_sight")


async def _of_answer(parts: Parts, form: Form, opener: Opener, texts: Texts) -> tuple[str, frozenset[Audience]]:
    """Of an answer of the bot's own: what was asked, for its title, and whose documents it rests on.

    What is offered rests on it; what is allowed is worked out anew when it is added. Raises NotAdded, SituateError.
    """
    own = OwnAnswers(parts, form.channel, opener.user, texts)
    await own.look_up(form.thread or form.message, [form.message])
    answer = own.of(form.message)
    if answer is None:
        return "", frozenset()
    return await own.question(answer), await own.made_from(answer)


async def _say_not_opened(parts: Parts, form: Form, opener: Opener, texts: Texts) -> None:
    """By the response URL, which costs Slack nothing; else in the direct conversation."""
    told = sentence_message(texts.say("form_not_opened"))
    if not await respond_alone(form.response_url, told):
        await tell_directly(parts, opener.user, told, key=f"{form.id}:not_opened", user_team=opener.team)
