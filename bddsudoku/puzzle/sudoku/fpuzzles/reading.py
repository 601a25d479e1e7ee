"""Reader of Sudokus from f-puzzles' JSON and from links that contain it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple, TypeGuard

from bddsudoku.argument_types import check_types
from bddsudoku.errors import PuzzleFormatError, adding_error_place
from bddsudoku.file_io import parse_json
from bddsudoku.puzzle.sudoku.fpuzzles.compressed_links import unpack_link
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import LARGEST, SMALLEST, Layout
from bddsudoku.puzzle.sudoku.puzzle_info import PuzzleInfo
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
from bddsudoku.puzzle.sudoku.rules.places_and_marks import parse_place
from bddsudoku.puzzle.sudoku.rules.rule import find_by_foreign_name, find_rule_class
from bddsudoku.puzzle.sudoku.text.symbols import expected_error, is_link, read_number, show_symbol

NEGATIVES = ("ratio", "xv")
"""Kinds of signs to which a file can apply the negative constraint."""

INFORMATION = ("title", "author", "ruleset")
"""Members that say what :class:`~bddsudoku.puzzle.sudoku.puzzle_info.PuzzleInfo` does."""
IGNORED_MEMBERS = frozenset((
    *INFORMATION, "solution", "successMessage",
    "line", "text", "circle", "rectangle", "cage", "highlightConflicts",
    "disabledlogic", "truecandidatesoptions", "activeConstraints", "fogofwar", "foglight",
))  # fmt: skip
"""Members of a file that are ignored: prose, drawings, internal data of programs."""

IGNORED_CELL_MEMBERS = frozenset((
    "centerPencilMarks", "cornerPencilMarks", "candidates", "c", "cArray", "highlight",
))  # fmt: skip
"""Members of a cell that are ignored."""

COSMETIC_MEMBERS = frozenset((
    "outlineC", "baseC", "fontC", "lineC", "color", "width", "height", "size", "angle", "opacity",
    "fromConstraint", "isNewConstraint",
))  # fmt: skip
"""Members of a rule that are ignored: how it is drawn."""
_CELL = ("value", "given", "region", "givenPencilMarks", *IGNORED_CELL_MEMBERS)
_PLACE = re.compile(r"R(?:0|[1-9]\d?)C(?:0|[1-9]\d?)", re.IGNORECASE | re.ASCII)
_GRID = re.compile(r'"grid"\s*:(?!\s*(?:"|\[\s*(?:\[\s*)?(?:["\d.\]-]|null)))')
"""The beginning of a grid of objects; in plain boards the cells are texts, numbers or null."""


JOINT = {"cell": "cells"}
"""The members of rules whose objects in a file together are one rule."""
_MEMBERS: Mapping[str, Mapping[str, str]] = {
    **dict.fromkeys(("odd", "even", "minimum", "maximum"), JOINT),
    "arrow": {"cells": "circle", "lines": "shaft"},
    "clone": {"cells": "cells", "cloneCells": "copies"},
    "littlekillersum": {"cell": "clue", "cells": "", "direction": "direction", "value": "total"},
}
"""The members of rules that have unusual ones."""


def members_of(rule: type[Rule]) -> Mapping[str, str]:
    """The members of an object that is a rule in f-puzzles, each with the rule's field.

    A rule has a ``cell`` beside the board, ``lines``, each a rule of its own, or ``cells``; digits
    are ``values``, a number or word is the ``value``. Rules without fields are flags and have none.
    The field "" is the line of a little killer, which is redundant beside its direction.
    """
    cells = {"line": "lines", "margin": "cell"}.get(rule.drawn_on, "cells")
    usual = {FieldKind.PLACES: cells, FieldKind.DIGITS: "values"}
    own = {usual.get(kind, "value"): field for field, kind in rule.fields.items()}
    return _MEMBERS.get(rule.fpuzzles, own)


class FPuzzle(NamedTuple):
    """A puzzle read from f-puzzles' format, with notes for the user.

    Attributes:
        puzzle: the puzzle.
        notes: lines about what the reader ignored; empty if nothing.
        info: its title, author and rules in words.
    """

    puzzle: Puzzle
    notes: tuple[str, ...] = ()
    info: PuzzleInfo = PuzzleInfo()


@check_types
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
        data = unpack_link(text) if is_link(text.strip()) else text.removeprefix("\ufeff")
        return _FPuzzleReader(parse_json(data, first_line=line or 1), layout).read_puzzle()


def is_fpuzzles(text: str) -> bool:
    """Whether a text is in f-puzzles' JSON format and not a plain board in JSON.

    This is an object with a size and a grid whose cells are no texts or numbers.
    """
    return '"size"' in text and _GRID.search(text) is not None


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _read_list(name: str, value: object) -> list[object]:
    """Return a JSON value that is a list; raise an error for others."""
    if not isinstance(value, list):
        raise expected_error(f"a list as {name}", value)
    return value


def _read_members(value: object, known: Collection[str]) -> dict[str, object]:
    """The members of an object that are not null; an error if one is not known."""
    if not isinstance(value, dict):
        raise expected_error("an object", value)
    for name in value:
        if name not in known:
            raise PuzzleFormatError(f"{show_symbol(name)} is unknown")
    return {name: held for name, held in value.items() if held is not None}


def _read_flag(value: object) -> bool:
    """Return a JSON value that is true or false, or False for null; raise an error for others."""
    if value is None or isinstance(value, bool):
        return bool(value)
    raise expected_error("true or false", value)


def _read_place(value: object) -> Place:
    """Read a place such as R1C1, on the board or beside it."""
    if not isinstance(value, str) or not _PLACE.fullmatch(value):
        raise expected_error("a cell such as R1C1", value)
    return parse_place(value)


def _read_places(name: str, value: object) -> Places:
    """Read a JSON list of one or more places."""
    found = tuple(map(_read_place, _read_list(name, value)))
    if not found:
        raise expected_error("cells", value)
    return found


def _make_rule(kind: type[Rule], fields: dict[str, Any], layout: Layout) -> Rule:
    """Make a rule, and check that it fits the board."""
    rule = kind(**fields)
    rule.check(layout)
    return rule


class _FPuzzleReader:
    """Reader of one f-puzzles file."""

    def __init__(self, data: object, layout: Layout | None) -> None:
        if not isinstance(data, dict):
            raise expected_error("an object of f-puzzles", data)
        for key in ("size", "grid"):
            if key not in data:
                raise PuzzleFormatError(f"f-puzzles JSON: {key!r} is missing")
        size = data["size"]
        if not _is_integer(size) or not SMALLEST <= size <= LARGEST:
            raise expected_error(f"{SMALLEST} to {LARGEST} as size", size)
        if layout is not None and layout.n != size:
            raise PuzzleFormatError(f"size: the file says {size}, but {layout} was asked for")
        self._data: dict[str, object] = data
        self._n: int = size
        self._requested_layout = layout
        self._ignored: list[str] = []
        self._silent: list[str] = []
        self._progress = 0

    def read_puzzle(self) -> FPuzzle:
        """Read the file and return its puzzle, with notes about what was ignored."""
        with adding_error_place("grid"):
            masks, layout = self._read_grid()
        rules = [*self._read_rules(layout)]
        parts: list[str] = []
        if self._ignored:
            names = ", ".join(dict.fromkeys(self._ignored))
            parts.append(f"{names} (prose, drawing, progress)")
        if self._progress:
            s = "s that are" if self._progress > 1 else " that is"
            parts.append(f"{self._progress} value{s} not given")
        parts += self._silent
        notes = (f"passed over: {'; '.join(parts)}",) if parts else ()
        said = (self._data.get(name) for name in INFORMATION)
        info = PuzzleInfo(*(words if isinstance(words, str) else "" for words in said))
        return FPuzzle(Puzzle.from_masks(masks, layout, rules), notes, info)

    # The grid

    def _read_grid(self) -> tuple[list[int], Layout]:
        """Read from the file's grid the candidate masks of all cells, and the layout."""
        n, rows = self._n, _read_list("grid", self._data["grid"])
        if len(rows) != n:
            raise PuzzleFormatError(f"expected {n} rows, found {len(rows)}")
        masks, regions = list[int](), dict[int, int]()
        for r, row in enumerate(rows):
            cells = _read_list(f"row {r + 1}", row)
            if (found := len(cells)) != n:
                place = str(Place(r, min(found, n - 1)))
                raise PuzzleFormatError(f"row {r + 1} has {found} cells, expected {n}", cell=place)
            for c, value in enumerate(cells):
                with adding_error_place(cell=str(Place(r, c))):
                    if isinstance(value, dict) and "region" in value:
                        region = value["region"]
                        regions[len(masks)] = -1 if region is None else read_number(region)
                    masks.append(self._read_cell(value))
        layout = self._requested_layout or Layout.of_side_or_rows(n)
        if not regions:
            return masks, layout
        blocks = (regions.get(cell, layout.block_index(cell)) for cell in range(n * n))
        found_layout = layout.with_regions([*blocks]).simplified
        if self._requested_layout not in (None, found_layout):
            raise PuzzleFormatError(f"the file says {found_layout}, but {layout} was asked for")
        return masks, found_layout

    def _read_cell(self, value: object) -> int:
        """The candidate mask of a cell; a digit of a player is none of its givens."""
        cell = _read_members(value, _CELL)
        self._ignored += (k for k in cell if k in IGNORED_CELL_MEMBERS and cell[k])
        digit = self._read_digit("value", cell.get("value", 0), least=0)
        marks = _read_list("givenPencilMarks", cell.get("givenPencilMarks", []))
        digits = {self._read_digit("givenPencilMarks", mark) for mark in marks}
        if not _read_flag(cell.get("given")):
            self._progress += digit > 0
        elif digit:
            digits = {digit}
        else:
            raise PuzzleFormatError("given, but without a value")
        return sum(1 << (d - 1) for d in digits) or (1 << self._n) - 1

    def _read_digit(self, name: str, value: object, least: int = 1) -> int:
        """Return a JSON value that is a digit from ``least`` to n; raise an error for others."""
        if _is_integer(value) and least <= value <= self._n:
            return value
        raise expected_error(f"a digit {least} to {self._n} as {name}", value)

    # The rules

    def _read_rules(self, layout: Layout) -> Iterator[Rule]:
        """Yield each rule of the file, checked."""
        flags: list[str] = []
        for key, value in self._data.items():
            if key in IGNORED_MEMBERS.difference(("title", "author")):  # which are kept
                self._ignored += [key] if value not in (None, "", [], {}, False) else []
            if key in (*IGNORED_MEMBERS, "size", "grid", "negative"):
                continue
            kind = find_by_foreign_name("fpuzzles", key)
            if kind is None:
                raise PuzzleFormatError(f"{show_symbol(key)} is unknown; it may be a rule")
            with adding_error_place(key):
                if not members_of(kind):
                    flags += [kind.name] if _read_flag(value) else []
                elif value is not None:
                    yield from self._rules_of_entries(kind, _read_list("rules", value), layout)
        both = ("diagonal", "antidiagonal")
        if {*both} <= {*flags}:  # both together are one rule
            flags = ["diagonals", *(flag for flag in flags if flag not in both)]
        rules = [find_rule_class(flag)() for flag in flags]
        if self._data.get("difference") or self._data.get("ratio"):
            # the rule does not apply to a pair with a dot
            parted = Negative("difference", (1,))
            rules = [parted if rule.name == "nonconsecutive" else rule for rule in rules]
        with adding_error_place("negative"):
            for word in _read_list("rules", self._data.get("negative") or []):
                if word not in NEGATIVES:
                    raise expected_error(" or ".join(NEGATIVES), word)
                rules.append(Negative(str(word)))
        for rule in rules:
            rule.check(layout)
            yield rule

    def _rules_of_entries(
        self, kind: type[Rule], entries: list[object], layout: Layout
    ) -> Iterator[Rule]:
        """Yield the rules that a list of JSON objects describes."""
        members = members_of(kind)
        joint: Places = ()
        for value in entries:
            place = _PLACE.search(str(value))
            cell = None if place is None else place[0].lower()
            with adding_error_place(cell=cell):
                entry = _read_members(value, {*members, "value", *COSMETIC_MEMBERS})
                self._ignored += (f"{kind.fpuzzles}.{k}" for k in entry if k in COSMETIC_MEMBERS)
                if "value" not in members and entry.get("value", "") != "":
                    raise PuzzleFormatError("no value belongs there")
                fields = self._read_fields(kind, entry)
                if fields is None:
                    noun = "values" if "values" in members else "a value"
                    self._silent.append(f"{kind.fpuzzles} without {noun} at {cell}")
                elif members == JOINT:
                    joint += fields["cells"]
                else:
                    for each in self._fields_of_rules(kind, fields):
                        yield _make_rule(kind, each, layout)
        if joint:
            yield _make_rule(kind, {"cells": joint}, layout)

    def _fields_of_rules(
        self, kind: type[Rule], fields: dict[str, Any]
    ) -> Iterator[dict[str, Any]]:
        """Yield the field values of each rule that one JSON object describes."""
        field = members_of(kind).get("lines", "")
        if field:
            for line in fields.pop(field):
                if kind in (Thermometer, SlowThermometer) and len(line) == 1:
                    self._silent.append(f"{kind.fpuzzles} of one cell at {line[0]}")
                else:
                    yield {**fields, field: _drop_circle_cell(line, fields.get("circle"))}
        elif kind.drawn_on == "neighbours":  # some files write several on a path as one
            yield from ({**fields, "cells": pair} for pair in pairwise(fields["cells"]))
        else:
            yield fields

    def _read_fields(self, kind: type[Rule], entry: dict[str, object]) -> dict[str, Any] | None:
        """Read the values of a rule's fields from its JSON object; None if one of them is empty."""
        fields = dict[str, Any]()
        for member, field in members_of(kind).items():
            value, of = entry.get(member), kind.fields.get(field, FieldKind.PLACES)
            found: Any
            if of is FieldKind.WORD:
                found = value.strip().lower() if isinstance(value, str) else None
                if found not in kind.words:
                    *some, last = map(str.upper, kind.words)
                    raise expected_error(f"{', '.join(some)} or {last}", value)
            elif of is FieldKind.DIGITS:
                found = tuple(self._read_digit(member, v) for v in _read_list(member, value or []))
            elif of is not FieldKind.PLACES:
                found = None if value in (None, "") else read_number(value)
            elif member == "lines":
                found = [_read_places(member, line) for line in _read_list(member, value or [])]
                if not found:
                    raise expected_error("lines", value)
            elif member == "cell":
                found = (_read_place(value),)
            elif not field and not value:
                continue
            elif member not in entry:
                raise PuzzleFormatError(f"{member!r} is missing")
            else:
                found = _read_places(member, value)
            if found not in (None, ()):
                fields[field] = found
            elif of is not FieldKind.MAYBE:
                return None
        if notes := fields.pop("", ()):
            way = LittleKiller(fields["clue"], 0, fields["direction"])
            if {*notes} != {*way.seen_cells(Layout.of_side_or_rows(self._n))}:
                raise PuzzleFormatError("the cells are not those of its direction")
        return fields


def _drop_circle_cell(line: Places, circle: Places | None) -> Places:
    """A line; if ``circle`` is given, without its first cell, which must lie in the circle."""
    if circle is None:
        return line
    if line[0] not in circle:
        raise PuzzleFormatError("a line that does not begin in its circle")
    if len(line) < 2:
        raise PuzzleFormatError("a line of one cell, it has no shaft")
    return line[1:]
