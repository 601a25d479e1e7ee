"""Which picture of a Numberlink board to sweep, by predicted widths.

The eight symmetries of a board give diagrams of the same solutions, but the numbers of states on
the way may differ tenfold: where terminals lie dense at first, few loose ends are ever free. Only
sweeps along the shorter side are worth a thought. Each is predicted by a narrow beam of states
(:mod:`bddsudoku.engine.frontier.predict`), unless the first is narrow: then looking any further
would cost more than it could save. Where there is much to save, the best are predicted once more by
wider beams, together with those that mirror their rows, which matters less.

Measured on 44 random boards of 8x8 to 11x12: the first picture has 1.30 times as many states as the
best of the eight (geometric mean; up to 2.8), the one that beams of 120 and 250 states choose 1.17
and 1.11 times as many when the mirrored ones are left out, 1.12 and 1.06 when they are not. A beam
of 120 states takes a millisecond or two.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bddsudoku.engine.frontier.predict import predict_spec
from bddsudoku.engine.specs.lattice import Pairs, placed
from bddsudoku.engine.specs.numberlink import path_spec

if TYPE_CHECKING:
    from bddsudoku.engine.frontier.spec import Spec

_BEAM = 120
"""Beam of the first look."""
_NARROW = 100_000
"""Predicted states up to which the first picture is good enough."""
_LOOKS = ((300_000, 250), (1_000_000, 600))
"""Predicted states from which on another look pays, and its beam."""


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
    """The symmetry (see :func:`.lattice.edge_labels`) with the fewest states, as predicted.

    Args:
        width: cells in a row.
        height: rows.
        pairs: cell numbers.
        cover: every cell must lie on a path.

    Cost: some hundred states a level for each of at most four pictures, and where 300,000 are
    expected, some hundred more for each of eight.
    """
    first, mirrored = candidates(width, height, pairs)
    if len(first) == 1 and len(pairs) == 1:
        return first[0]  # a single path is as wide mirrored
    specs: dict[int, Spec] = {}

    def ranked(symmetries: Iterable[int], beam: int) -> list[tuple[float, int]]:
        found: list[tuple[float, int]] = []
        for symmetry in symmetries:
            if symmetry not in specs:
                specs[symmetry] = path_spec(width, height, pairs, cover=cover, symmetry=symmetry)
            stop = 3 * min(found)[0] if found else float("inf")
            found.append((predict_spec(specs[symmetry], beam, stop=stop).states, symmetry))
            if symmetry == first[0] and found[0][0] <= _NARROW:
                break
        return sorted(found)

    found = ranked(first, _BEAM)
    for rich, beam in _LOOKS:
        least = found[0][0]
        if least < rich:
            break
        close = [symmetry for states, symmetry in found if states < 2 * least]
        close += [mirrored[symmetry] for symmetry in close if symmetry in mirrored]
        found = ranked(dict.fromkeys(close), beam)
    return found[0][1]
