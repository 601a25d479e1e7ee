"""A puzzle as f-puzzles' JSON, and as a link that holds it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.fpuzzles.kinds import KINDS, Kind, Shape
from bddsudoku.puzzle.sudoku.fpuzzles.links import compress_to_base64
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import SMALLEST, Layout, cell_name
from bddsudoku.puzzle.sudoku.rules import LittleKiller, Negative, Rule, Windoku
from bddsudoku.puzzle.sudoku.rules.places import place_of

_KINDS = {kind.rule: kind for kind in KINDS}
_PAGE = "https://www.f-puzzles.com/?load="


def write_fpuzzles(puzzle: Puzzle) -> str:
    """The puzzle as f-puzzles' JSON, on one line, without line end.

    It reads back as the same puzzle, but for a few rules that have equivalents only: inner blocks
    and extra houses become extra regions, rules that mark even (odd, least, greatest) cells one
    rule, two diagonals as well.

    Raises:
        PuzzleFormatError: f-puzzles cannot say one of the rules, or that a cell has no candidate.
    """
    return json.dumps(_Writing(puzzle).data, separators=(",", ":"))


def write_link(puzzle: Puzzle) -> str:
    """A link to f-puzzles that holds the puzzle; other programs read it, too.

    Raises:
        PuzzleFormatError: as :func:`write_fpuzzles`.
    """
    return _PAGE + compress_to_base64(write_fpuzzles(puzzle))


class _Writing:
    """One puzzle; ``data`` is what is written."""

    def __init__(self, puzzle: Puzzle) -> None:
        layout = puzzle.layout
        if layout.n < SMALLEST:
            raise PuzzleFormatError(f"f-puzzles: a board of {layout.n}x{layout.n} cells")
        self._rules = puzzle.rules
        self._layout = layout
        self.data: dict[str, Any] = {"size": layout.n, "grid": _grid(puzzle)}
        for house in layout.extra:
            self._add("extraregion", {"cells": [cell_name(c, layout.n).upper() for c in house]})
        for rule in self._rules:
            self._write(rule)

    def _add(self, key: str, entry: Mapping[str, object]) -> None:
        self.data.setdefault(key, []).append(entry)

    def _write(self, rule: Rule) -> None:
        """One rule.

        Raises:
            PuzzleFormatError: f-puzzles has none like it.
        """
        kind = _KINDS.get(rule.name)
        if rule.name == "diagonals":
            self.data |= {"diagonal+": True, "diagonal-": True}
        elif isinstance(rule, Negative):
            self._negative(rule)
        elif isinstance(rule, Windoku):
            for places in rule.sets(self._layout).values():
                self._add("extraregion", {"cells": [str(p).upper() for p in places]})
        elif kind is None:
            raise rule.refuse("f-puzzles has no such rule")
        else:
            self._of_kind(kind, rule)

    def _of_kind(self, kind: Kind, rule: Rule) -> None:
        """A rule that f-puzzles knows: the fields of its shape, and what some say besides."""
        data = rule.to_dict()
        value = data.get(kind.value) if kind.value else None
        entry: dict[str, Any] = {
            name: [cell.upper() for cell in data[field]] if field != "digits" else data[field]
            for name, field in kind.shape.fields.items()
            if isinstance(data.get(field), list)
        }
        match kind.shape:
            case Shape.FLAG:
                if kind.key == "nonconsecutive" and self._named("difference", "ratio"):
                    raise rule.refuse("in f-puzzles a dot takes its pair of cells out of it")
                self.data[kind.key] = True
                return
            case Shape.TOGETHER:
                self._together(kind, rule, data)
                return
            case Shape.OUTSIDE | Shape.DIAGONAL:
                entry["cell"] = entry["cell"][0]
                if isinstance(rule, LittleKiller):
                    entry["cells"] = [str(p).upper() for p in rule.line(self._layout.n)]
                    entry["direction"] = rule.direction.upper()
            case Shape.LINES:
                entry["lines"] = [entry["lines"]]
            case Shape.ARROW:
                entry["lines"] = [[_end(data["circle"], data["shaft"][0]), *entry["lines"]]]
        if value not in (None, kind.usual):
            entry["value"] = str(value).upper()
        self._add(kind.key, entry)

    def _named(self, *names: str) -> list[Rule]:
        return [rule for rule in self._rules if rule.name in names]

    def _together(self, kind: Kind, rule: Rule, data: Mapping[str, Any]) -> None:
        """Cells that join those of the rules before."""
        marked = {
            str(place) for other in self._named(rule.name) for place in other.to_dict()["cells"]
        }
        if not marked.issuperset(data.get("spared", [])):
            raise rule.refuse("in f-puzzles only the marked cells are spared")
        before = [entry["cell"] for entry in self.data.get(kind.key, [])]
        for cell in data["cells"]:
            if cell.upper() not in before:
                self._add(kind.key, {"cell": cell.upper()})

    def _negative(self, rule: Negative) -> None:
        """All marks of a kind are there: said for the usual values, and the pairs with marks."""
        word = rule.kind
        own = rule.beside(self._rules)
        usual = Negative(word, (1,) if word == "difference" else ()).beside(self._rules)
        digits = range(1, self._layout.n + 1)
        if any(own.allowed(a, b) != usual.allowed(a, b) for a in digits for b in digits):
            raise rule.refuse("f-puzzles says this of other values")
        if own.spared_pairs != usual.spared_pairs:
            raise rule.refuse("in f-puzzles the spared pairs are those with a dot or sign")
        if word == "difference":
            self.data["nonconsecutive"] = True
        elif word not in self.data.get("negative", []):
            self.data.setdefault("negative", []).append(word)


def _grid(puzzle: Puzzle) -> list[list[dict[str, object]]]:
    """The cells, with their regions where these are not the usual ones.

    Raises:
        PuzzleFormatError: a cell has no candidate.
    """
    n, layout = puzzle.n, puzzle.layout
    plain = Layout(layout.box_rows, layout.box_columns)
    is_usual = layout.regions is None and plain == Layout.of_side(n)
    cells: list[dict[str, object]] = []
    for number, (digit, mask) in enumerate(zip(puzzle.cells, puzzle.masks, strict=True)):
        cell: dict[str, object] = {}
        if not mask:
            raise PuzzleFormatError(
                "f-puzzles cannot say that a cell has no candidate", cell=cell_name(number, n)
            )
        if digit:
            cell = {"value": digit, "given": True}
        elif mask != (1 << n) - 1:
            cell["givenPencilMarks"] = [d for d in range(1, n + 1) if mask >> (d - 1) & 1]
        if not is_usual:
            block = layout.block_of(number)
            cell["region"] = None if block < 0 else block
        cells.append(cell)
    return [cells[i : i + n] for i in range(0, n * n, n)]


def _end(circle: Sequence[str], first: str) -> str:
    """The cell of a circle or pill that is nearest to its shaft, the last of them."""
    row, column = place_of(first)
    places = [place_of(cell) for cell in reversed(circle)]
    nearest = min(places, key=lambda p: max(abs(p.row - row), abs(p.column - column)))
    return str(nearest).upper()
