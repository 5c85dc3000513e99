"""Plots as SVG, drawn by hand: they need no script, follow the page's colours, and stay sharp.

Colours are the page's classes: ``plain``, ``contextual`` and ``structural`` for marks, ``faint`` for lines and labels.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from indexer.evaluation.intervals import Estimate

_ROW, _TOP, _BOTTOM, _GAP = 26, 26, 26, 46
_LABEL, _PANEL = 180, 200


@dataclass(frozen=True, slots=True)
class Row:
    """A system: its name, the class that colours it, and one estimate a panel."""

    name: str
    kind: str
    estimates: Sequence[Estimate]


def interval_panels(
    rows: Sequence[Row], headings: Sequence[str], told: Callable[[float], str], *, zero: bool = False, title: str
) -> str:
    """Panels side by side, a row for each system: a dot at the mean, a line over its interval, the figure beside it.

    All panels share one scale. ``told`` writes a number. ``zero``: a line at zero, for gains.
    """
    ends = [end for row in rows for each in row.estimates for end in (each.low, each.high)] + ([0.0] if zero else [])
    ticks = ticks_over(min(ends), max(ends))
    width = _LABEL + len(headings) * (_PANEL + _GAP)
    height = _TOP + len(rows) * _ROW + _BOTTOM
    parts = [_opening(width, height, title)]
    for row, each in enumerate(rows):
        parts.append(_text(_LABEL - 14, _middle(row), each.name, "end"))
    for panel, heading in enumerate(headings):
        left = _LABEL + panel * (_PANEL + _GAP)
        at = _Scale(ticks, left, _PANEL)
        parts.append(_text(left, 14, heading, "start", "strong"))
        parts += _grid(at, ticks, height, told, zero)
        for row, each in enumerate(rows):
            parts.append(_mark(at, _middle(row), each, each.estimates[panel], told))
    return "".join(parts) + "</svg>"


def time_bars(rows: Sequence[tuple[str, str, float, float]], *, title: str) -> str:
    """A bar to the median and a line to the 95th percentile, in milliseconds: (name, class, p50, p95) a row."""
    ticks = ticks_over(0.0, max(high for _, _, _, high in rows))
    wide = 3 * _PANEL
    height = _TOP + len(rows) * _ROW + _BOTTOM
    at = _Scale(ticks, _LABEL, wide)
    parts = [_opening(_LABEL + wide + 3 * _GAP, height, title)]
    parts.append(_text(_LABEL, 14, "milliseconds a search: bar p50, line p95", "start", "strong"))
    parts += _grid(at, ticks, height, lambda value: f"{value:g}", False)
    for row, (name, kind, middle, high) in enumerate(rows):
        y = _middle(row)
        parts.append(_text(_LABEL - 14, y, name, "end"))
        parts.append(
            f'<rect class="{kind}" x="{_LABEL}" y="{y - 6}" width="{at(middle) - _LABEL:.1f}" height="12" rx="2"/>'
        )
        parts.append(f'<line class="{kind}" x1="{at(middle):.1f}" x2="{at(high):.1f}" y1="{y}" y2="{y}"/>')
        parts.append(_text(at(high) + 8, y, f"{middle:.0f} / {high:.0f}", "start", "faint"))
    return "".join(parts) + "</svg>"


def ticks_over(low: float, high: float) -> list[float]:
    """Round numbers from at most ``low`` to at least ``high``, four or five steps apart.

    >>> ticks_over(0.62, 0.97)
    [0.6, 0.7, 0.8, 0.9, 1.0]
    """
    span = max(high - low, 1e-6)
    size = 10.0 ** math.floor(math.log10(span / 4))
    step = next(size * factor for factor in (1, 2, 5, 10) if span / (size * factor) <= 5)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 10) for number in range(first, max(last, first + 1) + 1)]


class _Scale:
    """From a value to a position."""

    def __init__(self, ticks: Sequence[float], left: float, width: float) -> None:
        self._low, self._high = ticks[0], ticks[-1]
        self._left, self._width = left, width

    def __call__(self, value: float) -> float:
        return self._left + self._width * (value - self._low) / (self._high - self._low)


def _middle(row: int) -> float:
    return _TOP + row * _ROW + _ROW / 2


def _opening(width: float, height: float, title: str) -> str:
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{html.escape(title)}" '
        f'style="max-width:{width:.0f}px"><title>{html.escape(title)}</title>'
    )


def _grid(at: _Scale, ticks: Sequence[float], height: float, told: Callable[[float], str], zero: bool) -> list[str]:
    parts = []
    for tick in ticks:
        kind = "zero" if zero and tick == 0 else "grid"
        x, bottom = at(tick), height - _BOTTOM
        parts.append(f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{bottom:.1f}"/>')
        parts.append(_text(x, bottom + 14, told(tick), "middle", "faint"))
    return parts


def _mark(at: _Scale, y: float, row: Row, estimate: Estimate, told: Callable[[float], str]) -> str:
    spoken = f"{row.name}: {told(estimate.mean)} ({told(estimate.low)} to {told(estimate.high)})"
    return (
        f'<g class="mark"><title>{html.escape(spoken)}</title>'
        f'<line class="{row.kind}" x1="{at(estimate.low):.1f}" x2="{at(estimate.high):.1f}" y1="{y}" y2="{y}"/>'
        f'<circle class="{row.kind}" cx="{at(estimate.mean):.1f}" cy="{y}" r="4.5"/></g>'
    )


def _text(x: float, y: float, text: str, anchor: str, kind: str = "label") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y + 4:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'
