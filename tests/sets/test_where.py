"""Sets restricted by constraints given later, against a look at every solution."""

from __future__ import annotations

import random

import pytest
from families import diagram_of

from bddsudoku import Puzzle, solve
from bddsudoku.model import Constraint, Linear, OneHot
from bddsudoku.sets.solutionset import SolutionSet


def linear(rng: random.Random, keys: list[int]) -> Constraint:
    chosen = sorted(rng.sample(keys, rng.randint(1, len(keys))))
    low = rng.randint(-5, 5)
    weights = tuple(rng.randint(-3, 4) for _ in chosen)
    return Linear("sum", "0", tuple(chosen), weights, low, low + rng.randint(0, 6))


@pytest.mark.parametrize("seed", range(40))
def test_any_family_and_any_sum(seed: int) -> None:
    rng = random.Random(seed)
    labels = rng.sample(range(20), rng.randint(1, 8))
    fixed = [k for k in range(20, 24) if rng.random() < 0.5]
    sets = {tuple(k for k in labels if rng.random() < 0.5) for _ in range(rng.randint(0, 30))}
    family = SolutionSet(diagram_of(labels, sets), fixed=fixed)
    constraint = linear(rng, [*labels, *range(20, 26)])
    found = family.where(constraint)
    kept = {s for s in family if constraint.holds({k: k in s for k in range(30)})}
    assert set(found) == kept
    assert found.count() == len(kept)


def test_a_diagonal_asked_for_later() -> None:
    grids = solve(Puzzle([0] * 16), "frontier")
    found = grids
    for digit in range(4):
        for name, cells in (("down", (0, 5, 10, 15)), ("up", (3, 6, 9, 12))):
            keys = tuple(sorted(c * 4 + digit for c in cells))
            found = found.where(OneHot("diagonal", f"{name} {digit}", keys))
    wanted = {
        g.line
        for g in grids
        if len({g.cells[c] for c in (0, 5, 10, 15)})
        == len({g.cells[c] for c in (3, 6, 9, 12)})
        == 4
    }
    assert {g.line for g in found} == wanted
    assert found <= grids
    assert found.count() == len(wanted) == 48
