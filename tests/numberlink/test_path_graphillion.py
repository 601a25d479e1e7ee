"""The path spec against Graphillion, where that is installed: equal counts, equal sets of edges."""

from __future__ import annotations

import csv
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bddsudoku.engine.frontier import compile_spec
from bddsudoku.numberlink import Board
from bddsudoku.numberlink.path_spec import path_spec
from bddsudoku.sets.solutionset import SolutionSet

graphillion = pytest.importorskip("graphillion", reason="needs graphillion")

ROOT = Path(__file__).parents[2]
LISTED = 3000  # sets of up to so many solutions are compared member by member


def theirs(board: Board) -> Any:
    """All solutions as Graphillion finds them, a GraphSet over pairs of cells."""
    inner = range(2, 3) if board.rule == "cover" else range(0, 3, 2)
    degrees = dict.fromkeys(range(board.cell_count), inner)
    degrees |= dict.fromkeys(board.pair_at, range(1, 2))
    graphillion.GraphSet.omp_set_num_threads(1)
    graphillion.GraphSet.set_universe([board.ends(e) for e in board.edges], traversal="as-is")
    return graphillion.GraphSet.graphs(
        vertex_groups=[list(pair) for pair in board.cell_pairs],
        degree_constraints=degrees,
        no_loop=True,
    )


def ours(board: Board, symmetry: int) -> SolutionSet:
    """All solutions by the engine, from a symmetric image of the board."""
    cover = board.rule == "cover"
    spec = path_spec(
        board.width, board.height, board.cell_pairs,
        cover=cover, symmetry=symmetry,
    )  # fmt: skip
    return SolutionSet(compile_spec(spec, threads=1).diagram)


def keys(board: Board, graph: Any) -> tuple[int, ...]:
    """A graph of Graphillion's as the ascending keys of its edges."""
    return tuple(sorted(board.edge(a, b) for a, b in graph))


def one_path(rng: random.Random, width: int, height: int) -> list[int]:
    """A path through all cells: a winding one, an end of it bitten back at random many times."""
    path = [y * width + (x if y % 2 == 0 else width - 1 - x) for y, x in np.ndindex(height, width)]
    grid = Board.of_cells(width, height, [(0, 1)])
    for _ in range(10 * len(path)):
        if rng.random() < 0.5:
            path.reverse()
        at = path.index(rng.choice(grid.neighbours[path[0]]))
        path[:at] = path[:at][::-1]
    return path


def random_board(rng: random.Random, width: int, height: int, count: int) -> Board:
    """Terminals anywhere, or (four times in five) where one path through all cells is cut."""
    cells = width * height
    if rng.random() < 0.2:
        drawn = rng.sample(range(cells), 2 * count)
        return Board.of_cells(width, height, list(zip(drawn[::2], drawn[1::2], strict=True)))
    path = one_path(rng, width, height)
    cuts = [0, *(2 * c for c in sorted(rng.sample(range(1, cells // 2), count - 1))), cells]
    pairs = [(path[a], path[b - 1]) for a, b in pairwise(cuts)]
    return Board.of_cells(width, height, pairs)


@pytest.mark.parametrize("rule", ["free", "cover"])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_random_boards(rule: Any, count: int) -> None:
    rng = random.Random(10 * count + (rule == "cover"))
    some = many = 0
    for _ in range(25):
        width, height = rng.randint(3, 6), rng.randint(4, 6)
        board = random_board(rng, width, height, count).with_rule(rule)
        wanted = theirs(board)
        found = ours(board, rng.randrange(8))
        assert found.count() == int(wanted.len()), board
        some += bool(found)
        if found.count() <= LISTED:
            assert set(found) == {keys(board, graph) for graph in wanted}, board
        else:
            many += 1
            drawn = wanted.rand_iter()
            assert all(keys(board, next(drawn)) in found for _ in range(20)), board
            sample = found.sample(20, rng.randrange(1000))
            assert all([board.ends(e) for e in links] in wanted for links in sample), board
    assert some >= 15  # boards with solutions, else nothing was compared
    assert many or rule == "cover"


def test_counts_of_the_boards_in_data() -> None:
    with (ROOT / "tests" / "golden" / "numberlink.csv").open(encoding="utf-8") as stream:
        rows = [r for r in csv.DictReader(stream) if "Graphillion" in r["confirmed by"]]
    assert len(rows) >= 8
    for row in rows:
        text = (ROOT / "data" / "numberlink" / row["file"]).read_text(encoding="utf-8")
        board = Board.parse(text).with_rule(row["rule"])
        assert int(theirs(board).len()) == int(row["count"]), row
