"""Parse Numberlink boards: the DA Symposium contest's text, grids of symbols, JSON.

The first character decides which of the three forms a text has:

* the text of the DA Symposium's algorithm design contest (``#`` after whole lines of comment)::

      SIZE 17X15
      LINE_NUM 13
      LINE#1 (0,0)-(16,10)
      ...

* a grid of symbols, one line a row: ``.`` is an empty cell, the two cells with the same symbol are
  a pair. Symbols are single characters, or words separated by blanks (``10 . . 7``); a blank is no
  cell, and a line that begins with ``#`` a comment (refused where it may be a row);
* JSON: ``{"width": 4, "height": 3, "pairs": [[[0, 0], [3, 2]], …], "rule": "cover"}``, points as
  [x, y]; ``rule`` and ``names`` may be left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from bddsudoku.errors import PuzzleFormatError, adding_error_place
from bddsudoku.file_io import parse_json
from bddsudoku.number_text import short_repr

Point = tuple[int, int]
Rule = Literal["free", "cover"]

RULES = ("free", "cover")
_MOST_CELLS = 1_000_000  # the list of all cells' neighbours must fit in memory


def check_board_size(width: int, height: int) -> None:
    """Raise PuzzleFormatError for a board without cells or with more than a million.

    Raises:
        PuzzleFormatError: no cells, or more than a million.
    """
    if width < 1 or height < 1:
        raise PuzzleFormatError(f"expected a board of 1x1 or more, found {width}x{height}")
    if width * height > _MOST_CELLS:
        raise PuzzleFormatError(
            f"expected a board of at most {_MOST_CELLS:,} cells, found {width}x{height}"
        )


def check_terminals(
    size: tuple[int, int], pairs: Iterable[tuple[str, Sequence[Point], int | None]]
) -> None:
    """Check that the terminals of pairs are different cells of a board.

    Args:
        size: width and height of the board.
        pairs: for every pair its name, its terminals, and the line of a text on which it stands.

    Raises:
        PuzzleFormatError: a terminal outside, or two terminals in one cell.
    """
    owner: dict[Point, str] = {}
    for name, ends, line in pairs:
        for x, y in ends:
            if not (0 <= x < size[0] and 0 <= y < size[1]):
                raise PuzzleFormatError(
                    f"terminal ({x},{y}) of pair {name} lies outside the {size[0]}x{size[1]} board",
                    line=line,
                )
            if (x, y) in owner:
                raise PuzzleFormatError(
                    f"two terminals in one cell, of pairs {owner[x, y]} and {name}",
                    line=line,
                    cell=f"r{y + 1}c{x + 1}",
                )
            owner[x, y] = name


EMPTY = "."
_SIZE = re.compile(r"SIZE\s+(\d{1,9})\s*[X×]\s*(\d{1,9})", re.IGNORECASE)
_COUNT = re.compile(r"LINE_NUM\s+(\d{1,9})", re.IGNORECASE)
_LINE = re.compile(r"LINE#\s*(\S+?)\s+\((.*?)\)\s*-\s*\((.*?)\)\s*", re.IGNORECASE)


def _numbered_content_lines(text: str) -> list[tuple[int, str]]:
    """The lines of a text that are neither blank nor comments, with their numbers from 1."""
    lines = ((i, line.strip()) for i, line in enumerate(text.splitlines(), 1))
    return [(i, line) for i, line in lines if line and not line.startswith("#")]


def parse_board_fields(text: str) -> dict[str, Any]:
    """Parse a board's text into the arguments of :class:`.link_board.Board`.

    Args:
        text: in one of the three forms of this module.

    Raises:
        PuzzleFormatError: the text has none of these forms; the message names the line.
    """
    lines = _numbered_content_lines(text)
    if not lines:
        raise PuzzleFormatError("expected a board, found nothing")
    if lines[0][1][0] in "{[":
        return board_fields_from_json(parse_json(text))
    if re.match(r"(SIZE|LINE_NUM|LINE#)", lines[0][1], re.IGNORECASE):
        return _parse_contest_form(lines)
    return _parse_grid(text, lines)


def _parse_point(text: str, line: int) -> Point:
    numbers = re.fullmatch(r"\s*(-?\d{1,9})\s*,\s*(-?\d{1,9})\s*", text)
    if not numbers:
        raise PuzzleFormatError(f"expected a point (x,y), found ({text[:60]})", line=line)
    return int(numbers[1]), int(numbers[2])


def _parse_contest_form(lines: list[tuple[int, str]]) -> dict[str, Any]:
    size: tuple[int, int] | None = None
    wanted: tuple[int, int] | None = None
    pairs: dict[str, tuple[Point, Point]] = {}
    lines_of_pairs: list[int] = []
    for number, line in lines:
        if m := _SIZE.fullmatch(line):
            if size is not None:
                raise PuzzleFormatError("a second SIZE", line=number)
            size = int(m[1]), int(m[2])
            with adding_error_place(line=number):
                check_board_size(*size)
        elif m := _COUNT.fullmatch(line):
            if wanted is not None:
                raise PuzzleFormatError("a second LINE_NUM", line=number)
            wanted = int(m[1]), number
        elif m := _LINE.fullmatch(line):
            if size is None:
                raise PuzzleFormatError("expected SIZE before the first LINE#", line=number)
            name, ends = m[1], (_parse_point(m[2], number), _parse_point(m[3], number))
            if name in pairs:
                raise PuzzleFormatError(f"a second LINE#{name}", line=number)
            pairs[name] = ends
            lines_of_pairs.append(number)
        else:
            raise PuzzleFormatError(
                f"expected SIZE, LINE_NUM or LINE#n (x,y)-(x,y), found {line[:60]!r}", line=number
            )
    if size is None:
        raise PuzzleFormatError("expected SIZE, found none")
    check_terminals(size, zip(pairs, pairs.values(), lines_of_pairs, strict=True))
    if wanted is not None and wanted[0] != len(pairs):
        raise PuzzleFormatError(
            f"LINE_NUM says {wanted[0]} pairs, found {len(pairs)}", line=wanted[1]
        )
    return {
        "width": size[0],
        "height": size[1],
        "pairs": tuple(pairs.values()),
        "names": tuple(pairs),
    }


def _parse_grid(text: str, lines: list[tuple[int, str]]) -> dict[str, Any]:
    """Parse the lines of a grid in which equal symbols are the two terminals of a pair."""
    split = str.split if any(len(line.split()) > 1 for _, line in lines) else list
    rows = [(number, split(line)) for number, line in lines]
    width = len(rows[0][1])
    check_board_size(width, len(lines))
    has_empty = any(EMPTY in line for _, line in lines)
    for number, line in enumerate(text.expandtabs(1).splitlines(), 1):
        cells = split(line.strip())
        if cells and cells[0][0] == "#":
            if len(cells) == width and cells[0] == "#" and {*cells[1:]} & {EMPTY, "#"}:
                raise PuzzleFormatError(
                    "expected a row or a comment, found what may be both", line=number
                )
        elif (
            not has_empty
            and lines[0][0] <= number <= lines[-1][0]
            and (not cells or line != " ".join(line.split()))
        ):
            raise PuzzleFormatError("expected . for an open cell, found a blank", line=number)
    places: dict[str, list[tuple[Point, int]]] = {}
    for y, (number, row) in enumerate(rows):
        if len(row) != width:
            raise PuzzleFormatError(
                f"expected {width} cells in the row, found {len(row)}", line=number
            )
        for x, symbol in enumerate(row):
            if symbol != EMPTY:
                places.setdefault(symbol, []).append(((x, y), number))
    for symbol, found in places.items():
        if len(found) != 2:
            (x, y), number = found[min(2, len(found) - 1)]
            how = "once" if len(found) == 1 else f"{len(found)} times"
            raise PuzzleFormatError(
                f"symbol {symbol!r} stands {how}, expected twice",
                line=number,
                cell=f"r{y + 1}c{x + 1}",
            )
    if not places:
        raise PuzzleFormatError("expected at least one pair of symbols, found none")
    return {
        "width": width,
        "height": len(rows),
        "pairs": tuple((first, second) for (first, _), (second, _) in places.values()),
        "names": tuple(places),
    }


def _is_small_integer(value: Any) -> bool:
    """Whether a value is an integer of at most nine digits."""
    return type(value) is int and abs(value) < 10**9


def _is_pair_of_points(value: Any) -> bool:
    """Whether a JSON value is [[x, y], [x, y]]."""
    return (isinstance(value, list) and len(value) == 2) and all(
        isinstance(p, list) and len(p) == 2 and all(map(_is_small_integer, p)) for p in value
    )


_MEMBERS = ("width", "height", "pairs", "rule", "names", "no_touch")
"""Members of a board's JSON object; boards of earlier versions say that ``no_touch`` is false."""


def board_fields_from_json(data: Any) -> dict[str, Any]:
    """Check a board's JSON value and return the arguments of :class:`.link_board.Board`.

    Raises:
        PuzzleFormatError: the value is not a board.
    """
    if not isinstance(data, Mapping):
        raise PuzzleFormatError("expected a JSON object with width, height and pairs")
    for key in data:
        if key not in _MEMBERS:
            raise PuzzleFormatError(f"unknown key {short_repr(key)} in the board's JSON")
    fields = {"names": []} | dict(data)
    if fields.pop("no_touch", None):
        raise PuzzleFormatError("expected no_touch to be false: that rule is gone")
    for key in ("width", "height"):
        if not _is_small_integer(fields.get(key)):
            found = short_repr(fields.get(key))
            raise PuzzleFormatError(f"expected an integer for {key}, found {found}")
    for key in ("pairs", "names"):
        if not isinstance(fields.get(key), list):
            raise PuzzleFormatError(
                f"expected a list for {key}, found {short_repr(fields.get(key))}"
            )
    for pair in fields["pairs"]:
        if not _is_pair_of_points(pair):
            raise PuzzleFormatError(f"expected a pair [[x, y], [x, y]], found {short_repr(pair)}")
    return fields
