"""Ids of nodes, against numpy's own sorting."""

from __future__ import annotations

import numpy as np
import pytest

from bddsudoku.engine.frontier.sweep import numbered


@pytest.mark.parametrize("size", [1, 2, 3, 100, 30_000])
@pytest.mark.parametrize("bits", [(0, 0), (1, 1), (3, 40), (32, 32), (11, 22), (32, 1)])
def test_ids_are_ranks(size: int, bits: tuple[int, int]) -> None:
    rng = np.random.default_rng([size, *bits])
    low, high = (rng.integers(0, 1 << min(b, 32), size, np.uint64) for b in bits)
    keys = (low << np.uint64(32)) | high
    unique, places = np.unique(keys, return_inverse=True)
    ids, different = numbered(keys.copy(), 7)
    assert different.tolist() == unique.tolist()
    assert ids.tolist() == (places + 7).tolist()
