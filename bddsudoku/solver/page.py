"""A puzzle → one HTML page: the analysis' sections, the pictures, how it was made."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from datetime import date
from typing import Any

from bddsudoku import __version__
from bddsudoku.solver.analysis import Analysis, Budget
from bddsudoku.solver.engines import Progress
from bddsudoku.solver.subject import Subject

__all__ = ["page_parts"]


def page_parts(
    subject: Subject,
    budget: Budget,
    progress: Callable[[str], Progress] = lambda title: lambda done, total: None,
) -> tuple[dict[str, dict[str, Any]], Analysis, str]:
    """What a page is made of: the sections by name, the analysis behind them, how it was made.

    Args:
        subject: a puzzle or a saved set.
        budget: limits for every engine's run.
        progress: makes a progress callback for a part with a title.
    """
    analysis = Analysis(subject, budget, progress)
    sections = dict(analysis.sections())
    made = "\n".join(
        (
            f"bddsudoku {__version__}, Python {platform.python_version()}, {date.today():%Y-%m-%d}",
            f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
            f"limits: {budget}",
            f'command: bddsudoku report "{subject.puzzle.line}" -o report.html',
        )
    )
    return sections, analysis, made
