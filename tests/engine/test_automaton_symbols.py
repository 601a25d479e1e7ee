"""What all words of an automaton have in common, and what the search concludes from it."""

from __future__ import annotations

import random
from itertools import pairwise, product

import numpy as np
import pytest
from oracles import by_enumeration

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.protocol import find_engine
from bddsudoku.engine.search.automaton_symbols import symbol_numbers
from bddsudoku.engine.search.engine import ConstraintSearch
from bddsudoku.engine.search.propagators import Propagators
from bddsudoku.model import Model, Variable, forward_check
from bddsudoku.model.constraints import OneHot
from bddsudoku.model.mdd import Mdd, reduce_mdd
from bddsudoku.model.propagation import substitute
from bddsudoku.model.word_constraints import Automaton
from bddsudoku.puzzle.sudoku import Puzzle, allocate

MIRACLE = "." * 81 + "\nglobalentropy\nskyscraper 8 r1c0\nskyscraper 7 r6c10\n"
"""The rules of the published "Miracle" by way of ISS's examples: one solution."""


def random_mdd(rng: random.Random, length: int, symbols: int) -> Mdd:
    """The MDD of some random words of symbols 0 …; choice 0 never occurs."""
    words = [*product(range(1, symbols + 1), repeat=length)]
    kept = {w for w in words if rng.random() < rng.choice([0.1, 0.9])} | {rng.choice(words)}
    prefixes = [sorted({w[:n] for w in kept}) for n in range(length + 1)]
    tables = []
    for upper, lower in pairwise(prefixes):
        number = {prefix: i for i, prefix in enumerate(lower)}
        rows = [[number.get((*p, s), -1) for s in range(symbols + 1)] for p in upper]
        tables.append(np.array(rows, dtype=np.int32))
    return reduce_mdd(tables)


@pytest.mark.parametrize("seed", range(30))
def test_numbers_of_symbols_are_those_of_all_words(seed: int) -> None:
    rng = random.Random(seed)
    length, symbols = rng.randint(1, 4), rng.randint(1, 4)
    mdd = random_mdd(rng, length, symbols)
    words = [
        [s - 1 for s in word]
        for word in product(range(1, symbols + 1), repeat=length)
        if mdd.accepts(word)
    ]
    classes, numbers, total = symbol_numbers(mdd)
    for s, t in product(range(symbols), repeat=2):
        swaps = all(
            mdd.accepts([1 + (t if i == k and x == s else x) for i, x in enumerate(word)])
            == mdd.accepts([1 + x for x in word])
            for word in product(range(symbols), repeat=length)
            for k in range(length)
        )
        assert (classes[s] == classes[t]) <= swaps
    for name, (least, most) in numbers.items():
        found = [sum(classes[s] == name for s in word) for word in words]
        assert (least, most) == (min(found), max(found))
    totals = {sum(word) for word in words}
    assert total == (totals.pop() if len(totals) == 1 else None)


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
