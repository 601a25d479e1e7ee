"""Exact covers as diagrams against brute force, known counts, and under every order."""

from __future__ import annotations

import itertools
import random
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bddsudoku.engine.frontier import compile_spec, count_spec, predict_spec
from bddsudoku.engine.specs.exact_cover import cover_spec
from bddsudoku.errors import ModelError
from bddsudoku.model import Model, OneHot, Variable, candidates, singles
from bddsudoku.puzzle.sudoku import Layout, Puzzle, allocate, full_model
from bddsudoku.solutions.diagram import Diagram
from tests.strategies import exact_covers, model_of, models, shuffled_grid

P15 = "000000010400000000020000000000050400008000300001090000000400200050100000000806000"
P17 = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"


def puzzle(text: str, layout: Layout | None = None) -> Puzzle:
    return Puzzle([0 if ch == "." else int(ch) for ch in text], layout)


def covers_by_hand(model: Model) -> set[frozenset[int]]:
    """Every subset of the variables that satisfies all constraints, by trying them all."""
    sets = [(c.variables, c.total, c.at_most) for c in model.constraints]
    found = set()
    for bits in itertools.product((0, 1), repeat=len(model.variables)):
        for members, total, at_most in sets:
            here = sum(bits[v] for v in members)
            if here > total or (here < total and not at_most):
                break
        else:
            found.add(frozenset(model.variables[v].key for v, b in enumerate(bits) if b))
    return found


def sets_of(diagram: Diagram) -> set[frozenset[int]]:
    """All sets of a diagram, read off its arrays."""

    def below(node: int) -> set[frozenset[int]]:
        if node < 2:
            return {frozenset()} if node else set()
        key = int(diagram.labels[diagram.variable[node]])
        low = below(int(diagram.low[node]))
        return low | {s | {key} for s in below(int(diagram.high[node]))}

    return below(diagram.root)


def number(diagram: Diagram) -> int:
    """Number of sets, read off the arrays with Python's integers."""
    counts = [0, 1]
    for low, high in zip(diagram.low[2:].tolist(), diagram.high[2:].tolist(), strict=True):
        counts.append(counts[low] + counts[high])
    return counts[diagram.root]


def check(model: Model, order: list[int] | None = None) -> None:
    expected = covers_by_hand(model)
    done = compile_spec(cover_spec(model, order), threads=1)
    assert sets_of(done.diagram) == expected
    assert count_spec(cover_spec(model, order), threads=1) == len(expected)
    assert sorted(done.diagram.labels.tolist()) == sorted(v.key for v in model.variables)


@settings(max_examples=150, deadline=None)
@given(models(), st.randoms(use_true_random=False))
def test_any_model_under_any_order(model: Model, rng: random.Random) -> None:
    items = model.cover().items
    check(model)
    check(model, rng.sample(range(items), items))


@settings(max_examples=60, deadline=None)
@given(exact_covers(items=8, distractors=8), st.randoms(use_true_random=False))
def test_a_planted_cover_is_found(case: tuple[Model, list[int]], rng: random.Random) -> None:
    model, planted = case
    items = model.cover().items
    order = rng.sample(range(items), items)
    found = sets_of(compile_spec(cover_spec(model, order), threads=1).diagram)
    assert frozenset(model.variables[v].key for v in planted) in found
    assert found == covers_by_hand(model)


@settings(max_examples=40, deadline=None)
@given(models(), st.randoms(use_true_random=False))
def test_equal_order_equal_arrays_whatever_the_model_is_called(
    model: Model, rng: random.Random
) -> None:
    once = compile_spec(cover_spec(model), threads=1).diagram
    again = compile_spec(cover_spec(model), threads=2).diagram
    assert once == again
    for name in ("variable", "low", "high"):
        assert np.array_equal(getattr(once, name), getattr(again, name))


@pytest.mark.parametrize(
    ("model", "count"),
    [
        (Model((), ()), 1),
        (model_of([], 1), 0),
        (model_of([], 0, 2), 1),
        (model_of([[0]], 1), 1),
        (model_of([[0], [1]], 3), 0),
        (model_of([[0, 2], [1, 2]], 2, 1), 0),
        (model_of([[0, 2], [1]], 2, 1), 1),
        (model_of([[0], [0], [0]], 1), 3),
    ],
)
def test_corner_cases(model: Model, count: int) -> None:
    done = compile_spec(cover_spec(model))
    assert number(done.diagram) == count
    assert count_spec(cover_spec(model)) == count
    assert len(done.diagram.labels) == len(model.variables)


def test_a_clash_of_hints_gives_the_empty_diagram() -> None:
    model = allocate(puzzle("11" + "0" * 14), "candidates")
    assert model.is_contradictory
    assert compile_spec(cover_spec(model)).diagram.is_empty
    assert count_spec(cover_spec(model)) == 0


def test_a_solved_puzzle_gives_the_unit_diagram() -> None:
    solved = shuffled_grid(Layout(3, 3), random.Random(4))
    model = allocate(solved, "candidates")
    diagram = compile_spec(cover_spec(model)).diagram
    assert diagram.root == 1
    assert diagram.levels == 0


def test_a_model_with_settled_variables_is_refused() -> None:
    with pytest.raises(ModelError, match="candidates"):
        compile_spec(cover_spec(allocate(puzzle(P17), "paper")))


@pytest.mark.parametrize("order", [[0, 0], [0], [0, 1, 2, 99]])
def test_an_order_that_is_none_is_refused(order: list[int]) -> None:
    with pytest.raises(ModelError, match="order"):
        compile_spec(cover_spec(model_of([[0], [1], [2]], 3), order))


def grids_of_side_four() -> set[tuple[int, ...]]:
    """All 4x4 grids, by filling cells one after the other."""
    found = []

    def fill(cells: list[int]) -> None:
        if len(cells) == 16:
            found.append(tuple(cells))
            return
        r, c = divmod(len(cells), 4)
        for d in range(1, 5):
            if all(
                e != d or (s != r and t != c and (s // 2, t // 2) != (r // 2, c // 2))
                for i, e in enumerate(cells)
                for s, t in [divmod(i, 4)]
            ):
                fill([*cells, d])

    fill([])
    return set(found)


def test_all_of_four_by_four() -> None:
    diagram = compile_spec(cover_spec(full_model(Layout(2, 2)))).diagram
    grids = {tuple(key % 4 + 1 for key in sorted(chosen)) for chosen in sets_of(diagram)}
    assert len(grids) == 288
    assert grids == grids_of_side_four()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 9))
def test_random_six_by_six(seed: int, hints: int) -> None:
    """Against a plain search over cells."""
    rng = random.Random(seed)
    layout = Layout(2, 3)
    solution = shuffled_grid(layout, rng)
    given_cells = set(rng.sample(range(36), hints + 10))
    board = Puzzle([d if i in given_cells else 0 for i, d in enumerate(solution.cells)], layout)
    peers = [
        {c for house in layout.houses_of[cell] for c in house.cells} - {cell} for cell in range(36)
    ]

    def search(cells: list[int]) -> int:
        if 0 not in cells:
            return 1
        cell = min(
            (i for i in range(36) if not cells[i]),
            key=lambda i: 6 - len({cells[p] for p in peers[i]} - {0}),
        )
        free = set(range(1, 7)) - {cells[p] for p in peers[cell]}
        return sum(search([*cells[:cell], d, *cells[cell + 1 :]]) for d in free)

    expected = search(list(board.cells))
    for allocation in ("candidates", "singles"):
        model = allocate(board, allocation)
        assert count_spec(cover_spec(model)) == expected
        assert number(compile_spec(cover_spec(model)).diagram) == expected


def with_diagonals(layout: Layout, at_most: bool) -> Model:
    """The empty board whose two diagonals hold every digit (at most) once."""
    base = full_model(layout)
    n = layout.n
    diagonals = {
        "down": [i * n + i for i in range(n)],
        "up": [i * n + n - 1 - i for i in range(n)],
    }
    extra = tuple(
        OneHot("diagonal", f"{name} {d}", tuple(sorted(c * n + d for c in cells)), 1, at_most)
        for name, cells in diagonals.items()
        for d in range(n)
    )
    return Model(base.variables, base.constraints + extra)


def test_extra_regions_exactly_or_at_most_once() -> None:
    """On a full board a diagonal of n cells says the same both ways."""
    exact = compile_spec(cover_spec(with_diagonals(Layout(2, 2), at_most=False))).diagram
    loose = compile_spec(cover_spec(with_diagonals(Layout(2, 2), at_most=True))).diagram
    assert sets_of(exact) == sets_of(loose)
    by_hand = [
        g
        for g in grids_of_side_four()
        if len({g[0], g[5], g[10], g[15]}) == 4 and len({g[3], g[6], g[9], g[12]}) == 4
    ]
    assert number(exact) == len(by_hand) == 48
    assert exact == loose


@pytest.mark.parametrize(("order", "count"), [(1, 1), (2, 2), (3, 12), (4, 576), (5, 161280)])
def test_latin_squares(order: int, count: int) -> None:
    model = full_model(Layout(1, order), ("cell", "row", "column"))
    assert count_spec(cover_spec(model)) == count
    assert number(compile_spec(cover_spec(model)).diagram) == count


def test_latin_squares_of_order_six() -> None:
    assert (
        count_spec(cover_spec(full_model(Layout(1, 6), ("cell", "row", "column")))) == 812_851_200
    )


def test_empty_two_by_three() -> None:
    assert count_spec(cover_spec(full_model(Layout(2, 3)))) == 28_200_960


def test_the_fifteen_hint_puzzle() -> None:
    model = allocate(puzzle(P15), "candidates")
    done = compile_spec(cover_spec(model))
    assert number(done.diagram) == 2_284_505
    assert done.diagram.size - 2 == 1_626_718
    assert done.states == sum(level.states for level in done.levels)
    assert count_spec(cover_spec(model)) == 2_284_505


def test_a_puzzle_with_one_solution_has_one_node_a_cell() -> None:
    board = puzzle(P17)
    done = compile_spec(cover_spec(allocate(board, "candidates")))
    assert number(done.diagram) == 1
    assert done.diagram.size - 2 == len(board.open_cells)


def test_sixteen_by_sixteen_with_one_solution() -> None:
    rng = random.Random(11)
    layout = Layout(4, 4)
    solution = shuffled_grid(layout, rng)
    cells = list(solution.cells)
    for cell in rng.sample(range(256), 130):
        cells[cell] = 0
    model = allocate(Puzzle(cells, layout), "candidates")
    diagram = compile_spec(cover_spec(model)).diagram
    keys = {cell * 16 + d - 1 for cell, d in enumerate(solution.cells) if not cells[cell]}
    count = number(diagram)
    assert count == count_spec(cover_spec(model)) >= 1
    # the planted grid is one of them: follow its path
    node = diagram.root
    while node > 1:
        taken = int(diagram.labels[diagram.variable[node]]) in keys
        node = int(diagram.high[node] if taken else diagram.low[node])
    assert node == 1


def pieces_on(rows: int, columns: int, shapes: list[list[tuple[int, int]]]) -> Model:
    """All placements of some shapes on a board, every cell covered once."""
    at = [
        [(r + dr) * columns + c + dc for dr, dc in shape]
        for shape in shapes
        for r in range(rows)
        for c in range(columns)
        if all(0 <= r + dr < rows and 0 <= c + dc < columns for dr, dc in shape)
    ]
    return model_of([sorted(p) for p in at], rows * columns)


BARS = [[(0, 0), (0, 1)], [(0, 0), (1, 0)]]
CORNERS = [
    [(0, 0), (0, 1), (1, 0)],
    [(0, 0), (0, 1), (1, 1)],
    [(0, 0), (1, 0), (1, 1)],
    [(0, 1), (1, 0), (1, 1)],
]


@pytest.mark.parametrize(
    ("rows", "columns", "count"), [(2, 2, 2), (3, 3, 0), (4, 4, 36), (8, 8, 12_988_816)]
)
def test_dominoes(rows: int, columns: int, count: int) -> None:
    model = pieces_on(rows, columns, BARS)
    assert count_spec(cover_spec(model)) == count
    assert number(compile_spec(cover_spec(model)).diagram) == count


def test_counts_far_past_64_bits() -> None:
    """Dominoes on 16 x 16 (OEIS A004003)."""
    model = pieces_on(16, 16, BARS)
    assert count_spec(cover_spec(model)) == 2444888770250892795802079170816
    assert number(compile_spec(cover_spec(model)).diagram) == 2444888770250892795802079170816


def test_corner_trominoes_on_nine_by_nine() -> None:
    done = compile_spec(cover_spec(pieces_on(9, 9, CORNERS)))
    assert number(done.diagram) == 1_193_600
    assert done.states < 20_000


def test_placing_everyone_once_is_a_permutation() -> None:
    n = 7
    model = model_of([[i, n + j] for i in range(n) for j in range(n)], 2 * n)
    assert count_spec(cover_spec(model)) == factorial(n)


def test_prediction_of_a_narrow_family_is_exact() -> None:
    model = pieces_on(6, 6, BARS)
    done = compile_spec(cover_spec(model))
    said = predict_spec(cover_spec(model), 2000)
    assert said.exact
    assert said.states == done.states
    assert said.width == done.width
    assert [w for w in said.widths.tolist() if w] == [level.states for level in done.levels]


def test_prediction_of_a_wide_family_is_of_the_right_size() -> None:
    model = allocate(puzzle(P15), "candidates")
    done = compile_spec(cover_spec(model))
    said = predict_spec(cover_spec(model), 2000)
    assert not said.exact
    assert done.states / 2 < said.states < done.states * 2
    assert said.expanded < done.states / 5
    stopped = predict_spec(cover_spec(model), 200)
    assert stopped.widths.tolist() == predict_spec(cover_spec(model), 200).widths.tolist()


@settings(max_examples=20, deadline=None)
@given(models(items=6, options=9))
def test_candidates_and_singles_have_the_same_covers(model: Model) -> None:
    reduced = singles(candidates(model))
    fixed = {v.key for v in reduced.fixed}
    full = sets_of(compile_spec(cover_spec(model)).diagram)
    assert {s | fixed for s in sets_of(compile_spec(cover_spec(reduced)).diagram)} == full


def test_a_variable_in_at_most_items_only_cannot_exist() -> None:
    with pytest.raises(ModelError, match="stands in no"):
        cover_spec(Model((Variable("a", 0),), (OneHot("x", "0", (0,), 1, True),)))
