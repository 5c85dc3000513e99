"""Gates, for CI: what a figure has to reach (``contextual_hybrid.pass@10>=0.9``, ``plain_hybrid.ms_p95<=200``)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from indexer.evaluation.figures import FIGURES

_GATE = re.compile(r"\s*([^\s.<>=]+)\.([^\s<>=]+)\s*(>=|<=)\s*(\d*\.?\d+)\s*")


@dataclass(frozen=True, slots=True)
class Gate:
    """A figure of a system and its bound, which it may equal."""

    system: str
    figure: str
    sign: Literal[">=", "<="]
    bound: float

    def failure(self, figures: Mapping[str, Mapping[str, float]]) -> str | None:
        """A line on why the gate fails; None where it holds.

        >>> Gate("plain_hybrid", "mrr", ">=", 0.9).failure({"plain_hybrid": {"mrr": 0.8123}})
        'plain_hybrid.mrr is 0.8123: at least 0.9 is wanted.'
        """
        value = figures[self.system][self.figure]
        if value >= self.bound if self.sign == ">=" else value <= self.bound:
            return None
        wanted = "at least" if self.sign == ">=" else "at most"
        return f"{self.system}.{self.figure} is {value:.4f}: {wanted} {self.bound:g} is wanted."


def parse_gate(text: str, systems: Collection[str]) -> Gate:
    """The gate that a text means, on one of the systems that are run. ``ValueError`` with a sentence for what is none.

    >>> parse_gate("plain_hybrid.pass@5>=0.8", ["plain_hybrid"])
    Gate(system='plain_hybrid', figure='pass@5', sign='>=', bound=0.8)
    """
    match = _GATE.fullmatch(text)
    if match is None:
        raise ValueError(f"'{text}' is not a gate; write SYSTEM.FIGURE>=NUMBER, as in contextual_hybrid.pass@10>=0.9.")
    system, figure, sign, bound = match.groups()
    if system not in systems:
        raise ValueError(f"the gate '{text}' names no system that is run{_near(system, systems)}.")
    if figure not in FIGURES:
        raise ValueError(f"the gate '{text}' names no figure{_near(figure, FIGURES)}.")
    if not figure.startswith("ms") and float(bound) > 1:
        raise ValueError(f"the gate '{text}' can never be judged: {figure} goes from 0 to 1.")
    return Gate(system, figure, ">=" if sign == ">=" else "<=", float(bound))


def _near(word: str, known: Collection[str]) -> str:
    """What may have been meant: ``" (did you mean 'mrr'?)"``, or all that there is."""
    near = get_close_matches(word, known, 1)
    return f" (did you mean '{near[0]}'?)" if near else f" (there are {', '.join(known)})"
