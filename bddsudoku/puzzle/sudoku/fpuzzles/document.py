"""JSON strictly read, and looked into with errors that say where and what."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.numbers import number_in
from bddsudoku.puzzle.sudoku.rules import Place, Places
from bddsudoku.puzzle.sudoku.text.symbols import show

_PLACE = re.compile(r"R(0|[1-9]\d?)C(0|[1-9]\d?)", re.IGNORECASE | re.ASCII)
_SIGNS = re.compile(r'"given"|"cells?"|"R\d{1,2}C\d{1,2}"|"grid"\s*:\s*\[\s*\[\s*\{')
"""What other JSON with a grid does not have."""


def loaded(text: str) -> object:
    """The value of a JSON text.

    Raises:
        PuzzleFormatError: it is none, or says a name twice, or has a number that is none.
    """
    try:
        return json.loads(
            text.removeprefix("\ufeff"),
            object_pairs_hook=_object,
            parse_constant=_refuse_constant,
            parse_int=number_in,
        )
    except PuzzleFormatError as error:
        raise PuzzleFormatError(f"JSON: {error}") from None
    except RecursionError:
        raise PuzzleFormatError("JSON: the brackets are nested too deep") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise PuzzleFormatError(f"no JSON: {error.msg} ({place} of it)") from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise PuzzleFormatError(f"the name {show(twice)} stands twice in an object")
    return found


def _refuse_constant(word: str) -> object:
    raise PuzzleFormatError(f"{word} is no number")


def claims(text: str) -> bool:
    """Whether text in braces is f-puzzles' and not a plain board in JSON.

    An object with a size and a grid whose cells are objects; and anything that was meant to be one.
    """
    if '"size"' not in text or '"grid"' not in text:
        return False
    try:
        value = loaded(text)
    except PuzzleFormatError:
        return _SIGNS.search(text) is not None
    if not isinstance(value, dict) or not {"size", "grid"} <= value.keys():
        return False
    grid = value["grid"]
    if not isinstance(grid, list):
        return not isinstance(grid, str)
    return any(
        isinstance(row, dict) or (isinstance(row, list) and any(isinstance(c, dict) for c in row))
        for row in grid
    )


class Document:
    """Values out of a file of f-puzzles, of the kinds that belong there.

    Args:
        n: side of the board.
        source: what messages call the file.
        line: where in it the puzzle begins.
    """

    def __init__(self, n: int, source: str | None, line: int | None) -> None:
        self.n = n
        self._source = source
        self._line = line

    def refuse(self, what: str, cell: Place | None = None) -> PuzzleFormatError:
        """An error that says where."""
        return PuzzleFormatError(
            what, source=self._source, line=self._line, cell=None if cell is None else str(cell)
        )

    def items(self, key: str, value: object) -> list[object]:
        """A list.

        Raises:
            PuzzleFormatError: it is none.
        """
        if not isinstance(value, list):
            raise self.refuse(f"{key}: expected a list, found {shown(value)}")
        return value

    def entry(
        self, key: str, value: object, names: Iterable[str], cell: Place | None = None
    ) -> Mapping[str, object]:
        """An object with some of these names; what is null is left out.

        Raises:
            PuzzleFormatError: it is none, or has another name.
        """
        if not isinstance(value, dict):
            raise self.refuse(f"{key}: expected an object, found {shown(value)}", cell)
        known = {*names}
        for name in value:
            if name not in known:
                raise self.refuse(f"{key}: {show(name)} is unknown", cell)
        return {name: held for name, held in value.items() if held is not None}

    def flag(self, key: str, value: object, cell: Place | None = None) -> bool:
        """True or false; null is false.

        Raises:
            PuzzleFormatError: it is neither.
        """
        if value is None or isinstance(value, bool):
            return bool(value)
        raise self.refuse(f"{key}: expected true or false, found {shown(value)}", cell)

    def digits(self, key: str, value: object, cell: Place | None = None) -> list[int]:
        """A list of digits.

        Raises:
            PuzzleFormatError: something is none.
        """
        return [self.digit(key, v, cell) for v in self.items(key, value)]

    def digit(self, key: str, value: object, cell: Place | None = None, least: int = 1) -> int:
        """A digit of the board.

        Raises:
            PuzzleFormatError: it is none.
        """
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= self.n:
            return value
        raise self.refuse(
            f"{key}: expected a digit {least} to {self.n}, found {shown(value)}", cell
        )

    def number(self, key: str, value: object, cell: Place | None = None) -> int | None:
        """A number, or one in a string; None where there is none.

        Raises:
            PuzzleFormatError: it is something else.
        """
        value = value.strip() if isinstance(value, str) else value
        if value is None or value == "":
            return None
        try:
            number = number_in(value) if isinstance(value, str) else value
        except PuzzleFormatError as error:
            raise self.refuse(f"{key}: {error}", cell) from None
        if isinstance(number, int) and not isinstance(number, bool) and number >= 0:
            return number
        raise self.refuse(f"{key}: expected a number as value, found {shown(value)}", cell)

    def places(self, key: str, value: object) -> Places:
        """Cells of the board, one or more.

        Raises:
            PuzzleFormatError: something is none.
        """
        found = tuple(self.place(key, v) for v in self.items(key, value))
        if not found:
            raise self.refuse(f"{key}: expected cells, found an empty list")
        return found

    def place(self, key: str, value: object, *, outside: bool = False) -> Place:
        """A cell of the board, or a place beside it.

        Raises:
            PuzzleFormatError: it is none.
        """
        match = _PLACE.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            raise self.refuse(f"{key}: expected a cell such as R1C1, found {shown(value)}")
        place = Place(int(match[1]) - 1, int(match[2]) - 1)
        n = self.n
        if max(place) > n:
            raise self.refuse(f"{key}: {match[0]} is not on a board of {n}x{n} cells", place)
        if (min(place) < 0 or max(place) == n) != outside:
            where = "is on the board, not beside it" if outside else "is not on the board"
            raise self.refuse(f"{key}: {match[0]} {where} of {n}x{n} cells", place)
        return place


def shown(value: object) -> str:
    """A value as messages show it: never long, always printable."""
    if isinstance(value, str):
        return show(value) if value else "''"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    return "null" if value is None else str(value).lower()
