"""Reader of Sudokus from strings of Interactive-Sudoku-Solver (ISS) or links that contain one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import unquote

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.iss.argument_forms import (
    cell_word,
    is_on_board,
    read_cell,
    read_number,
)
from bddsudoku.puzzle.sudoku.iss.constraint_table import (
    FORMS,
    LARGEST_ISS,
    WITHOUT_EFFECT,
    overwrite_key,
)
from bddsudoku.puzzle.sudoku.iss.general_forms import SIX_BITS
from bddsudoku.puzzle.sudoku.layout import SMALLEST, SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.rules import (
    AllOf,
    AnyOf,
    DisjointGroups,
    ExtraRegion,
    Place,
    RegularExpression,
    Rule,
)
from bddsudoku.puzzle.sudoku.text.symbols import show_symbol

_QUERY = re.compile(r"[?&#]q=([^&#]*)")
_SHAPE = re.compile(r"(\d+)x(\d+)(?:~(?:(\d+)-)?(\d+))?")
_CELL = re.compile(r"[rR][1-9a-gA-G][cC][1-9a-gA-G](?=_|$)")


class _Constraint(NamedTuple):
    """One constraint of a string: its name, its arguments, and what a composite contains."""

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


_BOARD = ("Shape", "Jigsaw", "NoBoxes", "RegionSize")
"""Names of constraints that describe the board."""
_COMPOSITES = ("Or", "And", "Replicate")
_MAX_DEPTH = 20
_MAX_REPLICAS = 10_000

_FORMS = {form.head: form for form in FORMS}


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

    Raises:
        PuzzleFormatError: the string does not begin with a dot, or composites and their ends do
            not match.
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


@contextmanager
def _naming_constraint(part: _Constraint) -> Iterator[None]:
    """Context manager that puts the constraint before the messages of format errors."""
    try:
        yield
    except PuzzleFormatError as error:
        raise PuzzleFormatError(f"{part.short_text}: {error.expected}", cell=error.cell) from None


class _Hint(NamedTuple):
    """A cell (row by row from 0), and the digits that may stand in it."""

    cell: int
    digits: tuple[int, ...]

    @property
    def mask(self) -> int:
        """The digits as a mask of candidates."""
        return sum(1 << (digit - 1) for digit in {*self.digits})

    def as_rule(self, n: int) -> Rule:
        """The hint as a rule, for use within an Or or And, which contain rules only."""
        pattern = "".join(SYMBOLS[digit - 1] for digit in self.digits)
        return RegularExpression((Place(*divmod(self.cell, n)),), f"[{pattern}]")


class _IssReader:
    """Reader of one string: first what describes the board, then hints and rules."""

    def __init__(self, parts: list[_Constraint], layout: Layout | None) -> None:
        self._parts = parts
        self._layout = self._read_layout(layout)
        self._n = self._layout.n
        self._replicas_left = _MAX_REPLICAS

    def read_puzzle(self) -> Puzzle:
        """Read all constraints and return the puzzle that they describe."""
        rules: dict[object, Rule] = {}
        masks = [(1 << self._n) - 1] * self._layout.cell_count
        for part in self._parts:
            if part.name in _BOARD:
                continue
            with _naming_constraint(part):
                for item in self._read_constraint(part):
                    if isinstance(item, _Hint):
                        masks[item.cell] &= item.mask
                        continue
                    item.check(self._layout)
                    rules[overwrite_key(item) or item] = item
        return Puzzle.from_masks(masks, self._layout, rules.values())

    # The board

    def _read_layout(self, asked: Layout | None) -> Layout:
        """Read the board's layout from the constraints that describe it.

        Without blocks of its own a string has the usual blocks; a jigsaw beside these adds houses.
        """
        layout = asked or Layout.of_side_or_rows(9)
        for words in self._sole_arguments("Shape"):
            layout = _read_shape("~".join(words), asked)
        n = layout.n
        for words in self._sole_arguments("RegionSize"):
            if [*map(read_number, words)] != [n]:
                raise PuzzleFormatError(f"on a board of {n}x{n} cells regions have {n} cells")
        if [*self._sole_arguments("NoBoxes")] or min(layout.box_rows, layout.box_columns) == 1:
            layout = layout.with_regions(())
        for words in self._sole_arguments("Jigsaw"):
            regions = _read_regions(words[-1] if words else "", n)
            if layout.regions == ():
                layout = layout.with_regions(regions).simplified
            else:
                houses = Layout.jigsaw(regions).blocks
                layout = replace(layout, extra=tuple(house.cells for house in houses))
        return layout

    def _sole_arguments(self, name: str) -> Iterator[Sequence[str]]:
        """Yield the arguments of the only constraint with a name, if there is one.

        Format errors raised while they are read name the constraint.

        Raises:
            PuzzleFormatError: there are several, with different arguments.
        """
        found = [part for part in self._parts if part.name == name]
        for part in found[-1:]:
            with _naming_constraint(part):
                if any(other.words != part.words for other in found):
                    raise PuzzleFormatError(f"expected one {name}, found {len(found)}")
                yield part.words

    # Hints and rules

    def _read_constraint(self, part: _Constraint) -> Iterator[Rule | _Hint]:
        """Yield the hints or rules that one constraint stands for."""
        if part.name in ("", "Given"):
            yield from self._read_hints(part.words)
        elif part.name in ("And", "Replicate"):
            for inner in part.contents if part.name == "And" else self._expand_replicate(part):
                with _naming_constraint(inner):
                    yield from self._read_constraint(inner)
        elif part.name == "Or":
            yield AnyOf(tuple(map(self._read_branch, part.contents)))
        elif not WITHOUT_EFFECT.fullmatch(part.text):
            yield from self._read_rules(part)

    def _read_branch(self, part: _Constraint) -> Rule:
        """The rule for one constraint within an Or; if it stands for several rules, their And."""
        with _naming_constraint(part):
            items = self._read_constraint(part)
            found = tuple(i.as_rule(self._n) if isinstance(i, _Hint) else i for i in items)
        return found[0] if len(found) == 1 else AllOf(found)

    def _read_hints(self, words: Iterable[str]) -> Iterator[_Hint]:
        """Yield hints such as R1C1_5 or R1C1_2_4."""
        for word in words:
            name, *values = word.split("_")
            row, column = read_cell(name, self._n)
            digits = [*map(read_number, values)]
            if not digits or not all(1 <= digit <= self._n for digit in digits):
                raise PuzzleFormatError(
                    f"expected digits from 1 to {self._n} as in {name}_1, found {show_symbol(word)}"
                )
            yield _Hint(row * self._n + column, tuple(digits))

    def _read_rules(self, part: _Constraint) -> Iterator[Rule]:
        """Yield the rules that a constraint of the table of constraints stands for."""
        words = part.words
        form = _FORMS.get(part.name)
        if form is None and words:
            form, words = _FORMS.get(f"{part.name}~{words[0]}"), words[1:]
        if form is None:
            raise PuzzleFormatError("this constraint of Interactive-Sudoku-Solver is not read")
        if self._n not in form.sides:
            raise PuzzleFormatError(f"not on a board of {self._n}x{self._n} cells")
        for fields in form.arguments.read(form.rule, words, self._n):
            rule = form.rule(**form.fixed, **fields)
            if isinstance(rule, DisjointGroups) and self._layout.regions is not None:
                # There the groups are those of the usual blocks, also without blocks.
                shape = Layout(self._layout.box_rows, self._layout.box_columns)
                yield from map(ExtraRegion, rule.sets(shape).values())
            else:
                yield rule

    def _expand_replicate(self, part: _Constraint) -> Iterator[_Constraint]:
        """Yield copies of the constraints within a Replicate, moved from its origin to each target.

        The targets are bits, six in a symbol, the lowest first, for the cells from the origin on.
        """
        n = self._n
        targets = part.words[0] if part.words else ""
        start = read_cell(part.words[1] if len(part.words) > 1 else "R1C1", n)
        if len(part.words) > 2 or not {*targets} <= {*SIX_BITS}:
            raise PuzzleFormatError("expected targets and at most an origin")
        for at, symbol in enumerate(targets):
            for bit in range(6):
                if SIX_BITS.index(symbol) >> bit & 1:
                    row, column = divmod(start.row * n + start.column + 6 * at + bit, n)
                    down, right = row - start.row, column - start.column
                    self._replicas_left -= len(part.contents)
                    if self._replicas_left < 0:
                        raise PuzzleFormatError(f"more than {_MAX_REPLICAS:,} replicas")
                    for inner in part.contents:
                        yield _move_constraint(inner, down, right, n)


def _move_constraint(part: _Constraint, down: int, right: int, n: int) -> _Constraint:
    """A copy of a constraint with all its cells moved by some rows and columns."""
    words = list(part.words)
    for i, word in enumerate(words):
        if _CELL.match(word):
            row, column = read_cell(word[:4], n)
            place = Place(row + down, column + right)
            if not is_on_board(place, n):
                raise PuzzleFormatError(f"{word[:4]} moves off the board")
            words[i] = cell_word(place) + word[4:]
    return _Constraint(
        part.name, words, [_move_constraint(inner, down, right, n) for inner in part.contents]
    )


def _read_shape(spec: str, asked: Layout | None) -> Layout:
    """The layout for a shape such as 6x6 or 9x9~1-9: the requested one, or that of usual blocks.

    Raises:
        PuzzleFormatError: the shape is not square, has other values than 1 to n, or is not the
            one asked for.
    """
    match = _SHAPE.fullmatch(spec)
    if match is None:
        raise PuzzleFormatError("expected a shape such as 9x9, with values 1 to n")
    rows, columns = read_number(match[1]), read_number(match[2])
    least, most = read_number(match[3] or "1"), read_number(match[4] or match[1])
    if rows != columns or (least, most) != (1, rows):
        raise PuzzleFormatError("boards are n x n cells, with values 1 to n")
    if not SMALLEST <= rows <= LARGEST_ISS:
        raise PuzzleFormatError(f"boards are {SMALLEST}x{SMALLEST} to {LARGEST_ISS}x{LARGEST_ISS}")
    if asked is not None and asked.n != rows:
        raise PuzzleFormatError(f"the string says {rows}x{rows}, but {asked} was asked for")
    return asked or Layout.of_side_or_rows(rows)


def _read_regions(symbols: str, n: int) -> list[int]:
    """The region number of each cell, from one symbol per cell; -1 if not n cells have the symbol.

    Raises:
        PuzzleFormatError: not n² symbols, or more than one that does not occur n times.
    """
    if len(symbols) != n * n:
        raise PuzzleFormatError(f"expected {n * n} symbols, found {len(symbols)}")
    sizes = Counter(symbols)
    regions = [symbol for symbol, size in sizes.items() if size == n]
    if len(sizes) - len(regions) > 1:
        odd = next(symbol for symbol in sizes if symbol not in regions)
        raise PuzzleFormatError(f"region {show_symbol(odd)} has {sizes[odd]} cells, not {n}")
    number = {symbol: i for i, symbol in enumerate(regions)}
    return [number.get(symbol, -1) for symbol in symbols]
