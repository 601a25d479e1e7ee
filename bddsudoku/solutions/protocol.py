"""The questions that every set of grids answers, however it holds them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

__all__ = ["SolutionFamily"]


@runtime_checkable
class SolutionFamily(Protocol):
    """A set of grids with rows × columns cells and one of n symbols in each.

    Satisfied by :class:`bddsudoku.solutions.gridset.GridSet` (a diagram) and by the band engine's
    set, which holds no diagram and reaches sets far too large for one.
    """

    def count(self) -> int:
        """Number of solutions, exact."""
        ...

    def marginals(self) -> NDArray[Any]:
        """Number of solutions with symbol s in a cell: [row, column, s - 1].

        int64 while the count stays below 2**63, otherwise Python integers (dtype object).
        """
        ...

    def true_candidates(self) -> NDArray[np.bool_]:
        """Whether some solution has symbol s in a cell: [row, column, s - 1]."""
        ...

    def backbone(self) -> NDArray[np.uint8]:
        """The symbol that a cell has in all solutions, 0 where they differ: [row, column]."""
        ...

    def sample(self, n: int, rng: Any = None) -> NDArray[np.uint8]:
        """Independent solutions, each exactly as likely as any other: shape (n, cells)."""
        ...

    def rank(self, solution: Any) -> int:
        """Number of a solution, from 0, in the set's own order."""
        ...

    def unrank(self, index: int) -> Any:
        """The solution with a number."""
        ...

    def given(self, hints: Mapping[Any, int] | Any) -> Any:
        """The solutions that agree with more hints."""
        ...

    def __contains__(self, solution: object) -> bool: ...
