"""Cells and variables in every form, wherever they are asked for: one answer for all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bddsudoku import OneHot, Problem, Puzzle, compile_set, true_candidates
from bddsudoku.authoring import unavoidable_sets
from bddsudoku.errors import ModelError
from bddsudoku.solver import project

EMPTY = Puzzle([0] * 16)
SETS = compile_set(EMPTY, "rows")
CELL = {
    "number": 1,
    "row and column": (0, 1),
    "name": "r1c2",
    "of numpy": (np.int64(0), np.int8(1)),
}
"""The second cell of the first row."""
PROBLEM = Problem()
A, B = PROBLEM.symbols("a b")
PROBLEM.add(A + B + PROBLEM.integer("x", range(3)) == 2)
MODELS = compile_set(PROBLEM)
OF_CELLS: dict[str, Callable[[Any], object]] = {
    "[]": lambda cell: EMPTY.with_hint(1, 3)[cell],
    "with_hint": lambda cell: EMPTY.with_hint(cell, 3),
    "with_hints": lambda cell: EMPTY.with_hints({cell: 3}),
    "without": lambda cell: EMPTY.with_hint(1, 3).without(cell),
    "true_candidates": lambda cell: true_candidates(EMPTY.with_hint(cell, 3)).tolist(),
    "given": lambda cell: SETS.given({cell: 3}).count(),
    "marginals": lambda cell: SETS.given({cell: 3}).marginals().tolist(),
    "backbone": lambda cell: SETS.given({cell: 3}).backbone().tolist(),
    "sample": lambda cell: SETS.given({cell: 3}).sample(2, rng=1).tolist(),
    "restrict": lambda cell: SETS.restrict([(cell, 3)]).count(),
    "restrict to others": lambda cell: SETS.restrict(false=[(cell, 3)]).count(),
    "where": lambda cell: SETS.where(OneHot("f", "l", ((cell, 3), (0, 3)))).count(),
    "minimum": lambda cell: SETS.minimum({(cell, 3): -1})[0],
    "in_cell_order": lambda cell: SETS.in_cell_order([cell, 0, *range(2, 16)])[0],
    "reordered": lambda cell: SETS.reordered([(cell, 3), *range(6), *range(7, 64)])[0],
    "unavoidable_sets": lambda cell: unavoidable_sets(SETS[0], [cell, 0, 4, 5]).sets.count(),
}
OF_VARIABLES: dict[str, Callable[[Any], object]] = {
    "restrict": lambda b: MODELS.restrict([b]).count(),
    "restrict to others": lambda b: MODELS.restrict(false=[b]).count(),
    "restrict by value": lambda b: MODELS.restrict({b: 1}).count(),
    "where": lambda b: MODELS.where(OneHot("f", "l", (b,))).count(),
    "minimum": lambda b: MODELS.minimum({b: -1})[0],
    "reordered": lambda b: MODELS.reordered([b, 0, *MODELS.keys[2:]])[0],
    "project": lambda b: project(MODELS, [b]).count(),
}


@pytest.mark.parametrize("form", CELL)
@pytest.mark.parametrize("name", OF_CELLS)
def test_a_cell_in_every_form(name: str, form: str) -> None:
    assert OF_CELLS[name](CELL[form]) == OF_CELLS[name](1)
    for wrong in ("r9c9", (9, 9), 99, "none"):
        with pytest.raises((ValueError, LookupError, ModelError), match=r"there is no cell .*4x4"):
            OF_CELLS[name](wrong)


@pytest.mark.parametrize("name", OF_VARIABLES)
def test_a_variable_by_its_key_and_its_name(name: str) -> None:
    assert OF_VARIABLES[name]("b") == OF_VARIABLES[name](1)
    with pytest.raises(ModelError, match=r"expected a key .* found 'none'"):
        OF_VARIABLES[name]("none")


def test_values_by_cell_and_by_name() -> None:
    assert SETS.restrict({"r1c2": 3, (0, 0): 1}) == SETS.given({1: 3, 0: 1})
    assert {key: MODELS.restrict({"x": key}).count() for key in range(3)} == {0: 1, 1: 2, 2: 1}
    assert MODELS.restrict({"a": 1, "b": 0}).count() == 1
    for wrong in ([(0, 0)], ["r1c1=9"], {"r1c1": 9}, {(0, 0): 0}):
        with pytest.raises((ValueError, ModelError)):
            SETS.restrict(wrong)
