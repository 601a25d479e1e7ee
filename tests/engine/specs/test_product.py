"""The product of an exact cover and of MDDs, compared with enumeration of all assignments."""

from __future__ import annotations

import random

import pytest
from oracles import by_enumeration

from bddsudoku.context import Context
from bddsudoku.engine.frontier import compile_spec, count_spec
from bddsudoku.engine.specs.product_spec import model_spec
from bddsudoku.model import Constraint, Linear, Model, OneHot, Variable
from bddsudoku.model.ordering import heuristic_orders
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver import count_detailed


def any_model(rng: random.Random) -> Model:
    """Sums and one-hot constraints over up to ten variables, some of them in none."""
    n = rng.randint(1, 10)
    constraints: list[Constraint] = []
    for k in range(rng.randint(0, 6)):
        chosen = tuple(sorted(rng.sample(range(n), rng.randint(1, n))))
        if rng.random() < 0.45:
            constraints.append(OneHot("one", str(k), chosen, 1, rng.random() < 0.4))
            continue
        low = rng.randint(-6, 4)
        constraints.append(
            Linear(
                "sum",
                str(k),
                chosen,
                tuple(rng.randint(-4, 5) for _ in chosen),
                low if rng.random() < 0.8 else None,
                low + rng.randint(0, 6) if rng.random() < 0.8 else None,
            )
        )
    return Model(tuple(Variable(f"v{i}", 3 * i) for i in range(n)), tuple(constraints))


@pytest.mark.parametrize("seed", range(60))
def test_every_order_compiles_to_the_same_set(seed: int) -> None:
    rng = random.Random(seed)
    model = any_model(rng)
    wanted = by_enumeration(model)
    order = [
        *range(model.one_hot_matrix.primary),
        *(model.one_hot_matrix.items + v for v in model.variables_outside_exact_items),
    ]
    rng.shuffle(order)
    for given in (None, order, *heuristic_orders(model).values()):
        spec = model_spec(model, given)
        found = SolutionSet(compile_spec(spec).diagram)
        assert set(map(frozenset, found)) == wanted
        assert count_spec(spec) == len(wanted)


def test_a_knapsack_of_a_hundred_items() -> None:
    rng = random.Random(3)
    weights = [rng.randint(1, 1000) for _ in range(100)]
    most = sum(weights) // 3
    ways = [1] + [0] * most
    for w in weights:
        for load in range(most, w - 1, -1):
            ways[load] += ways[load - w]
    sums = Linear("load", "0", tuple(range(100)), tuple(weights), None, most)
    model = Model(tuple(Variable(f"x{i}", i) for i in range(100)), (sums,))
    assert count_detailed(model, "frontier", Context(seconds=60)).count == sum(ways)
