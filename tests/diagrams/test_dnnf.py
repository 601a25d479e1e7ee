"""Decision-DNNFs in flat arrays: counts and consistency checks."""

from __future__ import annotations

import numpy as np
import pytest

from bddsudoku.diagrams.dnnf import DecisionDnnf, DnnfCounts


def independent(pairs: int) -> DecisionDnnf:
    """A decision-DNNF of unconstrained variables: two branches for each, and one product."""
    nodes = pairs + 2
    branches = 2 * pairs + 1
    child_at = np.zeros(branches + 1, np.int64)
    child_at[-1] = pairs
    literal_at = np.append(0, np.repeat(np.arange(1, pairs + 1), 2))
    return DecisionDnnf(
        np.arange(pairs),
        np.concatenate(([0], 2 * np.arange(pairs + 1), [branches])),
        child_at,
        np.append(literal_at, pairs),
        np.arange(1, pairs + 1, dtype=np.int32),
        np.arange(pairs, dtype=np.int32),
        nodes - 1,
    )


@pytest.mark.parametrize("pairs", [1, 10, 61, 62, 63, 64, 65, 200])
def test_counts_of_any_size(pairs: int) -> None:
    diagram = independent(pairs)
    assert diagram.is_well_formed
    totals = DnnfCounts(diagram)
    assert totals.total == 2**pairs
    assert totals.marginals().tolist() == [2 ** (pairs - 1)] * pairs
    for index in (0, 2**pairs - 1, 2**pairs // 3):
        true = totals.unrank(index)
        assert len(true) == len(set(true))
        assert totals.rank(set(true)) == index
    held = np.ones(pairs, bool)
    held[0] = False
    assert DnnfCounts(diagram, held).total == 2 ** (pairs - 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [("child", [5, 5]), ("literal", [9, 0]), ("branch_at", [0, 0, 4, 2, 5]), ("labels", [1, 1])],
)
def test_arrays_that_do_not_fit_together(name: str, value: list[int]) -> None:
    good = independent(2)
    changed = np.array(value, getattr(good, name).dtype)
    assert not good._replace(**{name: changed}).is_well_formed
