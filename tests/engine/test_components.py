"""The components engine: exact counts, growing arrays, parts, threads and limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import exhaustive

from bddsudoku import Linear, Model, OneHot, Puzzle, Variable
from bddsudoku.context import Context
from bddsudoku.diagrams.dnnf import DnnfCounts
from bddsudoku.engine.components.engine import ComponentsEngine, compile_dnnf
from bddsudoku.engine.components.problem import ComponentProblem, prepare_component_search
from bddsudoku.errors import LimitReached, ModelError
from bddsudoku.model import forward_check
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.sudoku_model import allocate

MANY = Puzzle.parse("1.......2........34........5........", Layout(2, 3))
"""A board of some thousand solutions."""
COUNT = ComponentsEngine().count


@st.composite
def one_hot_models(draw: st.DrawFn) -> Model:
    """Exactly-one and at-most-one constraints over up to ten variables, some in none."""
    n = draw(st.integers(1, 10))
    sets = draw(
        st.lists(
            st.tuples(
                st.lists(st.integers(0, n - 1), min_size=1, max_size=5, unique=True), st.booleans()
            ),
            max_size=7,
        )
    )
    constraints = tuple(
        OneHot("set", str(i), tuple(sorted(members)), at_most=at_most)
        for i, (members, at_most) in enumerate(sets)
    )
    return Model(tuple(Variable(f"x{i}", i) for i in range(n)), constraints)


@given(one_hot_models())
def test_any_one_hot_constraints(model: Model) -> None:
    assert COUNT(model, Context()) == len(exhaustive(model))


def test_independent_components_are_multiplied() -> None:
    """40 times one of three: a product that no 64 bits hold; a search would visit each."""
    constraints = tuple(OneHot("one", str(i), (3 * i, 3 * i + 1, 3 * i + 2)) for i in range(41))
    model = Model(tuple(Variable(f"x{i}", i) for i in range(123)), constraints)
    assert COUNT(model, Context()) == 3**41


def test_what_it_refuses() -> None:
    pair = tuple(Variable(f"x{i}", i) for i in range(2))
    model = Model(pair, (Linear("sum", "s", (0, 1), (1, 2), 1, 2),))
    assert ComponentsEngine().refuses(model) == "sum s is no one-hot constraint"
    with pytest.raises(ModelError, match="grids"):
        ComponentsEngine().solution_set(Model(pair, ()), Context())


@pytest.mark.parametrize(
    ("context", "name"), [(Context(max_memory=1000), "memory"), (Context(time_limit=0.001), "time")]
)
def test_limits_end_it(context: Context, name: str) -> None:
    model = allocate(Puzzle.parse("." * 256))
    with pytest.raises(LimitReached) as stop:
        COUNT(model, context)
    assert stop.value.limit == name


def board_with_many_solutions() -> ComponentProblem:
    model = forward_check(allocate(MANY))
    return prepare_component_search(len(model.variables), model.constraints)


def test_parts_and_threads_change_nothing() -> None:
    """The order of a set, and its samples, are those of the diagram."""
    prepared = board_with_many_solutions()
    found = [compile_dnnf(prepared, Context(), threads=n, max_unsplit_tries=0) for n in (1, 2, 3)]
    whole = compile_dnnf(prepared, Context())
    assert DnnfCounts(whole).total == DnnfCounts(found[0]).total > 1000
    for other in found[1:]:
        for name in ("branch_at", "child_at", "literal_at", "child", "literal", "root"):
            assert np.array_equal(getattr(other, name), getattr(found[0], name)), name


def test_its_work_is_the_same_on_any_number_of_threads() -> None:
    prepared = board_with_many_solutions()

    def ends(work: int, threads: int) -> bool:
        try:
            compile_dnnf(
                prepared, Context(work=work), threads=threads, max_unsplit_tries=0, literals=False
            )
        except LimitReached as stop:
            return stop.limit != "work"
        return True

    seen: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Context, "check", lambda self, stage="", work=0: seen.append(work))
        compile_dnnf(prepared, Context(), threads=1, max_unsplit_tries=0, literals=False)
    assert seen[-1] > 0
    for threads in (1, 2, 3):
        assert ends(seen[-1] + 1, threads)
        assert not ends(seen[-1], threads)
