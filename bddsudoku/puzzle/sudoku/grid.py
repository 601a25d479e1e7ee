"""Puzzle: an immutable board with hints, candidates and rules.

Cells, houses and digits are numbered as in :mod:`bddsudoku.puzzle.sudoku.layout`. What this module
says about n rows, n columns and n digits holds for boards of other shapes and digits, too, with
their rows, columns and digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from bddsudoku.argument_types import check_types, require_type
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.number_text import cell_at, short_repr
from bddsudoku.puzzle.sudoku.layout import House, Layout, has_default_blocks

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.rules.rule import Rule
    from bddsudoku.sets.gridset import DnnfGridSet, GridSet
    from bddsudoku.symmetry import PuzzleSymmetries


@lru_cache(maxsize=64)
def _shared_layout(layout: Layout) -> Layout:
    """The shared instance of a layout, so that the houses of a shape are computed once."""
    return layout


CellLike = int | tuple[int, int] | str
"""A cell: its number, its (row, column) from 0, or its name ``r1c1``."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Puzzle:
    """A puzzle: hints, candidates and rules on a board; immutable, hashable, comparable.

    A solution is a Puzzle without open cells. An open cell may have fewer than n candidates
    ("pencil marks"). A cell with one candidate is the same as a cell with a hint, and a hint that
    is not a candidate of its cell leaves the cell no candidate. Two puzzles are therefore equal
    exactly when their candidates (:attr:`masks`), layouts and rules are.

    Rules are constraints of a variant beyond its houses. Hints and rules can be removed
    (:meth:`without`) and added (:meth:`with_hint`, :meth:`with_rule`). The variables of the
    empty board's model depend on neither, so sets of solutions on one board can be compared.

    Args:
        cells: n² digits row by row, or n rows of n, as they are written: lists, or an array of any
            type of integers. An open cell is :attr:`Layout.blank`, which is 0 (-1 on a board with
            the digit 0). The digits of cells outside the grid may follow, group by group; without
            them these cells are open.
        layout: the shape; by default the usual one of that size.
        candidates: n² masks, bit i set when ``layout.values[i]`` may stand in the cell (for the
            digits 1 to n bit ``d - 1`` for digit d); None when any digit may stand in open cells.
        rules: in any order; duplicates are dropped. What a rule means may depend on the other
            rules (:meth:`Rule.in_company`), but not on their order.

    The attributes have the names of the arguments. The masks of hinted cells have one bit.

    Raises:
        PuzzleFormatError: a wrong number of cells or masks, or one out of range, or a rule that
            does not fit the board.

    Hints that contradict each other (:meth:`clashes`) and cells without candidates
    (:attr:`dead_cells`) are allowed: such a puzzle has no solution.

    >>> Puzzle([[1, 0, 0, 0], [0, 0, 2, 0], [0, 0, 0, 0], [0, 0, 0, 0]]).line
    '1.....2.........'
    """

    __slots__ = ("_hash", "candidates", "layout", "numbers", "rules")

    numbers: tuple[int, ...]
    """Inside: each digit's number among the board's digits, from 1; 0 for an open cell."""
    layout: Layout
    candidates: tuple[int, ...] | None
    rules: tuple[Rule, ...]
    _hash: int | None

    @check_types
    def __new__(
        cls,
        cells: Iterable[int] | Iterable[Iterable[int]],
        layout: Layout | None = None,
        candidates: Iterable[int] | None = None,
        rules: Iterable[Rule | str] = (),
    ) -> Puzzle:
        """Check the arguments and make a puzzle of them."""
        flat, rows = _cells_and_rows(cells)
        if layout is None:
            side = round(len(flat) ** 0.5)
            if side * side != len(flat):
                raise PuzzleFormatError(f"a board has n² cells, not {len(flat)}")
            layout = Layout.of_size(side)
        layout = _shared_layout(layout)
        values, blank = layout.values, layout.blank
        if layout.groups and len(flat) == layout.grid_cell_count:
            flat += [blank] * (layout.cell_count - len(flat))
        fits = rows in (None, layout.row_count, layout.array_shape[0])
        if len(flat) != layout.cell_count or not fits:
            found = f"{rows} rows of {len(flat) // rows}" if rows else f"{len(flat)}"
            raise PuzzleFormatError(f"{layout} has {layout.cell_count} cells, not {found}")
        for cell, digit in enumerate(flat):
            if type(digit) is not int or (digit not in values and digit != blank):
                raise PuzzleFormatError(
                    f"expected a digit {values[0]} to {values[-1]}, or {blank} for an open cell, "
                    f"found {short_repr(digit)}",
                    cell=layout.cell_name(cell),
                )
        numbers = [0 if digit == blank else values.index(digit) + 1 for digit in flat]
        masks = None if candidates is None else _normalise_masks(numbers, layout, list(candidates))
        return cls.trusted(tuple(numbers), layout, _rules_of(rules, layout), masks)

    @classmethod
    def trusted(
        cls,
        numbers: tuple[int, ...],
        layout: Layout,
        rules: tuple[Rule, ...] = (),
        candidates: tuple[int, ...] | None = None,
    ) -> Puzzle:
        """Make a puzzle of :attr:`numbers` without any check of the arguments, for speed."""
        puzzle = object.__new__(cls)
        put = object.__setattr__
        put(puzzle, "numbers", numbers)
        put(puzzle, "layout", layout)
        put(puzzle, "candidates", candidates)
        put(puzzle, "rules", rules)
        put(puzzle, "_hash", None)
        return puzzle

    @classmethod
    @check_types
    def from_masks(
        cls, masks: Sequence[int], layout: Layout | None = None, rules: Iterable[Rule] = ()
    ) -> Puzzle:
        """The puzzle whose candidates are given as masks, one for each cell.

        Raises:
            PuzzleFormatError: a wrong number of masks, or one out of range.
        """
        return cls([layout.blank if layout else 0] * len(masks), layout, masks, rules)

    def __reduce__(self) -> tuple[type[Puzzle], tuple[object, ...]]:
        return Puzzle, (self.cells, self.layout, self.candidates, self.rules)

    @property
    def n(self) -> int:
        """Side of the board; see :attr:`Layout.n`."""
        return self.layout.n

    @property
    def is_classic(self) -> bool:
        """True for the 9×9 board of 3×3 blocks without rules (candidates are allowed)."""
        return self.layout == _CLASSIC_LAYOUT and not self.rules

    @property
    def cells(self) -> tuple[int, ...]:
        """The digit of every cell, as it is written; :attr:`Layout.blank` for an open cell."""
        if self.layout.values.start == 1:
            return self.numbers
        return tuple(map(self.__getitem__, range(len(self.numbers))))

    @property
    def hints(self) -> dict[int, int]:
        """The digit of every hinted cell, by ascending cell number."""
        values = self.layout.values
        return {cell: values[d - 1] for cell, d in enumerate(self.numbers) if d}

    @property
    def hint_count(self) -> int:
        """Number of hinted cells."""
        return len(self.numbers) - self.numbers.count(0)

    @property
    def open_cells(self) -> tuple[int, ...]:
        """Cells without a hint, ascending."""
        return tuple(cell for cell, digit in enumerate(self.numbers) if not digit)

    @property
    def masks(self) -> tuple[int, ...]:
        """The candidates of every cell: n² masks, bit i for the digit ``layout.values[i]``."""
        if self.candidates is not None:
            return self.candidates
        every = zip(self.numbers, self.layout.masks, strict=True)
        return tuple(1 << (d - 1) if d else mask for d, mask in every)

    @property
    def candidate_count(self) -> int:
        """Number of candidates in all open cells together."""
        return sum(m.bit_count() for m, d in zip(self.masks, self.numbers, strict=True) if not d)

    @property
    def dead_cells(self) -> tuple[int, ...]:
        """Cells without any candidate, ascending."""
        return tuple(cell for cell, mask in enumerate(self.candidates or ()) if not mask)

    @property
    def is_complete(self) -> bool:
        """True when no cell is open (the puzzle may still contradict itself)."""
        return 0 not in self.numbers

    def __getitem__(self, place: CellLike) -> int:
        """The digit in a cell, given as its number, (row, column) from 0, or name ``r1c1``.

        It is :attr:`Layout.blank` when the cell is open: 0, on a board with the digit 0 -1.
        """
        number = self.numbers[self.cell_number(place)]
        return self.layout.values[number - 1] if number else self.layout.blank

    def cell_number(self, place: CellLike) -> int:
        """The number of a cell, given as its number, (row, column) from 0, or name ``r1c1``.

        Raises:
            IndexError: there is no such cell.
        """
        board = f"{self.layout.row_count}x{self.layout.column_count}"
        return cell_at(place, self.layout.cells_by_place, board, IndexError)

    def with_hint(self, place: CellLike, digit: int) -> Puzzle:
        """This puzzle with a hint added or, where the cell has one, replaced."""
        return self.with_hints({self.cell_number(place): digit})

    @check_types
    def with_hints(self, hints: Mapping[Any, int]) -> Puzzle:
        """This puzzle with hints added or replaced, given as {cell, (row, column) or name: digit}.

        A hint that is not a candidate of its open cell leaves the cell without candidates.
        """
        masks, values = list(self.masks), self.layout.values
        for place, digit in hints.items():
            cell = self.cell_number(place)
            if not hasattr(digit, "__index__") or digit not in values:
                raise PuzzleFormatError(
                    f"expected a digit {values[0]} to {values[-1]}, found {short_repr(digit)}",
                    cell=self.layout.cell_name(cell),
                )
            masks[cell] = 1 << values.index(digit) & (-1 if self.numbers[cell] else masks[cell])
        return Puzzle.from_masks(masks, self.layout, self.rules)

    def with_rule(self, *rules: Rule | str) -> Puzzle:
        """This puzzle with rules added, which may be texts such as ``"antiknight"``.

        Raises:
            PuzzleFormatError: a text is no rule, or a rule does not fit the board.

        >>> print(*(rule.text for rule in Puzzle([0] * 16).with_rule("antiking", "odd r1c2").rules))
        antiking odd r1c2
        """
        every = tuple(dict.fromkeys((*self.rules, *_rules_of(rules, self.layout))))
        return Puzzle.trusted(self.numbers, self.layout, every, self.candidates)

    def without(self, *places: CellLike | Rule) -> Puzzle:
        """This puzzle with hints (whose cells get all candidates) or rules removed.

        Raises:
            ValueError: a cell has no hint, or the puzzle has no such rule.
        """
        from bddsudoku.puzzle.sudoku.rules.rule import Rule

        masks, rules = list(self.masks), list(self.rules)
        for place in places:
            if isinstance(place, Rule):
                if place not in rules:
                    raise ValueError(f"there is no rule {place.text!r} to take away")
                rules.remove(place)
                continue
            cell = self.cell_number(place)
            if not self.numbers[cell] or masks[cell] == self.layout.masks[cell]:
                raise ValueError(f"{self.layout.cell_name(cell)} has no hint to take away")
            masks[cell] = self.layout.masks[cell]
        return Puzzle.from_masks(masks, self.layout, rules)

    @check_types
    def within(self, masks: Sequence[int]) -> Puzzle:
        """This puzzle with the candidates of each cell restricted to its mask (n² masks)."""
        both = [mine & other for mine, other in zip(self.masks, masks, strict=True)]
        return Puzzle.from_masks(both, self.layout, self.rules)

    def clashes(self) -> Iterator[tuple[int, int, House]]:
        """Pairs of equal hints in one house, as (cell, cell, the first house they share)."""
        reported: set[tuple[int, int]] = set()
        for house in self.layout.houses:
            first: dict[int, list[int]] = {}
            for cell in house.cells:
                if digit := self.numbers[cell]:
                    first.setdefault(digit, []).append(cell)
            for cells in first.values():
                for a, b in combinations(cells, 2):
                    if (a, b) not in reported:
                        reported.add((a, b))
                        yield a, b, house

    def clash_texts(self) -> list[str]:
        """The clashes in words: ``r1c1 and r1c2 are both 5 in row 1``."""
        name, symbols = self.layout.cell_name, self.layout.symbols
        return [
            f"{name(a)} and {name(b)} are both {symbols[self.numbers[a] - 1]} "
            f"in {house.family} {house.index + 1}"
            for a, b, house in self.clashes()
        ]

    @property
    def is_solution(self) -> bool:
        """True when every cell has a digit, no two clash, and every rule holds."""
        return (
            self.is_complete
            and next(self.clashes(), None) is None
            and all(rule.in_company(self.rules).holds(self) for rule in self.rules)
        )

    @property
    def line(self) -> str:
        """The puzzle on one line: n² symbols, ``.`` for an open cell.

        A puzzle with candidates has n³ symbols, n for each cell: at its place every digit, or
        ``.`` when it is not a candidate.
        """
        symbols = self.layout.symbols
        if self.candidates is None:
            signs = "." + symbols
            return "".join([signs[d] for d in self.numbers])
        return "".join(
            symbol if mask >> d & 1 else "."
            for mask in self.candidates
            for d, symbol in enumerate(symbols)
        )

    def canonical(self) -> Puzzle:
        """The canonical form: the same for all boards that differ by a symmetry only.

        Raises:
            PuzzleFormatError: there is none; see :func:`bddsudoku.symmetry.canonical_form`, which
                also tells how it is reached.
        """
        from bddsudoku.symmetry import canonical_form

        return canonical_form(self).puzzle

    def symmetries(self) -> PuzzleSymmetries:
        """The group of symmetries: its order, generators, and orbits of cells.

        See :mod:`bddsudoku.symmetry.puzzle_symmetries` for what a symmetry keeps.

        >>> Puzzle.parse("1.....2.........").symmetries().order
        8
        """
        from bddsudoku.symmetry.puzzle_symmetries import find_symmetries

        return find_symmetries(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Puzzle):
            return NotImplemented
        return (
            self.numbers == other.numbers
            and self.layout == other.layout
            and self.candidates == other.candidates
            and (self.rules == other.rules or {*self.rules} == {*other.rules})
        )

    def __hash__(self) -> int:
        value = self._hash
        if value is None:
            value = hash((self.numbers, self.layout, self.candidates, frozenset(self.rules)))
            object.__setattr__(self, "_hash", value)
        return value

    def __repr__(self) -> str:
        lay = self.layout
        if self.rules or not lay.is_default or not lay.is_usual:
            return f"Puzzle.parse({self.text!r})"
        usual = has_default_blocks(self.n) and lay == Layout.of_size(self.n)
        # 64 symbols are an 8x8 board as well as the candidates of a 4x4 board
        fits_on_line = usual and not (self.n == 4 and self.candidates is not None)
        shape = "" if fits_on_line else f", Layout({lay.box_rows}, {lay.box_columns})"
        return f"Puzzle.parse({self.line!r}{shape})"

    @classmethod
    @check_types
    def parse(cls, text: str, layout: Layout | None = None) -> Puzzle:
        """Read the only puzzle in a text, in any form of :mod:`bddsudoku.puzzle.sudoku.text`.

        >>> Puzzle.parse("1.....2.........").hints
        {0: 1, 6: 2}
        """
        from bddsudoku.puzzle.sudoku.text import parse_one

        return parse_one(text, layout)

    @property
    def text(self) -> str:
        """The puzzle as text (grid, blocks, rules) from which :meth:`parse` makes it again."""
        from bddsudoku.puzzle.sudoku.text import write_text

        return write_text(self)

    def __str__(self) -> str:
        """Return the bordered grid and the rules as text that :meth:`parse` can read."""
        from bddsudoku.puzzle.sudoku.text import write_grid

        return write_grid(self)

    def _repr_html_(self) -> str:
        """The puzzle as HTML with a picture, for notebooks."""
        from bddsudoku.puzzle.sudoku.svg.board_picture import notebook_html

        return notebook_html(self)


def empty_board(layout: Layout, rules: Iterable[Rule] = ()) -> Puzzle:
    """The board without hints, perhaps with rules."""
    return Puzzle([layout.blank] * layout.cell_count, layout, rules=rules)


def board_of_keys(keys: Iterable[int], layout: Layout, rules: tuple[Rule, ...] = ()) -> Puzzle:
    """The board with the digits of the variables that have given keys (:meth:`.Layout.key`)."""
    numbers = [0] * layout.cell_count
    for key in keys:
        cell, digit = divmod(int(key), layout.digit_count)
        numbers[cell] = digit + 1
    return Puzzle.trusted(tuple(numbers), layout, rules)


class PuzzleRecord(NamedTuple):
    """A puzzle that was read from a file or text, with its source, name and comments.

    Attributes:
        puzzle: the puzzle; for a saved set the puzzle whose hints hold in every solution.
        source: file name, ``<standard input>``, ``<argument>``, or None for a string.
        line: the line on which the puzzle begins, from 1; None for a saved set.
        name: text after the cells, or the title above them; "" when there is none.
        comments: comment lines since the previous puzzle, without their ``#``.
        notes: messages for the user about what the reader ignored.
        saved: the set of solutions, where a file with a saved set was read.
    """

    puzzle: Puzzle
    source: str | None = None
    line: int | None = None
    name: str = ""
    comments: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    saved: GridSet | DnnfGridSet | None = None


class Unread(NamedTuple):
    """What stands in a list in place of a puzzle that was not read.

    Attributes:
        error: why not, and where it stands.
    """

    error: PuzzleFormatError

    @property
    def answer(self) -> dict[str, object]:
        """The answer to any question about it."""
        return {"error": str(self.error), "line": self.error.line}


_CLASSIC_LAYOUT = Layout()


def _rules_of(rules: Iterable[Rule | str], layout: Layout) -> tuple[Rule, ...]:
    """Distinct rules, read where they are text, which all fit a board."""
    if rules == ():
        return ()
    from bddsudoku.puzzle.sudoku.rules.rule import Rule, rule_from_line

    found = tuple(dict.fromkeys(rule_from_line(r) if isinstance(r, str) else r for r in rules))
    for rule in found:
        require_type(rule, Rule, "a rule, or its text")
        rule.check(layout)
    return found


def _cells_and_rows(cells: object) -> tuple[list[Any], int | None]:
    """Cells one after the other, integers of any type as int, and the number of rows if given."""
    try:
        flat, rows = _as_list(cells), None
        if flat and not isinstance(flat[0], str) and isinstance(flat[0], Iterable):
            lists, rows = [*map(_as_list, flat)], len(flat)
            for row, one in enumerate(lists, 1):
                if len(one) != len(lists[0]):
                    expected = f"expected {len(lists[0])} cells, as in row 1"
                    raise PuzzleFormatError(f"row {row}: {expected}, found {len(one)}")
            flat = [cell for row in lists for cell in row]
    except TypeError:
        expected = f"expected digits, or rows of digits, found {short_repr(cells)}"
        raise TypeError(f"{expected} (Puzzle.parse takes text)") from None
    return [int(c) if hasattr(c, "__index__") and type(c) is not bool else c for c in flat], rows


def _as_list(cells: Any) -> list[Any]:
    """The elements of an array or of another iterable that is no text."""
    if isinstance(cells, (str, bytes)):
        raise TypeError
    return list(cells.tolist() if hasattr(cells, "tolist") else cells)


def _normalise_masks(
    numbers: list[int], layout: Layout, masks: list[int]
) -> tuple[int, ...] | None:
    """Restrict masks to the hints, and enter single candidates as hints into ``numbers``."""
    everything = (1 << layout.digit_count) - 1
    if len(masks) != len(numbers):
        raise PuzzleFormatError(f"{layout} has {len(numbers)} cells, not {len(masks)} masks")
    out: list[int] = []
    for cell, given in enumerate(masks):
        if not hasattr(given, "__index__") or not 0 <= given <= everything:
            raise PuzzleFormatError(
                f"expected a mask of candidates, 0 to {everything}, found {short_repr(given)}",
                cell=layout.cell_name(cell),
            )
        mask = int(given) & layout.masks[cell]
        if numbers[cell]:
            mask &= 1 << (numbers[cell] - 1)
        numbers[cell] = 0 if mask & (mask - 1) else mask.bit_length()
        out.append(mask)
    is_plain = all(mask == layout.masks[cell] or numbers[cell] for cell, mask in enumerate(out))
    return None if is_plain else tuple(out)
