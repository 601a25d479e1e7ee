"""Decoders: the conversion between the true variables of a solution and the puzzle's own objects.

A set knows variables only by their keys. A *decoder* turns the keys that are true into a solution
object and back. Each kind of puzzle has its own; this module has the protocols and the two default
decoders, to tuples of keys and to arrays.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from bddsudoku.jit.decorators import U8


@runtime_checkable
class Decoder(Protocol):
    """Converts the keys of a solution's true variables to the puzzle's solution object and back.

    Attributes:
        kind: names the decoder in saved files, e.g. ``sudoku``.
    """

    kind: str

    @property
    def space(self) -> Hashable:
        """An identifier of the solutions' universe; sets with equal identifiers can be combined."""
        ...

    def decode(self, keys: Sequence[int]) -> Any:
        """The solution in which exactly the variables with the given ascending keys are true."""
        ...

    def encode(self, solution: Any) -> Iterable[int]:
        """The keys of a solution's true variables; the inverse of :meth:`decode`.

        Raises:
            ValueError, TypeError: this cannot be a solution.
        """
        ...

    def merge(self, other: Any, is_intersection: bool) -> Any:
        """The decoder of the intersection or the union of this decoder's set and another set.

        Args:
            other: the other set's decoder, of the same space.
            is_intersection: True for an intersection, whose solutions satisfy both puzzles; False
                for a union, whose solutions satisfy only what both puzzles have in common.
        """
        ...

    def to_dict(self) -> dict[str, Any]:
        """JSON values from which the decoder can be restored, for saved sets."""
        ...


@runtime_checkable
class GridDecoder(Decoder, Protocol):
    """The decoder of a puzzle that puts one symbol in every cell.

    The key of "symbol s in cell c" is ``c * len(symbols) + s``, both from 0.

    Attributes:
        rows: number of rows.
        columns: number of columns.
        symbols: how the symbols are written, one character each.
    """

    rows: int
    columns: int
    symbols: str

    def decode_row(self, row: U8) -> Any:
        """The solution object made from a row that holds each cell's symbol, numbered from 1."""
        ...

    def encode_row(self, solution: Any) -> U8:
        """The row of a solution object: each cell's symbol, numbered from 1, or 0 for none.

        Raises:
            ValueError, TypeError: this cannot be a solution.
        """
        ...

    def with_hints(self, hints: Mapping[int, int], masks: Sequence[int] | None = None) -> Any:
        """The decoder of the subset with further hints and fewer candidates.

        Args:
            hints: given cells, as {cell: symbol from 1}.
            masks: candidates of every cell, bit s - 1 for symbol s.
        """
        ...


class KeyDecoder:
    """The default decoder: a solution is the tuple of its true variables' keys, ascending.

    Args:
        space: a name that distinguishes these keys from those of other problems.
    """

    kind = "keys"

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
        return [int(k) for k in solution]

    def merge(self, other: KeyDecoder, is_intersection: bool) -> KeyDecoder:
        """Return this decoder: it also decodes the union or intersection with another set."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """The decoder's description as JSON values, for saved sets."""
        return {"kind": self.kind, "space": self.name}

    @classmethod
    def from_description(cls, data: Mapping[str, Any]) -> KeyDecoder:
        """Make a KeyDecoder from the description of a decoder of any kind."""
        own = data["kind"] == cls.kind
        return cls(str(data["space"]) if own else json.dumps(data, sort_keys=True))


class PlainGridDecoder:
    """The default decoder of grids: a solution is a uint8 array of shape (rows, columns).

    Args:
        rows: number of rows.
        columns: number of columns.
        symbols: how the symbols are written, one character each, at most 255.
    """

    kind = "grid"

    def __init__(self, rows: int, columns: int, symbols: str) -> None:
        self.rows, self.columns, self.symbols = rows, columns, symbols

    @property
    def space(self) -> Hashable:
        """An identifier of the solutions' universe; sets with equal identifiers can be combined."""
        return (self.kind, self.rows, self.columns, self.symbols)

    def decode(self, keys: Sequence[int]) -> U8:
        """The grid whose true variables have the given keys, as a uint8 array (rows, columns)."""
        row = np.zeros(self.rows * self.columns, dtype=np.uint8)
        for key in keys:
            cell, symbol = divmod(int(key), len(self.symbols))
            row[cell] = symbol + 1
        return self.decode_row(row)

    def decode_row(self, row: U8) -> U8:
        """The grid made from a row of symbols: a copy of the row in the shape (rows, columns)."""
        return row.reshape(self.rows, self.columns).copy()

    def encode_row(self, solution: Any) -> U8:
        """Make a row from an array with one symbol number per cell, or from a line of symbols."""
        cells = self.rows * self.columns
        if isinstance(solution, str):
            row = np.array([self.symbols.index(s) + 1 for s in solution.strip()], dtype=np.int64)
        else:
            row = np.asarray(solution).reshape(-1)
        if len(row) != cells or not np.issubdtype(row.dtype, np.integer):
            raise ValueError(f"expected {cells} symbol numbers")
        if len(row) and not (int(row.min()) >= 0 and int(row.max()) <= len(self.symbols)):
            raise ValueError(f"expected symbol numbers 0 to {len(self.symbols)}")
        return row.astype(np.uint8)

    def encode(self, solution: Any) -> Iterable[int]:
        """The keys of a solution's true variables; the inverse of :meth:`decode`."""
        row = self.encode_row(solution).tolist()
        return [cell * len(self.symbols) + s - 1 for cell, s in enumerate(row) if s]

    def merge(self, other: PlainGridDecoder, is_intersection: bool) -> PlainGridDecoder:
        """Return this decoder: it also decodes the union or intersection with another set."""
        return self

    def with_hints(
        self, hints: Mapping[int, int], masks: Sequence[int] | None = None
    ) -> PlainGridDecoder:
        """Return this decoder: it also decodes the subset with further hints."""
        return self

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
        return cls(int(data["rows"]), int(data["columns"]), str(data["symbols"]))
