"""The bit boards as an engine of the protocol: models of the ordinary 9×9 board, and no other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from bddsudoku.context import Context
from bddsudoku.engine.bitboard.batch import TRIAL_NODES, Search, count, solutions
from bddsudoku.engine.classic import masks_of, strange_to_ordinary
from bddsudoku.engine.protocol import Found, Lists
from bddsudoku.jit.decorators import I64
from bddsudoku.model.model import Model


class Quick(Lists):
    """Search on bit boards: millions of solutions a second."""

    name: ClassVar[str] = "quick"

    def refuses(self, model: Model) -> str | None:
        """Every board but the ordinary one."""
        return strange_to_ordinary(model)

    def count(self, model: Model, context: Context) -> int:
        """By visiting every solution."""
        return count(masks_of(model), context=context)

    def trial(self, model: Model, context: Context, nodes: int = TRIAL_NODES) -> Found | None:
        """Most puzzles with 17 and more hints are settled at once."""
        search = Search(masks_of(model))
        if not search.advance(nodes):
            return None
        return Found(search.count, f"the search ended after {search.nodes:,} nodes")

    def solutions(
        self,
        model: Model,
        context: Context,
        *,
        limit: int | None = None,
        node_limit: int | None = None,
        seed: int | None = None,
    ) -> Iterator[I64]:
        """In the order of the search; a seed renames the digits before it and back behind it."""
        masks = masks_of(model)
        names = np.arange(9)
        if seed is not None:
            names = np.random.default_rng(seed).permutation(9)
            bits = masks[:, None] >> np.arange(9) & 1
            masks = (bits[:, names] << np.arange(9)).sum(axis=1).astype(np.uint16)
        cells = 9 * np.arange(81)
        for found in solutions(masks, limit, max_nodes=node_limit, context=context):
            for grid in found:
                yield cells + names[grid - 1]
