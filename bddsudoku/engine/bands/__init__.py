"""Exact counts, marginals, samples and ranks of any 9 x 9 Sudoku, by bands and stacks.

A band's fillings are summed by the column partitions of its three blocks (`band_table`); three
bands fit together when the partitions of every stack are position-wise disjoint, so the count is
a sum of products of three table entries. It is taken as dot products of int16 arrays
(`kernels`), for one pair of outermost partitions in each orbit of the other two bands' symmetries
(`partition_pair_orbits`). After F. Jarvis and B. Felgenhauer's enumeration of the empty grid
(2005), carried to any candidate masks.
"""

from __future__ import annotations

from bddsudoku.engine.bands.band_plan import predicted_cost
from bddsudoku.engine.bands.band_set import BandSet, count

__all__ = ["BandSet", "count", "predicted_cost"]
