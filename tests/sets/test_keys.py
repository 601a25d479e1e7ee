"""Keys, names, cells and digits that sets are asked about are understood, or refused by name."""

from __future__ import annotations

from typing import Any

import pytest

from bddsudoku import OneHot, Problem, Puzzle, compile_set, solve
from bddsudoku.errors import ModelError
from bddsudoku.sets import KeyDecoder, SolutionSet


def formula() -> Any:
    problem = Problem()
    a, b, _ = problem.symbols("a b c")
    problem.add((a | b) & (problem.integer("x", range(3, 6)) > 3))
    return solve(problem)


FORMULA = formula()
GRIDS = compile_set(Puzzle.parse("1..............."))
ZERO = compile_set(Puzzle.parse("# digits: 0-3\n0..............."))
KEYS = SolutionSet(GRIDS.diagram, fixed=GRIDS.fixed)


@pytest.mark.parametrize(
    ("solutions", "true", "false", "count"),
    [
        (FORMULA, {"a": 1}, [], 8),
        (FORMULA, ["a"], [], 8),
        (FORMULA, {"a": 0, "x": 4}, [], 2),
        (FORMULA, ["x=4", "b"], ["a"], 2),
        (FORMULA, [0], [1], 4),
        (GRIDS, ["r1c2=2"], [], 24),
        (GRIDS, {"r1c2": 2, 6: 0}, [], 24),
        (GRIDS, ["r1c2=1"], [], 0),
        (ZERO, {"r1c2": 1}, ["r1c3=2"], 12),
        (KEYS, ["x5"], [], 24),
        (GRIDS, [((0, 1), 2)], [("r1c3", 3)], 12),
    ],
)
def test_what_restrict_understands(solutions: Any, true: Any, false: list[Any], count: int) -> None:
    assert solutions.restrict(true, false).count() == count


ASK = {
    "true": lambda s, key: s.restrict([key]),
    "false": lambda s, key: s.restrict(false=[key]),
    "weights": lambda s, key: SolutionSet.minimum(s, {key: 1}),
    "order": lambda s, key: s.reordered([key]),
    "where": lambda s, key: s.where(OneHot("one", "key", (key,))),
    "values": lambda s, key: s.restrict({key: 1}),
}


@pytest.mark.parametrize("key", [(0, 0), 1.9, "r9c9=1", None], ids=str)
@pytest.mark.parametrize("ask", ASK)
@pytest.mark.parametrize("solutions", [FORMULA, KEYS], ids=["formula", "keys"])
def test_what_is_no_key_is_refused(solutions: Any, ask: str, key: object) -> None:
    with pytest.raises(ModelError, match=r"expected a key \(a whole number\) or a name such as"):
        ASK[ask](solutions, key)


def test_other_refusals() -> None:
    for wrong in ({"x": 9}, {"a": 2}, {"a": None}):
        with pytest.raises(ModelError, match="expected a value of"):
            FORMULA.restrict(wrong)
    for member in [(1.9,), ("x1",), (0.0,)]:
        assert member not in SolutionSet(GRIDS.diagram, KeyDecoder(), fixed=GRIDS.fixed)


@pytest.mark.parametrize("place", ["r1c2", 1, (0, 1)])
def test_cells(place: Any) -> None:
    assert GRIDS.given({place: 2}).count() == 24
    assert GRIDS.maximum({(place, 2): 5})[0] == 5
    assert ZERO.given({place: 1}).count() == 24
    for digit in (0, 5, 1.5, "2", None):
        for ask in (lambda d: GRIDS.given({place: d}), lambda d: GRIDS.minimum({(place, d): 1})):
            with pytest.raises(ValueError, match="a digit 1 to 4 in cell"):
                ask(digit)


@pytest.mark.parametrize("place", ["r5c1", "r1c1=1", 16, -1, (0, 4), 1.5, (0, 0, 0), None], ids=str)
def test_what_is_no_cell_is_refused(place: Any) -> None:
    with pytest.raises(ValueError, match="there is no cell"):
        GRIDS.given({place: 1})
    with pytest.raises(ValueError, match="there is no cell"):
        GRIDS.maximum({(place, 1): 1})
