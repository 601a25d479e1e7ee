"""Models: what they reject, their properties, and their exact-cover arrays."""

from __future__ import annotations

import pytest
from hypothesis import given
from strategies import models

from bddsudoku.errors import ModelError
from bddsudoku.model import Model, OneHot, Variable

A, B, C = (Variable(name, key) for key, name in enumerate("abc", 10))


def test_variables_out_of_range_or_order() -> None:
    for variables in ((0, 0), (1, 0), (0, 3), (-1,)):
        with pytest.raises(ModelError, match="row x"):
            Model((A, B, C), (OneHot("row", "x", variables),))


def test_two_constraints_of_one_name() -> None:
    with pytest.raises(ModelError, match="row 'x'"):
        Model((A,), (OneHot("row", "x", (0,)), OneHot("row", "x", (0,))))
    Model((A,), (OneHot("row", "x", (0,)), OneHot("column", "x", (0,))))


def test_totals_above_one() -> None:
    with pytest.raises(ModelError, match="total 2"):
        Model((A, B), (OneHot("row", "x", (0, 1), total=2),))


def test_variables_in_no_exact_constraint() -> None:
    model = Model((A, B, C), (OneHot("row", "x", (0, 1)), OneHot("s", "y", (1, 2), at_most=True)))
    assert model.variables_outside_exact_items == (2,)
    assert model.why_no_cover == "variable c stands in no exactly-one constraint"
    with pytest.raises(ModelError, match="c stands in no"):
        model.cover()


def test_cover_of_a_paper_model_is_rejected() -> None:
    model = Model((A,), (OneHot("p", "x", (0,)), OneHot("p", "y", (0,), total=0)))
    with pytest.raises(ModelError, match="candidates"):
        model.cover()


@given(models())
def test_cover_is_the_model(model: Model) -> None:
    arrays = model.cover()
    incidences = [
        (arrays.constraint_of[item], option)
        for option in range(arrays.options)
        for item in arrays.indices[arrays.indptr[option] : arrays.indptr[option + 1]]
    ]
    expected = [(i, v) for i, c in enumerate(model.constraints) for v in c.variables]
    assert sorted(incidences) == sorted(expected)
    kinds = [model.constraints[i].at_most for i in arrays.constraint_of]
    assert kinds == sorted(kinds)
    assert arrays.primary == kinds.count(False)
