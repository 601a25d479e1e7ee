"""A puzzle → what its page is made of: the analysis' sections, what to draw, how it was made."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

from numpy.typing import NDArray

from bddsudoku import __version__
from bddsudoku.engine.protocol import Engine
from bddsudoku.engine.registry import engines_for
from bddsudoku.limits import Progress
from bddsudoku.puzzle.sudoku.allocation import Allocation, allocate
from bddsudoku.solver.analysis import Analysis, Budget
from bddsudoku.solver.answers import Agreement, Run, agreement, said
from bddsudoku.solver.checking import check
from bddsudoku.solver.hints import answers_from
from bddsudoku.solver.subject import Subject

__all__ = ["PageParts", "page_parts"]

REMOVAL_RUNS = 4
"""All removals together may take so many times the seconds of a single run."""


@dataclass(frozen=True)
class PageParts:
    """What a page is made of.

    Attributes:
        sections: by name, JSON-able.
        marginals: exact counts, shape (n, n, n); None without a solution.
        profiles: nodes at every level of the diagram by name of its order; None without one.
        made: how it was computed, a line each.
    """

    sections: dict[str, dict[str, Any]]
    marginals: NDArray[Any] | None
    profiles: dict[str, NDArray[Any]] | None
    made: tuple[str, ...]


def page_parts(
    subject: Subject,
    budget: Budget,
    progress: Callable[[str], Progress] = lambda title: lambda done, total: None,
    *,
    allocation: Allocation = Allocation.CANDIDATES,
) -> PageParts:
    """Everything for a page.

    The set of solutions itself is limited by the whole time only: without it there is no page.

    Args:
        subject: a puzzle or a saved set.
        budget: limits for every engine's run.
        progress: makes a progress callback for a part with a title.
        allocation: of the procedures' runs; ``paper`` takes several times as long.
    """
    analysis = Analysis(subject, budget, progress)
    sections: dict[str, Any] = {"puzzle": analysis.about(), "variables": analysis.variables()}
    sections["solutions"] = analysis.solutions()
    found = None if analysis.solved is None else analysis.solved.solutions
    marginals = profiles = None
    if found is not None and found.count():
        sections["cells"] = analysis.cells()
        sections["hints"] = answers_from(
            subject,
            found,
            budget.limits.share(2).within(_removal_seconds(budget)),
            progress("hints"),
        )
        marginals = found.marginals()
        if hasattr(found, "diagram") and found.diagram.levels:
            profiles = {f"order {analysis.solved.order}": found.diagram.profile()}  # type: ignore[union-attr]
    sections["procedures"] = analysis.procedures(allocation=allocation)
    sections["check"] = _check(analysis, sections, progress)
    return PageParts(sections, marginals, profiles, _made(subject, budget))


def _removal_seconds(budget: Budget) -> float | None:
    return None if budget.each is None else REMOVAL_RUNS * budget.each


def _check(
    analysis: Analysis,
    sections: dict[str, dict[str, Any]],
    progress: Callable[[str], Progress],
) -> Agreement:
    """The engines side by side; what was counted for the page already is not counted again."""
    own = sections["solutions"]
    runs: list[Run] = []
    # A saved set may hold fewer solutions than its hints allow: it is no party to this.
    if own["count"] is not None and analysis.subject.saved is None:
        runs.append(said(own["engine"], own["count"], own["seconds"]))
    done = {own.get("engine"), "bdd", "backtrack"}
    willing = engines_for(allocate(analysis.puzzle), Engine)
    others = [engine.name for engine in willing if engine.name not in done]
    runs += check(
        analysis.puzzle, others, analysis.budget.limits, progress, each=analysis.budget.each
    )["runs"]
    for run in sections["procedures"]["runs"][::-1]:
        if run["count"] is not None:
            runs.append(said(f"bdd (procedure {run['procedure']})", run["count"], run["seconds"]))
            break
    return agreement(runs)


def _made(subject: Subject, budget: Budget) -> tuple[str, ...]:
    asked = subject.source if subject.saved is not None else subject.puzzle.line
    removals = _removal_seconds(budget)
    together = "" if removals is None else f"; the removals of hints {removals:g} s together"
    return (
        f"bddsudoku {__version__}, Python {platform.python_version()}, {date.today():%Y-%m-%d}",
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        f"limits: {budget}{together}",
        f'command: bddsudoku report "{asked}" -o report.html',
    )
