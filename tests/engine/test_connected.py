"""Connected regions in all engines, against a flood of every filling of a small rectangle."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product

import pytest

from bddsudoku.context import Context
from bddsudoku.engine.protocol import find_engine
from bddsudoku.engine.search.engine import SearchEngine
from bddsudoku.model import Connected, Constraint, Linear, Model, OneHot, Variable, forward_check
from bddsudoku.model.allocation import substitute
from bddsudoku.model.to_mdd import constraint_mdd


def flood(filling: Sequence[int], columns: int, values: Sequence[int], size: int | None) -> bool:
    """Whether the cells with certain values, one or more, are one part; if given, of a size."""
    left = {divmod(i, columns) for i, value in enumerate(filling) if value in values}
    whole = len(left)
    ahead = {min(left)} if left else set()
    while ahead:
        left -= ahead
        ahead = {
            (r + down, c + right)
            for r, c in ahead
            for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0))
        } & left
    return whole > 0 and not left and size in (None, whole)


def cells(count: int, values: int) -> tuple[tuple[Variable, ...], list[Constraint]]:
    """Cells with a value each."""
    variables = tuple(
        Variable(f"x{c}_{k}", c * values + k, c, k) for c in range(count) for k in range(values)
    )
    return variables, [
        OneHot("cell", f"{c}", tuple(range(c * values, c * values + values))) for c in range(count)
    ]


def region(
    name: str, count: int, columns: int, values: int, held: Sequence[int], size: int | None
) -> Connected:
    """The constraint that the cells with some of their values are connected."""
    groups = tuple(tuple(c * values + k for k in sorted(held)) for c in range(count))
    return Connected("region", name, groups, columns, size)


def fillings(rows: int, columns: int, values: int) -> Iterator[tuple[int, ...]]:
    """Every filling of a rectangle."""
    return product(range(values), repeat=rows * columns)


def agree(seed: int) -> int:
    """Count a random rectangle with regions by all engines and by floods; return the count."""
    rng = random.Random(seed)
    rows, columns, values = rng.choice(
        ((2, 3, 3), (3, 3, 2), (3, 4, 2), (2, 4, 3), (4, 3, 2), (1, 6, 3), (2, 5, 2), (3, 3, 3))
    )
    count = rows * columns - rng.choice((0, 0, 0, 1 if rows > 1 else 0))
    variables, constraints = cells(count, values)
    wanted = []
    for i in range(rng.choice((1, 2, 2))):
        held = rng.sample(range(values), rng.choice((1, 1, values - 1)))
        size = rng.choice((None, None, rng.randint(1, count)))
        wanted.append((held, size))
        constraints.append(region(f"{i}", count, columns, values, held, size))
    if rng.random() < 0.3:  # the last value as often as this
        places = tuple(range(values - 1, count * values, values))
        constraints.append(Linear("count", "last", places, (1,) * count, 2, None))
    model = Model(variables, tuple(constraints))
    known = [
        c * values + rng.randrange(values) for c in rng.sample(range(count), rng.randint(0, 3))
    ]
    expected = {
        frozenset(c * values + k for c, k in enumerate(filling))
        for filling in product(range(values), repeat=count)
        if all(filling[v // values] == v % values for v in known)
        and all(flood(filling, columns, *one) for one in wanted)
        and (constraints[-1].family != "count" or filling.count(values - 1) >= 2)
    }
    model = substitute(model, known, settle=("cell",) if rng.random() < 0.5 else ())
    model = forward_check(model) if rng.random() < 0.5 else model
    search = SearchEngine()
    found = {frozenset(keys.tolist()) for keys in search.solutions(model, Context())}
    assert found == expected
    supported = set(search.supports(model, Context()).tolist())
    assert supported == set().union(*expected)
    for name in ("frontier", "bdd")[: 1 + (seed % 25 == 0)]:
        assert find_engine(name).count(model, Context()) == len(expected)
    return len(expected)


def test_some_regions_by_all_engines() -> None:
    found = [agree(seed) for seed in range(25)]
    assert 0 in found
    assert max(found) > 1


@pytest.mark.slow
def test_many_regions_by_all_engines() -> None:
    found = [agree(seed) for seed in range(25, 400)]
    assert {0, 1} <= {*found}


@pytest.mark.parametrize("seed", range(6))
def test_mdds_read_the_variables_in_any_order(seed: int) -> None:
    rng = random.Random(seed)
    rows, columns, values = rng.choice(((2, 3, 2), (3, 3, 1), (1, 5, 2)))
    count = rows * columns
    held = [*range(values)]
    whole = region("", count, columns, values, held, rng.choice((None, 1, 3)))
    known = {v: rng.random() < 0.5 for v in rng.sample(whole.variables, rng.randint(0, 2))}
    left = whole.restrict(known)
    order = rng.sample(left.variables, len(left.variables))
    mdd = constraint_mdd(left, [[v] for v in order])
    for bits in product((False, True), repeat=len(order)):
        assignment = dict(zip(order, bits, strict=True)) | known
        inside = [int(any(assignment[v] for v in group)) for group in whole.groups]
        expected = flood(inside, columns, [1], whole.size)
        assert mdd.accepts(assignment) == left.holds(assignment) == expected
        assert whole.holds(assignment) == expected


def yin_yang(rows: int, columns: int) -> Model:
    """Two connected regions that fill a rectangle, and no square of 2x2 cells in one of them."""
    count = rows * columns
    variables, constraints = cells(count, 2)
    constraints += [region(f"{k}", count, columns, 2, [k], None) for k in range(2)]
    for a in range(count - columns):
        if (a + 1) % columns:
            square = (a, a + 1, a + columns, a + columns + 1)
            ones = tuple(2 * c + 1 for c in square)
            constraints.append(Linear("square", f"{a}", ones, (1,) * 4, 1, 3))
    return Model(variables, tuple(constraints))


@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (3, 3), (3, 4), (4, 4)])
def test_yin_yang_grids(shape: tuple[int, int]) -> None:
    rows, columns = shape
    corners = [r * columns + c for r in range(rows - 1) for c in range(columns - 1)]
    expected = sum(
        flood(filling, columns, [0], None)
        and flood(filling, columns, [1], None)
        and all(0 < sum(filling[a + b] for b in (0, 1, columns, columns + 1)) < 4 for a in corners)
        for filling in fillings(rows, columns, 2)
    )
    model = yin_yang(rows, columns)
    assert SearchEngine().count(model, Context()) == expected
    assert find_engine("frontier").count(model, Context()) == expected
