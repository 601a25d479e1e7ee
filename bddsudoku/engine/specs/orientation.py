"""Which picture of a Numberlink board to sweep: predict the widths by counting states.

The eight symmetries of a board give diagrams of the same solutions, but the numbers of states on
the way may differ tenfold: where terminals lie dense at first, few loose ends are ever free. Only
sweeps along the shorter side are worth a thought; the pictures that are left run a race: all count
states up to a budget, those that got least far drop out, and the budget grows.
"""

from __future__ import annotations

from collections.abc import Sequence

from bddsudoku.engine.frontier.forward import Forward
from bddsudoku.engine.frontier.limits import Limits
from bddsudoku.engine.specs.grid import placed
from bddsudoku.engine.specs.numberlink import path_spec
from bddsudoku.errors import LimitReached

__all__ = ["best_symmetry", "candidates"]

_BUDGET = 5_000
_MOST = 320_000


class _Race(Forward):
    """Counts states; keeps nothing."""

    keep_edges = False


def candidates(width: int, height: int, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Symmetries worth a try: sweeps along the shorter side whose boards really differ."""
    if width < height:
        tries = [0, 1, 2, 3]
    elif width > height:
        tries = [4, 5, 6, 7]
    else:
        tries = list(range(8))
    pictures: dict[frozenset[tuple[int, int]], int] = {}
    for symmetry in tries:
        pictures.setdefault(frozenset(placed(width, height, pairs, symmetry)), symmetry)
    return list(pictures.values())


def _reach(spec_states: tuple[int, int, int]) -> tuple[int, int, int]:
    """Sort key: the further the better, then fewer states in all, then the narrower."""
    level, total, width = spec_states
    return (-level, total, width)


def best_symmetry(
    width: int, height: int, pairs: Sequence[tuple[int, int]], *, cover: bool = False
) -> int:
    """The symmetry (see :func:`.grid.edge_labels`) with the fewest states, as predicted.

    Args:
        width: cells in a row.
        height: rows.
        pairs: cell numbers.
        cover: every cell must lie on a path.

    Cost: at most a million states, usually far less; none where there is nothing to choose.
    """
    left = candidates(width, height, pairs)
    budget = _BUDGET
    while len(left) > 1:
        results = []
        for symmetry in left:
            spec = path_spec(width, height, pairs, cover=cover, symmetry=symmetry)
            race = _Race(spec, Limits(states=budget))
            level = spec.levels
            try:
                race.run()
            except LimitReached as error:
                level = error.details["level"]
            widest = max((entry.states for entry in race.trace), default=0)
            results.append((_reach((level, race.total_states, widest)), symmetry))
        results.sort()
        if results[0][0][0] == -width * height or budget >= _MOST:
            return results[0][1]
        left = [symmetry for _, symmetry in results[: max(1, (len(results) + 1) // 2)]]
        if len(left) == len(results):
            left.pop()
        budget *= 4
    return left[0]
