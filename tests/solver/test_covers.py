"""Any model through the solver: engines, limits, sets, enumeration."""

from __future__ import annotations

from bddsudoku.context import Context
from bddsudoku.puzzle.tiling import Board, Tiling, pieces
from bddsudoku.solver import (
    check,
    count_detailed,
)

TROMINOES = Tiling(Board.rectangle(6, 6), pieces("L3"))


def test_auto_searches_small_trees_and_compiles_large_ones() -> None:
    assert count_detailed(TROMINOES.model()).engine == "dlx"
    large = count_detailed(Tiling(Board.rectangle(12, 12), pieces("I2")).model())
    assert (large.engine, large.count) == ("frontier", 53060477521960000)


def test_auto_falls_back_to_the_search_when_memory_does_not_suffice() -> None:
    # far too little for any frontier, enough covers that the first trial does not end
    model = Tiling(Board.rectangle(8, 8), pieces("I2")).model()
    answer = count_detailed(model, context=Context(max_memory=1 << 12))
    assert (answer.engine, answer.count) == ("dlx", 12988816)
    assert "limit" in answer.why


def test_a_disagreement_is_seen() -> None:
    assert check(TROMINOES.model(), ["dlx"], saved=162).agree is True
    assert check(TROMINOES.model(), ["dlx"], saved=161).agree is False
    assert check(TROMINOES.model(), ["dlx"]).agree is None
    stopped = check(TROMINOES.model(), ["dlx", "bands"])
    assert stopped.finished == 1
    assert "9x9" in stopped.runs[1].limit
