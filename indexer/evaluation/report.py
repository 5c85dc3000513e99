"""The report of a run: one HTML file."""

from __future__ import annotations

import html
import json

from indexer.evaluation.figures import Figures, as_json
from indexer.evaluation.running import Evaluation


def report_html(evaluation: Evaluation, figures: Figures) -> str:
    """The figures as a page. Whatever came from documents and questions is escaped."""
    told = json.dumps(as_json(evaluation, figures), ensure_ascii=False, indent=2)
    return f'<!doctype html>\n<meta charset="utf-8">\n<title>Evaluation</title>\n<pre>{html.escape(told)}</pre>\n'
