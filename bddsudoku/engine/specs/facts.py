"""Equal facts: items of an exact cover whose registers always hold the same.

A register says whether one of the options that were passed covers its item. Of two items that were
touched by the same options until the first of them is closed, the later one's register says both:
"there is a knight on c3" is one fact, however many squares it threatens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST = 300_000
"""Entries of the matrix up to which registers are shared: a second's work."""


def equal_facts(
    items: NDArray[np.int64], options: NDArray[np.int64], levels: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """For every item the one whose register it uses: itself, or one that is open longer.

    Args:
        items: of every entry of the matrix.
        options: in level order.
        levels: of the option.
        count: number of items.

    Cost: some microseconds an entry.
    """
    holder = np.arange(count)
    if not 0 < len(items) <= _MOST:
        return holder
    order = np.lexsort((options, items))
    item_list, option_list, level_list = (a[order].tolist() for a in (items, options, levels))
    # A tree of the options that were passed; every item is a path in it, level by level.
    below: dict[tuple[int, tuple[int, ...]], int] = {}
    longest: list[tuple[int, int]] = [(-1, -1)]
    last_node: dict[int, int] = {}
    at, end = 0, len(item_list)
    while at < end:
        item, node = item_list[at], 0
        while at < end and item_list[at] == item:
            start, level = at, level_list[at]
            if node:  # until this level the item's register says what the path says
                longest[node] = max(longest[node], (level, item))
                last_node[item] = node
            while at < end and item_list[at] == item and level_list[at] == level:
                at += 1
            node = below.setdefault((node, tuple(option_list[start:at])), len(longest))
            if node == len(longest):
                longest.append((-1, -1))
    for item, node in last_node.items():
        holder[item] = longest[node][1]
    while (holder[holder] != holder).any():
        holder = holder[holder]
    return holder
