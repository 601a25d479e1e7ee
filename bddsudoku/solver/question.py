"""What is asked, in the one shape in which the solver knows it: a model and a decoder.

Whatever offers ``model()`` and ``decoder()`` can be asked about; a Sudoku and a Numberlink board
come in by doors of their own, because a Sudoku has allocations and a board has a spec, not a model.

Answers: a count or a set, who gave it, and why.

A set seen through some of its variables: what is counted when the others do not matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, runtime_checkable

import numpy as np

from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import BddSudokuError
from bddsudoku.model.model import Model
from bddsudoku.numbers import to_decimal
from bddsudoku.puzzle.sudoku.allocation import allocate
from bddsudoku.puzzle.sudoku.decode import SudokuDecoder
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.sets.decoder import Decoder, GridDecoder
from bddsudoku.sets.gridset import GridSet
from bddsudoku.sets.solutionset import SolutionSet

if TYPE_CHECKING:
    from bddsudoku.engine.protocol import Compiled


@runtime_checkable
class Askable(Protocol):
    """A puzzle that makes a model and reads its answers.

    It may also have a ``projection``: the keys of the variables that are looked at, or None for
    all. Solutions that agree on these are then one solution.
    """

    def model(self) -> Model:
        """The constraints."""
        ...

    def decoder(self) -> Decoder:
        """What turns keys into the puzzle's solutions."""
        ...


@dataclass(frozen=True)
class Question:
    """A model to be asked about.

    Attributes:
        model: the constraints, what is given substituted.
        decoder: turns keys into solutions; None for plain tuples of keys.
        projection: keys of the variables that are looked at; None for all.
    """

    model: Model
    decoder: Decoder | None = None
    projection: frozenset[int] | None = None

    def set_of(self, done: Compiled) -> SolutionSet:
        """The set object of the model's diagram: a GridSet where solutions are grids."""
        info = {"order": done.order}
        if self.projection is None and isinstance(self.decoder, GridDecoder):
            return GridSet(done.diagram, self.decoder, fixed=done.fixed, info=info)
        found = SolutionSet(done.diagram, self.decoder, fixed=done.fixed, info=info)
        return found if self.projection is None else projected(found, self.projection)


Asked = Puzzle | PuzzleRecord | Askable | Model | Question


def question_of(asked: Asked) -> Question:
    """The question that a puzzle, a problem or a bare model asks.

    Raises:
        BddSudokuError: it is nothing that can be asked about.
    """
    if isinstance(asked, Question):
        return asked
    if isinstance(asked, PuzzleRecord):
        asked = asked.puzzle
    if isinstance(asked, Puzzle):
        return Question(allocate(asked), SudokuDecoder(asked))
    if isinstance(asked, Model):
        return Question(asked)
    if isinstance(asked, Askable):
        model, seen = asked.model(), getattr(asked, "projection", None)
        if seen is not None and model.index_of_key.keys() <= set(seen):
            seen = None  # all are looked at
        return Question(model, asked.decoder(), None if seen is None else frozenset(seen))
    raise BddSudokuError(f"a puzzle, a problem or a model can be asked about, not {asked!r}")


@dataclass(frozen=True)
class Counted:
    """A count and where it came from.

    Attributes:
        count: number of solutions; where counting was to end there, there may be more.
        engine: who counted.
        why: why this engine.
        seconds: wall-clock time, choosing included.
        exact: whether these are all.
    """

    count: int
    engine: str
    why: str
    seconds: float
    exact: bool = True


def count_record(found: Counted) -> dict[str, Any]:
    """A count, JSON-able."""
    record = {"count": to_decimal(found.count), "exact": found.exact, "engine": found.engine}
    if found.why:
        record["why"] = found.why
    record["seconds"] = round(found.seconds, 6)
    return record


@dataclass(frozen=True)
class Solved:
    """A solution set and where it came from.

    Attributes:
        solutions: a SolutionSet (of a Sudoku: a GridSet) or what an engine holds itself.
        engine: what made or holds it.
        why: why this engine.
        seconds: wall-clock time, choosing included.
        cost: of the diagram, where one was made: order, states, width, trace.
    """

    solutions: Any
    engine: str
    why: str
    seconds: float
    cost: Compiled | None = field(default=None, repr=False)

    @property
    def order(self) -> str:
        """Name of the diagram's order; empty where there is no diagram."""
        return "" if self.cost is None else self.cost.order


class Run(TypedDict):
    """One engine's say, JSON-able: ``count`` is a decimal string, None where a limit ended it."""

    engine: str
    count: str | None
    limit: str | None
    seconds: float


def said(engine: str, count: int | str, seconds: float) -> Run:
    """The run of an engine that has counted."""
    count = count if isinstance(count, str) else to_decimal(count)
    return {"engine": engine, "count": count, "limit": None, "seconds": seconds}


class Agreement(TypedDict):
    """All runs; how many counted; whether they agree (None for fewer than two)."""

    runs: list[Run]
    finished: int
    agree: bool | None


def agreement(runs: list[Run]) -> Agreement:
    """The one verdict on counts of the same question."""
    counts = [run["count"] for run in runs if run["count"] is not None]
    agree = len(set(counts)) == 1 if len(counts) > 1 else None
    return {"runs": runs, "finished": len(counts), "agree": agree}


def projected(found: SolutionSet, keys: Iterable[int]) -> SolutionSet:
    """The solutions restricted to some variables, equal ones once.

    The variables are read first, so that what stands below the last of them says only whether the
    others can be chosen at all.

    Args:
        found: any set.
        keys: the variables that are looked at.

    Cost: that of reading the diagram in another order (:mod:`bddsudoku.diagrams.reorder`), and a
    pass over it.
    """
    kept = set(keys)
    labels = found.diagram.labels.tolist()
    first = [k for k in labels if k in kept]
    diagram = found.reordered([*first, *(k for k in labels if k not in kept)]).diagram
    cut = len(first)
    # A family that is not empty has a member: below the cut that is all that counts.
    inner = diagram.variable < cut
    to = np.ones(diagram.size, dtype=np.int64)
    to[0] = 0
    to[inner] = np.arange(2, 2 + inner.sum())
    inner[:2] = True  # the terminals
    low, high = to[diagram.low[inner]], to[diagram.high[inner]]
    seen = Diagram.from_arrays(first, diagram.variable[inner], low, high, int(to[diagram.root]))
    fixed = [k for k in found.fixed if k in kept]
    return type(found)(seen, found.decoder, fixed=fixed, info=found.info)
