"""Input and results of the solver; a question is a model with its decoder and projection.

A :class:`Question` is made from anything that has ``model()`` and ``decoder()``, and from a Sudoku,
whose model depends on an allocation (a Numberlink board has a spec, not a model, and functions of
its own). Results record the engine, the reason for its choice and the time. A projection restricts
solutions to some of their variables.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from bddsudoku.argument_types import check_types, require_type
from bddsudoku.engine.protocol import NAMED
from bddsudoku.errors import BddSudokuError, LimitReached, PuzzleFormatError
from bddsudoku.model.model import Model
from bddsudoku.notebook_html import facts_html
from bddsudoku.number_text import format_seconds, format_size, to_decimal
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.rule import Rule
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
from bddsudoku.puzzle.sudoku.sudoku_model import allocate
from bddsudoku.sets.decoder import Decoder, GridDecoder, S_co
from bddsudoku.solver.sources import PuzzleLike, as_puzzle, read_one

if TYPE_CHECKING:
    from bddsudoku.engine.protocol import Compiled
    from bddsudoku.sets.grid_family import GridFamily
    from bddsudoku.sets.solution_family import SolutionFamily
    from bddsudoku.sets.solutionset import SolutionSet


@runtime_checkable
class ModelProvider(Protocol[S_co]):
    """A problem that has a model of its constraints and a decoder of its solutions.

    It may also have a ``projection``: the keys of the projected variables, or None for all.
    Solutions that agree on these count as one.
    """

    def model(self) -> Model:
        """The problem's constraints as a model."""
        ...

    def decoder(self) -> Decoder[S_co]:
        """The decoder that turns the keys of a solution's true variables into a solution."""
        ...


@dataclass(frozen=True)
class Question:
    """A model to be counted or solved, with its decoder and its projection.

    Attributes:
        model: the constraints, with the given values substituted.
        decoder: turns keys into solutions; None for tuples of keys.
        projection: keys of the projected variables; None for all.
    """

    model: Model
    decoder: Decoder | None = None
    projection: frozenset[int] | None = None

    def make_set(self, compiled: Compiled) -> SolutionSet:
        """The solution set of a compiled diagram: a GridSet where solutions are grids."""
        # Imported here: a count needs no sets.
        from bddsudoku.sets.gridset import GridSet
        from bddsudoku.sets.solutionset import SolutionSet

        info = {"order": compiled.order}
        if self.projection is None and isinstance(self.decoder, GridDecoder):
            return GridSet(compiled.diagram, self.decoder, fixed=compiled.fixed, info=info)
        found = SolutionSet(compiled.diagram, self.decoder, fixed=compiled.fixed, info=info)
        if self.projection is None:
            return found
        found = project(found, self.projection)
        if isinstance(self.decoder, GridDecoder):
            return GridSet(found.diagram, self.decoder, fixed=found.fixed, info=info)
        return found


QuestionLike = PuzzleLike | ModelProvider | Model | Question
"""What can be counted and solved: a puzzle in any form, a saved set, a problem, a model."""


def read_subject(subject: QuestionLike) -> Puzzle | PuzzleRecord | ModelProvider | Model | Question:
    """A puzzle in any form as a Puzzle, a saved set as its record; anything else unchanged.

    Raises:
        PuzzleFormatError: it holds no puzzle, or several.
        TypeError: it is neither a puzzle nor a problem nor a model.
    """
    if isinstance(subject, (Puzzle, Model, Question, ModelProvider)):
        return subject
    record = read_one(subject)
    return record.puzzle if record.saved is None else record


def make_question(subject: QuestionLike) -> Question:
    """The model, decoder and projection by which a puzzle, a problem or a model is solved.

    Raises: as :func:`read_subject`.
    """
    subject = read_subject(subject)
    if isinstance(subject, Question):
        return subject
    if isinstance(subject, PuzzleRecord):
        subject = subject.puzzle
    if isinstance(subject, Puzzle):
        return Question(allocate(subject), SudokuDecoder(subject))
    if isinstance(subject, Model):
        return Question(subject)
    model, seen = subject.model(), getattr(subject, "projection", None)
    if seen is not None and model.position_by_key.keys() <= set(seen):
        seen = None  # the projection keeps all variables
    return Question(model, subject.decoder(), None if seen is None else frozenset(seen))


def project_to_grid(puzzle: PuzzleLike) -> Question:
    """The question about a puzzle's grids alone: each once, whatever stands outside the grid.

    The solutions of ``solve(project_to_grid(puzzle))`` are boards without the cells outside; they
    have those rules of the puzzle that speak of the grid only.

    Args:
        puzzle: in any form; of one without such cells all solutions are in question.

    Cost: that of a diagram of all solutions, and of reordering it (:func:`project`).
    """
    puzzle = as_puzzle(puzzle)
    grid = puzzle.layout.grid
    rules = [rule for rule in puzzle.rules if _fits(rule, grid)]
    alone = Puzzle.from_masks(puzzle.masks[: grid.cell_count], grid, rules)
    seen = frozenset(range(grid.cell_count * grid.digit_count)) if puzzle.layout.groups else None
    return Question(allocate(puzzle), SudokuDecoder(alone), seen)


def _fits(rule: Rule, layout: Layout) -> bool:
    """Whether a rule's cells are all on a board."""
    try:
        rule.check(layout)
    except PuzzleFormatError:
        return False
    return True


@dataclass(frozen=True)
class CountResult:
    """A count with the engine that made it, the reason for that engine, and the time.

    Attributes:
        count: number of solutions, or a lower bound where ``exact`` is False.
        engine: name of the engine.
        why: why this engine was chosen.
        seconds: wall-clock time, the choice included.
        exact: False if counting stopped at a limit.
    """

    count: int
    engine: str
    why: str
    seconds: float
    exact: bool = True


R = TypeVar("R", "CountResult", "SolveResult")
_LOG = logging.getLogger(__name__)
_SLOW_SECONDS = 0.5
"""Seconds after which the choice of an engine is worth a message of level info."""


def log_answer(engine: str, why: str, seconds: float) -> None:
    """Log which engine answered, and why: level info if it was chosen and slow, else debug."""
    slow = seconds > _SLOW_SECONDS and why != NAMED
    _LOG.log(logging.INFO if slow else logging.DEBUG, "%s: %s (%.2f s)", engine, why, seconds)


def log_result(result: R) -> R:
    """Log the engine of a result with the reason and the time; return the result."""
    log_answer(result.engine, result.why, result.seconds)
    return result


def count_record(result: CountResult) -> dict[str, Any]:
    """A count with its engine, reason and time, as JSON values."""
    return count_members(result.count, result.exact, result.engine, result.why, result.seconds)


def count_members(count: int, exact: bool, engine: str, why: str, seconds: float) -> dict[str, Any]:
    """The members of a :class:`CountResult` as JSON values, for lists of millions without one."""
    record = {"count": to_decimal(count), "exact": exact, "engine": engine}
    if why:
        record["why"] = why
    record["seconds"] = round(seconds, 6)
    return record


def limit_record(stop: LimitReached) -> dict[str, Any]:
    """A count that a limit ended, as JSON values, with the estimate that was known."""
    known: dict[str, Any] = stop.details.get("known", {})
    return known | {"count": None, "exact": False, "limit": str(stop)}


@dataclass(frozen=True)
class SolveResult:
    """A solution set with the engine that made it, the reason for that engine, and the cost.

    Attributes:
        solutions: a SolutionSet (of a Sudoku: a GridSet) or an engine's own kind of set.
        engine: name of the engine.
        why: why this engine was chosen.
        seconds: wall-clock time, the choice included.
        cost: order, states, width and trace of the diagram; None without a diagram.
    """

    solutions: SolutionFamily
    engine: str
    why: str
    seconds: float
    cost: Compiled | None = field(default=None, repr=False)

    def _repr_html_(self) -> str:
        """An HTML table of the set, its engine, time and memory, for notebooks."""
        cost = self.cost
        facts = [
            *self.solutions.facts(),
            ("engine", self.engine),
            ("because", self.why or None),
            ("time", format_seconds(self.seconds)),
            ("states", cost and cost.states),
            ("widest level", cost and cost.width),
            ("peak memory", cost and format_size(cost.peak_bytes)),
        ]
        return facts_html(type(self.solutions).__name__, facts)

    @property
    def grids(self) -> GridFamily:
        """The solutions of a puzzle whose solutions are grids."""
        from bddsudoku.sets.grid_family import GridFamily

        assert isinstance(self.solutions, GridFamily)
        return self.solutions

    @property
    def compiled_set(self) -> SolutionSet:
        """The solutions of a question whose cost is that of a diagram."""
        from bddsudoku.sets.solutionset import SolutionSet

        if not isinstance(self.solutions, SolutionSet):
            raise BddSudokuError("expected a set on a ZDD, found one on a decision-DNNF")
        return self.solutions

    @property
    def order(self) -> str:
        """Name of the diagram's variable order; empty where there is no diagram."""
        return "" if self.cost is None else self.cost.order


@check_types
def project(solutions: SolutionSet, keys: Iterable[int | str]) -> SolutionSet:
    """Project a set to some variables (existential quantification of all others).

    The diagram is reordered so that the projected variables come first; every non-empty family
    below the last of them becomes the terminal 1.

    Args:
        solutions: any set.
        keys: the projected variables, or their names.

    Cost: that of reordering the diagram (:mod:`bddsudoku.diagrams.reorder`), and a pass over it.
    """
    from bddsudoku.diagrams.zdd import Diagram
    from bddsudoku.sets.solutionset import SolutionSet

    require_type(solutions, SolutionSet, "a SolutionSet")
    projection = set(map(solutions.read_key, keys))
    labels = solutions.diagram.labels.tolist()
    first = [k for k in labels if k in projection]
    diagram = solutions.reordered([*first, *(k for k in labels if k not in projection)]).diagram
    cut = len(first)
    # Below the cut it only matters that a family is not empty.
    inner = diagram.variable < cut
    to = np.ones(diagram.size, dtype=np.int64)
    to[0] = 0
    to[inner] = np.arange(2, 2 + inner.sum())
    inner[:2] = True  # the terminals
    low, high = to[diagram.low[inner]], to[diagram.high[inner]]
    seen = Diagram.from_arrays(first, diagram.variable[inner], low, high, int(to[diagram.root]))
    fixed = [k for k in solutions.fixed if k in projection]
    return type(solutions)(seen, solutions.decoder, fixed=fixed, info=solutions.info)
