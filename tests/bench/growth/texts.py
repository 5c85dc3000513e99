"""Synthetic chunks: a few thousand seeds that differ in what they say, and any number of chunks made after them.

A seed is what is embedded: a context and a passage of two or three sentences, in which ``$incident`` and the like
stand for what each chunk has of its own. A chunk is a seed with identifiers of its own and a tail of words as uneven as
in prose, so that BM25 has to do with long and with short lists.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from string import Template

import numpy as np
from numpy.typing import NDArray

from tests.bench.texts import vocabulary

SEED = 20_310_314
WORDS = 40_000  # in the tails

SUBJECTS = {
    "billing": "invoice run, credit note, payment gateway, dunning letter, tax report, subscription renewal",
    "identity": "login service, session token, password reset, access review, signing key, guest account",
    "storage": "backup, object store, disk array, snapshot, archive tape, retention rule",
    "network": "firewall, load balancer, name server, leased line, routing table, wireless controller",
    "release": "build server, deployment, feature flag, rollback, package mirror, release note",
    "data": "nightly import, warehouse table, customer report, schema change, deduplication job, dashboard",
    "support": "ticket queue, phone line, escalation, satisfaction survey, knowledge article, chat robot",
    "hiring": "job offer, interview panel, referral bonus, candidate test, probation review, work permit",
    "leave": "parental leave, sick note, holiday request, unpaid leave, part-time contract, time sheet",
    "pay": "salary round, bonus letter, pension plan, expense claim, meal voucher, overtime rate",
    "training": "safety course, language class, mentoring round, certificate, onboarding day, workshop",
    "travel": "flight booking, hotel contract, rail pass, car hire, visa application, daily allowance",
    "buildings": "heating, lift, fire alarm, parking garage, meeting room, roof repair",
    "fleet": "delivery van, charging station, tyre change, driver log, fuel card, leasing contract",
    "warehouse": "pallet rack, forklift, stock count, cold room, loading dock, barcode scanner",
    "factory": "press line, welding robot, paint shop, shift plan, spare part, quality gate",
    "purchasing": "supplier audit, framework contract, price list, tender, delivery delay, purchase order",
    "sales": "discount approval, customer visit, sales forecast, partner portal, demo system, trade fair",
    "legal": "licence agreement, court date, privacy notice, trade mark, liability clause, data request",
    "finance": "quarterly close, currency hedge, audit finding, bank covenant, cash forecast, impairment test",
    "research": "field trial, patent draft, lab notebook, prototype, grant application, test bench",
    "medicine": "dosage table, clinical study, blood sample, vaccine batch, side effect report, ward round",
    "energy": "wind turbine, power purchase, transformer, meter reading, grid outage, solar roof",
    "water": "pumping station, leak survey, filter bed, drainage plan, reservoir level, water quality sample",
    "rail": "signal box, track renewal, timetable, platform edge, brake test, ticket machine",
    "shipping": "container terminal, customs form, ballast pump, harbour pilot, cargo manifest, crane",
    "farming": "wheat harvest, irrigation, milk delivery, soil sample, greenhouse, seed order",
    "food": "menu plan, allergen list, kitchen hygiene check, recipe, bakery oven, canteen price",
    "school": "exam schedule, library loan, school trip, class register, scholarship, parents' evening",
    "media": "press release, photo licence, podcast episode, newsletter, brand guideline, video shoot",
    "security": "phishing mail, vulnerability scan, badge reader, patch window, penetration test, lost laptop",
    "climate": "emission report, waste sorting, recycling rate, flood map, bicycle scheme, carbon budget",
}
PLACES = ["Lyon", "Hamburg", "Osaka", "Porto", "Tallinn", "Montreal", "Nairobi", "Graz", "Leeds", "Bergen", "Austin"]
PLACES += ["Lima", "Pune", "Cork"]
PEOPLE = ["Ana Moreau", "Jonas Weber", "Aiko Tanaka", "Priya Nair", "Tomas Lind", "Grace Obi", "Luc Petit", "Eva Novak"]
EVENTS = [
    "was late because $cause",
    "failed twice in a week, both times after $cause",
    "was moved to another team when $cause",
    "costs more than planned since $cause",
    "was approved although $cause",
    "is on hold until somebody finds out why $cause",
    "got a new owner after $cause",
    "will be replaced next year, since $cause",
    "passed the review in spite of the fact that $cause",
    "was described wrongly in the handbook until $cause",
]
CAUSES = [
    "the certificate had expired",
    "the supplier changed the contract",
    "nobody had tested the new version",
    "the responsible person was on leave",
    "the budget was cut by a third",
    "two departments gave contrary orders",
    "the weather closed the site",
    "a customer complained in public",
    "the law changed in spring",
    "the numbers had been copied by hand",
    "the old machine could not be repaired",
    "the translation left out a paragraph",
]
ENDINGS = [
    "$person wrote the report $ticket and asks for a decision by $date.",
    "The rule since then: two people check it, and $person keeps the list ($ticket).",
    "It was closed on $date; what is left stands in $ticket.",
    "Until $date everyone uses version $version and tells $person what is missing.",
    "The loss of $amount is booked under $ticket.",
    "See the notes of $date by $person.",
    "In the code it is handled by `$function`, which reads $setting.",
    "$person measured $amount a month on $host before and half of it after.",
]
LONGEST_TAIL = 60  # words


@dataclass(frozen=True, slots=True)
class Seed:
    """What a chunk is made after. ``context`` and ``text`` have ``$name`` where each chunk has something of its own."""

    title: str
    context: str
    text: str
    question: str

    def passage(self, number: int) -> str:
        """As a passage is put together, with the identifiers of chunk ``number``."""
        return own(f"{self.context}\n{self.text}", number)


def make_seeds(count: int) -> list[Seed]:
    """So many seeds, no two with one context or one text; the same each time."""
    rng = random.Random(SEED)  # noqa: S311  # no secrets here
    contexts: set[str] = set()
    texts: set[str] = set()
    seeds: list[Seed] = []
    while len(seeds) < count:
        (area, things), (_, strange) = rng.sample(list(SUBJECTS.items()), 2)
        thing, other = rng.sample(things.split(", "), 2)
        place, event, cause = rng.choice(PLACES), rng.choice(EVENTS), rng.choice(CAUSES)
        context = (
            f"From the {area} report of {place}: the part on the {thing} and what it has to do with the "
            f"{rng.choice(strange.split(', '))}; incident $incident."
        )
        text = (
            f"The {thing} in {place} {event.replace('$cause', cause)} ($incident). "
            f"The {other} was not affected. {rng.choice(ENDINGS)}"
        )
        if context not in contexts and text not in texts:
            contexts.add(context)
            texts.add(text)
            question = f"What do we know about the {thing} in {place}, and was it because {cause}?"
            seeds.append(Seed(f"{area.capitalize()}, {place}", context, text, question))
    return seeds


def own(text: str, number: int) -> str:
    """A seed's text with the identifiers of chunk ``number``.

    ``own("See $incident.", 1234)`` → ``"See INC-2022-0001234."``
    """
    return Template(text).substitute(
        incident=incident(number),
        ticket=f"OPS-{number * 7 % 1_000_003}",
        date=f"{2019 + number % 12}-{1 + number % 11:02d}-{1 + number % 27:02d}",
        version=f"{1 + number % 9}.{number % 40}.{number % 13}",
        amount=f"{100 + number * 37 % 90_000} euros",
        host=f"node{number % 5_000}.example.org",
        person=PEOPLE[number % len(PEOPLE)],
        function=f"load{_LAST[number % len(_LAST)]}ById{number % 997}",
        setting=f"MAX_{_LAST[number % 7 % len(_LAST)].upper()}_{number % 89}",
    )


def incident(number: int) -> str:
    """The one identifier that no other chunk has."""
    return f"INC-{2010 + number % 13}-{number:07d}"


def tails(rng: np.random.Generator, count: int) -> list[str]:
    """Ends of chunks: 10 to ``LONGEST_TAIL`` words each, the most frequent in one of twenty places."""
    words, cumulated = _words()
    lengths = rng.integers(10, LONGEST_TAIL + 1, size=count)
    picked = np.searchsorted(cumulated, rng.random(int(lengths.sum())))
    found, start = [], 0
    for length in lengths.tolist():
        found.append(" ".join(words[index] for index in picked[start : start + length].tolist()).capitalize() + ".")
        start += length
    return found


_LAST = ("Invoice", "Session", "Backup", "Route", "Build", "Report", "Ticket", "Contract", "Pallet", "Sample")


@cache
def _words() -> tuple[list[str], NDArray[np.float64]]:
    """Words and how often they come, summed up: as 1 ÷ (rank + 1), which is Zipf's law."""
    words = vocabulary(WORDS)
    shares = 1 / np.arange(2, len(words) + 2)
    cumulated = np.cumsum(shares)
    return words, cumulated / cumulated[-1]
