"""Writer of Sudokus as JSON of f-puzzles and as links that contain it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from bddsudoku.argument_types import check_types
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.fpuzzles.compressed_links import compress_to_base64
from bddsudoku.puzzle.sudoku.fpuzzles.reading import INFORMATION, JOINT, members_of
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import SMALLEST, Layout, cell_name
from bddsudoku.puzzle.sudoku.puzzle_info import NO_INFO, PuzzleInfo
from bddsudoku.puzzle.sudoku.rules import (
    Arrow,
    Difference,
    ExtraRegion,
    FieldKind,
    Negative,
    Place,
    Ratio,
    Rule,
    Windoku,
)
from bddsudoku.puzzle.sudoku.rules.places_and_marks import numbered_cells

_F_PUZZLES = "https://www.f-puzzles.com/?load="
_SUDOKUPAD = "https://sudokupad.app/?puzzleid=fpuzzles"


@check_types
def write_link(puzzle: Puzzle, info: PuzzleInfo = NO_INFO, *, for_sudokupad: bool = False) -> str:
    """The puzzle as a link to f-puzzles, or to SudokuPad; other programs read such links, too.

    Raises:
        PuzzleFormatError: see :func:`write_fpuzzles`.
    """
    packed = compress_to_base64(write_fpuzzles(puzzle, info))
    return _SUDOKUPAD + quote(packed, safe="") if for_sudokupad else _F_PUZZLES + packed


@check_types
def write_fpuzzles(puzzle: Puzzle, info: PuzzleInfo = NO_INFO) -> str:
    """The puzzle as f-puzzles' JSON, on one line, without line end.

    It reads back as the same puzzle, except that some rules become equivalent ones: inner blocks
    and extra houses become extra regions, and rules for several even (odd, minimum, maximum) cells
    or for two diagonals become one rule, while strict Kropki becomes two.

    Raises:
        PuzzleFormatError: f-puzzles cannot express one of the rules or a cell without candidates.
    """
    layout, n = puzzle.layout, puzzle.n
    if n < SMALLEST:
        raise PuzzleFormatError(f"f-puzzles: a board of {n}x{n} cells")
    data: dict[str, Any] = {"size": n, "grid": _write_grid(puzzle)}
    data |= {name: words for name, words in zip(INFORMATION, info, strict=True) if words}
    houses = (numbered_cells(house, n) for house in layout.extra)
    has_dots = any(isinstance(rule, Difference | Ratio) for rule in puzzle.rules)
    rules: list[Rule] = [*map(ExtraRegion, houses)]
    for rule in puzzle.rules:
        if isinstance(rule, Windoku):
            rules += map(ExtraRegion, rule.sets(layout).values())
        else:
            rules.append(rule)
    for rule in rules:
        key, members = rule.fpuzzles, members_of(type(rule))
        if rule.name == "diagonals":
            data |= {"diagonal+": True, "diagonal-": True}
        elif isinstance(rule, Negative):
            _write_negative_constraint(data, rule, puzzle)
        elif not key:
            raise rule.error("f-puzzles has no such rule")
        elif members == JOINT:
            _append_rule_cells(data.setdefault(key, []), rule, puzzle)
        elif members:
            data.setdefault(key, []).append(_write_rule_object(members, rule, n))
        elif key == "nonconsecutive" and has_dots:
            raise rule.error("in f-puzzles a dot takes its pair of cells out of it")
        else:
            data[key] = True
    return json.dumps(data, separators=(",", ":"))


def _cell_names(places: Iterable[Place]) -> list[str]:
    return [str(place).upper() for place in places]


def _write_rule_object(members: Mapping[str, str], rule: Any, n: int) -> dict[str, Any]:
    """The f-puzzles JSON object that describes a rule."""
    entry: dict[str, Any] = {}
    for member, field in members.items():
        value = getattr(rule, field) if field else rule.seen_cells(Layout.of_side_or_rows(n))
        of = rule.fields.get(field, FieldKind.PLACES)
        if of is FieldKind.PLACES:
            if isinstance(rule, Arrow) and member == "lines":
                value = (rule.nearest_circle_cell, *value)
            cells = _cell_names(value)
            entry[member] = {"cell": cells[0], "lines": [cells]}.get(member, cells)
        elif of is FieldKind.DIGITS:
            entry[member] = value
        elif value != getattr(type(rule), field, None):
            entry[member] = str(value).upper()
    return entry


def _append_rule_cells(entries: list[dict[str, str]], rule: Any, puzzle: Puzzle) -> None:
    """Append a rule's cells, each once, to the JSON list that all rules of its class share."""
    others: list[Any] = [other for other in puzzle.rules if type(other) is type(rule)]
    marked = {place for other in others for place in other.cells}
    if not marked.issuperset(getattr(rule, "spared", ())):
        raise rule.error("in f-puzzles only the marked cells are spared")
    entries += [{"cell": c} for c in _cell_names(rule.cells) if {"cell": c} not in entries]


def _write_negative_constraint(data: dict[str, Any], rule: Negative, puzzle: Puzzle) -> None:
    """Add a negative constraint to a puzzle's JSON; an error if f-puzzles cannot express it."""
    own = rule.in_company(puzzle.rules)
    for word, values in own.excluded.items():
        usual = Negative(word, (1,) if word == "difference" else ()).in_company(puzzle.rules)
        if {*values} != {*usual.excluded[word]}:
            raise rule.error("f-puzzles says this of other values")
        if own.spared_pairs != usual.spared_pairs:
            raise rule.error("in f-puzzles the spared pairs are those with a dot or sign")
        if word == "difference":
            data["nonconsecutive"] = True
        elif word not in data.setdefault("negative", []):
            data["negative"].append(word)


def _write_grid(puzzle: Puzzle) -> list[list[dict[str, object]]]:
    """The cells as rows of JSON objects, with region numbers where blocks are unusual."""
    n, layout = puzzle.n, puzzle.layout
    plain = Layout(layout.box_rows, layout.box_columns)
    is_usual = layout.regions is None and plain == Layout.of_side_or_rows(n)
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
            block = layout.block_index(number)
            cell["region"] = None if block < 0 else block
        cells.append(cell)
    return [cells[i : i + n] for i in range(0, n * n, n)]
