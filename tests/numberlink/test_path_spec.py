"""The path spec against a plain depth-first search, known counts, and itself mirrored."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations

import link_search
import pytest
from oracles import sets_of

from bddsudoku.engine.frontier import compile_spec, count_spec
from bddsudoku.errors import ModelError
from bddsudoku.numberlink import Board
from bddsudoku.numberlink.board_text import RULES
from bddsudoku.numberlink.path_spec import (
    path_spec,
    violates_parity,
)

Pairs = tuple[tuple[int, int], ...]
# OEIS A007764: self-avoiding walks between opposite corners of n x n cells
WALKS = {2: 2, 3: 12, 4: 184, 5: 8512, 6: 1262816, 7: 575780564, 10: 41044208702632496804}


def agree(board: Board, symmetry: int) -> int:
    """How many solutions there are; the engine's are all valid, and as many as the search finds."""
    spec = path_spec(
        board.width, board.height, board.cell_pairs,
        cover=board.rule == "cover", symmetry=symmetry,
    )  # fmt: skip
    found = sets_of(compile_spec(spec, threads=1).diagram)
    assert all(board.fault(edges) is None for edges in found), board
    assert len(found) == link_search.count(board), board
    return len(found)


def all_pairs(cells: int, count: int) -> Iterator[Pairs]:
    """Every placement of that many pairs."""
    if count == 1:
        yield from ((pair,) for pair in combinations(range(cells), 2))
        return
    for a, b, c, d in combinations(range(cells), 4):
        yield from (((a, b), (c, d)), ((a, c), (b, d)), ((a, d), (b, c)))


SMALL = [(w, h) for w in range(1, 5) for h in range(1, 4) if w * h > 1]


@pytest.mark.parametrize(("width", "height"), SMALL)
@pytest.mark.parametrize("count", [1, 2])
def test_every_small_board(width: int, height: int, count: int) -> None:
    for i, pairs in enumerate(all_pairs(width * height, count)):
        board = Board.of_cells(width, height, pairs, "cover" if i % 2 else "free")
        agree(board, i % 8)
        if violates_parity(width, height, pairs):
            assert link_search.count(board.with_rule("cover")) == 0


@pytest.mark.parametrize(("width", "height", "count"), [(4, 4, 2), (4, 4, 3), (5, 4, 4), (3, 6, 4)])
def test_samples_of_larger_boards(width: int, height: int, count: int) -> None:
    rng = random.Random(width * 100 + height * 10 + count)
    some = 0
    for i in range(30):
        cells = rng.sample(range(width * height), 2 * count)
        board = Board.of_cells(width, height, list(zip(cells[::2], cells[1::2], strict=True)))
        for rule in RULES:
            some += agree(board.with_rule(rule), i % 8) > 0
    assert some


@pytest.mark.parametrize("side", sorted(WALKS))
def test_walks_from_corner_to_corner(side: int) -> None:
    spec = path_spec(side, side, [(0, side * side - 1)])
    assert count_spec(spec) == WALKS[side]


def test_pruning_changes_no_count_and_saves_states() -> None:
    rng = random.Random(7)
    saved = 0
    for i in range(60):
        width, height = rng.choice([(6, 6), (7, 5), (8, 4)])
        cells = rng.sample(range(width * height), 2 * rng.randint(2, 6))
        pairs = list(zip(cells[::2], cells[1::2], strict=True))
        cover = i % 2 == 0
        pruned = compile_spec(path_spec(width, height, pairs, cover=cover), threads=1)
        plain = compile_spec(path_spec(width, height, pairs, cover=cover, planar=False), threads=1)
        assert pruned.diagram == plain.diagram, (width, height, pairs, cover)
        assert pruned.states <= plain.states
        saved += plain.states - pruned.states
    assert saved > 1000


def test_pairs_that_cross_at_the_rim_have_no_solution() -> None:
    for n in (2, 5, 12):
        spec = path_spec(n, n, [(0, n * n - 1), (n - 1, n * n - n)])
        assert count_spec(spec) == 0
        # known before the first cell
        assert compile_spec(spec).states == 0


def test_more_pairs_than_one_word_holds() -> None:
    # 40 vertical dominoes: 6 bits a plug, two words
    width, height = 20, 4
    pairs = [
        (r * width + c, (r + 1) * width + c) for r in range(0, height, 2) for c in range(width)
    ]
    spec = path_spec(width, height, pairs, cover=True)
    assert spec.max_words > 1
    assert sets_of(compile_spec(spec).diagram) == {frozenset(2 * a + 1 for a, _ in pairs)}
    # long ones: each pair down a column
    pairs = [(c, 3 * width + c) for c in range(width)]
    assert count_spec(path_spec(width, height, pairs)) == 1
    assert count_spec(path_spec(width, height, pairs, symmetry=4)) == 1


def test_bad_pairs_are_refused() -> None:
    for pairs in ([], [(0, 0)], [(0, 1), (1, 2)], [(0, 9)], [(-1, 3)]):
        with pytest.raises(ModelError):
            path_spec(3, 3, pairs)
    with pytest.raises(ModelError):
        path_spec(0, 3, [(0, 1)])
