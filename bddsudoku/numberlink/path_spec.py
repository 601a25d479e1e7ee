"""Numberlink as a frontier spec: vertex-disjoint paths between given pairs of cells.

A level is a cell, row by row; its variables are the edge to the right and the edge down. A state is
the frontier between decided and undecided cells: for every edge that crosses it, left to right, a
*mate*: nothing, the end of a path whose other end is also on the frontier, or the end of the path
of a pair. The decided cells are planar, so the two ends of a path nest like parentheses (Simpath of
TAOCP 7.1.4 with the mate array written as brackets): a mate is 0, ``(``, ``)`` or the code of a
pair, from 3 on, in as many bits as that needs.

Before cell (i, j) the mates are those of the edges leaving row i downwards in the columns before j,
of the edge entering the cell from the left, and of those entering row i from above in the columns
from j on: one more than there are columns.

Pairs get few codes, and pairs whose terminals both lie above are renumbered by their order in the
state (:mod:`.path_steps`; this alone halves the states of boards with ten pairs).

Pruning (besides dead ends seen one cell ahead) is by :mod:`.planarity`: whether the path ends can
still be joined below without crossing. Parity needs no test at the states: under ``cover`` the
chessboard colours of a path's ends decide how many more black than white cells it covers, so the
sum over the pairs must be that of the board; what has been decided always keeps this balance,
therefore :func:`path_spec` asks once.

The eight symmetric *images* of a board have diagrams of the same solutions, but their numbers of
states may differ tenfold: where terminals lie dense at first, few paths can begin elsewhere.
:func:`best_symmetry` chooses an image.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bddsudoku.engine.frontier.spec import DEAD, Spec
from bddsudoku.engine.frontier.width_forecast import forecast_widths
from bddsudoku.errors import ModelError
from bddsudoku.jit.decorators import I64
from bddsudoku.numberlink.path_steps import (
    PathParams,
    make_pair_codes,
    pack_cell_constants,
    paths_must_cross,
)
from bddsudoku.numberlink.planarity import PAIR, WORK, make_planarity_tables

Pairs = Sequence[tuple[int, int]]
"""Cell numbers, ``row * width + column``, of the two terminals of every pair."""

_SIDE = 255


def violates_parity(width: int, height: int, pairs: Pairs) -> bool:
    """Whether chessboard parity forbids covering the board with paths between these pairs.

    A path between two black cells covers one black cell more than white ones, one between a black
    and a white cell as many of either.
    """
    colour = sum(1 if sum(divmod(cell, width)) % 2 == 0 else -1 for p in pairs for cell in p)
    return colour != 2 * (width * height % 2)


def cells_of_image(width: int, height: int, symmetry: int) -> I64:
    """The cells of a mirrored or transposed board, as their numbers on the original board.

    Args:
        width: cells in a row of the board.
        height: its rows.
        symmetry: 0 … 7; bit 0 mirrors the columns, bit 1 the rows, then bit 2 transposes.
    """
    cells = np.arange(width * height, dtype=np.int64).reshape(height, width)
    if symmetry & 1:
        cells = cells[:, ::-1]
    if symmetry & 2:
        cells = cells[::-1]
    return cells.T if symmetry & 4 else cells


def pairs_of_image(image_cells: I64, pairs: Pairs) -> list[tuple[int, int]]:
    """The pairs as cell numbers of a mirrored or transposed board, sorted."""
    new = np.empty(image_cells.size, np.int64)
    new[image_cells.reshape(-1)] = np.arange(image_cells.size)
    return sorted((int(min(new[a], new[b])), int(max(new[a], new[b]))) for a, b in pairs)


def _edge_keys(cells: I64, width: int) -> I64:
    """The keys of the right and the lower edge of each cell of a transformed board; -1 for none.

    The key of an edge is ``2 * cell`` for the one to the right of a cell of the given board and
    ``2 * cell + 1`` for the one below it.
    """
    keys = np.full((*cells.shape, 2), -1, np.int64)
    for way, (a, b) in enumerate(((cells[:, :-1], cells[:, 1:]), (cells[:-1], cells[1:]))):
        down = (np.abs(a - b) != 1) | (width == 1)
        keys[: a.shape[0], : a.shape[1], way] = 2 * np.minimum(a, b) + down
    return keys.reshape(-1, 2)


def _edge_choices(cell_kind: int) -> tuple[list[int], tuple[tuple[int, ...], ...]]:
    """The sets of edges that may be drawn at a cell, as bit codes and as variable offsets.

    Args:
        cell_kind: bit 0 an edge to the right, bit 1 one down, bit 2 a terminal.

    The codes have the same bits 0 and 1 for the edges that are drawn.
    """
    ways = [way for way in (0, 1) if cell_kind >> way & 1]
    picks = [pick for pick in range(3 if cell_kind & 4 else 4) if pick & cell_kind == pick]
    subsets = tuple(tuple(i for i, way in enumerate(ways) if p >> way & 1) for p in picks)
    return [*picks, 0, 0, 0][:4], subsets


def path_spec(
    width: int,
    height: int,
    pairs: Pairs,
    *,
    cover: bool = False,
    symmetry: int = 0,
    planar: bool = True,
) -> Spec:
    """The frontier spec of all sets of vertex-disjoint paths between the terminals of pairs.

    Args:
        width: cells in a row.
        height: rows.
        pairs: cell numbers (``row * width + column``), all different.
        cover: every cell must lie on a path.
        symmetry: which image of the board to sweep, see :func:`cells_of_image`.
        planar: prune with :mod:`.planarity` (off only to measure its effect).

    Returns:
        A spec with a level a cell; its labels are keys of edges.

    Raises:
        ModelError: a cell outside the board or used twice, no pair, more than 255 rows or columns,
            or too many pairs (some 57 with one terminal above the frontier, 180 in all).
    """
    used = [cell for pair in pairs for cell in pair]
    if width < 1 or height < 1 or not pairs:
        raise ModelError(f"expected cells and pairs, found {width}x{height} with {len(pairs)}")
    if len(set(used)) != len(used) or not all(0 <= c < width * height for c in used):
        raise ModelError("terminals must be different cells of the board")
    if max(width, height) > _SIDE:
        raise ModelError(f"at most {_SIDE} rows and columns, found {width}x{height}")
    cells = cells_of_image(width, height, symmetry)
    columns = cells.shape[1]
    # codes in the order of first terminals, so that mirrored boards have equal states
    grid = np.zeros(cells.shape, np.int64)
    for k, both in enumerate(pairs_of_image(cells, pairs)):
        grid.flat[list(both)] = PAIR + k
    names = make_pair_codes(grid)
    tables = make_planarity_tables(grid, names.code_by_pair)
    bits = max(2, (names.greatest + (len(pairs) > 1)).bit_length())
    if (columns + 1) * bits > 64:  # words without unused bits
        bits = 2 if bits == 2 else 4 if bits <= 4 else 8
    words = -(-(columns + 1) // (64 // bits))
    keys = _edge_keys(cells, width)
    inside = keys >= 0
    kinds = inside[:, 0] + 2 * inside[:, 1] + 4 * (grid.reshape(-1) > 0)
    choices = [_edge_choices(kind) for kind in range(8)]
    picks = np.array([picks for picks, _ in choices], np.int64)[kinds]
    tested = planar and len(pairs) > 1
    cell_info = pack_cell_constants(
        columns, names, picks, tables.is_tested if tested else None, cover
    )
    params = PathParams(columns, bits, 64 // bits, words, cell_info, tables, names.seen, names.pool)
    root = np.zeros((1, words), np.uint64)
    possible = not (cover and violates_parity(width, height, pairs)) and not (
        tested and paths_must_cross(tables, root, bits, np.zeros(WORK, np.uint64))
    )
    return Spec(
        params=params,
        labels=keys[inside],
        first=np.append(0, inside.sum(axis=1).cumsum()).astype(np.int32),
        choices=tuple(choices[kind][1] for kind in kinds.tolist()),
        words=np.full(cells.size, words, np.int32),
        root=np.zeros(words, np.uint64),
        root_level=0 if possible else DEAD,
        scratch=WORK,
    )


_BEAM_WIDTH = 250
"""Beam width of the forecasts among which an image is chosen."""
_TRIVIAL_STATES = 100_000
"""Forecast number of states up to which the first image is taken without further forecasts."""


def best_symmetry(width: int, height: int, pairs: Pairs, *, cover: bool = False) -> int:
    """The symmetry under which the path spec is forecast to have the fewest states.

    Only sweeps along the shorter side are considered. The states of each are forecast with a small
    beam (:mod:`bddsudoku.engine.frontier.width_forecast`), unless the first needs few states:
    further ones would then cost more than they could save.

    Measured on 44 random boards of 8x8 to 11x12: the first image has 1.30 times as many states as
    the best of the eight (geometric mean; up to 2.8), the one that beams of 120 and 250 states
    choose 1.12 and 1.06 times as many. A beam of 250 states takes some milliseconds.
    """
    images: dict[tuple[tuple[int, int], ...], int] = {}
    for symmetry in range(8):
        cells = cells_of_image(width, height, symmetry)
        if cells.shape[1] <= cells.shape[0]:
            images.setdefault(tuple(pairs_of_image(cells, pairs)), symmetry)
    found: list[tuple[float, int]] = []
    for symmetry in images.values():
        spec = path_spec(width, height, pairs, cover=cover, symmetry=symmetry)
        stop = 3 * min(found)[0] if found else float("inf")
        states = forecast_widths(spec, _BEAM_WIDTH, stop=stop).total_states
        found.append((states, symmetry))
        if found[0][0] <= _TRIVIAL_STATES:
            break
    return min(found)[1]
