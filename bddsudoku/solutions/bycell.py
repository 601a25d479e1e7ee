"""What the marginals of a set of grids tell, however it holds them."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from bddsudoku.solutions.arrays import U8, AnyArray

__all__ = ["ByCell", "check_drawing"]


def check_drawing(n: int, total: int) -> None:
    """Whether so many solutions can be drawn of a set.

    Args:
        n: how many, with replacement.
        total: solutions of the set.

    Raises:
        ValueError: the set is empty and ``n`` is not 0, or n is negative.
    """
    if n < 0:
        raise ValueError(f"expected a number of samples, found {n}")
    if n and not total:
        raise ValueError("there is nothing to draw from an empty set")


class ByCell(ABC):
    """Answers that follow from the marginals."""

    @abstractmethod
    def marginals(self) -> AnyArray:
        """In how many solutions symbol s stands in a cell, exact: [row, column, s - 1]."""

    def true_candidates(self) -> NDArray[np.bool_]:
        """Whether symbol s stands in a cell in some solution: bool [row, column, s - 1]."""
        return np.asarray(self.marginals() != 0, dtype=np.bool_)

    def backbone(self) -> U8:
        """The symbol of cells that are the same in all solutions, else 0: uint8 [row, column].

        All 0 for an empty set.
        """
        possible = self.true_candidates()
        alone = possible.sum(axis=2) == 1
        return np.where(alone, possible.argmax(axis=2) + 1, 0).astype(np.uint8)
