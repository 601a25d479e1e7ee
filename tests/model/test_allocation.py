"""Every degree of propagation keeps the solutions (exhaustive search on small models)."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import exhaustive
from strategies import exact_covers, models

from bddsudoku.model import Model, OneHot, Variable, forward_check, substitute, unit_propagate


@settings(max_examples=150)
@given(models(options=9))
def test_forward_checking_and_unit_propagation_keep_the_solutions(model: Model) -> None:
    expected = exhaustive(model)
    assert exhaustive(forward_check(model)) == expected
    settled = unit_propagate(model)
    assert exhaustive(settled) == expected
    settled.cover()
    if not settled.is_contradictory:
        for c in settled.constraints:
            assert c.total == 1 or not c.variables
            assert c.at_most or c.total == 0 or len(c.variables) >= 2
        assert unit_propagate(settled) == settled
    else:
        assert expected == set()


@settings(max_examples=150)
@given(models(options=9), st.data())
def test_substitution_is_restriction(model: Model, data: st.DataObject) -> None:
    if not model.variables:
        return
    true = data.draw(st.sets(st.integers(0, len(model.variables) - 1), min_size=1, max_size=2))
    keys = {model.variables[v].key for v in true}
    expected = {s for s in exhaustive(model) if keys <= s}
    for settle in ((), ("item",), ("item", "spare")):
        narrowed = substitute(model, true, settle)
        assert {v.key for v in narrowed.fixed} == keys
        assert exhaustive(narrowed) == expected
        assert exhaustive(forward_check(narrowed)) == expected
        assert exhaustive(unit_propagate(narrowed)) == expected
        forward_check(narrowed).cover()
        unit_propagate(narrowed).cover()


@given(exact_covers())
def test_unit_propagation_keeps_a_known_cover(known: tuple[Model, list[int]]) -> None:
    model, cover = known
    settled = unit_propagate(model)
    keys = {model.variables[v].key for v in cover}
    fixed = {v.key for v in settled.fixed}
    assert not settled.is_contradictory
    assert fixed <= keys <= fixed | {v.key for v in settled.variables}


def test_nothing_to_do_gives_the_same_model() -> None:
    model = Model(
        (Variable("a", 0), Variable("b", 1)), (OneHot("p", "x", (0, 1)), OneHot("p", "y", (0, 1)))
    )
    assert forward_check(model) is model
    assert unit_propagate(model) is model
    assert substitute(model, ()) is model
