"""Boards in lists and JSON: what a tree of brackets means.

Read are n rows of n cells, n strings of n symbols, n² cells in one list, a list of such boards,
and an object that holds one under a usual name (``puzzle``, ``board``, …) with nothing beside it
that could be a rule. A cell is a number, a string with a symbol, or nothing: ``None``, ``null``,
``""``, ``"."``, ``_``, a field left empty. Cells that are lists or have several digits are
candidates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import (
    LARGEST,
    SMALLEST,
    SYMBOLS,
    Layout,
    cell_name,
    has_usual_blocks,
    no_usual_blocks,
)
from bddsudoku.puzzle.sudoku.text.brackets import Atom, Node
from bddsudoku.puzzle.sudoku.text.cells import puzzle_of_cells
from bddsudoku.puzzle.sudoku.text.marks import (
    are_marks,
    marks_in_cells,
    marks_in_places,
    marks_side,
)
from bddsudoku.puzzle.sudoku.text.symbols import number_of, refuse_two_zeros, shared_layout, show

_SPACE = re.compile(r"[\s|,]+")
_FOUR = frozenset("01234.xX_*")
_BOARDS = ("puzzle", "board", "grid", "quiz", "mission", "question", "sudoku", "clues", "givens",
           "task", "unsolved", "cells", "values", "rows", "matrix", "candidates")  # fmt: skip
"""Names under which an object holds its board, the likeliest first."""
_BESIDE = frozenset((
    "solution", "solved", "answer", "difficulty", "level", "rating", "score", "name", "id", "title",
    "author", "date", "source", "hints", "count", "seed", "size", "n", "url", "message", "status",
    "win_rate", "exact", "engine", "why", "seconds", "order", "rank", "symmetry", "limit",
    "description", "comment", "results", "unique", "solutions", "missing", "created",
))  # fmt: skip
"""Names that say nothing about a plain Sudoku's cells."""


class NestedReader:
    """Turns trees of brackets into puzzles.

    Args:
        layout: the layout asked for, or None.
        convention: the symbols asked for, or None.
        source: file name for messages.
    """

    def __init__(self, layout: Layout | None, convention: str | None, source: str | None) -> None:
        self._layout = layout
        self._convention = convention
        self._source = source

    def boards(self, node: Node) -> Iterator[tuple[Puzzle, int]]:
        """The boards in a tree, each with the line on which it begins.

        Raises:
            PuzzleFormatError: it holds anything else.
        """
        while len(node.items) == 1 and isinstance(node.items[0], Node) and not node.keys:
            node = node.items[0]
        if node.keys:
            yield from self._object(node)
            return
        atoms = [i for i in node.items if isinstance(i, Atom)]
        nodes = [i for i in node.items if isinstance(i, Node)]
        if atoms and nodes:
            raise self._refusal("expected either cells or lists of cells, found both", node.line)
        if not node.items:
            raise self._refusal("expected a board, found empty brackets", node.line)
        if atoms:
            yield from self._of_atoms(node, atoms)
            return
        if any(inner.keys for inner in nodes):
            for inner in nodes:
                yield from self.boards(inner)
            return
        flat = [inner for inner in nodes if all(isinstance(i, Atom) for i in inner.items)]
        if len(flat) == len(nodes):
            rows = [[i for i in inner.items if isinstance(i, Atom)] for inner in nodes]
            for inner, row in zip(nodes, rows, strict=True):
                if inner.ends_empty and len(row) == len(rows) - 1:
                    row.append(Atom("", inner.line, is_hole=True))  # [5,3,,,7,,,,]
            if (
                len({len(r) for r in rows}) == 1
                and self._square(len(rows[0]))
                and (len(rows) != len(rows[0]))
            ):
                for inner, row in zip(nodes, rows, strict=True):
                    yield self._board(row, self._square(len(row))), inner.line
                return
            yield self._of_rows(rows, node.line), node.line
            return
        if (puzzle := self._candidates(nodes)) is not None:
            yield puzzle, node.line
            return
        for inner in nodes:
            yield from self.boards(inner)

    def _refusal(self, what: str, line: int, cell: str | None = None) -> PuzzleFormatError:
        return PuzzleFormatError(what, source=self._source, line=line, cell=cell)

    def _fits(self, n: int) -> bool:
        return has_usual_blocks(n) if self._layout is None else n == self._layout.n

    def _square(self, cells: int) -> int:
        """Side of the board with so many cells, 0 when there is none."""
        side = round(cells**0.5)
        return side if side * side == cells and self._fits(side) else 0

    def _shape(self, n: int) -> Layout:
        return self._layout or shared_layout(n)

    def table(self, rows: Sequence[Sequence[str]], lines: Sequence[int]) -> Puzzle:
        """The board in the rows of a table; a lone text is a board in one string.

        Raises:
            PuzzleFormatError: it is none.
        """
        atoms = [[Atom(c, at) for c in row] for row, at in zip(rows, lines, strict=True)]
        if len(atoms) == len(atoms[0]) == 1:
            return self._string(atoms[0][0])
        return self._of_rows(atoms, lines[0])

    # Lists

    def _of_atoms(self, node: Node, atoms: Sequence[Atom]) -> Iterator[tuple[Puzzle, int]]:
        """Cells in one list, rows parted by semicolons, or strings of symbols."""
        if all(len(a.text) >= SMALLEST for a in atoms):
            n = len(atoms)
            for texts in _string_rows(atoms):
                if self._fits(n) and all(len(text) == n for text in texts):
                    cells = [
                        Atom(s.strip(), a.line)
                        for a, text in zip(atoms, texts, strict=True)
                        for s in text
                    ]
                    yield self._board(cells, n), node.line
                    return
            for a in atoms:
                yield self._string(a), a.line
            return
        if node.rows:
            edges = [0, *(r for r in node.rows if r < len(atoms)), len(atoms)]
            rows = [list(atoms[a:b]) for a, b in pairwise(edges)]
            yield self._of_rows(rows, node.line), node.line
            return
        if not (n := self._square(len(atoms))):
            raise self._refusal(
                f"expected n² cells in one list (81 for 9x9), found {len(atoms)}", node.line
            )
        yield self._board(atoms, n), node.line

    def _string(self, atom: Atom) -> Puzzle:
        """A board, or its candidates, in one string."""
        text = _SPACE.sub("", atom.text)
        if n := self._square(len(text)):
            return self._board([Atom(s, atom.line) for s in text], n)
        if n := marks_side(len(text), self._layout):
            return marks_in_places(text, self._shape(n), self._convention, atom.line, self._source)
        raise self._refusal(
            f"expected a string of n² symbols (81 for 9x9), found {len(text)}: {show(text)}",
            atom.line,
        )

    def _of_rows(self, rows: Sequence[Sequence[Atom]], line: int) -> Puzzle:
        """A list of rows."""
        n = len(rows)
        if all(len(r) == 1 for r in rows):  # rows as strings in brackets of their own
            rows = [[Atom(s, a.line) for s in _SPACE.sub("", a.text)] for r in rows for a in r]
        widths = {len(r) for r in rows}
        if not self._fits(n):
            if self._layout is not None:
                what = f"expected {self._layout.n} rows ({self._layout}), found {n}"
            elif widths == {n} and n > 1:
                what = no_usual_blocks(n)
            else:
                what = f"expected n lists of n cells, {SMALLEST} to {LARGEST} of them, found {n}"
            raise self._refusal(what, line)
        for number, row in enumerate(rows):
            if len(row) != n:
                place = cell_name(number * n + min(len(row), n - 1), n)
                at = row[0].line if row else line
                raise self._refusal(
                    f"row {number + 1} has {len(row)} cells, expected {n}", at, place
                )
        return self._board([a for r in rows for a in r], n)

    def _board(self, atoms: Sequence[Atom], n: int) -> Puzzle:
        """n² cells."""
        layout = self._shape(n)
        cells = [a.text.strip() for a in atoms]
        holes = [a for a in atoms if a.is_hole]
        if holes and any(
            c in ("", "0") and not a.is_hole for a, c in zip(atoms, cells, strict=True)
        ):
            at = atoms.index(holes[0])
            raise self._refusal(
                "nothing between two commas, though open cells are written elsewhere",
                holes[0].line,
                cell_name(at, n),
            )
        lines = [a.line for a in atoms]
        if n == 16 and self._layout is None and not any(set(c) - _FOUR for c in cells):
            raise self._refusal(
                "256 cells without a digit past 4 may be a 16x16 board or sixteen 4x4 boards; say "
                "'# layout: 4x4' or '# layout: 2x2'",
                lines[0],
            )
        for cell, text in enumerate(cells):
            if text[:1] in ("-", "+") or not (text.isalnum() or len(text) <= 1):
                raise self._refusal(
                    f"expected a digit or an open cell, found {show(text)} (an open cell is 0, "
                    "None, null or an empty string)",
                    lines[cell],
                    cell_name(cell, n),
                )
        if are_marks(cells, n):
            return marks_in_cells(cells, lines, layout, self._convention, self._source)
        if self._convention is None:
            present = {c.upper() or "." for c in cells}
            last = str(n) if any(len(c) > 1 for c in cells) else SYMBOLS[n - 1]
            refuse_two_zeros(present, last, n, lines[0], self._source)
        return puzzle_of_cells(cells, lines, layout, self._convention, self._source)

    def _candidates(self, nodes: Sequence[Node]) -> Puzzle | None:
        """n rows of n cells, each the list of its candidates; None for a list of boards."""
        n = len(nodes)
        if not self._fits(n) or any(len(row.items) != n for row in nodes):
            return None
        masks = []
        for row in nodes:
            for cell in row.items:
                atoms = cell.items if isinstance(cell, Node) else [cell]
                known = [number_of(a.text, n) for a in atoms if isinstance(a, Atom)]
                digits = [d for d in known if d is not None]
                if isinstance(cell, Node) and not cell.items:
                    raise self._refusal(
                        "an empty list of candidates may mean all or none; list them", cell.line
                    )
                if len(digits) != len(atoms) or digits != sorted(set(digits)):
                    return None
                if digits and not 1 <= digits[0] <= digits[-1] <= n:
                    return None
                masks.append(sum(1 << (d - 1) for d in digits))
        return Puzzle.from_masks(masks, self._shape(n))

    # Objects

    def _object(self, node: Node) -> Iterator[tuple[Puzzle, int]]:
        """The board under the name that says so."""
        values = dict(zip((k.lower() for k in node.keys), node.items, strict=True))
        names = [name for name in _BOARDS if name in values]
        holders = [
            v for k, v in values.items() if isinstance(v, Node) and k not in (*_BOARDS, *_BESIDE)
        ]
        if (
            not names
            and len(holders) == 1
            and set(values) - _BESIDE == {k for k, v in values.items() if v is holders[0]}
        ):
            yield from self.boards(holders[0])  # {"newboard": {"grids": [{"value": …}]}}
            return
        unknown = [k for k in node.keys if k.lower() not in (*names[:1], *_BESIDE)]
        if not names or unknown:
            raise self._refusal(
                "this looks like JSON "
                + (f"with {_listed(unknown or node.keys)}" if node.keys else "")
                + "; an object is read when its board stands under 'puzzle', 'board' or 'grid' and "
                "nothing beside it can be a rule",
                node.line,
            )
        held = values[names[0]]
        if isinstance(held, Node):
            yield from self.boards(held)
        else:
            yield self._string(held), held.line


def _string_rows(atoms: Sequence[Atom]) -> Iterator[list[str]]:
    """Strings as rows: with spaces as open cells where nothing else stands for one, or without."""
    texts = [a.text for a in atoms]
    if not any(c in text for text in texts for c in "._*?-|,"):
        yield texts
    yield [_SPACE.sub("", text) for text in texts]


def _listed(names: Sequence[str]) -> str:
    """The first names, quoted."""
    shown = ", ".join(show(name) for name in names[:3])
    return shown + (", …" if len(names) > 3 else "")
