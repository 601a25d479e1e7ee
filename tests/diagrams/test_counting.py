"""Exact counts and marginals of ZDDs of any size."""

from __future__ import annotations

import numpy as np
import pytest
from families import big_diagram, power_set

from bddsudoku.diagrams.counting import Counts, from_limbs
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.sets.solutionset import SolutionSet


def exact(diagram: Diagram) -> tuple[list[int], list[int]]:
    """Counts below and marginals with Python's integers."""
    below = [0, 1]
    for i in range(2, diagram.size):
        below.append(below[diagram.low[i]] + below[diagram.high[i]])
    above = [0] * diagram.size
    above[diagram.root] = 1
    marginals = [0] * diagram.levels
    for i in range(diagram.size - 1, 1, -1):
        above[diagram.low[i]] += above[i]
        above[diagram.high[i]] += above[i]
        marginals[diagram.variable[i]] += above[i] * below[diagram.high[i]]
    return below, marginals


@pytest.mark.parametrize("levels", [10, *range(84, 100, 4), 130, 200, 280])
def test_counts_of_any_size_are_exact(levels: int) -> None:
    diagram = big_diagram(levels, 12, levels)
    below, marginals = exact(diagram)
    counts = Counts(diagram)
    assert counts.total == below[diagram.root]
    assert counts.total.bit_length() > levels * 0.6
    assert [from_limbs(row) for row in counts.below] == below
    got = counts.marginals()
    assert got.tolist() == marginals
    assert got.dtype == (np.int64 if counts.total < 1 << 63 else object)


@pytest.mark.parametrize("levels", [0, 1, 63, 64, 65, 128, 200, 5000])
def test_power_sets(levels: int) -> None:
    solutions = SolutionSet(power_set(levels))
    assert solutions.count() == 1 << levels
    assert set(solutions.marginals().tolist()) <= {1 << max(0, levels - 1)}
    assert solutions.node_count("bdd") == 0
    # the order is that of binary numbers: rank 0 holds everything
    for rank in {0, 1 % (1 << levels), (1 << levels) // 3, (1 << levels) - 1}:
        chosen = solutions.unrank(rank)
        assert sum(1 << levels - 1 - k for k in range(levels) if k not in chosen) == rank
        assert solutions.rank(chosen) == rank
    with pytest.raises(IndexError):
        solutions.unrank(1 << levels)
    assert repr(solutions)
