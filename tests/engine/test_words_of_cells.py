"""Automata over cells in groups that differ, against enumeration."""

from __future__ import annotations

import random

import pytest
from automata import automaton
from oracles import by_enumeration

from bddsudoku.context import Context
from bddsudoku.engine.protocol import find_engine
from bddsudoku.model import Model, Variable
from bddsudoku.model.allocation import substitute
from bddsudoku.model.constraints import OneHot


@pytest.mark.parametrize("seed", range(40))
def test_words_of_cells_that_differ_keep_all_solutions(seed: int) -> None:
    """Cells in a few overlapping groups that differ, and squares that need one of two values."""
    rng = random.Random(seed)
    cells, values = 6, 3
    variables = tuple(Variable(f"v{c}{k}", c * values + k) for c in range(cells) for k in range(3))
    of_cell = [tuple(range(c * values, c * values + values)) for c in range(cells)]
    constraints = [OneHot("cell", f"{c}", of) for c, of in enumerate(of_cell)]
    for i in range(rng.randint(1, 4)):
        group = rng.sample(range(cells), rng.randint(2, 3))
        constraints += [
            OneHot("differ", f"{i} {k}", tuple(sorted(of_cell[c][k] for c in group)), at_most=True)
            for k in range(values)
        ]
    others = []
    for i in range(rng.randint(1, 3)):
        wanted = frozenset(rng.sample(range(1, values + 1), rng.randint(1, 2)))
        others.append(
            automaton(
                "some",
                f"{i}",
                [of_cell[c] for c in rng.sample(range(cells), rng.randint(3, 4))],
                False,
                lambda seen, s, wanted=wanted: seen or s in wanted if s else None,
                bool,
            )
        )
    model = Model(variables, (*constraints, *others))
    if seed % 2:
        model = substitute(model, [rng.randrange(len(variables))])
    found = find_engine("search").solutions(model, Context())
    fixed = {v.key for v in model.fixed}
    assert {frozenset(keys.tolist()) for keys in found} == {
        s | fixed for s in by_enumeration(model)
    }
