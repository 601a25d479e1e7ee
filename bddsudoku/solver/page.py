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
from bddsudoku.puzzle.sudoku.allocation import Allocation
from bddsudoku.solver.analysis import Analysis, Budget, check_puzzle
from bddsudoku.solver.engines import Progress, engines_for
from bddsudoku.solver.hints import answers_from
from bddsudoku.solver.subject import Subject

__all__ = ["PageParts", "page_parts"]

REMOVAL_BUDGETS = 4
"""All removals together may take so many times the limit of a single run."""


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
    """Everything for a page, within about ten times the budget's seconds and the set's own time.

    The set of solutions itself is not limited in time: without it there is no page.

    Args:
        subject: a puzzle or a saved set.
        budget: limits for every engine's run.
        progress: makes a progress callback for a part with a title.
        allocation: of the procedures' runs; ``paper`` takes several times as long.
    """
    analysis = Analysis(subject, budget, progress)
    sections = {"puzzle": analysis.about(), "variables": analysis.variables()}
    sections["solutions"] = analysis.solutions()
    found = None if analysis.solved is None else analysis.solved.solutions
    marginals = profiles = None
    if found is not None and found.count():
        sections["cells"] = analysis.cells()
        sections["hints"] = answers_from(
            subject,
            found,
            max_memory=budget.memory,
            removal_seconds=REMOVAL_BUDGETS * budget.seconds,
            progress=progress("hints"),
        )
        marginals = found.marginals()
        if hasattr(found, "diagram") and found.diagram.levels:
            profiles = {f"order {analysis.solved.order}": found.diagram.profile()}  # type: ignore[union-attr]
    sections["procedures"] = analysis.procedures(allocation=allocation)
    sections["check"] = _check(analysis, sections, progress)
    return PageParts(sections, marginals, profiles, _made(subject, budget))


def _check(
    analysis: Analysis,
    sections: dict[str, dict[str, Any]],
    progress: Callable[[str], Progress],
) -> dict[str, Any]:
    """The engines side by side; what was counted for the page already is not counted again."""
    own = sections["solutions"]
    runs = []
    # A saved set may hold fewer solutions than its hints allow: it is no party to this.
    if own["count"] is not None and analysis.subject.saved is None:
        runs.append({key: own[key] for key in ("engine", "count", "seconds")} | {"limit": None})
    done = {own.get("engine"), "bdd", "backtrack"}
    others = [engine for engine in engines_for(analysis.puzzle) if engine not in done]
    runs += check_puzzle(analysis.puzzle, analysis.budget, others, progress)["runs"]
    for run in sections["procedures"]["runs"][::-1]:
        if run["count"] is not None:
            name = f"bdd (procedure {run['procedure']})"
            runs.append(
                {key: run[key] for key in ("count", "seconds")} | {"engine": name, "limit": None}
            )
            break
    counts = [run["count"] for run in runs if run["count"] is not None]
    agree = len(set(counts)) == 1 if len(counts) > 1 else None
    return {"runs": runs, "finished": len(counts), "agree": agree}


def _made(subject: Subject, budget: Budget) -> tuple[str, ...]:
    asked = subject.source if subject.saved is not None else subject.puzzle.line
    return (
        f"bddsudoku {__version__}, Python {platform.python_version()}, {date.today():%Y-%m-%d}",
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        f"limits: {budget}; the removals of single hints "
        f"{REMOVAL_BUDGETS * budget.seconds:g} s together",
        f'command: bddsudoku report "{asked}" -o report.html',
    )
