"""What all words of an automaton have in common, and what the search concludes from it."""

from __future__ import annotations

import random

import pytest
from oracles import by_enumeration

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.protocol import find_engine
from bddsudoku.engine.search.engine import ConstraintSearch
from bddsudoku.engine.search.propagators import Propagators
from bddsudoku.model import Model, Variable, forward_check
from bddsudoku.model.constraints import OneHot
from bddsudoku.model.propagation import substitute
from bddsudoku.model.word_constraints import Automaton
from bddsudoku.puzzle.sudoku import Puzzle, allocate

MIRACLE = "." * 81 + "\nglobalentropy\nskyscraper 8 r1c0\nskyscraper 7 r6c10\n"
"""The rules of the published "Miracle" by way of ISS's examples: one solution."""


@pytest.mark.parametrize("seed", range(40))
def test_required_values_and_small_mdds_keep_all_solutions(seed: int) -> None:
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
            Automaton.from_step(
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


def test_a_required_digit_is_excluded_from_what_sees_all_its_places(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = forward_check(allocate(Puzzle.parse(MIRACLE)))

    def nodes() -> int:
        search = ConstraintSearch(model, UNLIMITED)
        while not search.done:
            search.advance()
        assert search.count == 1
        return search.nodes

    with_clauses = nodes()
    monkeypatch.setattr(Propagators, "add_required", lambda self, members: None)
    assert 5 * with_clauses < nodes()
