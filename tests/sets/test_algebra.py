from __future__ import annotations

import pytest
from families import big_diagram, diagram_of, families, family, power_set
from hypothesis import given, settings
from hypothesis import strategies as st

from bddsudoku.context import Context
from bddsudoku.diagrams import reorder
from bddsudoku.diagrams import zdd_apply as product
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import LimitReached, ModelError
from bddsudoku.sets import solutionset
from bddsudoku.sets.solutionset import SolutionSet

FIXED = st.sets(st.sampled_from([5, 6, 7, 50, 51]))


def made(drawn, fixed) -> tuple[SolutionSet, frozenset[frozenset[int]]]:
    labels, sets = drawn
    fixed = fixed - set(labels)
    return SolutionSet(diagram_of(labels, sets), fixed=fixed), family(s | fixed for s in sets)


def members(s: SolutionSet) -> frozenset[frozenset[int]]:
    return family(s)


@settings(deadline=None, max_examples=90)
@given(families(), FIXED, families(), FIXED)
def test_operations_are_those_of_python_sets(first, fixed_a, second, fixed_b) -> None:
    """Whatever is fixed, a variable or unknown on either side, and in whichever order."""
    a, set_a = made(first, fixed_a)
    b, set_b = made(second, fixed_b)
    assert members(a & b) == set_a & set_b
    assert members(a | b) == set_a | set_b
    assert members(a - b) == set_a - set_b
    assert members(a ^ b) == set_a ^ set_b
    assert (a & b).count() == len(set_a & set_b)
    assert a & b == b & a
    assert (a | b) - b == a - b
    assert hash(a | b) == hash(b | a)
    assert a & b <= a <= a | b


@settings(deadline=None, max_examples=80)
@given(families(), st.randoms(use_true_random=False))
def test_both_ways_of_reordering_give_the_canonical_diagram(drawn, random) -> None:
    labels, sets = drawn
    diagram = diagram_of(labels, sets)
    wanted = list(labels)
    random.shuffle(wanted)
    expected = diagram_of(wanted, sets)
    assert reorder.reorder(diagram, wanted) == expected
    if labels:
        assert reorder._reorder_by_moving_variables(diagram, wanted, 1 << 20) == expected


def test_astronomic_sets_are_reordered_by_variables() -> None:
    diagram = big_diagram(150, 4, 1)
    wanted = list(range(150))
    wanted[3], wanted[120] = wanted[120], wanted[3]
    a = SolutionSet(diagram)
    b = a.reordered(wanted)
    assert b.count() == a.count() > 2**64
    assert b.diagram.labels.tolist() == wanted
    assert a == b
    assert not a - b
    fresh = a - a.restrict(true=[3])
    assert fresh.count() == a.count() - a.marginals()[3]
    assert b.restrict(false=[3]) == fresh


@settings(deadline=None, max_examples=40)
@given(families(), FIXED, families(), FIXED)
def test_comparisons_by_members_and_by_diagrams_agree(first, fixed_a, second, fixed_b) -> None:
    a, set_a = made(first, fixed_a)
    b, set_b = made(second, fixed_b)
    for most in (-1, 1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(solutionset, "_MAX_LOOKUPS", most)
            assert (a <= b) == (set_a <= set_b)
            assert (a == b) == (set_a == set_b)
            assert (a < b) == (set_a < set_b)
            assert (a >= b) == (set_a >= set_b)
            assert (a > b) == (set_a > set_b)
            assert a.isdisjoint(b) == set_a.isdisjoint(set_b)


def test_more_sets_than_floating_point_can_say_are_reordered() -> None:
    found = reorder.reorder(power_set(1100), [1, 0, *range(2, 1100)])
    assert found == power_set(1100, [1, 0, *range(2, 1100)])


def test_reordering_has_limits() -> None:
    diagram = big_diagram(100, 4, 1)
    with pytest.raises(LimitReached, match="the limit is 50"):
        reorder.reorder(diagram, list(range(100))[::-1], max_nodes=50)
    with pytest.raises(ModelError, match="exactly the diagram's own"):
        reorder.reorder(diagram, range(99))


def test_products_need_the_same_labels_and_keep_to_their_limit() -> None:
    a, b = big_diagram(30, 200, 1), big_diagram(30, 200, 2)
    with pytest.raises(ModelError, match="labels must be the same"):
        product.apply(a, Diagram.empty(range(1, 31)), product.OR)
    with pytest.raises(LimitReached, match="more than 3000 nodes"):
        product.apply(a, b, product.OR, context=Context(nodes=3000))
    union = product.apply(a, b, product.OR)
    both = product.apply(a, b, product.AND)
    total = [SolutionSet(d).count() for d in (a, b, union, both)]
    assert total[0] + total[1] == total[2] + total[3]
    assert product.apply(a, b, product.AND, emptiness_only=True).is_empty == (total[3] == 0)
    assert product.apply(a, b, product.XOR) == product.apply(union, both, product.DIFFERENCE)
