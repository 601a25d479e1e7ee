"""Families of grids that are not held as an ordered diagram, but whose grids have numbers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from bddsudoku.solutions.arrays import U8
from bddsudoku.solutions.bycell import ByCell, check_drawing
from bddsudoku.solutions.counting import from_limbs, to_limbs
from bddsudoku.solutions.slices import Numbered
from bddsudoku.solutions.walk import draw_ranks

__all__ = ["NumberedGrids"]


class NumberedGrids(ByCell, Numbered):
    """A family without an ordered diagram, each of whose grids has a number.

    Whoever derives from it counts, knows the grid with a number, and the number of a grid.
    Satisfies :class:`bddsudoku.solutions.protocol.SolutionFamily`.
    """

    decoder: Any

    @abstractmethod
    def _number(self, row: Sequence[int]) -> int | None:
        """The number of a grid, a symbol from 1 in every cell; None: it is no member."""

    def __bool__(self) -> bool:
        return self.count() > 0

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns, symbols."""
        return self.decoder.rows, self.decoder.columns, len(self.decoder.symbols)

    def decode_row(self, row: U8) -> Any:
        """The solution with these symbols (from 1), cell by cell."""
        return self.decoder.decode_row(row)

    def _found(self, solution: Any) -> int | None:
        try:
            row = self.decoder.encode_row(solution)
        except (TypeError, ValueError):
            return None
        return self._number(row.tolist())

    def rank(self, solution: Any) -> int:
        """Number of a solution, from 0, in the set's order.

        Raises:
            ValueError: it is not in the set.
        """
        found = self._found(solution)
        if found is None:
            raise ValueError(f"{solution!r} is not one of the solutions")
        return found

    def __contains__(self, solution: object) -> bool:
        return self._found(solution) is not None

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> U8:
        """Independent solutions, each exactly as likely as any other: uint8, shape (n, cells).

        Args:
            n: how many, with replacement.
            rng: a generator, a seed, or None for fresh randomness.

        Raises:
            ValueError: the set is empty and ``n`` is not 0, or n is negative.
        """
        total = self.count() if n else 0
        check_drawing(n, total)
        if n == 0:
            return self._rows(())
        limbs = to_limbs([total], -(-total.bit_length() // 64)).shape[1]
        ranks = draw_ranks(total, limbs, n, np.random.default_rng(rng))
        return self._rows([from_limbs(rank) for rank in ranks])
