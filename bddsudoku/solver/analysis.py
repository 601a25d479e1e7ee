"""The complete analysis of a puzzle, section by section, and the contents of its report page.

Each section is a dictionary of JSON values.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from bddsudoku import __version__
from bddsudoku.argument_types import check_types
from bddsudoku.context import Context, Progress
from bddsudoku.engine.calibration import ESTIMATE_STEPS
from bddsudoku.engine.conjunction import missing_backends_note
from bddsudoku.engine.estimate import estimate_text
from bddsudoku.engine.protocol import DiagramEngine, Engine, choose_set_engine, engines_that_take
from bddsudoku.errors import LimitReached
from bddsudoku.model.allocation import Allocation
from bddsudoku.model.model import Model
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.puzzle.sudoku.sudoku_model import allocate
from bddsudoku.puzzle.sudoku.text import puzzle_json
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver.answers import EngineRun, compare_counts
from bddsudoku.solver.comparison import build_puzzle, check, warm_up
from bddsudoku.solver.dispatch import solve_detailed
from bddsudoku.solver.estimates import estimate
from bddsudoku.solver.hint_analysis import hint_impact_from_set
from bddsudoku.solver.question import SolveResult

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import AnyArray

_ESTIMATE_SECONDS = 6.0
"""Seconds that are left for an estimate, where the set of all solutions is not made in time."""


@dataclass(frozen=True)
class Budget:
    """Limits for an analysis as a whole and for each of its runs.

    Attributes:
        context: memory limit of each engine; time limit of the whole analysis.
        seconds_per_run: time limit in seconds for each run, besides.
        nodes: node limit of each procedure of the paper.
    """

    context: Context
    seconds_per_run: float | None = None
    nodes: int | None = None

    def run_context(self) -> Context:
        """The limits of the next run of an engine: at most a quarter of the time that is left."""
        return self.context.time_slice(4).with_timeout(self.seconds_per_run)

    def __str__(self) -> str:
        parts = []
        if self.context.max_memory is not None:
            parts.append(f"{self.context.max_memory / 1024**3:.3g} GiB")
        if self.seconds_per_run is not None:
            parts.append(f"{self.seconds_per_run:g} s each")
        if self.context.time_limit is not None:
            parts.append(f"{self.context.time_limit:g} s in all")
        if self.nodes is not None:
            parts.append(f"{self.nodes:,} nodes")
        return ", ".join(parts) or "none"


@dataclass
class Analysis:
    """The analysis of a puzzle, whose sections are computed one by one.

    Attributes:
        subject: a puzzle or a saved set.
        budget: limits for every engine.
        progress: makes a progress callback for a section with a title.
        result: the solution set, once the section of the solutions was computed.
        marginals: exact counts, shape (n, n, n), once the section of the cells was computed.
        runs: counts of the sections so far.
    """

    subject: PuzzleRecord
    budget: Budget
    progress: Callable[[str], Progress] = lambda title: lambda done, total: None
    result: SolveResult | None = None
    marginals: AnyArray | None = None
    runs: list[EngineRun] = field(default_factory=list)

    @property
    def puzzle(self) -> Puzzle:
        """The analysed puzzle."""
        return self.subject.puzzle

    @property
    def _solutions(self) -> Any:
        """The set of all solutions, which :meth:`solutions_section` has computed before."""
        assert self.result is not None
        return self.result.solutions

    def sections(
        self,
        first: int = 3,
        *,
        hints: bool = True,
        hints_seconds: float | None = None,
        allocation: Allocation = Allocation.PAPER,
    ) -> Iterator[tuple[str, Callable[[], Mapping[str, Any]]]]:
        """Yield the name of each section and what computes it, in an order in which to do so.

        Args:
            first: number of solutions shown.
            hints: include the impact of every hint.
            hints_seconds: for that, at most.
            allocation: of the procedures' runs; ``paper`` takes several times as long.
        """
        yield "puzzle", self.puzzle_section
        yield "variables", self.variables_section
        yield "solutions", partial(self.solutions_section, first=first)
        if self.result is not None and self.result.solutions.count():
            yield "cells", self.cells_section
            if hints:
                yield "hints", partial(self.hints_section, hints_seconds)
        yield "procedures", partial(self.procedures_section, allocation)
        yield "check", self.check_section

    def puzzle_section(self) -> dict[str, Any]:
        """The section with the puzzle and its contradictions."""
        puzzle, layout = self.puzzle, self.puzzle.layout
        return {
            **puzzle_json(puzzle),
            "layout": str(layout),
            "candidates": None if puzzle.candidates is None else puzzle.candidate_count,
            "clashes": puzzle.clash_texts(),
            "without_candidates": [layout.cell_name(cell) for cell in puzzle.dead_cells],
        }

    def variables_section(self) -> dict[str, Any]:
        """The section on how many variables and constraints each choice of variables gives."""
        sizes = {}
        for allocation in Allocation:
            model = allocate(self.puzzle, allocation)
            sizes[allocation.value] = {
                "variables": len(model.variables),
                "constraints": sum(not c.is_trivial for c in model.constraints),
                "fixed": len(model.fixed),
            }
        return sizes

    def procedures_section(self, allocation: Allocation = Allocation.PAPER) -> dict[str, Any]:
        """The section with the BDD's size and time by each procedure of Tateishi & Minato."""
        runs: list[dict[str, Any]] = []
        backend, finished = "", list[EngineRun]()
        for number in (1, 2, 3):
            report = self.progress(f"procedure {number}")
            begin = time.perf_counter()
            run: dict[str, Any] = {"procedure": number, "nodes": None, "count": None, "limit": None}
            try:
                context = self.budget.run_context().with_progress(report)
                result = build_puzzle(
                    self.puzzle,
                    procedure=number,
                    allocation=allocation,
                    context=replace(context, nodes=self.budget.nodes),
                )
                missing = missing_backends_note(result.backend)
                backend = f"{result.backend} {result.backend_version}{missing}"
                count, seconds = result.count(), result.seconds
                run |= {"nodes": result.nodes, "count": str(count), "seconds": seconds}
                finished = [EngineRun(f"bdd (procedure {number})", count, None, seconds)]
                steps = result.steps
            except LimitReached as stop:
                backend = backend or str(stop.details.get("backend", ""))
                run |= {"limit": stop.limit, "seconds": time.perf_counter() - begin}
                steps = stop.trace or ()
            run["steps"] = [s.nodes for s in steps]
            run["peak_nodes"] = max(run["steps"], default=0)
            runs.append(run)
        self.runs += finished
        return {
            "allocation": allocation.value,
            "backend": backend,
            "limits": str(self.budget),
            "runs": runs,
        }

    def solutions_section(self, first: int = 3) -> dict[str, Any]:
        """The section with the count, its engine, the diagram's size and the first solutions."""
        model = allocate(self.puzzle)
        makers = (choose_set_engine(model), next(engines_that_take(model, DiagramEngine)))
        warming = sum(warm_up(engine.name) for engine in makers if engine is not None)
        try:
            # Without the set there is no analysis, so it may take the time, but for an estimate.
            context = self.budget.context.with_time_reserve(_ESTIMATE_SECONDS)
            context = context.with_progress(self.progress("solving"))
            self.result = solve_detailed(self.subject, context=context)
        except LimitReached as stop:
            return {"count": None, "limit": str(stop), "known": self._known(model)}
        found, seconds = self.result.solutions, self.result.seconds
        self.runs.append(EngineRun(self.result.engine, found.count(), None, seconds))
        data: dict[str, Any] = {
            "count": str(found.count()),
            "engine": self.result.engine,
            "why": self.result.why,
            "seconds": seconds,
            "warm_up_seconds": warming,
            "zdd_nodes": None,
            "first": [found.unrank(i).line for i in range(min(first, found.count()))],
        }
        if isinstance(found, SolutionSet):
            data |= {
                "zdd_nodes": found.node_count("zdd"),
                "bdd_nodes": found.node_count("bdd"),
                "order": self.result.order,
            }
        return data

    def _known(self, model: Model) -> str | None:
        """What an estimate tells of the count in the time that is left, as text."""
        try:
            context = self.budget.context.with_work(ESTIMATE_STEPS)
            return str(estimate(model, context=context))
        except LimitReached as stop:
            return estimate_text(stop.details["known"]) if "known" in stop.details else None

    def cells_section(self) -> dict[str, Any]:
        """The section with the backbone and the number of candidates that no solution has."""
        found = self._solutions
        self.marginals = found.marginals()
        backbone = Puzzle(found.backbone(), self.puzzle.layout)
        live = found.true_candidates().reshape(-1)
        candidates = [v.key for v in allocate(self.puzzle, Allocation.CANDIDATES).variables]
        open_cells = self.puzzle.open_cells
        return {
            "open": len(open_cells),
            "settled": sum(backbone.numbers[cell] != 0 for cell in open_cells),
            "backbone": backbone.line,
            "candidates": len(candidates),
            "dead": int((~live[candidates]).sum()) if candidates else 0,
        }

    def hints_section(self, seconds: float | None = None) -> dict[str, Any]:
        """The section with the solution counts without each hint and with each further hint."""
        context = (
            self.budget.context.time_slice(2)
            .with_timeout(seconds)
            .with_progress(self.progress("hints"))
        )
        return hint_impact_from_set(self.subject, self._solutions, context).to_dict()

    def check_section(self) -> dict[str, Any]:
        """The section with the counts so far, and those of all engines that have not run yet."""
        done = {"bdd", "brute-force", *(run.engine for run in self.runs)}
        willing = engines_that_take(allocate(self.puzzle), Engine)
        others = [engine.name for engine in willing if engine.name not in done]
        seconds = self.budget.seconds_per_run
        found = check(self.puzzle, others, self.budget.context, self.progress, each=seconds)
        return compare_counts([*self.runs, *found.runs]).to_dict()


ABLATION_RUNS = 4
"""Time limit of the whole clue ablation, as a multiple of the limit of a single run."""


@dataclass(frozen=True)
class PageContents:
    """The contents of a report page.

    Attributes:
        sections: by name, JSON-able.
        marginals: exact counts, shape (n, n, n); None without a solution.
        profiles: nodes at every level of the diagram by name of its order; None without one.
        provenance: versions, machine, limits and command, a line each.
    """

    sections: dict[str, dict[str, Any]]
    marginals: AnyArray | None
    profiles: dict[str, AnyArray] | None
    provenance: tuple[str, ...]


@check_types
def page_contents(
    subject: PuzzleRecord,
    budget: Budget,
    progress: Callable[[str], Progress] = lambda title: lambda done, total: None,
    *,
    allocation: Allocation = Allocation.CANDIDATES,
) -> PageContents:
    """Compute the sections, marginals and level sizes that a report page shows.

    A section that a limit ended is a dictionary with ``limit`` alone, which has the reason. The
    solution set is limited only by the total time, because most of the page depends on it.

    Args:
        subject: a puzzle or a saved set.
        budget: limits for every engine's run.
        progress: makes a progress callback for a part with a title.
        allocation: of the procedures' runs.
    """
    analysis = Analysis(subject, budget, progress)
    sections: dict[str, dict[str, Any]] = {}
    ablation_seconds = (
        None if budget.seconds_per_run is None else ABLATION_RUNS * budget.seconds_per_run
    )
    for name, make in analysis.sections(hints_seconds=ablation_seconds, allocation=allocation):
        try:
            sections[name] = {**make()}
        except LimitReached as stop:
            sections[name] = {"limit": str(stop)}
        except Exception:
            # An import, say, that the alarm interrupts may fail with another error.
            if not budget.context.is_expired:
                raise
            sections[name] = {"limit": str(budget.context.limit_error())}
    if stopped := sections["solutions"].get("limit"):
        sections |= {name: {"limit": stopped} for name in ("cells", "hints")}
    found, profiles = analysis.result, None
    if found and isinstance(found.solutions, SolutionSet) and found.solutions.diagram.levels:
        profiles = {f"order {found.order}": found.solutions.diagram.profile()}
    ablation_limit = (
        ""
        if ablation_seconds is None
        else f"; the removals of hints {ablation_seconds:g} s together"
    )
    argument = subject.source if subject.saved is not None else subject.puzzle.line
    provenance = (
        f"bddsudoku {__version__}, Python {platform.python_version()}, {date.today():%Y-%m-%d}",
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        f"limits: {budget}{ablation_limit}",
        f'command: bddsudoku report "{argument}" -o report.html',
    )
    return PageContents(sections, analysis.marginals, profiles, provenance)
