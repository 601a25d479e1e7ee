"""Decoders: the conversion between the true variables of a solution and the puzzle's own objects.

A set knows variables only by their keys. A *decoder* turns the keys that are true into a solution
object and back. Each kind of puzzle has its own; this module has the protocols and the two default
decoders, to tuples of keys and to arrays.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from bddsudoku.argument_types import check_types
from bddsudoku.errors import PuzzleFormatError

if TYPE_CHECKING:
    import typing_extensions

    from bddsudoku.jit.decorators import U8, U16, AnyArray

    S_co = typing_extensions.TypeVar("S_co", default=Any, covariant=True)
else:
    S_co = TypeVar("S_co", covariant=True)


@runtime_checkable
class Decoder(Protocol[S_co]):
    """Converts the keys of a solution's true variables to the puzzle's solution object and back.

    Attributes:
        kind: names the decoder in saved files, e.g. ``sudoku``.
    """

    kind: str

    @property
    def space(self) -> Hashable:
        """An identifier of the solutions' universe; sets with equal identifiers can be combined."""
        ...

    def decode(self, keys: Sequence[int]) -> S_co:
        """The solution in which exactly the variables with the given ascending keys are true."""
        ...

    def encode(self, solution: Any) -> Iterable[int]:
        """The keys of a solution's true variables; the inverse of :meth:`decode`.

        Raises:
            ValueError, TypeError: this cannot be a solution.
        """
        ...

    def merge(self, other: Any, is_intersection: bool) -> Any:
        """The decoder of the intersection or the union of two sets; unless overridden this one.

        Args:
            other: the other set's decoder, of the same space.
            is_intersection: True for an intersection, whose solutions satisfy both puzzles; False
                for a union, whose solutions satisfy only what both puzzles have in common.
        """
        return self

    def to_dict(self) -> dict[str, Any]:
        """JSON values from which the decoder can be restored, for saved sets."""
        ...


@runtime_checkable
class GridDecoder(Decoder[S_co], Protocol[S_co]):
    """The decoder of a puzzle that puts one symbol in every cell.

    The key of "the i-th symbol in cell c" is ``c * len(symbols) + i``, both from 0.

    Attributes:
        rows: number of rows.
        columns: number of columns.
        symbols: how the symbols are written, one character each.
        values: what stands for the symbols in rows and arrays, ascending: of a Sudoku its digits,
            usually 1 to n.
    """

    rows: int
    columns: int
    symbols: str
    values: range

    def decode_row(self, row: U8) -> S_co:
        """The solution object made from a row that holds each cell's digit (of ``values``)."""
        ...

    def encode_row(self, solution: Any) -> U8:
        """The row of a solution object: each cell's digit, or what :func:`blank_of` says.

        Raises:
            ValueError, TypeError: this cannot be a solution.
        """
        ...

    def encode(self, solution: Any) -> Iterable[int]:
        """The keys of a solution's true variables; the inverse of :meth:`decode`."""
        return keys_of_row(self.encode_row(solution).tolist(), self.values)

    def with_hints(self, hints: Mapping[int, int], masks: Sequence[int] | None = None) -> Any:
        """The decoder of the subset with further hints and fewer candidates; by default this one.

        Args:
            hints: given cells, as {cell: digit}.
            masks: candidates of every cell, bit i for ``values[i]``.
        """
        return self

    def picture(self, marginals: AnyArray) -> str:
        """The SVG of a grid with marginals (rows, columns, symbols); by default ""."""
        return ""


def blank_of(values: range) -> int:
    """What stands for an open cell among digits: 0, or -1 where 0 is a digit."""
    return min(values.start - 1, 0)


def row_of_array(given: Any, cells: int, values: range) -> U8:
    """The row of digits in an array of any integer type, in which open cells are ``blank_of``.

    Raises:
        PuzzleFormatError: another number of cells, another type, or something that is no digit.
    """
    flat, blank = np.asarray(given).reshape(-1), blank_of(values)
    is_board = len(flat) == cells and np.issubdtype(flat.dtype, np.integer)
    strange = flat[~np.isin(flat, (blank, *values))]
    if not is_board or len(strange):
        found = strange[0] if is_board else f"{len(flat)} of {flat.dtype}"
        raise PuzzleFormatError(
            f"expected {cells} digits {values[0]} to {values[-1]}, {blank} for an open cell, "
            f"found {found}"
        )
    return flat.astype(np.uint8)


def keys_of_row(row: Sequence[int], values: range) -> list[int]:
    """The keys of the digits in a row that has one entry a cell."""
    symbols = len(values)
    return [
        cell * symbols + digit - values.start for cell, digit in enumerate(row) if digit in values
    ]


def masks_of_boards(boards: AnyArray) -> U16:
    """Candidate masks, uint16, of classic boards: of digits (uint8, 0 where open) or of masks."""
    if boards.dtype == np.uint16:
        return boards
    return np.where(boards, 1 << (boards.astype(np.uint16) - 1), 0x1FF).astype(np.uint16)


class KeyDecoder(Decoder[tuple[int, ...]]):
    """The default decoder: a solution is the tuple of its true variables' keys, ascending.

    Args:
        space: a name that distinguishes these keys from those of other problems.
    """

    kind = "keys"

    @check_types
    def __init__(self, space: str = "") -> None:
        self.name = space

    @property
    def space(self) -> Hashable:
        """An identifier of the solutions' universe; sets with equal identifiers can be combined."""
        return (self.kind, self.name)

    def decode(self, keys: Sequence[int]) -> tuple[int, ...]:
        """A solution, as the tuple of the keys of its true variables."""
        return tuple(int(k) for k in keys)

    def encode(self, solution: Iterable[int]) -> Iterable[int]:
        """The keys of a solution's true variables; the inverse of :meth:`decode`."""
        return map(index, solution)

    def to_dict(self) -> dict[str, Any]:
        """The decoder's description as JSON values, for saved sets."""
        return {"kind": self.kind, "space": self.name}

    @classmethod
    def from_description(cls, data: Mapping[str, Any]) -> KeyDecoder:
        """Make a KeyDecoder from the description of a decoder of any kind."""
        own = data["kind"] == cls.kind
        return cls(str(data["space"]) if own else json.dumps(data, sort_keys=True))


class PlainGridDecoder(GridDecoder["U8"]):
    """The default decoder of grids: a solution is a uint8 array of shape (rows, columns).

    Args:
        rows: number of rows.
        columns: number of columns.
        symbols: how the symbols are written, one character each, at most 255.
        first: the first of ``values``, what stands for the symbols in arrays.
    """

    kind = "grid"

    def __init__(self, rows: int, columns: int, symbols: str, first: int = 1) -> None:
        self.rows = rows
        self.columns = columns
        self.symbols = symbols
        self.values: range = range(first, first + len(symbols))

    @property
    def space(self) -> Hashable:
        """An identifier of the solutions' universe; sets with equal identifiers can be combined."""
        return (self.kind, self.rows, self.columns, self.symbols)

    def decode(self, keys: Sequence[int]) -> U8:
        """The grid whose true variables have the given keys, as a uint8 array (rows, columns)."""
        row = np.zeros(self.rows * self.columns, dtype=np.uint8)
        for key in keys:
            cell, symbol = divmod(int(key), len(self.symbols))
            row[cell] = self.values[symbol]
        return self.decode_row(row)

    def decode_row(self, row: U8) -> U8:
        """The grid made from a row of symbols: a copy of the row in the shape (rows, columns)."""
        return row.reshape(self.rows, self.columns).copy()

    def encode_row(self, solution: Any) -> U8:
        """Make a row from an array with one digit per cell, or from a line of symbols."""
        if isinstance(solution, str):
            solution = [self.values[self.symbols.index(s)] for s in solution.strip()]
        return row_of_array(solution, self.rows * self.columns, self.values)

    def to_dict(self) -> dict[str, Any]:
        """The decoder's description as JSON values, for saved sets."""
        return {
            "kind": self.kind,
            "rows": self.rows,
            "columns": self.columns,
            "symbols": self.symbols,
        }

    @classmethod
    def from_description(cls, data: Mapping[str, Any]) -> PlainGridDecoder:
        """Make a PlainGridDecoder from the saved description of any grid decoder."""
        (first, *_) = data.get("values", (1,))
        return cls(int(data["rows"]), int(data["columns"]), str(data["symbols"]), int(first))
