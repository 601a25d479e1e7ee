"""Reader of Sudokus from f-puzzles' JSON and from links that contain it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.number_text import parse_whole_number
from bddsudoku.puzzle.sudoku.fpuzzles.compressed_links import unpack_link
from bddsudoku.puzzle.sudoku.fpuzzles.rule_table import (
    CHAINS,
    COSMETIC_MEMBERS,
    IGNORED_CELL_MEMBERS,
    IGNORED_MEMBERS,
    KINDS,
    NEGATIVES,
    WORDS,
    RuleKind,
)
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import LARGEST, SMALLEST, Layout
from bddsudoku.puzzle.sudoku.rules import (
    FieldKind,
    LittleKiller,
    Negative,
    Place,
    Places,
    Rule,
    SlowThermometer,
    Thermometer,
)
from bddsudoku.puzzle.sudoku.rules.rule import find_rule_class
from bddsudoku.puzzle.sudoku.text.symbols import adding_error_place, is_link, show_symbol

_CELL = ("value", "given", "region", "givenPencilMarks", *IGNORED_CELL_MEMBERS)
_PLACE = re.compile(r"R(0|[1-9]\d?)C(0|[1-9]\d?)", re.IGNORECASE | re.ASCII)
_SIGNS = re.compile(r'"given"|"cells?"|"R\d{1,2}C\d{1,2}"|"grid"\s*:\s*\[\s*\[\s*\{')
"""Signs by which broken JSON is recognised as f-puzzles'."""


class FPuzzle(NamedTuple):
    """A puzzle read from f-puzzles' format, with notes for the user.

    Attributes:
        puzzle: the puzzle.
        notes: lines about what the reader ignored; empty if nothing.
    """

    puzzle: Puzzle
    notes: tuple[str, ...] = ()


def read_fpuzzles(
    text: str,
    layout: Layout | None = None,
    source: str | None = None,
    line: int | None = None,
) -> FPuzzle:
    """Read a puzzle from f-puzzles' JSON, from a link, or from a link's compressed part.

    Args:
        text: JSON or a link.
        layout: the requested shape, whose blocks hold where the file gives no regions.
        source: the name of the text in error messages.
        line: the line of the source on which the puzzle begins.

    Raises:
        PuzzleFormatError: something is malformed, unknown or misplaced; the message is one line
            that names it and its cell.
    """
    with adding_error_place(source=source, line=line):
        return _FPuzzleReader(
            _load_json(unpack_link(text) if is_link(text.strip()) else text), layout
        ).read_puzzle()


def is_fpuzzles(text: str) -> bool:
    """Whether a text is in f-puzzles' JSON format and not a plain board in JSON.

    This is an object with a size and a grid whose cells are objects, or a broken version of one.
    """
    if '"size"' not in text or '"grid"' not in text:
        return False
    try:
        value = _load_json(text)
    except PuzzleFormatError:
        return _SIGNS.search(text) is not None
    if not isinstance(value, dict) or not {"size", "grid"} <= value.keys():
        return False
    grid = value["grid"]
    if not isinstance(grid, list):
        return not isinstance(grid, str)
    return any(
        isinstance(c, dict) for row in grid for c in (row if isinstance(row, list) else [row])
    )


def _load_json(text: str) -> object:
    """Parse a JSON text; repeated names, NaN and Infinity are errors, too."""
    try:
        return json.loads(
            text.removeprefix("\ufeff"),
            object_pairs_hook=_dict_if_names_differ,
            parse_constant=_refuse_nan_or_infinity,
            parse_int=parse_whole_number,
        )
    except PuzzleFormatError as error:
        raise PuzzleFormatError(f"JSON: {error}") from None
    except RecursionError:
        raise PuzzleFormatError("JSON: the brackets are nested too deep") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise PuzzleFormatError(f"no JSON: {error.msg} ({place} of it)") from None


def _dict_if_names_differ(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The (name, value) pairs of a JSON object as a dictionary; an error if a name occurs twice."""
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise PuzzleFormatError(f"the name {show_symbol(key)} stands twice in an object")
        found[key] = value
    return found


def _refuse_nan_or_infinity(word: str) -> object:
    """Raise the error for NaN or Infinity in a JSON text."""
    raise PuzzleFormatError(f"{word} is no number")


def _error_at_cell(message: str, cell: Place | None = None) -> PuzzleFormatError:
    return PuzzleFormatError(message, cell=None if cell is None else str(cell))


def _brief(value: object) -> str:
    """A short, printable form of a JSON value for messages."""
    if isinstance(value, str):
        return show_symbol(value) if value else "''"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    return "null" if value is None else str(value).lower()


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _read_list(key: str, value: object) -> list[object]:
    """Return a JSON value that is a list; raise an error for others."""
    if not isinstance(value, list):
        raise _error_at_cell(f"{key}: expected a list, found {_brief(value)}")
    return value


def _read_object(
    key: str, value: object, names: Iterable[str], cell: Place | None = None
) -> dict[str, object]:
    """Check that a value is an object with known names only; return its non-null members."""
    if not isinstance(value, dict):
        raise _error_at_cell(f"{key}: expected an object, found {_brief(value)}", cell)
    known = {*names}
    for name in value:
        if name not in known:
            raise _error_at_cell(f"{key}: {show_symbol(name)} is unknown", cell)
    return {name: held for name, held in value.items() if held is not None}


def _read_flag(key: str, value: object, cell: Place | None = None) -> bool:
    """Return a JSON value that is true or false, or False for null; raise an error for others."""
    if value is None or isinstance(value, bool):
        return bool(value)
    raise _error_at_cell(f"{key}: expected true or false, found {_brief(value)}", cell)


def _read_number(key: str, value: object, cell: Place) -> int | None:
    """A whole number from a JSON number or string; None for null and the empty string."""
    value = value.strip() if isinstance(value, str) else value
    if value is None or value == "":
        return None
    try:
        number = parse_whole_number(value) if isinstance(value, str) else value
    except PuzzleFormatError as error:
        raise _error_at_cell(f"{key}: {error}", cell) from None
    if isinstance(number, int) and not isinstance(number, bool) and number >= 0:
        return number
    raise _error_at_cell(f"{key}: expected a number as value, found {_brief(value)}", cell)


class _FPuzzleReader:
    """Reader of one f-puzzles file."""

    def __init__(self, data: object, layout: Layout | None) -> None:
        if not isinstance(data, dict):
            raise _error_at_cell(f"f-puzzles JSON: expected an object, found {_brief(data)}")
        for key in ("size", "grid"):
            if key not in data:
                raise _error_at_cell(f"f-puzzles JSON: {key!r} is missing")
        size = data["size"]
        if not _is_integer(size) or not SMALLEST <= size <= LARGEST:
            raise _error_at_cell(f"size: expected {SMALLEST} to {LARGEST}, found {_brief(size)}")
        if layout is not None and layout.n != size:
            raise _error_at_cell(f"size: the file says {size}, but {layout} was asked for")
        self._data: dict[str, object] = data
        self._n: int = size
        self._requested_layout = layout
        self._ignored: list[str] = []
        self._silent: list[str] = []
        self._progress = 0

    def read_puzzle(self) -> FPuzzle:
        """Read the file and return its puzzle, with notes about what was ignored."""
        cells, masks, layout = self._read_grid()
        rules = [*self._read_rules()]
        for key, cell, rule in rules:
            try:
                rule.check(layout)
            except PuzzleFormatError as error:
                raise _error_at_cell(f"{key}: {error.expected}", cell) from None
        parts: list[str] = []
        if self._ignored:
            names = ", ".join(dict.fromkeys(self._ignored))
            parts.append(f"{names} (prose, drawing, progress)")
        if self._progress:
            s = "s that are" if self._progress > 1 else " that is"
            parts.append(f"{self._progress} value{s} not given")
        parts += self._silent
        notes = (f"passed over: {'; '.join(parts)}",) if parts else ()
        return FPuzzle(Puzzle(cells, layout, masks, [rule for _, _, rule in rules]), notes)

    # Values

    def _read_digit(self, key: str, value: object, cell: Place, least: int = 1) -> int:
        """Return a JSON value that is a digit from ``least`` to n; raise an error for others."""
        if isinstance(value, int) and _is_integer(value) and least <= value <= self._n:
            return value
        expected = f"expected a digit {least} to {self._n}"
        raise _error_at_cell(f"{key}: {expected}, found {_brief(value)}", cell)

    def _read_place(self, key: str, value: object, *, outside: bool = False) -> Place:
        """Read a place such as R1C1: a cell of the board or, if ``outside``, a place beside it."""
        match = _PLACE.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            raise _error_at_cell(f"{key}: expected a cell such as R1C1, found {_brief(value)}")
        place = Place(int(match[1]) - 1, int(match[2]) - 1)
        n = self._n
        if max(place) > n or (min(place) < 0 or max(place) == n) != outside:
            is_inside = outside and max(place) <= n
            where = "is on the board, not beside it" if is_inside else "is not on the board"
            where = where if max(place) <= n else "is not on a board"
            raise _error_at_cell(f"{key}: {match[0]} {where} of {n}x{n} cells", place)
        return place

    def _read_places(self, key: str, value: object) -> Places:
        """Read a JSON list of one or more cells of the board."""
        found = tuple(self._read_place(key, v) for v in _read_list(key, value))
        if not found:
            raise _error_at_cell(f"{key}: expected cells, found an empty list")
        return found

    # The grid

    def _read_grid(self) -> tuple[list[int], list[int], Layout]:
        """Read from the file's grid the hints and candidate masks of all cells, and the layout."""
        n = self._n
        cells, masks = [0] * (n * n), [(1 << n) - 1] * (n * n)
        layout = self._requested_layout or Layout.of_side_or_rows(n)
        regions = [layout.block_index(cell) for cell in range(n * n)]
        is_named = False
        for number, value in enumerate(self._cell_values()):
            at = Place(*divmod(number, n))
            cell = _read_object("grid", value, _CELL, at)
            held = self._read_digit("grid: value", cell.get("value", 0), at, least=0)
            given = _read_flag("grid: given", cell.get("given"), at)
            if given and not held:
                raise _error_at_cell("grid: given, but without a value", at)
            key = "grid: givenPencilMarks"
            marks = {
                self._read_digit(key, v, at)
                for v in _read_list(key, cell.get("givenPencilMarks", []))
            }
            if given:
                cells[number] = held
            elif marks:
                masks[number] = sum(1 << (d - 1) for d in marks)
            self._progress += bool(held and not given)
            self._ignored += (k for k in cell if k in IGNORED_CELL_MEMBERS and cell[k])
            if isinstance(value, dict) and "region" in value:
                is_named = True
                region = value["region"]
                if region is not None and not (_is_integer(region) and region >= 0):
                    expected = "expected a number or null as region"
                    raise _error_at_cell(f"grid: {expected}, found {_brief(region)}", at)
                regions[number] = -1 if region is None else region
        return cells, masks, self._layout_with_regions(layout, regions) if is_named else layout

    def _cell_values(self) -> list[object]:
        """The n² JSON values of the cells, row by row."""
        n = self._n
        rows = [
            _read_list(f"grid: row {r}", row)
            for r, row in enumerate(_read_list("grid", self._data["grid"]), 1)
        ]
        if len(rows) != n:
            raise _error_at_cell(f"grid: expected {n} rows, found {len(rows)}")
        for r, row in enumerate(rows):
            if len(row) != n:
                place = Place(r, min(len(row), n - 1))
                raise _error_at_cell(f"grid: row {r + 1} has {len(row)} cells, expected {n}", place)
        return [cell for row in rows for cell in row]

    def _layout_with_regions(self, layout: Layout, regions: list[int]) -> Layout:
        """The layout whose blocks are the file's regions; an error if others were requested."""
        try:
            blocks = layout.with_regions(regions).simplified
        except PuzzleFormatError as error:
            raise _error_at_cell(f"grid: {error}") from None
        if self._requested_layout is not None and blocks != self._requested_layout:
            raise _error_at_cell(f"grid: the file says {blocks}, but {layout} was asked for")
        return blocks

    # The rules: each with its key, and a cell for messages

    def _read_rules(self) -> Iterator[tuple[str, Place | None, Rule]]:
        """Yield each rule of the file with its JSON key and, for messages, a cell or None."""
        flags: list[str] = []
        for key, value in self._data.items():
            if key in ("size", "grid", "negative"):
                continue
            if key in IGNORED_MEMBERS:
                self._ignored += [key] if value not in (None, "", [], {}, False) else []
                continue
            kind = KINDS.get(key)
            if kind is None:
                raise _error_at_cell(f"{show_symbol(key)} is unknown; it may be a rule")
            if not kind.members:
                flags += [kind.rule.name] if _read_flag(key, value) else []
            elif value is not None:
                for cell, fields in self._fields_of_rules(kind, _read_list(key, value)):
                    yield key, cell, kind.rule(**fields)
        both = ("diagonal", "antidiagonal")
        if {*both} <= {*flags}:  # both together are one rule
            flags = ["diagonals", *(flag for flag in flags if flag not in both)]
        has_dots = self._data.get("difference") or self._data.get("ratio")
        for flag in flags:
            # the rule does not apply to a pair with a dot
            parted = flag == "nonconsecutive" and has_dots
            yield flag, None, Negative("difference", (1,)) if parted else find_rule_class(flag)()
        for word in _read_list("negative", self._data.get("negative") or []):
            if word not in NEGATIVES:
                expected = f"expected {' or '.join(NEGATIVES)}"
                raise _error_at_cell(f"negative: {expected}, found {_brief(word)}")
            yield "negative", None, Negative(str(word))

    def _fields_of_rules(
        self, kind: RuleKind, entries: list[object]
    ) -> Iterator[tuple[Place, dict[str, Any]]]:
        """Yield the first cell and the field values of each rule in a list of JSON objects."""
        joint: Places = ()
        for value in entries:
            entry = _read_object(kind.key, value, (*kind.members, "value", *COSMETIC_MEMBERS))
            self._ignored += (f"{kind.key}.{k}" for k in entry if k in COSMETIC_MEMBERS)
            if "value" not in kind.members and entry.get("value", "") != "":
                raise _error_at_cell(
                    f"{kind.key}: no value belongs there", self._first_cell(kind, entry)
                )
            fields = self._read_fields(kind, entry)
            if kind.objects_make_one_rule:
                joint += fields["cells"]
            elif "lines" in kind.members:
                field = kind.members["lines"]
                for line in fields.pop(field):
                    if kind.rule in (Thermometer, SlowThermometer) and len(line) == 1:
                        self._silent.append(f"{kind.key} of one cell at {line[0]}")
                        continue
                    yield line[0], {**fields, field: _drop_circle_cell(line, fields.get("circle"))}
            elif kind.key in CHAINS and len(fields.get("cells", ())) > 2:
                for pair in pairwise(fields["cells"]):
                    yield pair[0], {**fields, "cells": pair}
            elif fields:
                yield next(iter(fields.values()))[0], fields
        if joint:
            yield joint[0], {"cells": joint}

    def _read_fields(self, kind: RuleKind, entry: Mapping[str, object]) -> dict[str, Any]:
        """Read the values of a rule's fields from its JSON object; {} if one of them is empty."""
        key, fields, at = kind.key, dict[str, Any](), Place(0, 0)
        for member, field in kind.members.items():
            value, what = entry.get(member), f"{key}: {member}"
            of = kind.rule.fields[field] if field else FieldKind.PLACES
            found: Any
            if of is FieldKind.WORD:
                words = WORDS[field]
                if not isinstance(value, str) or value.strip().upper() not in words:
                    expected = f"expected {', '.join(words[:-1])} or {words[-1]}"
                    raise _error_at_cell(f"{key}: {expected}, found {_brief(value)}", at)
                found = value.strip().lower()
            elif of is FieldKind.DIGITS:
                found = tuple(self._read_digit(what, v, at) for v in _read_list(what, value or []))
            elif of is not FieldKind.PLACES:
                found = _read_number(key, value, at)
            elif member == "lines":
                if not value:
                    raise _error_at_cell(f"{key}: expected lines", self._first_cell(kind, entry))
                found = [self._read_places(what, line) for line in _read_list(what, value)]
                at = found[0][0]
            elif member == "cell":
                found = (self._read_place(key, value, outside=field == "clue"),)
                at = found[0]
            elif not field and value in (None, []):
                continue
            elif member not in entry:
                raise _error_at_cell(f"{key}: {member!r} is missing", self._first_cell(kind, entry))
            else:
                found = self._read_places(what, value)
                at = found[0] if field else at
            if found not in (None, ()):
                fields[field] = found
            elif of is not FieldKind.MAYBE:
                noun = "values" if of is FieldKind.DIGITS else "a value"
                self._silent.append(f"{key} without {noun} at {at}")
                return {}
        if notes := fields.pop("", ()):
            way = LittleKiller(fields["clue"], 0, fields["direction"])
            if {*notes} != {*way.seen_cells(Layout.of_side_or_rows(self._n))}:
                raise _error_at_cell(f"{key}: the cells are not those of its direction", at)
        return fields

    def _first_cell(self, kind: RuleKind, entry: Mapping[str, object]) -> Place | None:
        """The first cell that a rule's JSON object names, for messages; None if it names none."""
        found: object = entry.get("cell", entry.get("cells", entry.get("lines")))
        while isinstance(found, list) and found:
            found = found[0]
        is_outside = "clue" in kind.members.values()
        return self._read_place(kind.key, found, outside=is_outside) if found else None


def _drop_circle_cell(line: Places, circle: Places | None) -> Places:
    """A line; if ``circle`` is given, without its first cell, which must lie in the circle."""
    if circle is None:
        return line
    if line[0] not in circle:
        raise _error_at_cell("arrow: a line that does not begin in its circle", line[0])
    if len(line) < 2:
        raise _error_at_cell("arrow: a line of one cell, it has no shaft", line[0])
    return line[1:]
