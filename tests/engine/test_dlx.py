"""The dlx engine compared with brute force, known counts, and itself in other orders."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import exhaustive
from strategies import model_of, models

from bddsudoku.context import Context
from bddsudoku.engine import dlx
from bddsudoku.errors import LimitReached, ModelError
from bddsudoku.model.constraints import CoverArrays
from bddsudoku.model.model import Model
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.sudoku_model import allocate, empty_board_model

P17 = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"


@settings(max_examples=150, deadline=None)
@given(
    models(items=5, options=10),
    st.one_of(st.none(), st.integers(0, 99)),
)
def test_small_covers_are_those_of_brute_force(model: Model, seed: int | None) -> None:
    expected = exhaustive(model)
    found = [frozenset(c.tolist()) for c in dlx.covers(model, seed=seed)]
    assert len(found) == len(set(found))
    assert set(found) == expected
    assert dlx.count(model, seed=seed).count == len(expected)
    assert len([*dlx.covers(model, seed=seed, limit=1)]) == bool(expected)


@st.composite
def larger_covers(draw: st.DrawFn) -> tuple[list[list[int]], int, int]:
    """Up to 160 options (three words of bits) with covers among them, optional items or not."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    primary, secondary = int(rng.integers(4, 15)), int(rng.choice([0, 0, 6]))
    options: list[list[int]] = []
    for _ in range(int(rng.integers(1, 40))):  # cut all primary items into pieces
        items = rng.permutation(primary)
        cuts = np.flatnonzero(rng.random(primary - 1) < 0.4) + 1
        for piece in np.split(items, cuts):
            optional = primary + np.flatnonzero(rng.random(secondary) < 0.1)
            options.append(sorted([*piece.tolist(), *optional.tolist()]))
    return options[:160], primary, secondary


@settings(max_examples=100, deadline=None)
@given(larger_covers(), st.one_of(st.none(), st.integers(0, 99)))
def test_larger_covers_cover_every_item_once(
    problem: tuple[list[list[int]], int, int], seed: int | None
) -> None:
    arrays = model_of(*problem).cover()
    walk = [c.tolist() for c in dlx.covers(arrays, seed=seed, limit=300)]
    assert len({*map(tuple, walk)}) == len(walk)
    whole = dlx.count(arrays, seed=seed, node_limit=20000)
    assert not whole.done or min(300, whole.count) == len(walk)
    options = problem[0]
    for cover in walk:
        hits = Counter(i for o in cover for i in options[o])
        assert all(hits[i] == 1 for i in range(problem[1]))
        assert max(hits.values()) == 1


@pytest.mark.parametrize("secondary", [0, 2])
def test_a_search_can_pause_and_continue_anywhere(secondary: int) -> None:
    # a strip of 9 cells cut into pieces of 1, 2 and 3 cells; the last options exclude each other
    options = [list(range(s, s + k)) for k in (1, 2, 3) for s in range(10 - k)]
    for o in range(0, len(options), 5):
        options[o] += [9 + i for i in range(secondary)]
    arrays = model_of(options, 9, secondary).cover()
    whole = dlx.count(arrays)
    walk = [c.tolist() for c in dlx.covers(arrays)]
    assert whole.done
    assert len(walk) == whole.count > 20
    for limit in range(whole.nodes + 1):
        part = dlx.count(arrays, node_limit=limit)
        assert part.nodes == limit
        assert part.count <= whole.count
    for limit in range(1, whole.count):
        part = dlx.count(arrays, limit=limit)
        assert (part.count, part.done) == (limit, False)
        assert part.nodes <= whole.nodes
    search = dlx.CoverSearch(arrays)
    while not search.done:
        search.advance(max_nodes=search.nodes + 1)
    assert (search.count, search.nodes) == (whole.count, whole.nodes)


def strips(cells: int, pieces: int) -> CoverArrays:
    """Cuts of a strip into pieces of at most so many cells."""
    options = [range(s, s + k) for k in range(1, pieces + 1) for s in range(cells - k + 1)]
    indptr = np.cumsum([0] + [len(o) for o in options]).astype(np.int32)
    indices = np.array([i for o in options for i in o], dtype=np.int32)
    return CoverArrays(cells, cells, indptr, indices, np.arange(cells, dtype=np.int32))


def test_large_problems() -> None:
    """Sparse ones have few options for many items; those with very many options are refused."""
    for arrays in (strips(3000, 2), strips(200, 60)):
        (one,) = dlx.covers(arrays, limit=1)
        covered = [arrays.indices[arrays.indptr[o] : arrays.indptr[o + 1]] for o in one]
        assert sorted(np.concatenate(covered).tolist()) == list(range(arrays.items))
    with pytest.raises(ModelError, match="17,655 options; dancing cells take at most 16,384"):
        dlx.count(strips(300, 66))


def test_a_seed_changes_the_order_and_nothing_else() -> None:
    model = allocate(Puzzle.parse(P17).without((6, 0)), "candidates")
    plain = [c.tobytes() for c in dlx.covers(model)]
    again = [c.tobytes() for c in dlx.covers(model)]
    mixed = [c.tobytes() for c in dlx.covers(model, seed=1)]
    other = [c.tobytes() for c in dlx.covers(model, seed=2)]
    assert plain == again
    assert plain != mixed != other
    assert sorted(plain) == sorted(mixed) == sorted(other)
    assert mixed == [c.tobytes() for c in dlx.covers(model, seed=1)]


def test_limits_that_end_a_search() -> None:
    model = empty_board_model(Layout(3, 3))
    assert dlx.count(model, node_limit=1000).nodes == 1000
    with pytest.raises(LimitReached, match="time limit") as caught:
        for _ in dlx.covers(model, context=Context(time_limit=0.2)):
            pass
    assert caught.value.limit == "time"
    with pytest.raises(LimitReached, match="nodes limit"):
        list(dlx.covers(model, node_limit=5))


def test_a_model_with_forbidden_variables_is_refused() -> None:
    with pytest.raises(ModelError, match="candidates"):
        dlx.count(allocate(Puzzle.parse(P17), "paper"))
