"""f-puzzles' JSON, or a link that holds it, as a puzzle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.fpuzzles.document import Document, loaded, shown
from bddsudoku.puzzle.sudoku.fpuzzles.kinds import (
    CELL_PASSED_OVER,
    DRESS,
    KINDS,
    NEGATIVES,
    PASSED_OVER,
    Kind,
    Shape,
)
from bddsudoku.puzzle.sudoku.fpuzzles.links import is_link, unpacked
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import LARGEST, SMALLEST, Layout
from bddsudoku.puzzle.sudoku.rules import LittleKiller, Place, Places, Rule, rule_from_dict
from bddsudoku.puzzle.sudoku.rules.sums import DIRECTIONS
from bddsudoku.puzzle.sudoku.text.symbols import show

_KINDS = {kind.key: kind for kind in KINDS}
_ENTRY = {
    Shape.TOGETHER: ("cell", "value"),
    Shape.OUTSIDE: ("cell", "value"),
    Shape.DIAGONAL: ("cell", "value", "direction", "cells"),
    Shape.CELLS: ("cells", "value"),
    Shape.LINES: ("lines", "value"),
    Shape.ARROW: ("cells", "lines", "value"),
    Shape.CLONE: ("cells", "cloneCells", "value"),
    Shape.QUADRUPLE: ("cells", "values", "value"),
}
_CELL = ("value", "given", "region", "givenPencilMarks", *CELL_PASSED_OVER)


class FPuzzle(NamedTuple):
    """What such a file says.

    Attributes:
        puzzle: the puzzle.
        notes: what was passed over, a line; none where nothing was.
    """

    puzzle: Puzzle
    notes: tuple[str, ...] = ()


class _Said(NamedTuple):
    """A rule as a dictionary, and where it stands."""

    data: Mapping[str, Any]
    key: str
    cell: Place | None


def read_fpuzzles(
    text: str,
    layout: Layout | None = None,
    source: str | None = None,
    line: int | None = None,
) -> FPuzzle:
    """The puzzle in f-puzzles' JSON, in a link, or in a link's compressed part.

    Args:
        text: JSON or a link.
        layout: the shape asked for: the blocks of cells whose region is not said.
        source: what error messages call the text.
        line: where in it the puzzle begins.

    Raises:
        PuzzleFormatError: something is malformed, unknown or out of place; one line that names it
            and its cell.
    """
    try:
        data = loaded(unpacked(text) if is_link(text.strip()) else text)
    except PuzzleFormatError as error:
        raise PuzzleFormatError(str(error), source=source, line=line) from None
    return _Reading(data, layout, source, line).result()


class _Reading:
    """One file."""

    def __init__(
        self, data: object, layout: Layout | None, source: str | None, line: int | None
    ) -> None:
        whole = Document(LARGEST, source, line)
        if not isinstance(data, dict):
            raise whole.refuse(f"f-puzzles JSON: expected an object, found {shown(data)}")
        for key in ("size", "grid"):
            if key not in data:
                raise whole.refuse(f"f-puzzles JSON: {key!r} is missing")
        size = data["size"]
        if isinstance(size, bool) or not isinstance(size, int) or not SMALLEST <= size <= LARGEST:
            raise whole.refuse(f"size: expected {SMALLEST} to {LARGEST}, found {shown(size)}")
        if layout is not None and layout.n != size:
            raise whole.refuse(f"size: the file says {size}, but {layout} was asked for")
        self._data: dict[str, object] = data
        self._n = size
        self._asked = layout
        self._file = Document(size, source, line)
        self._passed_over: list[str] = []
        self._silent: list[str] = []
        self._progress = 0

    def result(self) -> FPuzzle:
        """The puzzle."""
        cells, masks, layout = self._grid()
        said = list(self._all_said())
        puzzle = Puzzle(cells, layout, masks, [self._rule(s, layout) for s in said])
        return FPuzzle(puzzle, self._notes())

    def _notes(self) -> tuple[str, ...]:
        parts: list[str] = []
        if self._passed_over:
            names = ", ".join(dict.fromkeys(self._passed_over))
            parts.append(f"{names} (prose, drawing, progress)")
        if self._progress:
            s = "s that are" if self._progress > 1 else " that is"
            parts.append(f"{self._progress} value{s} not given")
        parts += self._silent
        return (f"passed over: {'; '.join(parts)}",) if parts else ()

    # The grid

    def _grid(self) -> tuple[list[int], list[int], Layout]:
        file, n = self._file, self._n
        rows = self._rows()
        cells, masks = [0] * (n * n), [(1 << n) - 1] * (n * n)
        layout = self._asked or Layout.of_side(n)
        regions = [layout.block_of(cell) for cell in range(n * n)]
        told = False
        for number, value in enumerate(value for row in rows for value in row):
            at = Place(*divmod(number, n))
            cell = file.entry("grid", value, _CELL, at)
            held = file.digit("grid: value", cell.get("value", 0), at, least=0)
            given = file.flag("grid: given", cell.get("given"), at)
            if given and not held:
                raise file.refuse("grid: given, but without a value", at)
            marks = file.digits("grid: givenPencilMarks", cell.get("givenPencilMarks", []), at)
            if given:
                cells[number] = held
            elif marks:
                masks[number] = sum(1 << (d - 1) for d in {*marks})
            self._progress += bool(held and not given)
            self._passed_over += (k for k in cell if k in CELL_PASSED_OVER and cell[k])
            if isinstance(value, dict) and "region" in value:
                told = True
                regions[number] = self._region(value["region"], at)
        if told:
            layout = self._layout(layout, regions)
        return cells, masks, layout

    def _rows(self) -> list[list[object]]:
        file, n = self._file, self._n
        rows = [
            file.items(f"grid: row {r}", row)
            for r, row in enumerate(file.items("grid", self._data["grid"]), 1)
        ]
        if len(rows) != n:
            raise file.refuse(f"grid: expected {n} rows, found {len(rows)}")
        for r, row in enumerate(rows):
            if len(row) != n:
                raise file.refuse(
                    f"grid: row {r + 1} has {len(row)} cells, expected {n}",
                    Place(r, min(len(row), n - 1)),
                )
        return rows

    def _region(self, value: object, at: Place) -> int:
        if value is None:
            return -1
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self._file.refuse(
                f"grid: expected a number or null as region, found {shown(value)}", at
            )
        return value

    def _layout(self, usual: Layout, regions: list[int]) -> Layout:
        """The board with these blocks; oblong blocks, all alike, are those of a plain board."""
        n = self._n
        try:
            blocks = usual.with_regions(regions)
        except PuzzleFormatError as error:
            raise self._file.refuse(f"grid: {error}") from None
        for height in range(1, n + 1):
            if n % height == 0:
                plain = Layout(height, n // height)
                if plain.with_regions([blocks.block_of(c) for c in range(n * n)]) == plain:
                    blocks = plain
        if self._asked is not None and blocks != self._asked:
            raise self._file.refuse(f"grid: the file says {blocks}, but {usual} was asked for")
        return blocks

    # The rules

    def _all_said(self) -> Iterator[_Said]:
        file = self._file
        flags: list[str] = []
        for key, value in self._data.items():
            if key in ("size", "grid", "negative"):
                continue
            if key in PASSED_OVER:
                if value not in (None, "", [], {}, False):
                    self._passed_over.append(key)
                continue
            kind = _KINDS.get(key)
            if kind is None:
                raise file.refuse(f"{show(key)} is unknown; it may be a rule")
            if kind.shape is Shape.FLAG:
                if file.flag(key, value):
                    flags.append(kind.rule)
            elif value is not None:
                yield from self._said(kind, file.items(key, value))
        yield from self._flags(flags)
        yield from self._negatives()

    def _flags(self, flags: list[str]) -> Iterator[_Said]:
        """Both diagonals are one rule; a dot takes its pair out of "nonconsecutive"."""
        both = {"diagonal", "antidiagonal"} <= {*flags}
        if both:
            flags = ["diagonals", *(f for f in flags if f not in ("diagonal", "antidiagonal"))]
        for flag in flags:
            if flag == "nonconsecutive" and (
                self._data.get("difference") or self._data.get("ratio")
            ):
                yield _Said({"rule": "negative", "kind": "difference", "values": [1]}, flag, None)
            else:
                yield _Said({"rule": flag}, flag, None)

    def _negatives(self) -> Iterator[_Said]:
        for word in self._file.items("negative", self._data.get("negative") or []):
            if word not in NEGATIVES:
                raise self._file.refuse(
                    f"negative: expected {' or '.join(NEGATIVES)}, found {shown(word)}"
                )
            yield _Said({"rule": "negative", "kind": word}, "negative", None)

    def _rule(self, said: _Said, layout: Layout) -> Rule:
        """The rule, if it fits the board."""
        try:
            rule = rule_from_dict(said.data)
            rule.check(layout)
        except PuzzleFormatError as error:
            raise self._file.refuse(f"{said.key}: {error.expected}", said.cell) from None
        return rule

    def _said(self, kind: Kind, entries: list[object]) -> Iterator[_Said]:
        """The rules of one kind."""
        if kind.shape is Shape.TOGETHER:
            places = tuple(
                self._file.place(kind.key, self._entry(kind, e).get("cell")) for e in entries
            )
            if places:
                yield _said(kind, places[0], cells=places)
            return
        for value in entries:
            entry = self._entry(kind, value)
            match kind.shape:
                case Shape.OUTSIDE | Shape.DIAGONAL:
                    yield from self._clue(kind, entry)
                case Shape.CELLS:
                    places = self._places(kind, entry, "cells")
                    yield _said(kind, places[0], cells=places, **self._value(kind, entry, places))
                case Shape.LINES:
                    for line in self._lines(kind, entry):
                        yield _said(kind, line[0], cells=line, **self._value(kind, entry, line))
                case Shape.ARROW:
                    yield from self._arrows(kind, entry)
                case Shape.CLONE:
                    places = self._places(kind, entry, "cells")
                    copies = self._places(kind, entry, "cloneCells")
                    yield _said(kind, places[0], cells=places, copies=copies)
                case _:
                    yield from self._quadruple(kind, entry)

    def _entry(self, kind: Kind, value: object) -> Mapping[str, object]:
        """One of a list, its names checked, a value only where there is room for one."""
        names = (*_ENTRY[kind.shape], *DRESS)
        entry = self._file.entry(kind.key, value, names)
        self._passed_over += (f"{kind.key}.{k}" for k in entry if k in DRESS)
        if not kind.value and entry.get("value", "") != "":
            raise self._file.refuse(f"{kind.key}: no value belongs there", self._first(kind, entry))
        return entry

    def _first(self, kind: Kind, entry: Mapping[str, object]) -> Place | None:
        """The first cell of an entry, for messages."""
        found: object = entry.get("cell", entry.get("cells", entry.get("lines")))
        while isinstance(found, list) and found:
            found = found[0]
        is_outside = kind.shape in (Shape.OUTSIDE, Shape.DIAGONAL)
        return self._file.place(kind.key, found, outside=is_outside) if found else None

    def _places(self, kind: Kind, entry: Mapping[str, object], name: str) -> Places:
        if name not in entry:
            raise self._file.refuse(f"{kind.key}: {name!r} is missing", self._first(kind, entry))
        return self._file.places(f"{kind.key}: {name}", entry[name])

    def _lines(self, kind: Kind, entry: Mapping[str, object]) -> list[Places]:
        key = f"{kind.key}: lines"
        if not entry.get("lines"):
            raise self._file.refuse(f"{kind.key}: expected lines", self._first(kind, entry))
        return [self._file.places(key, line) for line in self._file.items(key, entry["lines"])]

    def _value(self, kind: Kind, entry: Mapping[str, object], places: Places) -> dict[str, Any]:
        """The field that a value sets; none where the rule's own will do."""
        value = entry.get("value")
        if not kind.value:
            return {}
        if kind.key == "xv":
            if not isinstance(value, str) or value.strip().lower() not in ("x", "v"):
                raise self._file.refuse(f"xv: expected X or V, found {shown(value)}", places[0])
            return {kind.value: value.strip().lower()}
        number = self._file.number(kind.key, value, places[0])
        number = kind.usual if number is None else number
        return {} if number is None else {kind.value: number}

    def _clue(self, kind: Kind, entry: Mapping[str, object]) -> Iterator[_Said]:
        """A clue beside the board; without a value it says nothing."""
        file, key = self._file, kind.key
        clue = file.place(key, entry.get("cell"), outside=True)
        more: dict[str, Any] = {}
        if kind.shape is Shape.DIAGONAL:
            word = entry.get("direction")
            if not isinstance(word, str) or word.lower() not in DIRECTIONS:
                raise file.refuse(f"{key}: expected UR, UL, DR or DL, found {shown(word)}", clue)
            more = {"direction": word.lower()}
            if "cells" in entry and entry["cells"] != []:
                cells = file.places(f"{key}: cells", entry["cells"])
                if {*cells} != {*LittleKiller((clue,), 0, word.lower()).line(self._n)}:
                    raise file.refuse(f"{key}: the cells are not those of its direction", clue)
        total = file.number(key, entry.get("value"), clue)
        if total is None:
            self._silent.append(f"{key} without a value at {clue}")
        else:
            yield _said(kind, clue, clue=[clue], total=total, **more)

    def _arrows(self, kind: Kind, entry: Mapping[str, object]) -> Iterator[_Said]:
        """Each line is an arrow; its first cell is of the circle."""
        circle = self._places(kind, entry, "cells")
        for line in self._lines(kind, entry):
            if line[0] not in circle:
                raise self._file.refuse("arrow: a line that does not begin in its circle", line[0])
            if len(line) < 2:
                raise self._file.refuse("arrow: a line of one cell, it has no shaft", line[0])
            yield _said(kind, line[0], circle=circle, shaft=line[1:])

    def _quadruple(self, kind: Kind, entry: Mapping[str, object]) -> Iterator[_Said]:
        places = self._places(kind, entry, "cells")
        digits = self._file.digits(f"{kind.key}: values", entry.get("values", []), places[0])
        if digits:
            yield _said(kind, places[0], cells=places, digits=digits)
        else:
            self._silent.append(f"{kind.key} without values at {places[0]}")


def _said(kind: Kind, cell: Place, /, **fields: object) -> _Said:
    """Places as words; all else as it is."""
    data = {
        key: [str(p) for p in value]
        if key != "digits" and isinstance(value, (list, tuple))
        else value
        for key, value in fields.items()
    }
    return _Said({"rule": kind.rule, **data}, kind.key, cell)
