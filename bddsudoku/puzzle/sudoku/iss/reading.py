"""Reader of Sudokus from strings of Interactive-Sudoku-Solver (ISS) or links that contain one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import unquote

from bddsudoku.argument_types import check_types
from bddsudoku.errors import PuzzleFormatError, adding_error_place
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.iss.form import REGIONS, cell_word, read_cell, require_rows
from bddsudoku.puzzle.sudoku.iss.forms import (
    LARGEST_ISS,
    ONLY_WITH_HOUSES,
    SIX_BITS,
    WITHOUT_EFFECT,
    allowed_region_sizes,
    find_form,
    overwrite_key,
    with_boxes,
)
from bddsudoku.puzzle.sudoku.layout import SMALLEST, VALUE_SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.places import CellGroup
from bddsudoku.puzzle.sudoku.rules import (
    AllOf,
    AnyOf,
    Cage,
    Chaos,
    DisjointGroups,
    ExtraRegion,
    Place,
    RegularExpression,
    Rule,
    SameValues,
    WeightedSum,
    Windoku,
)
from bddsudoku.puzzle.sudoku.rules.places_and_marks import moved_place, numbered_cells
from bddsudoku.puzzle.sudoku.rules.rule import NumberOutOfReach
from bddsudoku.puzzle.sudoku.text.symbols import expected_error, read_number, show_symbol

_QUERY = re.compile(r"[?&#]q=([^&#]*)")
_SHAPE = re.compile(r"(\d+)x(\d+)(?:~(?:(?:(\d+)-)?(\d+))?)?(?:~(Sudoku|Raw))?")
_CELL = re.compile(r"(?:[rR][1-9a-gA-G][cC][1-9a-gA-G]|(?:V[A-Z]+|CC)\d*)(?=_|$)")


class _Constraint(NamedTuple):
    """One constraint of a string: its name, its arguments, and the constraints within it."""

    name: str
    words: Sequence[str]
    contents: list[_Constraint]

    @property
    def text(self) -> str:
        """The constraint's name and arguments, as they stand in the string."""
        return "~".join([self.name, *self.words])

    @property
    def short_text(self) -> str:
        """The constraint as messages show it, cut to at most 40 characters."""
        return f".{self.text}" if len(self.text) < 40 else f".{self.text[:38]}…"

    @property
    def size(self) -> int:
        """The constraint and those within it; one of over 40 characters counts as several."""
        return 1 + len(self.text) // 40 + sum(inner.size for inner in self.contents)


_BOARD = ("Shape", "Jigsaw", "NoBoxes", "RegionSize", "Var")
"""Names of constraints that describe the board."""
_COMPOSITES = ("Or", "And", "Replicate")
_MAX_DEPTH = 20
_MAX_REPLICAS = 10_000


@check_types
def read_iss(text: str, layout: Layout | None = None) -> Puzzle:
    """Read a puzzle from a string of Interactive-Sudoku-Solver, or from a link that contains one.

    Args:
        text: the string; white space in it has no meaning.
        layout: the requested shape, whose blocks hold where the string names no others.

    Raises:
        PuzzleFormatError: something is malformed, unknown or misplaced; the message is one line
            that names the constraint.
    """
    query = _QUERY.search(text)
    if query is None and not text.lstrip().startswith("."):
        raise PuzzleFormatError("the link holds no puzzle (?q=…)")
    string = text if query is None else unquote(query[1])
    return _IssReader(_parse_constraints(re.sub(r"\s+", "", string)), layout).read_puzzle()


def _parse_constraints(string: str) -> list[_Constraint]:
    """Parse a string into its constraints; each Or, And and Replicate holds those within it.

    The string has no white space.
    """
    first, *items = string.split(".")
    if first or not items:
        raise PuzzleFormatError(f"expected a string such as .Cage~…, found {show_symbol(string)}")
    root = _Constraint("", (), [])
    open_parts = [root]
    for item in items:
        name, *words = item.split("~")
        if name == "End":
            if len(open_parts) == 1:
                raise PuzzleFormatError(".End: no .Or, .And or .Replicate is open")
            open_parts.pop()
            continue
        part = _Constraint(name, words, [])
        open_parts[-1].contents.append(part)
        if name in _COMPOSITES:
            open_parts.append(part)
            if len(open_parts) > _MAX_DEPTH:
                raise PuzzleFormatError(f"{part.short_text}: within more than {_MAX_DEPTH} others")
    if len(open_parts) > 1:
        raise PuzzleFormatError(f"{open_parts[-1].short_text}: its .End is missing")
    return root.contents


class _Hint(NamedTuple):
    """A cell, and the digits that may stand in it."""

    place: Place
    digits: tuple[int, ...]

    def mask(self, values: range) -> int:
        """The hint's digits as a bit mask, in which bit i stands for ``values[i]``."""
        return sum(1 << values.index(digit) for digit in {*self.digits})

    @property
    def as_rule(self) -> Rule:
        """The hint as a rule, for use within an Or or And, which contain rules only."""
        pattern = "".join(VALUE_SYMBOLS[digit] for digit in self.digits)
        return RegularExpression((self.place,), f"[{pattern}]")


class _IssReader:
    """Reader of one string: first the board's description, then hints and rules."""

    def __init__(self, parts: list[_Constraint], layout: Layout | None) -> None:
        self._parts = parts
        self._region_size: int | None = None
        self._layout = self._read_layout(layout)
        self._replicas_left = _MAX_REPLICAS

    def read_puzzle(self) -> Puzzle:
        """Read all constraints and return the puzzle that they describe."""
        rules: dict[object, Rule] = {}
        layout = self._layout
        masks = [(1 << layout.digit_count) - 1] * layout.cell_count
        for part in self._parts:
            if part.name in _BOARD:
                continue
            with adding_error_place(part.short_text):
                for item in self._read_constraint(part):
                    if isinstance(item, _Hint):
                        masks[layout.cell(item.place)] &= item.mask(layout.values)
                        continue
                    item.check(layout)
                    rules[overwrite_key(item) or item] = item
        return Puzzle.from_masks(masks, layout, rules.values())

    # The board

    def _read_layout(self, requested: Layout | None) -> Layout:
        """Read the board's layout from the constraints that describe it.

        Without blocks of its own a string has the usual blocks; a jigsaw beside these adds houses.
        """
        layout = requested or Layout.of_side_or_rows(9)
        for words in self._arguments_of_only("Shape"):
            layout = _layout_of_shape("~".join(words), requested)
        for words in self._arguments_of_only("RegionSize"):
            self._region_size = read_number(words[0] if len(words) == 1 else "")
        groups = [*self._read_groups(layout.column_count)]
        if any(part.name == "ChaosConstruction" for part in self._parts):
            size = self._region_size or max(layout.row_count, layout.column_count)
            digits = layout.values[0], layout.values[0] - 1 + layout.grid_cell_count // size
            sides = layout.row_count, layout.column_count
            groups.append(CellGroup(REGIONS, *sides, digits, "regions"))
        layout = replace(layout, groups=tuple(dict.fromkeys(groups)))
        has_usual_boxes = layout.regions is None and self._region_size == layout.box_size
        if self._region_size is not None and not has_usual_boxes:
            boxes = with_boxes(layout, self._region_size)
            layout = layout.with_regions(()) if boxes.regions == () else boxes
        has_no_boxes = [*self._arguments_of_only("NoBoxes")]
        if has_no_boxes or min(layout.box_rows, layout.box_columns) == 1:
            layout = layout.with_regions(())
        for words in self._arguments_of_only("Jigsaw"):
            regions = _read_region_numbers(words[-1] if words else "", layout)
            if layout.regions == ():
                layout = layout.with_regions(regions).simplified
            else:
                houses = layout.with_regions(regions).blocks
                layout = replace(layout, extra=tuple(house.cells for house in houses))
        return layout

    def _read_groups(self, columns: int) -> Iterator[CellGroup]:
        """Yield the cells outside the grid: a name, perhaps a label, perhaps a number or sides."""
        for part in self._parts:
            if part.name == "Var":
                with adding_error_place(part.short_text):
                    name, label, size, *more = (*part.words, *[""] * (3 - len(part.words)))
                    sides = re.fullmatch(r"(?:(\d{1,4})x)?(\d{1,4})", size or "1")
                    if sides is None or more:
                        raise expected_error("a number of cells, or rows x columns", size)
                    text = re.sub(r'[\s"]+', " ", unquote(label)).strip()
                    rows, wide = int(sides[1] or 1), int(sides[2])
                    if sides[1] is None and wide > columns and wide % columns == 0:
                        rows, wide = wide // columns, columns  # rows as wide as the grid's
                    yield CellGroup(name, rows, wide, None, text)

    def _arguments_of_only(self, name: str) -> Iterator[Sequence[str]]:
        """Yield the arguments of the only constraint with the given name, if there is one.

        Format errors raised while they are read name the constraint.
        """
        found = [part for part in self._parts if part.name == name]
        for part in found[-1:]:
            with adding_error_place(part.short_text):
                if any(other.words != part.words for other in found):
                    raise PuzzleFormatError(f"expected one {name}, found {len(found)}")
                yield part.words

    # Hints and rules

    def _read_constraint(self, part: _Constraint) -> Iterator[Rule | _Hint]:
        """Yield the hints or rules that one constraint stands for."""
        if not self._layout.has_lines and ONLY_WITH_HOUSES.fullmatch(part.name):
            raise PuzzleFormatError("only where rows and columns are houses")
        if part.name in ("", "Given"):
            yield from self._read_hints(part.words)
        elif part.name in ("And", "Replicate"):
            for inner in part.contents if part.name == "And" else self._expand_replicate(part):
                with adding_error_place(inner.short_text):
                    yield from self._read_constraint(inner)
        elif part.name == "Or":
            branches = [*map(self._rule_of_or_branch, part.contents)]
            if AllOf(()) not in branches:  # a branch without rules always holds
                possible = [rule for rule in branches if _can_hold(rule, self._layout)]
                yield AnyOf(tuple(possible or branches))
        elif part.text == "RegionSameValues":
            if not any(house.is_complete for house in self._layout.houses):
                yield self._equal_regions()
        elif not WITHOUT_EFFECT.fullmatch(part.text):
            yield from self._rules_of_form(part)

    def _equal_regions(self) -> Rule:
        """The rule that all blocks of the board hold the same digits."""
        layout = self._layout
        if len(layout.blocks) < 2:
            raise PuzzleFormatError("the board has no regions")
        numbers = (number for house in layout.blocks for number in house.cells)
        return SameValues(numbered_cells(numbers, layout.column_count), len(layout.blocks))

    def _rule_of_or_branch(self, part: _Constraint) -> Rule:
        """The rule for one constraint within an Or; several rules are joined by an And."""
        with adding_error_place(part.short_text):
            items = self._read_constraint(part)
            found = tuple(i.as_rule if isinstance(i, _Hint) else i for i in items)
        return found[0] if len(found) == 1 else AllOf(found)

    def _read_hints(self, words: Iterable[str]) -> Iterator[_Hint]:
        """Yield the hint of each word: R1C1_5 is the digit 5, R1C1_2_4 the candidates 2 and 4."""
        for word in words:
            name, *values = word.split("_")
            place = read_cell(name, self._layout)
            digits, every = [*map(read_number, values)], self._layout.values
            if not digits or not all(digit in every for digit in digits):
                raise PuzzleFormatError(
                    f"expected digits from {every[0]} to {every[-1]} as in {name}_1, "
                    f"found {show_symbol(word)}"
                )
            yield _Hint(place, tuple(digits))

    def _rules_of_form(self, part: _Constraint) -> Iterator[Rule]:
        """Yield the rules for which a constraint stands by its form."""
        found = find_form(part.name, part.words)
        if found is None:
            raise PuzzleFormatError("this constraint of Interactive-Sudoku-Solver is not read")
        form, words = found
        layout = self._layout
        if not form.takes(layout.values):
            values = f"the digits {layout.values[0]} to {layout.values[-1]}"
            raise PuzzleFormatError(f"not on a board with {values}")
        for fields in form.read(words, layout):
            rule = form.rule(**form.fixed, **fields)
            if isinstance(rule, DisjointGroups) and layout.is_usual and layout.regions is not None:
                # There the groups are those of the usual blocks, also without blocks.
                yield from map(ExtraRegion, rule.sets(layout.frame).values())
            elif isinstance(rule, DisjointGroups | Windoku) and not layout.is_usual:
                if layout.row_count != layout.column_count:
                    raise PuzzleFormatError(f"not on a board of {layout}")
                # Without another size the inner blocks have a cell for each digit.
                size = layout.digit_count if isinstance(rule, Windoku) else None
                boxes = with_boxes(layout, self._region_size or size)
                rule.check(boxes)
                yield from map(ExtraRegion, rule.sets(boxes).values())
            elif isinstance(rule, Chaos):
                yield replace(rule, size=self._region_size)
            elif isinstance(rule, Cage) and len({*rule.cells}) < len(rule.cells):
                if rule.total is not None:  # ISS adds a cell as often as it is listed
                    yield WeightedSum(totals=(rule.total,), cells=rule.cells)
                yield Cage(tuple(dict.fromkeys(rule.cells)))
            else:
                yield rule

    def _expand_replicate(self, part: _Constraint) -> Iterator[_Constraint]:
        """Yield copies of the constraints within a Replicate, moved from its origin to each target.

        The targets are bits, six in a symbol, the lowest first, for the cells from the origin on.
        """
        layout = self._layout
        targets = part.words[0] if part.words else ""
        start = read_cell(part.words[1] if len(part.words) > 1 else "R1C1", layout)
        require_rows([start], layout)
        if len(part.words) > 2 or not {*targets} <= {*SIX_BITS}:
            raise PuzzleFormatError("expected targets and at most an origin")
        size = sum(inner.size for inner in part.contents)
        for at, symbol in enumerate(targets):
            for bit in range(6):
                if SIX_BITS.index(symbol) >> bit & 1:
                    target = self._place_after(start, 6 * at + bit)
                    down, right = target.row - start.row, target.column - start.column
                    self._replicas_left -= size
                    if self._replicas_left < 0:
                        raise PuzzleFormatError(f"more than {_MAX_REPLICAS:,} replicas")
                    for inner in part.contents:
                        yield _move_constraint(inner, down, right, layout)

    def _place_after(self, start: Place, count: int) -> Place:
        """The cell that stands so many cells after another in the grid or in its group."""
        layout = self._layout
        number = layout.cell(start) + count
        places = layout.places[number : number + 1]
        if not places or getattr(places[0], "group", "") != getattr(start, "group", ""):
            raise PuzzleFormatError(f"a target lies {count} cells after {start}")
        return places[0]


def _can_hold(rule: Rule, layout: Layout) -> bool:
    """Whether some grid may have the number of a rule, or of all the rules in an all-of rule."""
    if isinstance(rule, AllOf):
        found = [_can_hold(inner, layout) for inner in rule.rules]  # each is looked at
        return all(found)
    try:
        rule.check(layout)
    except NumberOutOfReach:
        return False
    return True


def _move_constraint(part: _Constraint, down: int, right: int, layout: Layout) -> _Constraint:
    """A copy of a constraint with all its cells moved by some rows and columns."""
    words = list(part.words)
    for i, word in enumerate(words):
        if found := _CELL.match(word):
            place = moved_place(read_cell(found[0], layout), down, right)
            if not layout.has_cell(place):
                raise PuzzleFormatError(f"{found[0]} moves off the board")
            words[i] = cell_word(place, layout) + word[found.end() :]
    return _Constraint(
        part.name, words, [_move_constraint(inner, down, right, layout) for inner in part.contents]
    )


def _layout_of_shape(shape: str, wanted: Layout | None) -> Layout:
    """The board of a shape such as 8x9 or 9x9~0-8; an error if this is not the wanted board."""
    match = _SHAPE.fullmatch(shape)
    if match is None:
        raise PuzzleFormatError("expected a shape such as 9x9, 8x9, 9x9~0-8 or 9x9~9~Raw")
    rows, columns = read_number(match[1]), read_number(match[2])
    side = max(rows, columns)
    least, most = read_number(match[3] or "1"), read_number(match[4] or f"{side}")
    is_raw = match[5] == "Raw"
    longest = max(side, most - least + 1)
    if not 0 < min(rows, columns, most) <= longest <= LARGEST_ISS or least > 1:
        raise PuzzleFormatError(
            f"boards have at most {LARGEST_ISS} rows, columns and digits, from 0 or 1 on"
        )
    layout = (
        Layout.of_shape(rows, columns, (least, most))
        if not is_raw
        else Layout(1, columns, (), shape=(rows, columns), digits=(least, most), has_lines=False)
    )
    if layout.is_usual and rows < SMALLEST:
        raise PuzzleFormatError(f"boards are {SMALLEST}x{SMALLEST} to {LARGEST_ISS}x{LARGEST_ISS}")
    if wanted is None:
        return layout
    stated = layout.shape, layout.digits, columns, layout.has_lines
    if stated != (wanted.shape, wanted.digits, wanted.column_count, wanted.has_lines):
        raise PuzzleFormatError(f"the string says {rows}x{columns}, but {wanted} was asked for")
    return wanted


def _read_region_numbers(symbols: str, layout: Layout) -> list[int]:
    """Parse one symbol per cell into region numbers; -1 if too many or few cells have the symbol.

    A region has at least as many cells as the longer side, and at most one for each digit. More
    than one symbol on too many or few cells is an error.
    """
    if len(symbols) != layout.grid_cell_count:
        raise PuzzleFormatError(f"expected {layout.grid_cell_count} symbols, found {len(symbols)}")
    sizes, allowed = Counter(symbols), allowed_region_sizes(layout)
    regions = [symbol for symbol, size in sizes.items() if size in allowed]
    if len(sizes) - len(regions) > 1:
        odd = next(symbol for symbol in sizes if symbol not in regions)
        wanted = f"{allowed[0]}" if len(allowed) == 1 else f"{allowed[0]} to {allowed[-1]}"
        raise PuzzleFormatError(f"region {show_symbol(odd)} has {sizes[odd]} cells, not {wanted}")
    number = {symbol: i for i, symbol in enumerate(regions)}
    return [number.get(symbol, -1) for symbol in symbols]
