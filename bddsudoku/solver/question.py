"""What is asked, in the one shape in which the solver knows it: a model and a decoder.

Whatever offers ``model()`` and ``decoder()`` can be asked about; a Sudoku and a Numberlink board
come in by doors of their own, because a Sudoku has allocations and a board has a spec, not a model.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from bddsudoku.errors import BddSudokuError
from bddsudoku.model.constraints import Constraint, Variable
from bddsudoku.model.model import Model
from bddsudoku.puzzle.sudoku.grid import Puzzle

if TYPE_CHECKING:
    from bddsudoku.engine.protocol import Compiled
    from bddsudoku.sets.decoder import Decoder
    from bddsudoku.sets.solutionset import SolutionSet


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

    def set_of(self, done: Compiled, **info: Any) -> SolutionSet:
        """The set object of the model's diagram: a GridSet where solutions are grids."""
        from bddsudoku.sets.decoder import GridDecoder
        from bddsudoku.sets.gridset import GridSet
        from bddsudoku.sets.solutionset import SolutionSet
        from bddsudoku.solver.projection import projected

        if self.projection is None and isinstance(self.decoder, GridDecoder):
            return GridSet(done.diagram, self.decoder, fixed=done.fixed, info=info)
        found = SolutionSet(done.diagram, self.decoder, fixed=done.fixed, info=info)
        return found if self.projection is None else projected(found, self.projection)


def model_of(variables: Iterable[Variable], constraints: Iterable[Constraint]) -> Model:
    """The model of variables and constraints."""
    return Model(tuple(variables), tuple(constraints))


def question_of(asked: Puzzle | Askable | Model | Question) -> Question:
    """The question that a puzzle, a problem or a bare model asks.

    Raises:
        BddSudokuError: it is nothing that can be asked about.
    """
    if isinstance(asked, Question):
        return asked
    if isinstance(asked, Puzzle):
        from bddsudoku.puzzle.sudoku.allocation import allocate
        from bddsudoku.puzzle.sudoku.decode import SudokuDecoder

        return Question(allocate(asked), SudokuDecoder(asked))
    if isinstance(asked, Model):
        return Question(asked)
    if isinstance(asked, Askable):
        model, seen = asked.model(), getattr(asked, "projection", None)
        if seen is not None and model.index_of_key.keys() <= set(seen):
            seen = None  # all are looked at
        return Question(model, asked.decoder(), None if seen is None else frozenset(seen))
    raise BddSudokuError(f"a puzzle, a problem or a model can be asked about, not {asked!r}")
