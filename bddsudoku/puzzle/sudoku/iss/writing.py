"""Writer of Sudokus as strings of Interactive-Sudoku-Solver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import rules as kinds
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.iss.argument_forms import NEIGHBOURS, cell_word
from bddsudoku.puzzle.sudoku.iss.constraint_table import FORMS, LARGEST_ISS, only_place
from bddsudoku.puzzle.sudoku.layout import SMALLEST, Layout, has_default_blocks
from bddsudoku.puzzle.sudoku.rules import ExtraRegion, Negative, Place, Rule

_SYMBOLS = "0123456789abcdef-"
"""Symbols of blocks; the last one is of cells without a block."""


def write_iss(puzzle: Puzzle) -> str:
    """The puzzle as a string of Interactive-Sudoku-Solver, on one line, without line end.

    It reads back as the same puzzle, except that some rules become equivalent ones: see
    :func:`equivalent_rules`; even and odd cells become candidates, extra houses extra regions.

    Raises:
        PuzzleFormatError: ISS cannot express a rule or the board.
    """
    n = puzzle.n
    if not SMALLEST <= n <= LARGEST_ISS:
        raise PuzzleFormatError(f"Interactive-Sudoku-Solver: a board of {n}x{n} cells")
    masks = [*puzzle.masks]
    houses = (tuple(Place(*divmod(cell, n)) for cell in house) for house in puzzle.layout.extra)
    written: list[Rule] = [*map(ExtraRegion, houses)]
    for rule in puzzle.rules:
        if isinstance(rule, kinds.Even | kinds.Odd):
            parity = sum(1 << (digit - 1) for digit in range(rule.first, n + 1, 2))
            for row, column in rule.cells:
                masks[row * n + column] &= parity
        else:
            written += equivalent_rules(rule, puzzle)
    hints = "".join(f"~{hint}" for hint in _hints(masks, n))
    parts = dict.fromkeys([*_board(puzzle.layout), *([f".{hints}"] if hints else [])])
    places: dict[object, str] = {}
    for rule in written:
        part, place = _constraint(rule, n)
        parts[part] = None
        if place is not None and places.setdefault(place, part) != part:
            raise rule.error("Interactive-Sudoku-Solver keeps one such rule at a place")
    return "".join(parts)


def equivalent_rules(rule: Rule, puzzle: Puzzle) -> Iterable[Rule]:
    """Rules that together say what a rule of a puzzle says, as far as ISS has them.

    Raises:
        PuzzleFormatError: ISS has no such negative constraint.
    """
    layout, n = puzzle.layout, puzzle.n
    match rule:
        case kinds.Diagonals():
            return kinds.Diagonal(), kinds.Antidiagonal()
        case kinds.Windoku() if not _has_usual_shape(layout):
            return map(ExtraRegion, rule.sets(layout).values())
        case kinds.DisjointGroups() if not _has_usual_shape(layout) or layout.regions is not None:
            return map(ExtraRegion, rule.sets(layout).values())
        case kinds.Whispers(difference=None):
            return [kinds.Whispers(rule.cells, (n + 1) // 2)]
        case kinds.Lockout(difference=None):
            return [kinds.Lockout(rule.cells, n // 2)]
        case kinds.Minimum() | kinds.Maximum():
            own = rule.in_company(puzzle.rules)
            assert isinstance(own, kinds.Minimum | kinds.Maximum)
            rises = own.allowed(1, 2)
            return [kinds.GreaterThan(p[::-1] if rises else p) for p in own.pairs(layout)]
        case kinds.Renban():
            return [kinds.Renban(tuple(dict.fromkeys(rule.cells)))]
        case kinds.Clone():
            return map(kinds.Palindrome, zip(rule.cells, rule.copies, strict=True))
        case kinds.LittleKiller() if len(line := rule.seen_cells(n)) == 1:
            return [kinds.Cage(line, rule.total)]
        case Negative():
            return [_negative(rule, puzzle)]
    return [rule]


def _negative(rule: Negative, puzzle: Puzzle) -> Rule:
    """The negative constraint as the table has it; ISS spares the pairs with signs that it has."""
    forms = [form for form in FORMS if form.arguments is NEIGHBOURS]
    signs = [r for r in puzzle.rules if any(form.fits(r, puzzle.n) for form in forms)]

    def meanings(rules: Iterable[Negative], among: Sequence[Rule]) -> set[object]:
        full = (part.in_company(among) for each in rules for part in each.parts)
        return {
            (own.kind, frozenset(own.values or (5, 10)), frozenset(own.spared_pairs))
            for own in full
        }

    strict = Negative("xv" if rule.kind == "xv" else "kropki")
    others = [r for r in puzzle.rules if isinstance(r, Negative)]
    wanted, own = meanings([strict], signs), meanings([rule], puzzle.rules)
    if own <= wanted <= meanings(others, puzzle.rules):
        return strict
    if own == {("difference", frozenset([1]), frozenset[object]())}:
        return kinds.NonConsecutive()
    raise rule.error(
        "Interactive-Sudoku-Solver excludes X and V, or differences 1 and ratios 2 together, "
        "where it has no sign"
    )


def _has_usual_shape(layout: Layout) -> bool:
    """Whether ISS's boxes on a board of this side have the rows and columns of its blocks."""
    shape = Layout(layout.box_rows, layout.box_columns)
    return has_default_blocks(layout.n) and shape == Layout.of_size(layout.n)


def _board(layout: Layout) -> Iterator[str]:
    """Yield the constraints that describe a board: its side, and blocks that are not usual."""
    n = layout.n
    if n != 9:
        yield f".Shape~{n}x{n}"
    if layout.regions is None and _has_usual_shape(layout):
        return
    yield ".NoBoxes"
    blocks = [layout.block_index(cell) for cell in range(n * n)]
    if blocks.count(-1) == n:
        raise PuzzleFormatError(
            f"Interactive-Sudoku-Solver takes {n} cells without a block for a block"
        )
    if layout.blocks:
        yield ".Jigsaw~" + "".join(_SYMBOLS[block] for block in blocks)


def _hints(masks: list[int], n: int) -> Iterator[str]:
    """Yield ISS's hints and candidates, such as R1C1_5, from n² masks."""
    for cell, mask in enumerate(masks):
        name = cell_word(Place(*divmod(cell, n)))
        digits = [str(digit) for digit in range(1, n + 1) if mask >> (digit - 1) & 1]
        if not digits:
            yield from (f"{name}_1", f"{name}_2")  # they clash
        elif len(digits) < n:
            yield f"{name}_{'_'.join(digits)}"


def _constraint(rule: Rule, n: int) -> tuple[str, object]:
    """A rule as a constraint, and the place where ISS has only one such rule, or None.

    Raises:
        PuzzleFormatError: ISS has no such rule.
    """
    for form in FORMS:
        if form.fits(rule, n):
            for words in form.arguments.write(rule, n):
                fields = next(form.arguments.read(form.rule, words, n))
                place = only_place(form.rule(**form.fixed, **fields))
                return "." + "~".join([form.head, *words]), place
    raise rule.error("Interactive-Sudoku-Solver has no such rule")
