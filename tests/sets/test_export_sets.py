"""Export of sets that are no grids."""

from __future__ import annotations

import io

import numpy as np
from families import diagram_of

from bddsudoku.sets.solutionset import SolutionSet


def test_keys_and_zeros_and_ones() -> None:
    s = SolutionSet(diagram_of([7, 3], [[7], [3, 7], []]), fixed=[5])
    texts = {}
    for form in ("line", "csv", "npy"):
        out = io.BytesIO()
        assert s.export(out, form) == 3
        texts[form] = out.getvalue()
    assert texts["line"] == b"3 5 7\n5 7\n5\n"
    assert texts["csv"] == b"3,5,7\n1,1,1\n0,1,1\n0,1,0\n"
    rows = np.load(io.BytesIO(texts["npy"]))
    assert rows.tolist() == [[1, 1, 1], [0, 1, 1], [0, 1, 0]]
