"""PreparedCover compared with models in which the same options are substituted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bddsudoku.engine.dlx import engine as dlx
from bddsudoku.errors import ModelError
from bddsudoku.model import Model, OneHot, Variable
from bddsudoku.model.propagation import forward_check, substitute


@given(
    rows=st.lists(st.sets(st.integers(0, 5), min_size=1), min_size=1, max_size=9),
    optional=st.integers(0, 3),
    data=st.data(),
)
@settings(max_examples=80, deadline=None)
def test_any_cover(rows: list[set[int]], optional: int, data: st.DataObject) -> None:
    """Secondary items, options given and excluded, keys that are no option's."""
    variables = tuple(Variable(f"v{i}", 10 + 3 * i) for i in range(len(rows)))
    constraints = tuple(
        OneHot("item", str(item), of, 1, item >= 6 - optional)
        for item in range(6)
        if (of := tuple(i for i, row in enumerate(rows) if item in row))
    )
    model = Model(variables, constraints)
    true = data.draw(st.sets(st.integers(0, len(rows) - 1), max_size=2))
    false = data.draw(st.sets(st.integers(0, len(rows) - 1), max_size=2))
    if model.why_no_cover is not None:
        with pytest.raises(ModelError):
            dlx.PreparedCover(model)
        return
    left = forward_check(substitute(model, true, false=false))
    number = 0 if left.is_contradictory else dlx.count(left).count
    base = dlx.PreparedCover(model)
    keys = [[10 + 3 * i for i in some] for some in (true, false)]
    assert base.count(*keys).count == number
    assert base.count([0]).count == 0
    assert base.count(keys[0], [*keys[1], 0]).count == number
