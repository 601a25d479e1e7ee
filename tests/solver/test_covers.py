"""Any model through the solver: engines, limits, sets, enumeration."""

from __future__ import annotations

import pytest
from figures import FIGURE_1

from bddsudoku.context import Context
from bddsudoku.errors import BddSudokuError
from bddsudoku.model.model import Model
from bddsudoku.puzzle.exact_cover import ExactCover
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.sudoku_model import allocate
from bddsudoku.puzzle.tiling import Board, Tiling, pieces
from bddsudoku.solver import (
    check,
    count_detailed,
    solve_detailed,
)

TROMINOES = Tiling(Board.rectangle(6, 6), pieces("L3"))


def figure_1(allocation: str = "paper") -> object:
    return allocate(Puzzle([0 if c == "." else int(c) for c in FIGURE_1]), allocation)


def test_auto_searches_small_trees_and_compiles_large_ones() -> None:
    assert count_detailed(TROMINOES.model()).engine == "dlx"
    large = count_detailed(Tiling(Board.rectangle(12, 12), pieces("I2")).model())
    assert (large.engine, large.count) == ("frontier", 53060477521960000)


def test_auto_falls_back_to_the_search_when_memory_does_not_suffice() -> None:
    # far too little for any frontier, enough covers that the first trial does not end
    model = Tiling(Board.rectangle(8, 8), pieces("I2")).model()
    answer = count_detailed(model, context=Context(memory=1 << 12))
    assert (answer.engine, answer.count) == ("dlx", 12988816)
    assert "limit" in answer.why


def test_brute_force_is_refused_without_a_definition() -> None:
    model = TROMINOES.model()
    by_hand = Model(model.variables, model.constraints)
    with pytest.raises(BddSudokuError, match="own definition"):
        count_detailed(by_hand, "brute-force")
    counters = ["frontier", "bdd", "dlx", "components", "search"]
    assert [r["engine"] for r in check(by_hand)["runs"]] == counters
    assert [r["engine"] for r in check(model)["runs"]] == [*counters, "brute-force"]
    assert [r["engine"] for r in check(figure_1())["runs"]] == [
        "bitboard",
        "bands",
        "frontier",
        "bdd",
        "dlx",
        "components",
        "search",
        "brute-force",
    ]  # type: ignore[arg-type]


def test_a_disagreement_is_seen() -> None:
    assert check(TROMINOES.model(), ["dlx"], saved=162)["agree"] is True
    assert check(TROMINOES.model(), ["dlx"], saved=161)["agree"] is False
    assert check(TROMINOES.model(), ["dlx"])["agree"] is None
    stopped = check(TROMINOES.model(), ["dlx", "bands"])
    assert stopped["finished"] == 1
    assert "9x9" in stopped["runs"][1]["limit"]


@pytest.mark.parametrize(
    "model",
    [
        TROMINOES.model(),
        Tiling(Board.rectangle(3, 20), pieces("pentominoes"), once=True).model(),
        Tiling(Board.rectangle(3, 4), pieces("I1,I2,L3")).model(),
        Tiling(Board.rectangle(5, 5, [1]), pieces("L3")).model(),
        ExactCover.parse("a b c | x\nc x\na\nb c\nb\na b c\nc\n").model(),
        ExactCover.parse("a | x\nx\n").model(),
        ExactCover([], []).model(),
    ],
    ids=["trominoes", "pentominoes", "several lengths", "none", "any order", "no option", "empty"],
)
def test_search_and_frontier_make_the_same_diagram(model: Model) -> None:
    by_search = solve_detailed(model, engine="dlx")
    by_frontier = solve_detailed(model, engine="frontier")
    assert by_search.solutions.diagram == by_frontier.solutions.diagram
    assert (by_search.engine, by_frontier.engine) == ("dlx", "frontier")
    assert solve_detailed(model).solutions == by_frontier.solutions
