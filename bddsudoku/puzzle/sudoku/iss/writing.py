"""Writer of Sudokus as strings of Interactive-Sudoku-Solver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import rules as kinds
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.iss.argument_forms import NEIGHBOURS, cell_word
from bddsudoku.puzzle.sudoku.iss.constraint_table import FORMS, LARGEST_ISS, Form, overwrite_key
from bddsudoku.puzzle.sudoku.layout import SMALLEST, Layout, has_default_blocks
from bddsudoku.puzzle.sudoku.rules import ExtraRegion, Negative, PairFormula, Place, Rule

_SYMBOLS = "0123456789abcdef-"
"""Symbols of blocks; the last one is of cells without a block."""


def write_iss(puzzle: Puzzle) -> str:
    """The puzzle as a string of Interactive-Sudoku-Solver, on one line, without line end.

    It reads back as the same puzzle, except that some rules become equivalent ones: see
    :func:`equivalent_rules`; even and odd cells become candidates, extra houses extra regions.

    Raises:
        PuzzleFormatError: ISS cannot express a rule or the board.
    """
    layout, n = puzzle.layout, puzzle.n
    if not SMALLEST <= n <= LARGEST_ISS:
        raise PuzzleFormatError(f"Interactive-Sudoku-Solver: a board of {n}x{n} cells")
    houses = (tuple(Place(*divmod(cell, n)) for cell in house) for house in layout.extra)
    parts = dict.fromkeys([*_board(layout), *_hints(puzzle)])
    places: dict[object, str] = {}
    for rule in (*map(ExtraRegion, houses), *puzzle.rules):
        for part, place in _constraints(rule, puzzle.rules, layout):
            parts[part] = None
            if place is not None and places.setdefault(place, part) != part:
                raise rule.error("Interactive-Sudoku-Solver keeps one such rule at a place")
    return "".join(parts)


def _constraints(
    rule: Rule, among: Sequence[Rule], layout: Layout, *, in_block: bool = False
) -> Iterator[tuple[str, object]]:
    """Yield the constraints that together say what a rule says beside others.

    Each comes with the place where ISS has only one such rule, or None.

    Raises:
        PuzzleFormatError: ISS has no such rules, or not in a block.
    """
    n = layout.n
    match rule:
        case kinds.Even() | kinds.Odd():
            digits = "_".join(map(str, range(rule.first, n + 1, 2)))
            yield "." + "".join(f"~{cell_word(place)}_{digits}" for place in rule.cells), None
        case kinds.AnyOf() | kinds.AllOf():
            block = rule.in_company(among)
            assert isinstance(block, kinds.AnyOf | kinds.AllOf)
            inner = [
                [part for part, _ in _constraints(each, (), layout, in_block=True)]
                for each in block.rules
            ]
            if isinstance(block, kinds.AnyOf):
                branches = (p[0] if len(p) == 1 else f".And{''.join(p)}.End" for p in inner)
                yield f".Or{''.join(branches)}.End", None
            else:
                yield f".And{''.join(chain(*inner))}.End", None
        case _:
            for each in equivalent_rules(rule, among, layout):
                form, words = _form_and_words(each, n)
                if in_block and not words:
                    raise rule.error("Interactive-Sudoku-Solver has it for the whole puzzle only")
                fields = next(form.arguments.read(form.rule, words, n))
                place = None if in_block else overwrite_key(form.rule(**form.fixed, **fields))
                yield "." + "~".join([form.head, *words]), place


def _form_and_words(rule: Rule, n: int) -> tuple[Form, Sequence[str]]:
    """The form of a rule in the table, and the rule's arguments.

    Raises:
        PuzzleFormatError: the table has none.
    """
    for form in FORMS:
        if form.fits(rule, n):
            for words in form.arguments.write(rule, n):
                return form, words
    raise rule.error("Interactive-Sudoku-Solver has no such rule")


def equivalent_rules(rule: Rule, among: Sequence[Rule], layout: Layout) -> Iterable[Rule]:
    """Rules that together say what a rule says beside others, as far as ISS has them.

    Raises:
        PuzzleFormatError: ISS has no such negative constraint.
    """
    n = layout.n
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
            own = rule.in_company(among)
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
            return [_negative(rule, among, n)]
    return [rule]


def _negative(rule: Negative, among: Sequence[Rule], n: int) -> Rule:
    """The negative constraint as the table has it; ISS spares the pairs with signs that it has."""
    forms = [form for form in FORMS if form.arguments is NEIGHBOURS]
    signs = [r for r in _with_contents(among) if any(form.fits(r, n) for form in forms)]

    def meanings(rules: Iterable[Negative], company: Sequence[Rule]) -> set[object]:
        full = (part.in_company(company) for each in rules for part in each.parts)
        return {
            (own.kind, frozenset(own.values or (5, 10)), frozenset(own.spared_pairs))
            for own in full
        }

    strict = Negative("xv" if rule.kind == "xv" else "kropki")
    others = [r for r in among if isinstance(r, Negative)]
    wanted, own = meanings([strict], signs), meanings([rule], among)
    if own <= wanted <= meanings(others, among):
        return strict
    if own == {("difference", frozenset([1]), frozenset[object]())}:
        return kinds.NonConsecutive()
    raise rule.error(
        "Interactive-Sudoku-Solver excludes X and V, or differences 1 and ratios 2 together, "
        "where it has no sign"
    )


def _with_contents(rules: Iterable[Rule]) -> Iterator[Rule]:
    """Yield rules, and those in blocks."""
    for rule in rules:
        yield rule
        if isinstance(rule, kinds.AnyOf | kinds.AllOf):
            yield from _with_contents(rule.rules)


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


def _hints(puzzle: Puzzle) -> Iterator[str]:
    """Yield the constraint for digits and candidates, if there are any."""
    n, hints = puzzle.n, ""
    for cell, mask in enumerate(puzzle.masks):
        name = cell_word(Place(*divmod(cell, n)))
        digits = [str(digit) for digit in range(1, n + 1) if mask >> (digit - 1) & 1]
        if not digits:
            hints += f"~{name}_1~{name}_2"  # they clash
        elif len(digits) < n:
            hints += f"~{name}_{'_'.join(digits)}"
    if hints:
        yield f".{hints}"
