"""The product of an exact cover and of MDDs, compared with enumeration of all assignments."""

from __future__ import annotations

import random

import pytest
from model.random_constraints import random_model
from oracles import by_enumeration

from bddsudoku.context import Context
from bddsudoku.engine.frontier import compile_spec, count_spec
from bddsudoku.engine.specs.product_spec import model_spec
from bddsudoku.model import Linear, Model, Variable, forward_check
from bddsudoku.model.ordering import heuristic_orders
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver import count_detailed


@pytest.mark.parametrize("seed", range(60))
def test_every_order_compiles_to_the_same_set(seed: int) -> None:
    rng = random.Random(seed)
    model = forward_check(random_model(rng, 9))
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
    assert count_detailed(model, "frontier", Context(time_limit=60)).count == sum(ways)
