"""What an author asks for, as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from bddsudoku.authoring.symmetry import orbits
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout, cell_name
from bddsudoku.puzzle.sudoku.rules import Rule

_OPEN = ".0-_ "
"""Signs of a pattern for a cell without a hint; any other is one with a hint."""


@dataclass(frozen=True)
class Wanted:
    """What puzzles are to be like.

    Attributes:
        layout: the board.
        solutions: exactly so many.
        hints: at least and at most so many; None for as many as there are when none can go.
        symmetry: of the pattern, one of :data:`.symmetry.SYMMETRIES`.
        pattern: cells in which hints stand; None for anywhere.
        inside: hints may be left out of the pattern; otherwise they fill it.
        rules: of every puzzle.
        place: rules that are read off a solution: name, how many of them; those that are not needed
            go again.
    """

    layout: Layout = field(default_factory=Layout)
    solutions: int = 1
    hints: tuple[int, int] | None = None
    symmetry: str = "none"
    pattern: frozenset[int] | None = None
    inside: bool = False
    rules: tuple[Rule, ...] = ()
    place: tuple[tuple[str, int], ...] = ()

    @property
    def empty(self) -> Puzzle:
        """The board, and the rules of every puzzle."""
        return Puzzle([0] * self.layout.cell_count, self.layout, rules=self.rules)

    @property
    def is_ordinary(self) -> bool:
        """Whether bit boards can do it."""
        return self.empty.is_ordinary and not self.place

    @property
    def is_filled(self) -> bool:
        """Whether the hints fill a pattern."""
        return self.pattern is not None and not self.inside

    @property
    def leaves_minimal(self) -> bool:
        """Whether every hint of what is made was tried by itself and could not go."""
        return self.symmetry == "none" and self.hints is None and not self.is_filled

    def units(self) -> tuple[list[list[int]], int]:
        """Cells whose hints go together, and how many of these sets, the first, have to go."""
        groups = orbits(self.layout.n, self.symmetry)
        if self.pattern is None:
            return groups, 0
        outside = [c for c in range(self.layout.cell_count) if c not in self.pattern]
        must = [outside] if outside else []
        if self.is_filled:
            return must, len(must)
        return must + [g for g in groups if self.pattern.issuperset(g)], len(must)


@dataclass(frozen=True)
class Made:
    """A puzzle that was made.

    Attributes:
        puzzle: hints and rules.
        grid: the solution that it was made from.
        solutions: exact number.
        minimal: whether no hint can go without one more solution; None where a search for that took
            too long.
        uniform: whether the grid was drawn exactly uniformly.
        engine: which engine counted.
        second: which other engine has found the same number.
        tried: number of the try, from 1: what was tried before did not fit.
    """

    puzzle: Puzzle
    grid: Puzzle
    solutions: int
    minimal: bool | None
    uniform: bool
    engine: str
    second: str = ""
    tried: int = 0


def read_pattern(lines: Iterable[str], layout: Layout, source: str | None = None) -> frozenset[int]:
    """The cells of a pattern: n lines of n signs; ``. 0 - _`` and blanks stand for no hint.

    Lines that begin with ``#`` and a blank are comments; the ends of lines may be cut.

    Raises:
        PuzzleFormatError: not n lines, or one that is too long.
    """
    n = layout.n
    rows = [line.rstrip("\r\n") for line in lines]
    rows = [row for row in rows if not row.startswith("# ")]
    while rows and not rows[-1].strip():
        rows.pop()
    if len(rows) != n:
        raise PuzzleFormatError(
            f"expected a pattern of {n} lines, found {len(rows)}", source=source
        )
    cells = set()
    for number, row in enumerate(rows):
        if len(row.rstrip()) > n:
            raise PuzzleFormatError(
                f"expected {n} signs, found {len(row)}", source=source, line=number + 1
            )
        cells |= {number * n + i for i, sign in enumerate(row) if sign not in _OPEN}
    return frozenset(cells)


def check_whole(pattern: frozenset[int], groups: list[list[int]], n: int) -> None:
    """Whether a pattern has a symmetry.

    Raises:
        PuzzleFormatError: a cell of it, not its image.
    """
    for group in groups:
        inside = [cell for cell in group if cell in pattern]
        if inside and len(inside) < len(group):
            other = next(cell for cell in group if cell not in pattern)
            raise PuzzleFormatError(
                f"the pattern is not symmetric: {cell_name(inside[0], n)} without "
                f"{cell_name(other, n)}"
            )
