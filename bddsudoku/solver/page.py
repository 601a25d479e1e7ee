"""A puzzle → what its page is made of: the analysis' sections, what to draw, how it was made."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any

from numpy.typing import NDArray

from bddsudoku import __version__
from bddsudoku.context import Progress
from bddsudoku.engine.protocol import Engine, engines_for
from bddsudoku.errors import LimitReached
from bddsudoku.puzzle.sudoku.allocation import Allocation, allocate
from bddsudoku.solver.analysis import Analysis, Budget
from bddsudoku.solver.answers import Agreement, Run, agreement, said
from bddsudoku.solver.checking import check
from bddsudoku.solver.hints import answers_from
from bddsudoku.solver.subject import Subject

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

    A section that does not come about within the limits is a dictionary with ``limit`` alone, which
    says so. The set of solutions itself is limited by the whole time only: most of the page is
    about it.

    Args:
        subject: a puzzle or a saved set.
        budget: limits for every engine's run.
        progress: makes a progress callback for a part with a title.
        allocation: of the procedures' runs; ``paper`` takes several times as long.
    """
    analysis = Analysis(subject, budget, progress)
    sections: dict[str, dict[str, Any]] = {}
    marginals = profiles = None

    @contextmanager
    def within_limits(name: str) -> Iterator[None]:
        try:
            yield
        except LimitReached as stop:
            sections[name] = {"limit": str(stop)}
        except Exception:
            # What an alarm interrupts, an import say, may fail in words of its own.
            if not budget.context.expired:
                raise
            sections[name] = {"limit": str(budget.context.reached())}

    with within_limits("puzzle"):
        sections["puzzle"] = analysis.about()
    with within_limits("variables"):
        sections["variables"] = analysis.variables()
    with within_limits("solutions"):
        sections["solutions"] = analysis.solutions()
    stopped = sections["solutions"].get("limit")
    if stopped:
        sections |= {name: {"limit": stopped} for name in ("cells", "hints")}
    elif sections["solutions"]["count"] != "0":
        assert analysis.solved is not None
        found = analysis.solved.solutions
        with within_limits("cells"):
            sections["cells"] = analysis.cells()
            marginals = found.marginals()
            if hasattr(found, "diagram") and found.diagram.levels:
                profiles = {f"order {analysis.solved.order}": found.diagram.profile()}
        with within_limits("hints"):
            sections["hints"] = answers_from(
                subject,
                found,
                budget.context.share(2)
                .within(_removal_seconds(budget))
                .reporting(progress("hints")),
            )
    with within_limits("procedures"):
        sections["procedures"] = analysis.procedures(allocation=allocation)
    with within_limits("check"):
        sections["check"] = {**_check(analysis, sections, progress)}
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
    if own.get("count") is not None and analysis.subject.saved is None:
        runs.append(said(own["engine"], own["count"], own["seconds"]))
    done = {own.get("engine"), "bdd", "backtrack"}
    willing = engines_for(allocate(analysis.puzzle), Engine)
    others = [engine.name for engine in willing if engine.name not in done]
    runs += check(
        analysis.puzzle, others, analysis.budget.context, progress, each=analysis.budget.each
    )["runs"]
    for run in sections["procedures"].get("runs", ())[::-1]:
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
