"""Numberlink as a spec: vertex-disjoint paths between given pairs of cells.

A level is a cell, row by row; its block holds the edge to the right and the edge down. A state is
the frontier between decided and undecided cells: for every edge that crosses it a *plug*, left to
right, which is nothing, a loose end that belongs to another loose end, or a loose end of a pair's
path. The decided cells are planar, so loose ends that belong together nest like parentheses
(Simpath of TAOCP 7.1.4 with the mate array written as brackets): a plug is 0, ``(``, ``)`` or
the name of a pair, from 3 on, in as many bits as that needs.

Before cell (i, j) the plugs are those leaving row i downwards for the columns below j, the one
entering the cell from the left, and those entering row i from above for the columns from j on:
one more than columns.

Pairs have few names, of which those whose terminals both lie above get new ones by their order in
the state (:mod:`.naming`; this alone halves the states of boards with ten pairs).

Pruning (besides dead ends seen one cell ahead) is by :mod:`.planarity`: whether the loose ends
can still be joined below without crossing. Parity needs no test at all states: under ``cover`` the
chessboard colours of a path's ends decide how many more black than white cells it covers, so the
sum over the pairs must be that of the board; what has been decided always keeps this balance,
therefore :func:`path_spec` asks once.
"""

from __future__ import annotations

import numpy as np

from bddsudoku.engine.frontier.spec import DEAD, Spec
from bddsudoku.engine.specs.cell_step import entries
from bddsudoku.engine.specs.lattice import Pairs, blocks, edge_labels, placed, unbalanced
from bddsudoku.engine.specs.naming import PAIR, naming, renamed_tables
from bddsudoku.engine.specs.path_step import PathParams, crossed
from bddsudoku.engine.specs.planarity import planarity
from bddsudoku.engine.specs.verdicts import WORK
from bddsudoku.engine.specs.wide import WidePathParams
from bddsudoku.errors import ModelError

_SIDE = 255
_PAIRS = 252


def path_spec(
    width: int,
    height: int,
    pairs: Pairs,
    *,
    cover: bool = False,
    symmetry: int = 0,
    planar: bool = True,
    aligned: bool = False,
) -> Spec:
    """All ways to join the pairs by vertex-disjoint paths, as a spec over edges.

    Args:
        width: cells in a row.
        height: rows.
        pairs: cell numbers (``row * width + column``), all different.
        cover: every cell must lie on a path.
        symmetry: which of the eight pictures of the board to sweep: see :func:`edge_labels`.
        planar: prune with :mod:`.planarity` (off only to measure what it is worth).
        aligned: plugs take 2, 4 or 8 bits, as :mod:`.wide` wants them, and pairs keep their names.

    Returns:
        A spec with a level a cell; its labels are edge keys (:func:`edge_labels`).

    Raises:
        ModelError: a cell outside the board or used twice, no pair, more than 255 rows or columns
            or 252 pairs.
    """
    cells = [cell for pair in pairs for cell in pair]
    if width < 1 or height < 1 or not pairs:
        raise ModelError(f"expected cells and pairs, found {width}x{height} with {len(pairs)}")
    if len(set(cells)) != len(cells) or not all(0 <= c < width * height for c in cells):
        raise ModelError("terminals must be different cells of the board")
    keys, columns, rows = edge_labels(width, height, symmetry)
    ends = placed(width, height, pairs, symmetry)
    if columns > _SIDE or rows > _SIDE or len(pairs) > _PAIRS:
        raise ModelError(
            f"at most {_SIDE} rows and columns and {_PAIRS} pairs, "
            f"found {width}x{height} with {len(pairs)}"
        )
    # codes in the order of first terminals, so that mirrored boards have like states
    grid = np.zeros((rows, columns), np.int64)
    for k, (a, b) in enumerate(sorted(ends)):
        grid.flat[[a, b]] = PAIR + k
    names = naming(grid, fixed=aligned)
    bits = max(2, (names.greatest + (len(pairs) > 1)).bit_length())
    if aligned or (columns + 1) * bits > 64:  # more than a word, or a word that others share
        bits = 2 if bits == 2 else 4 if bits <= 4 else 8
    words = -(-(columns + 1) // (64 // bits))
    levels = rows * columns
    picks, choices, labels, first = blocks(keys, grid)
    tested = planar and len(pairs) > 1
    tables = renamed_tables(planarity(grid), names.of)
    fields = (
        columns,
        bits,
        entries(columns, names, picks, tables.asked if tested else None, cover),
        tables,
        names.seen,
        names.pool,
    )
    params: PathParams | WidePathParams
    params = WidePathParams(*fields) if words > 1 else PathParams(*fields)
    root = np.zeros((1, words), np.uint64)
    start = 0
    work = np.zeros(WORK, np.uint64)
    if (cover and unbalanced(width, height, pairs)) or (
        tested and crossed(tables, root, bits, work)
    ):
        start = DEAD
    return Spec(
        params=params,
        labels=labels,
        first=first,
        choices=choices,
        words=np.full(levels, words, np.int32),
        root=root[0],
        root_level=start,
        scratch=WORK,
        narrow=1 << (17 if words == 1 else 14),
    )
