"""Counts by sorted specs, compared with enumeration, search and known numbers."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model.random_constraints import KINDS, random_constraint
from oracles import four_by_four, grid_of
from puzzle.sudoku.rules.recipes import names, random_rule
from strategies import shuffled_grid

from bddsudoku.context import Context
from bddsudoku.engine.frontier.forward import count_spec
from bddsudoku.engine.order_choice import choose_order_up_to_symmetry, make_count_plan
from bddsudoku.engine.protocol import find_engine
from bddsudoku.engine.specs.value_symmetry_spec import make_value_symmetry_spec
from bddsudoku.model import Constraint, Model, OneHot, Variable
from bddsudoku.model.allocation import forward_check, propagate_for_diagram, substitute
from bddsudoku.model.constraints import rename_constraint
from bddsudoku.model.value_symmetry import find_value_symmetry
from bddsudoku.puzzle.sudoku import Layout, Puzzle, allocate
from bddsudoku.solver import count_detailed


def propagated_keys(model: Model) -> frozenset[int]:
    """Keys of the variables that remain after propagation."""
    left = propagate_for_diagram(model)
    return frozenset(v.key for v in (*left.variables, *left.fixed))


def sorted_counts(model: Model, rng: random.Random, orders: int = 1) -> Iterator[int]:
    """Counts by value symmetry, in several orders, with and without known keys."""
    colouring = find_value_symmetry(model)
    if colouring is None:
        return
    places = list(range(len(colouring.places)))
    for k in range(orders + 1):
        for known, turned in ((None, False), (propagated_keys(model), True)):
            found = make_value_symmetry_spec(colouring, places, known=known, sort_houses=turned)
            assert found is not None
            yield count_spec(found.spec)
        places = rng.sample(places, len(places)) if k else places[::-1]


def symmetric_model(rng: random.Random) -> Model:
    """A random model of places and values, with houses and other constraints."""
    places, colours = rng.randint(2, 5), rng.randint(2, 4)
    there = [(p, k) for p in range(places) for k in range(colours) if rng.random() < 0.95]
    rng.shuffle(there)
    at = {pair: v for v, pair in enumerate(there)}
    made: list[Constraint] = []

    def one_hot(family: str, pairs: Sequence[tuple[int, int]], at_most: bool) -> None:
        inside = tuple(sorted(at[pair] for pair in pairs if pair in at))
        if inside or not at_most:
            made.append(OneHot(family, str(len(made)), inside, 1, at_most))

    for p in range(places):
        one_hot("place", [(p, k) for k in range(colours)], False)
    for _ in range(rng.randint(1, 4)):
        house = rng.sample(range(places), rng.randint(2, places))
        at_most = rng.random() < 0.7
        for k in range(colours):
            if rng.random() < 0.93:
                one_hot("house", [(p, k) for p in house], at_most)
    if rng.random() < 0.4 and there:
        chosen = sorted(rng.sample(range(len(there)), min(len(there), rng.randint(1, 5))))
        crossing = random_constraint(rng, chosen, rng.choice(KINDS))
        made.append(rename_constraint(crossing, crossing.family, str(len(made))))
    rng.shuffle(made)
    model = Model(
        tuple(Variable(f"v{v}", 3 * v + 1, *pair) for v, pair in enumerate(there)), tuple(made)
    )
    true = [v for v in range(len(there)) if rng.random() < 0.08]
    false = [v for v in range(len(there)) if v not in true and rng.random() < 0.08]
    return substitute(model, true, false=false)


def solutions_by_enumeration(model: Model) -> int:
    """The solutions of a model before propagation, under its assumptions, by enumeration."""
    base, assumed = model.original, dict(model.assumptions)
    fixed = [assumed.get(v.key) for v in base.variables]
    every = product(*[(False, True) if value is None else (value,) for value in fixed])
    return sum(all(c.holds(values) for c in base.constraints) for values in every)


@given(st.integers(0, 2**32))
def test_random_models(seed: int) -> None:
    rng = random.Random(seed)
    model = symmetric_model(rng)
    if len(model.original.variables) > 14:
        return
    wanted = solutions_by_enumeration(model)
    assert find_engine("frontier").count(forward_check(model), Context()) == wanted
    for number in sorted_counts(model, rng, 2):
        assert number == wanted


def test_every_pair_of_hints_on_four_by_four() -> None:
    rng = random.Random(1)
    board = four_by_four()
    for a, b in product(range(16), repeat=2):
        digits = rng.randint(1, 4), rng.randint(1, 4)
        if a >= b:
            continue
        cells = [0] * 16
        cells[a], cells[b] = digits
        wanted = sum(grid[a] == digits[0] and grid[b] == digits[1] for grid in board)
        model = allocate(Puzzle(cells, Layout(2, 2)))
        assert set(sorted_counts(model, rng, 0)) <= {wanted}


@given(st.integers(0, 2**32))
@settings(max_examples=40)
def test_any_hints_and_rules_on_four_by_four(seed: int) -> None:
    rng = random.Random(seed)
    layout = Layout(2, 2)
    grid = shuffled_grid(layout, rng)
    drawn = (random_rule(rng.choice(names()), layout, rng, grid) for _ in range(rng.randint(0, 2)))
    rules = [rule for rule in drawn if rule is not None]
    cells = rng.sample(range(16), rng.randint(8, 16))
    puzzle = grid.without(*cells).with_rule(*rules)
    solutions = [Puzzle(list(g), layout) for g in four_by_four()]
    wanted = sum(
        all(s.cells[c] == d for c, d in puzzle.hints.items()) and all(r.holds(s) for r in rules)
        for s in solutions
    )
    for number in sorted_counts(allocate(puzzle), rng, 0):
        assert number == wanted


@pytest.mark.parametrize("kind", ["usual", "wide", "latin", "jigsaw"])
def test_ladders_on_six_by_six(kind: str) -> None:
    rng = random.Random(kind)
    layout = {
        "usual": Layout(2, 3),
        "wide": Layout(3, 2),
        "latin": Layout.latin(6),
        "jigsaw": Layout.of_side_or_rows(6).with_regions(bent_regions()),
    }[kind]
    first = Puzzle([0] * 36, layout)
    solution = next(iter(engine_solutions(first, rng)))
    for open_cells in range(0, 33, 4):
        puzzle = solution.without(*rng.sample(range(36), open_cells))
        model = allocate(puzzle)
        wanted = find_engine("dlx").count(model, Context()) if open_cells < 25 else None
        found = {*sorted_counts_once(model)}
        assert found == {count_detailed(puzzle).count}
        assert wanted is None or found == {wanted}


def bent_regions() -> list[int]:
    """Six blocks of six cells, four of them bent."""
    rows = ["000122", "001122", "011122", "333455", "334455", "344455"]
    return [int(c) for row in rows for c in row]


def engine_solutions(puzzle: Puzzle, rng: random.Random) -> Iterator[Puzzle]:
    """Solutions by search, in a random order."""
    dlx = find_engine("dlx")
    for keys in dlx.solutions(allocate(puzzle), Context(), limit=1, seed=rng.randrange(1000)):  # type: ignore[attr-defined]
        yield Puzzle(grid_of(keys.tolist(), puzzle.layout.n), puzzle.layout)


def sorted_counts_once(model: Model) -> Iterator[int]:
    symmetry = find_value_symmetry(model)
    if symmetry is not None:
        left = propagate_for_diagram(model)
        found = choose_order_up_to_symmetry(left, Context(), symmetry)
        if found is not None:
            yield count_spec(found.sorted.spec)
    yield count_spec(make_count_plan(propagate_for_diagram(model), Context()).spec())


KNOWN = [
    (Layout(2, 2), 288),
    (Layout(2, 3), 28_200_960),
    (Layout(3, 2), 28_200_960),
    (Layout(2, 4), 29_136_487_207_403_520),
    *zip(
        map(Layout.latin, range(1, 9)),
        (1, 2, 12, 576, 161_280, 812_851_200, 61_479_419_904_000, 108_776_032_459_082_956_800),
        strict=True,
    ),
]


@pytest.mark.parametrize(("layout", "wanted"), KNOWN)
def test_empty_boards(layout: Layout, wanted: int) -> None:
    assert count_detailed(Puzzle([0] * layout.cell_count, layout)).count == wanted
