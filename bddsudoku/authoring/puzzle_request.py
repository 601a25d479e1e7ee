"""Requests for generated puzzles as plain data, and the reading of patterns and rule files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from bddsudoku.argument_types import check_types
from bddsudoku.authoring.rule_placement import canonical_rule_kind
from bddsudoku.errors import BddSudokuError, PuzzleFormatError, adding_error_place
from bddsudoku.jit.decorators import I64
from bddsudoku.puzzle.sudoku.grid import Puzzle, empty_board
from bddsudoku.puzzle.sudoku.layout import Layout, cell_name
from bddsudoku.puzzle.sudoku.rules import Rule
from bddsudoku.puzzle.sudoku.text.rule_lines import board_with_rules, split_rule_file

Move = Callable[[I64], I64]


def _half_turn(board: I64) -> I64:
    return board[::-1, ::-1]


SYMMETRIES: dict[str, tuple[Move, ...]] = {
    "none": (),
    "rotate180": (_half_turn,),
    "rotate90": (np.rot90,),
    "left-right": (np.fliplr,),
    "top-bottom": (np.flipud,),
    "diagonal": (np.transpose,),
    "antidiagonal": (lambda board: _half_turn(board).T,),
    "mirrors": (np.fliplr, np.flipud),
    "diagonals": (np.transpose, _half_turn),
    "full": (np.rot90, np.transpose),
}
"""Classes of patterns by name, each with the moves that make the rest of them: ``left-right`` is
mirrored in the vertical axis (left and right change places), ``top-bottom`` in the horizontal one,
``mirrors`` in both, ``diagonal`` in the line from the top left, ``antidiagonal`` in that from the
top right, ``diagonals`` in both; ``full`` has all eight symmetries of the square."""


def require_symmetry(name: str) -> None:
    """Raise an error for a name that is not in :data:`SYMMETRIES`.

    Raises:
        BddSudokuError: there is no such symmetry.
    """
    if name not in SYMMETRIES:
        raise BddSudokuError(f"no symmetry is called {name!r}; there are {', '.join(SYMMETRIES)}")


def cell_orbits(n: int, symmetry: str) -> list[list[int]]:
    """The orbits of the cells of an n×n board under a symmetry, each ascending.

    Raises:
        BddSudokuError: there is no such symmetry.
    """
    require_symmetry(symmetry)
    first = np.arange(n * n).reshape(n, n)
    for move in SYMMETRIES[symmetry] * 4:  # repeated this often, the moves reach the whole orbit
        first = np.minimum(first, move(first))
    found: dict[int, list[int]] = {}
    for cell, least in enumerate(first.ravel().tolist()):
        found.setdefault(least, []).append(cell)
    return list(found.values())


_OPEN_SIGNS = ".0-_ "
"""Signs of a pattern for a cell without a hint; any other is one with a hint."""


@check_types
@dataclass(frozen=True)
class PuzzleRequest:
    """The properties that generated puzzles shall have.

    Attributes:
        layout: the board.
        solutions: exact number of solutions.
        hints: least and greatest number of hints; None: hints are removed until none can be.
        symmetry: of the pattern, one of :data:`SYMMETRIES`.
        pattern: cells in which hints stand; None for anywhere.
        inside: cells of the pattern may stay without a hint; otherwise hints fill it.
        rules: of every puzzle.
        place: kinds of rules to be placed on a solution: name and number; rules that turn out to be
            redundant are removed.
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
        """The empty board with the requested rules."""
        return empty_board(self.layout, self.rules)

    @property
    def is_classic(self) -> bool:
        """Whether a classic board without any rules is requested, so that bitboards can be used."""
        return self.empty.is_classic and not self.place

    @property
    def fills_pattern(self) -> bool:
        """Whether every cell of a requested pattern must hold a hint."""
        return self.pattern is not None and not self.inside

    @property
    def leaves_minimal(self) -> bool:
        """Whether removal tests every remaining hint by itself, so that results are minimal."""
        return self.symmetry == "none" and self.hints is None and not self.fills_pattern

    def removal_units(self) -> tuple[list[list[int]], int]:
        """List the cell sets to try to empty, mandatory ones first; count the mandatory ones."""
        groups = cell_orbits(self.layout.n, self.symmetry)
        if self.pattern is None:
            return groups, 0
        outside = [c for c in range(self.layout.cell_count) if c not in self.pattern]
        must = [outside] if outside else []
        inside = [g for g in groups if self.inside and self.pattern.issuperset(g)]
        return must + inside, len(must)


@dataclass(frozen=True)
class GeneratedPuzzle:
    """A generated puzzle with its solution, its exact count and how it was found.

    Attributes:
        puzzle: hints and rules.
        grid: the solution that it was made from.
        solutions: exact number.
        minimal: whether removing any hint adds a solution; None where a search was given up.
        uniform: whether the grid was drawn exactly uniformly.
        engine: name of the engine that counted.
        second: name of a second engine that found the same number.
        tried: number of the successful try, from 1.
    """

    puzzle: Puzzle
    grid: Puzzle
    solutions: int
    minimal: bool | None
    uniform: bool
    engine: str
    second: str = ""
    tried: int = 0


@check_types
def read_pattern(lines: Iterable[str], layout: Layout, source: str | None = None) -> frozenset[int]:
    """Read from n lines of n signs which cells have hints; ``. 0 - _`` and blanks mean no hint.

    Lines that begin with ``#`` and a blank are comments; the ends of lines may be cut.

    Raises:
        PuzzleFormatError: not n lines, or one that is too long.
    """
    n = layout.n
    rows = [line.rstrip("\r\n") for line in lines if not line.startswith("# ")]
    while rows and not rows[-1].strip():
        rows.pop()
    if len(rows) != n:
        message = f"expected a pattern of {n} lines, found {len(rows)}"
        raise PuzzleFormatError(message, source=source)
    for number, row in enumerate(rows, 1):
        if len(row.rstrip()) > n:
            message = f"expected {n} signs, found {len(row)}"
            raise PuzzleFormatError(message, source=source, line=number)
    return frozenset(
        n * r + c
        for r, row in enumerate(rows)
        for c, sign in enumerate(row)
        if sign not in _OPEN_SIGNS
    )


def check_symmetry(pattern: frozenset[int], orbits: list[list[int]], n: int) -> None:
    """Raise an error if a pattern contains a cell, but not its images under a symmetry.

    Raises:
        PuzzleFormatError: it names both cells.
    """
    for group in orbits:
        inside = [cell for cell in group if cell in pattern]
        outside = [cell for cell in group if cell not in pattern]
        if inside and outside:
            one, other = cell_name(inside[0], n), cell_name(outside[0], n)
            raise PuzzleFormatError(f"the pattern is not symmetric: {one} without {other}")


MAX_RULES = 100
"""Largest number of rules of one kind that can be requested."""


def read_rule_requests(
    lines: Iterable[str], layout: Layout, source: str | None = None
) -> tuple[Puzzle, tuple[tuple[str, int], ...]]:
    """Read a rule file; return the empty board with the fixed rules, and the rules to be placed.

    A line is one as below a grid (``antiknight``, ``cage 15 r1c1 r1c2``, ``regions …``), or ``place
    5 cage``; blank lines and what follows ``#`` are passed over.

    Raises:
        PuzzleFormatError: a line is neither, or does not fit the board.
    """
    fixed: list[tuple[int, str]] = []
    place: list[tuple[str, int]] = []
    for number, line in split_rule_file(lines, source):
        if line.lower().split()[0] != "place":
            fixed.append((number, line))
            continue
        with adding_error_place(source=source, line=number):
            place.append(_parse_place_line(line))
    empty = board_with_rules(fixed, layout, source)
    # Rules that are placed later must not change the meaning of the rules of the file.
    rules = [rule.in_company(empty.rules) for rule in empty.rules]
    return Puzzle(empty.cells, empty.layout, rules=rules), tuple(place)


def _parse_place_line(line: str) -> tuple[str, int]:
    """The kind of rule and the number in a line such as ``place 5 cage``."""
    match = re.fullmatch(r"place\s+(\d{1,6})\s+(\w+)", line, re.IGNORECASE)
    if match is None:
        raise PuzzleFormatError(f"expected a line such as 'place 5 cage', found {line[:40]!r}")
    if not 1 <= int(match[1]) <= MAX_RULES:
        raise PuzzleFormatError(f"expected 1 to {MAX_RULES} rules to place, found {match[1]}")
    return canonical_rule_kind(match[2]), int(match[1])
