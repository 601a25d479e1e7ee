"""Which picture of a Numberlink board to sweep, by predicted widths.

The eight symmetries of a board give diagrams of the same solutions, but the numbers of states on
the way may differ tenfold: where terminals lie dense at first, few loose ends are ever free. Only
sweeps along the shorter side are worth a thought. Each is predicted by a narrow beam of states
(:mod:`bddsudoku.engine.frontier.predict`); then whether the best one gains by mirroring its rows,
which matters less.
"""

from __future__ import annotations

from bddsudoku.engine.frontier.predict import predict_spec
from bddsudoku.engine.specs.grid import Pairs, placed
from bddsudoku.engine.specs.numberlink import path_spec

__all__ = ["best_symmetry", "candidates"]

_BEAM = 250


def candidates(width: int, height: int, pairs: Pairs) -> tuple[list[int], dict[int, int]]:
    """Symmetries worth a try: sweeps along the shorter side whose boards really differ.

    Returns:
        Those to begin with, and for each the one that mirrors its rows, if that is different.
    """
    if width < height:
        tries = [0, 2]
    elif width > height:
        tries = [4, 5]
    else:
        tries = [0, 2, 4, 5]

    def picture(symmetry: int) -> frozenset[tuple[int, int]]:
        return frozenset(placed(width, height, pairs, symmetry))

    seen: set[frozenset[tuple[int, int]]] = set()
    first: list[int] = []
    mirrored: dict[int, int] = {}
    for symmetry in tries:
        mirror = symmetry ^ (2 if symmetry & 4 else 1)
        if picture(symmetry) in seen or picture(mirror) in seen:
            continue
        first.append(symmetry)
        seen |= {picture(symmetry), picture(mirror)}
        if picture(symmetry) != picture(mirror):
            mirrored[symmetry] = mirror
    return first, mirrored


def best_symmetry(width: int, height: int, pairs: Pairs, *, cover: bool = False) -> int:
    """The symmetry (see :func:`.grid.edge_labels`) with the fewest states, as predicted.

    Args:
        width: cells in a row.
        height: rows.
        pairs: cell numbers.
        cover: every cell must lie on a path.

    Cost: some hundred states a level for each of at most five pictures; none where there is
    nothing to choose.
    """
    first, mirrored = candidates(width, height, pairs)
    if len(first) == 1 and len(pairs) == 1:
        return first[0]  # a single path is as wide mirrored

    def predicted(symmetry: int, stop: float) -> float:
        spec = path_spec(width, height, pairs, cover=cover, symmetry=symmetry)
        return predict_spec(spec, _BEAM, stop=stop).states

    best, least = first[0], float("inf")
    for symmetry in first:
        states = predicted(symmetry, least)
        if states < least:
            best, least = symmetry, states
    if best in mirrored and predicted(mirrored[best], least) < least:
        best = mirrored[best]
    return best
