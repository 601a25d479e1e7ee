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

Grid boards as frontier specs see them: edges and their keys, the eight pictures, balance.

Which picture of a Numberlink board to sweep, by predicted widths.

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

Numberlink in which no path may touch itself: the path spec with a memory of who stands where.

On top of the plugs (:mod:`.numberlink`) a state knows, for the last decided cell of every column,
to which path through the frontier it belongs, and which two of those paths have touched: they must
never become one. Paths are numbered by their first plug, from 1; cells that are empty, or on a path
that is finished, are 0, for nothing can happen to them any more.

A state is the plugs' words, then the words of the cells, then those of a triangle of bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bddsudoku.engine.frontier.predict import predict_spec
from bddsudoku.engine.frontier.spec import DEAD, Spec, expand_by
from bddsudoku.errors import ModelError
from bddsudoku.jit import inlined, part
from bddsudoku.numberlink.naming import naming, renamed_tables
from bddsudoku.numberlink.planarity import PAIR, WORK, planarity
from bddsudoku.numberlink.steps import (
    OWN,
    PathParams,
    WidePathParams,
    crossed,
    entries,
    passed,
    plug,
    wide_step,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

Pairs = Sequence[tuple[int, int]]
"""Cell numbers, ``row * width + column``, of the two terminals of every pair."""


def unbalanced(width: int, height: int, pairs: Pairs) -> bool:
    """Whether the chessboard forbids covering the board with paths between these cells.

    A path between two black cells covers one black cell more than white ones, one between a black
    and a white cell as many of either.
    """
    colour = sum(1 if sum(divmod(cell, width)) % 2 == 0 else -1 for p in pairs for cell in p)
    return colour != 2 * (width * height % 2)


def edge_labels(width: int, height: int, symmetry: int) -> tuple[NDArray[np.int64], int, int]:
    """Keys of the edges right of and below every cell of the transformed board, and its sides.

    The key of an edge is ``2 * cell`` for the one to the right of a cell of the given board and
    ``2 * cell + 1`` for the one below it.

    Args:
        width: cells in a row of the given board.
        height: its rows.
        symmetry: 0 … 7; bit 0 mirrors the columns, bit 1 the rows, then bit 2 transposes.

    Returns:
        int64 array, shape (rows, columns, 2), -1 where there is no edge; columns; rows.
    """
    columns, rows = (height, width) if symmetry & 4 else (width, height)
    old = _original(width, height, symmetry)
    keys = np.full((rows, columns, 2), -1, np.int64)
    for way, (a, b) in enumerate(((old[:, :-1], old[:, 1:]), (old[:-1], old[1:]))):
        least = np.minimum(a, b)
        key = 2 * least + (np.abs(a - b) != 1) if width > 1 else 2 * least + 1
        keys[: a.shape[0], : a.shape[1], way] = key
    return keys, columns, rows


def _original(width: int, height: int, symmetry: int) -> NDArray[np.int64]:
    """For every cell of the transformed board the number of the given board's cell there."""
    old = np.arange(width * height, dtype=np.int64).reshape(height, width)
    if symmetry & 1:
        old = old[:, ::-1]
    if symmetry & 2:
        old = old[::-1]
    return old.T if symmetry & 4 else old


def placed(width: int, height: int, pairs: Pairs, symmetry: int) -> tuple[tuple[int, int], ...]:
    """The pairs as cells of the transformed board, each ascending."""
    new = np.empty(width * height, np.int64)
    new[_original(width, height, symmetry).reshape(-1)] = np.arange(width * height)
    return tuple((int(min(new[a], new[b])), int(max(new[a], new[b]))) for a, b in pairs)


def blocks(
    keys: NDArray[np.int64], terminal: NDArray[np.int64]
) -> tuple[
    NDArray[np.int64], tuple[tuple[tuple[int, ...], ...], ...], NDArray[np.int64], NDArray[np.int32]
]:
    """What :class:`bddsudoku.engine.frontier.spec.Spec` wants to know about cells as levels.

    Args:
        keys: of the edges right of and below every cell, from :func:`edge_labels`.
        terminal: shape (rows, columns); not 0 in the cells of terminals.

    Returns:
        What every choice of a level draws (bit 0 right, bit 1 down), shape (levels, 4); the choices
        as subsets; the labels; the first variable of every level.
    """
    flat = keys.reshape(-1, 2)
    inside = flat >= 0
    first = np.zeros(len(flat) + 1, np.int32)
    np.cumsum(inside.sum(axis=1), out=first[1:])
    kinds = (inside[:, 0] + 2 * inside[:, 1] + 4 * (terminal.reshape(-1) > 0)).tolist()
    tables = [_cell(kind) for kind in range(8)]
    picks = np.array([row for row, _ in tables], np.int64)[kinds]
    return picks, tuple(tables[kind][1] for kind in kinds), flat[inside], first


def _cell(kind: int) -> tuple[list[int], tuple[tuple[int, ...], ...]]:
    """Picks and choices of a cell: bit 0 an edge to the right, bit 1 one down, bit 2 a terminal."""
    ways = [way for way in (0, 1) if kind >> way & 1]
    possible = [0, *(1 << way for way in ways)]
    if kind == 3:
        possible.append(3)
    row = [*possible, 0, 0, 0][:4]
    return row, tuple(tuple(i for i, way in enumerate(ways) if p >> way & 1) for p in possible)


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


class NoTouchParams(NamedTuple):
    """Constants of the step.

    Attributes:
        paths: those of the path spec's; its pairs keep their names.
        cell_bits: bits of a path's number.
        cell_word: first word of the cells.
        touch_word: first word of the triangle; paths a > b > 0 have bit
            ``(a - 1) * (a - 2) / 2 + b - 1``.
    """

    paths: PathParams
    cell_bits: int
    cell_word: int
    touch_word: int


@part
def _number(states, row, plugs, bits, path, code, stack):  # type: ignore[no-untyped-def]
    """Number the paths by their first plugs: ``path`` by plug, ``code`` (3 + pair or 0) by path.

    Returns:
        How many there are.
    """
    depth = 0
    paths = 0
    for q in range(plugs):
        c = plug(states, row, q, bits)
        path[q] = 0
        if c == 2:
            depth -= 1
            path[q] = stack[depth]
        elif c:
            paths += 1
            path[q] = paths
            code[paths] = c if c >= 3 else 0
            if c == 1:
                stack[depth] = paths
                depth += 1
    return paths


def _work(width: int) -> int:
    """Words of working memory: five lists by plug or path, and who touches whom."""
    return (width + 3) * (5 + width + 3)


@inlined
def cell(states, row, first, column, cell_bits):  # type: ignore[no-untyped-def]
    """Number of the path through the last decided cell of a column; 0: none of interest."""
    a_word = 64 // cell_bits
    shift = np.uint64(column % a_word * cell_bits)
    mask = (np.uint64(1) << np.uint64(cell_bits)) - np.uint64(1)
    return np.int64((states[row, first + column // a_word] >> shift) & mask)


@inlined
def _child(params, level, states, row, choice, children, slot, scratch):  # type: ignore[no-untyped-def]
    width = params.paths.width
    bits = params.paths.bits
    cell_bits = params.cell_bits
    cell_word = params.cell_word
    touch_word = params.touch_word
    info = params.paths.info[level]
    work = scratch[WORK:].view(np.int64)
    j = info & 255
    own = (info >> OWN) & 255
    # the plugs' words first, the others empty; what belongs to whom is found from both rows
    for w in range(children.shape[1]):
        children[slot, w] = np.uint64(0)
    alive, to_below, to_right, joined = wide_step(
        info, width, bits, states, row, choice, children, slot
    )
    if not alive:
        return DEAD
    plugs = width + 1
    one = np.uint64(1)
    most = plugs + 2
    old = work[:most]
    codes = work[most : 2 * most]
    now = work[2 * most : 3 * most]
    owner = work[3 * most : 4 * most]
    renamed = work[4 * most : 5 * most]
    touch = work[5 * most :]
    paths = _number(states, row, plugs, bits, old, codes, owner)
    for a in range(paths + 2):
        now[a] = a
        renamed[a] = 0
        for b in range(paths + 2):
            touch[a * most + b] = 0
    # the path through this cell gets a number of its own; the paths it joins become it
    here = paths + 1
    left = old[j]
    up = old[j + 1]
    used = left != 0 or up != 0 or to_below != 0 or to_right != 0
    codes[here] = own
    if left and codes[left]:
        codes[here] = codes[left]
    if up and codes[up]:
        codes[here] = codes[up]
    if left:
        now[left] = here
    if up:
        now[up] = here
    if not used:
        now[here] = 0

    # who touches whom, by the new numbers
    for a in range(2, paths + 1):
        for b in range(1, a):
            bit = (a - 1) * (a - 2) // 2 + b - 1
            if (states[row, touch_word + bit // 64] >> np.uint64(bit % 64)) & one:
                touch[now[a] * most + now[b]] = 1
    if used:
        above = cell(states, row, cell_word, j, cell_bits)
        if above and not up:
            touch[now[above] * most + here] = 1
        if j and not left:
            before = cell(states, row, cell_word, j - 1, cell_bits)
            if before:
                touch[now[before] * most + here] = 1
    for a in range(1, paths + 2):
        for b in range(1, paths + 2):
            if touch[a * most + b] and (a == b or (codes[a] != 0 and codes[a] == codes[b])):
                return DEAD

    # plugs of the child, and whose they are
    for q in range(plugs):
        owner[q] = now[old[q]] if old[q] else 0
    owner[j] = here if to_below else 0
    owner[j + 1] = here if to_right else 0
    total = 0
    for q in range(plugs):
        if owner[q] and renamed[owner[q]] == 0:
            total += 1
            renamed[owner[q]] = total
    for c in range(width):
        mine = cell(states, row, cell_word, c, cell_bits)
        whose = now[mine]  # 0 stays 0
        if c == j:
            whose = here if used else 0
        shift = np.uint64(c % (64 // cell_bits) * cell_bits)
        children[slot, cell_word + c // (64 // cell_bits)] |= np.uint64(renamed[whose]) << shift
    for a in range(1, paths + 2):
        for b in range(1, paths + 2):
            x = max(renamed[a], renamed[b])
            y = min(renamed[a], renamed[b])
            # paths of different pairs never meet, so whether they touch is of no interest
            free = codes[a] == 0 or codes[b] == 0
            if touch[a * most + b] and y and free:
                bit = (x - 1) * (x - 2) // 2 + y - 1
                children[slot, touch_word + bit // 64] |= one << np.uint64(bit % 64)
    return level + 1 if passed(params.paths, info, level, joined, children, slot, scratch) else DEAD


expand_by(NoTouchParams, _child)


def no_touch_spec(
    width: int,
    height: int,
    pairs: Sequence[tuple[int, int]],
    *,
    cover: bool = False,
    symmetry: int = 0,
    planar: bool = True,
) -> Spec:
    """All ways to join the pairs by disjoint paths that do not touch themselves.

    Arguments and errors are those of :func:`bddsudoku.numberlink.specs.path_spec`.
    """
    base = path_spec(
        width, height, pairs, cover=cover, symmetry=symmetry, planar=planar, aligned=True
    )
    columns = base.params.width
    bits = (columns + 1).bit_length()
    first = base.max_words
    triangle = first + -(-columns // (64 // bits))
    words = triangle + max(1, -(-(columns + 1) * columns // 2 // 64))
    return Spec(
        params=NoTouchParams(PathParams(*base.params), bits, first, triangle),
        labels=base.labels,
        first=base.first,
        choices=base.choices,
        words=np.full(base.levels, words, np.int32),
        root=np.zeros(words, np.uint64),
        root_level=base.root_level,
        scratch=base.scratch + _work(columns),
    )
