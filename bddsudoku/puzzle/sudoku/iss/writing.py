"""Writer of Sudokus as strings of Interactive-Sudoku-Solver (ISS)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from urllib.parse import quote

from bddsudoku.argument_types import check_types
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import rules as kinds
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.iss.form import REGIONS, cell_word
from bddsudoku.puzzle.sudoku.iss.forms import (
    LARGEST_ISS,
    ONLY_WITH_HOUSES,
    SPECIAL,
    Neighbours,
    form_of_rule,
    overwrite_key,
    with_boxes,
)
from bddsudoku.puzzle.sudoku.iss.reading import read_iss
from bddsudoku.puzzle.sudoku.layout import SMALLEST, Layout
from bddsudoku.puzzle.sudoku.places import CellGroup
from bddsudoku.puzzle.sudoku.rules import ExtraRegion, PairFormula, Rule

_SYMBOLS = "0123456789abcdef-"
"""Symbols of blocks; the last one is of cells without a block (and of more blocks than ISS has)."""
_SUMS = (
    kinds.AllOf, kinds.AnyOf, kinds.Cage, kinds.EqualSums, kinds.LittleKiller, kinds.WeightedSum,
    kinds.XSum, kinds.XV,
)  # fmt: skip
"""Rules that are sums in ISS, or may hold some."""
_LARGEST_SUM_LINE = 30
"""Greatest sum of ISS's sum lines."""


@check_types
def write_iss(puzzle: Puzzle) -> str:
    """The puzzle as a string of Interactive-Sudoku-Solver, on one line, without line end.

    It reads back as the same puzzle, except that some rules become equivalent ones: see
    :func:`equivalent_rules`; even and odd cells become candidates, extra houses extra regions.

    Raises:
        PuzzleFormatError: ISS cannot express a rule or the board.
    """
    layout = puzzle.layout
    is_small = layout.grid.is_usual and layout.row_count < SMALLEST
    if is_small or layout.digit_count > LARGEST_ISS or layout.values[0] > 1:
        raise PuzzleFormatError(f"Interactive-Sudoku-Solver: a board of {layout}")
    grid, has_blocks = _describe_grid(replace(layout.grid, extra=()))
    sets = [*layout.extra, *(() if has_blocks else (b.cells for b in layout.blocks))]
    houses = (tuple(map(layout.places.__getitem__, cells)) for cells in sets)
    are_found = any(isinstance(rule, kinds.Chaos) for rule in puzzle.rules)
    groups = (_write_group(g) for g in layout.groups if g.name != REGIONS or not are_found)
    parts = dict.fromkeys([*grid, *groups, *_write_hints(puzzle)])
    parts.pop(".Shape~9x9", None)
    places: dict[object, str] = {}
    for rule in (*map(ExtraRegion, houses), *puzzle.rules):
        for part, place in _write_rule(rule, puzzle.rules, layout):
            parts[part] = None
            if place is not None and places.setdefault(place, part) != part:
                raise rule.error("Interactive-Sudoku-Solver keeps one such rule at a place")
    if _is_total_misjudged(puzzle):
        raise PuzzleFormatError(
            f"Interactive-Sudoku-Solver counts sums of most cells of {layout} wrongly"
        )
    return "".join(parts)


def _is_total_misjudged(puzzle: Puzzle) -> bool:
    """Whether ISS may derive the sum of the remaining cells from a wrong total of the board.

    It does where sums leave fewer cells than there are digits, also if no houses are complete.
    """
    layout, n = puzzle.layout.grid, puzzle.layout.digit_count
    if not layout.has_lines or n in (
        layout.row_count,
        layout.column_count,
        *(len(b.cells) for b in layout.blocks),
    ):
        return False
    in_sums = {
        variable // n
        for rule in puzzle.rules
        if isinstance(rule, _SUMS)
        for constraint in rule.in_company(puzzle.rules).constraints(puzzle.layout)
        for variable in constraint.variables
        if variable // n < layout.cell_count
    }
    return len(in_sums) > max(layout.cell_count - n, 0)


def _write_rule(
    rule: Rule, all_rules: Sequence[Rule], layout: Layout, *, in_group: bool = False
) -> Iterator[tuple[str, object]]:
    """Yield the ISS constraints that express a rule, each with its :func:`overwrite_key`.

    ``all_rules`` are the rules of the puzzle, which may change what this one means.
    """
    match rule:
        case kinds.Even() | kinds.Odd():
            digits = "_".join(str(d) for d in layout.values if d % 2 == rule.first % 2)
            yield (
                "." + "".join(f"~{cell_word(place, layout)}_{digits}" for place in rule.cells),
                None,
            )
        case kinds.AnyOf() | kinds.AllOf():
            group = rule.in_company(all_rules)
            assert isinstance(group, kinds.AnyOf | kinds.AllOf)
            inner = [
                [part for part, _ in _write_rule(each, (), layout, in_group=True)]
                for each in group.rules
            ]
            if isinstance(group, kinds.AllOf):
                if parts := "".join(chain(*inner)):
                    yield f".And{parts}.End", None
            elif all(inner):  # a rule that says nothing always holds
                branches = (p[0] if len(p) == 1 else f".And{''.join(p)}.End" for p in inner)
                yield f".Or{''.join(branches)}.End", None
        case kinds.Chaos() if rule.size and not in_group:
            if rule.size != max(layout.row_count, layout.column_count):
                if layout.blocks:
                    raise rule.error("Interactive-Sudoku-Solver gives blocks this size, too")
                yield f".RegionSize~{rule.size}", None
            yield from _write_rule(replace(rule, size=None), all_rules, layout)
        case _:
            for each in equivalent_rules(rule, all_rules, layout):
                form, words = form_of_rule(each, layout)
                if in_group and not words:
                    raise rule.error("Interactive-Sudoku-Solver has it for the whole puzzle only")
                if ONLY_WITH_HOUSES.match(form.head) and not layout.has_lines:
                    raise rule.error(
                        "Interactive-Sudoku-Solver has it only where rows and columns are houses"
                    )
                fields = next(form.read(words, layout))
                place = None if in_group else overwrite_key(form.rule(**form.fixed, **fields))
                yield "." + "~".join([form.head, *words]), place


def equivalent_rules(rule: Rule, all_rules: Sequence[Rule], layout: Layout) -> Iterable[Rule]:
    """Rules that ISS has and that together mean the same as a rule of a puzzle.

    ``all_rules`` are the rules of the puzzle, which may change what this one means.
    """
    n = layout.digit_count
    match rule:
        case kinds.Cage(total=0):  # a cage of the sum 0 has any sum there
            return [kinds.WeightedSum("=", (0,), rule.cells)]
        case kinds.RegionSum() if not _describe_grid(replace(layout.grid, extra=()))[1]:
            raise rule.error("Interactive-Sudoku-Solver cannot state the blocks of this board")
        case kinds.Diagonals():
            return kinds.Diagonal(), kinds.Antidiagonal()
        case kinds.Windoku() if not _has_iss_box_shape(layout):
            return map(ExtraRegion, rule.sets(layout).values())
        case kinds.DisjointGroups() if not _has_iss_box_shape(layout) or layout.regions is not None:
            return map(ExtraRegion, rule.sets(layout).values())
        case kinds.Whispers(difference=None):
            return [kinds.Whispers(rule.cells, (n + 1) // 2)]
        case kinds.Lockout(difference=None):
            return [kinds.Lockout(rule.cells, n // 2)]
        case kinds.SlowThermometer():
            return [PairFormula(rule.cells, "a <= b")]
        case kinds.Nabner():
            cells = tuple(dict.fromkeys(rule.cells))
            return [PairFormula(cells, "abs(a - b) > 1", "all")]
        case kinds.Difference() if rule.value != 1:
            return [PairFormula(rule.cells, f"abs(a - b) == {rule.value}")]
        case kinds.Ratio() if rule.value != 2:
            return [PairFormula(rule.cells, f"a == {rule.value} * b | b == {rule.value} * a")]
        case kinds.Minimum() | kinds.Maximum():
            own = rule.in_company(all_rules)
            assert isinstance(own, kinds.Minimum | kinds.Maximum)
            rises = own.is_allowed(1, 2)
            return [kinds.GreaterThan(p[::-1] if rises else p) for p in own.pairs(layout)]
        case kinds.Renban():
            return [kinds.Renban(tuple(dict.fromkeys(rule.cells)))]
        case kinds.Clone():
            return map(kinds.Palindrome, zip(rule.cells, rule.copies, strict=True))
        case kinds.LittleKiller() if len(line := rule.seen_cells(layout)) == 1:
            return equivalent_rules(kinds.Cage(line, rule.total), all_rules, layout)
        case kinds.SumLine() if not layout.values[0] or rule.total > _LARGEST_SUM_LINE:
            raise rule.error(f"Interactive-Sudoku-Solver: 1 to {_LARGEST_SUM_LINE}, digits from 1")
        case kinds.Sandwich() | kinds.Lunchbox() if not layout.values[0]:
            raise rule.error("Interactive-Sudoku-Solver counts it wrongly with the digit 0")
        case kinds.Negative():
            signs = [*_signs(all_rules, layout)]
            if rule.in_company(all_rules).spared_pairs != rule.in_company(signs).spared_pairs:
                raise rule.error(
                    "Interactive-Sudoku-Solver spares other pairs, those with its signs"
                )
    return [rule]


def _signs(rules: Iterable[Rule], layout: Layout) -> Iterator[Rule]:
    """Yield the rules that are signs in ISS, those within any-of and all-of rules included."""
    forms = [form for form in SPECIAL if isinstance(form, Neighbours)]
    for rule in rules:
        if isinstance(rule, kinds.AnyOf | kinds.AllOf):
            yield from _signs(rule.rules, layout)
        elif any(form.fits(rule, layout) for form in forms):
            yield rule


def _has_iss_box_shape(layout: Layout) -> bool:
    """Whether an n×n board's blocks have the height and width of ISS's boxes."""
    return layout.grid.is_usual and layout.frame == with_boxes(layout)


@lru_cache(maxsize=16)
def _describe_grid(grid: Layout) -> tuple[Sequence[str], bool]:
    """The ISS constraints that describe a grid, and whether they give it its blocks.

    Of the ways to state blocks the first is taken that reads back as the grid.
    """
    rows, columns, values = grid.row_count, grid.column_count, grid.values
    shape = f".Shape~{rows}x{columns}"
    if grid.digits is not None or not grid.has_lines:
        shape += f"~{values[0]}-{values[-1]}" + "~Raw" * (not grid.has_lines)
    blocks = [grid.block_index(cell) for cell in range(grid.cell_count)]
    jigsaw = ".Jigsaw~" + "".join(_SYMBOLS[min(block, LARGEST_ISS)] for block in blocks)
    size = blocks.count(0)
    boxes = [] if size in (0, max(rows, columns)) else [f".RegionSize~{size}"]
    ways = [shape], [shape, *boxes], [shape, ".NoBoxes"], [shape, *boxes, ".NoBoxes", jigsaw]
    for way in ways:
        with suppress(PuzzleFormatError):
            if read_iss("".join(way)).layout == grid:
                return way, True
    return ways[2 if grid.has_lines else 0], False


def _write_group(group: CellGroup) -> str:
    """The ISS constraint that declares cells outside the grid."""
    if group.name == REGIONS:
        raise PuzzleFormatError(
            f"Interactive-Sudoku-Solver has the cells {REGIONS} where regions are to be found"
        )
    if group.rows > 1 and group.columns > LARGEST_ISS:
        raise PuzzleFormatError(
            f"Interactive-Sudoku-Solver has at most {LARGEST_ISS} columns, not the cells "
            f"{group.text}"
        )
    count = f"{group.rows}x{group.columns}" if group.rows > 1 else f"{group.columns}"
    label = quote(group.label, safe="").replace(".", "%2E").replace("~", "%7E")
    return f".Var~{group.name}~{label}~{count}"


def _write_hints(puzzle: Puzzle) -> Iterator[str]:
    """Yield the ISS constraint for hints and restricted candidates, if there are any."""
    layout, hints = puzzle.layout, ""
    names = (cell_word(place, layout) for place in layout.places)
    for name, mask in zip(names, puzzle.masks, strict=True):
        digits = [str(digit) for d, digit in enumerate(layout.values) if mask >> d & 1]
        if not digits:
            hints += f"~{name}_{layout.values[0]}~{name}_{layout.values[-1]}"  # they clash
        elif len(digits) < layout.digit_count:
            hints += f"~{name}_{'_'.join(digits)}"
    if hints:
        yield f".{hints}"
