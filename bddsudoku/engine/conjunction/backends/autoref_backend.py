"""``dd.autoref``: pure Python, some hundred times slower, for where nothing else is installed.

It recurses once per level, and its manager never collects garbage by itself: both are seen to
here. Memory is bounded by the number of nodes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dd
import dd.autoref
import dd.bdd
import numpy as np

from bddsudoku.engine.conjunction.backends.protocol import Function
from bddsudoku.engine.conjunction.result import BddArrays
from bddsudoku.errors import LimitReached

_NODE = 800
"""Bytes of a node: three dictionary entries, and its share of the operation cache (measured)."""

_FIRST_COLLECTION = 50_000


class _Manager(dd.bdd.BDD):
    """dd's manager, which may also be dropped while nodes are in use.

    A full manager raises in the middle of its bookkeeping; after that the reference counts are
    wrong, and dd would print all of its tables when the manager goes.
    """

    broken = False

    def decref(self, u: int) -> None:
        """Let go of one reference."""
        if not self.broken:
            super().decref(u)

    def __del__(self) -> None:
        """Nothing to assert."""


class AutorefBackend:
    """A pure-Python manager.

    Args:
        variables: how many, declared in order.
        memory: bytes, turned into a number of nodes.
    """

    name = "autoref"
    version = f"dd {dd.__version__} (pure Python)"

    def __init__(self, variables: int, memory: int) -> None:
        self._manager = _Manager()  # type: ignore[abstract]
        self._bdd = dd.autoref.BDD()
        self._bdd._bdd = self._manager
        self._bdd.vars = self._manager.vars
        self._bdd.configure(reordering=False)
        self._limit = memory
        self._most = memory // _NODE
        self._manager.max_nodes = max(self._most, 4)
        self._variables = variables
        self._depth = 2 * variables + 200
        self._collect_at = min(_FIRST_COLLECTION, self._most // 2)
        with self._deep():
            self._bdd.declare(*(f"v{v}" for v in range(variables)))

    def constant(self, value: bool) -> Function:
        """⊤ or ⊥."""
        return self._bdd.true if value else self._bdd.false

    def node(self, variable: int, low: Function, high: Function) -> Function:
        """The function that tests one variable."""
        with self._deep():
            return self._bdd.ite(self._bdd.var(f"v{variable}"), high, low)

    def conjoin(self, f: Function, g: Function) -> Function:
        """The logical product."""
        with self._deep():
            return f & g

    def node_count(self, f: Function) -> int:
        """Nodes without the terminal."""
        return len(self._reachable(f))

    def tidy(self) -> None:
        """Collect garbage when the manager has doubled since the last time, or is half full."""
        if len(self._bdd) > self._collect_at:
            self._bdd.collect_garbage()
            self._collect_at = min(max(2 * len(self._bdd), _FIRST_COLLECTION), self._most // 2)

    def abandon(self) -> None:
        """Python frees the rest."""

    def memory(self) -> int:
        """Bytes, estimated from the number of nodes in the manager."""
        return len(self._bdd) * _NODE

    def export(self, f: Function) -> BddArrays:
        """The nodes as arrays."""
        found = self._reachable(f)
        succ: dict[int, tuple[int, Any, Any]] = self._manager._succ
        order = sorted(found, key=lambda u: -succ[u][0])
        edge_of = {1: 1}
        level = np.empty(len(order) + 1, dtype=np.int32)
        low = np.zeros(len(order) + 1, dtype=np.int64)
        high = np.zeros(len(order) + 1, dtype=np.int64)
        level[0] = self._variables
        for i, u in enumerate(order, start=1):
            edge_of[u] = 2 * i
            level[i], v, w = succ[u]
            low[i] = edge_of[abs(v)] ^ (v < 0)
            high[i] = edge_of[abs(w)] ^ (w < 0)
        root = edge_of[abs(f.node)] ^ (f.node < 0)
        return BddArrays(self._variables, level, low, high, root)

    def _reachable(self, f: Function) -> set[int]:
        """Inner nodes below ``f``; dd's own way recurses."""
        succ: dict[int, tuple[int, Any, Any]] = self._manager._succ
        found: set[int] = set()
        pending = [abs(f.node)]
        while pending:
            u = pending.pop()
            if u != 1 and u not in found:
                found.add(u)
                _, v, w = succ[u]
                pending += (abs(v), abs(w))
        return found

    @contextmanager
    def _deep(self) -> Iterator[None]:
        """Room for dd's recursion, one frame or two a level; a full manager is a limit."""
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(before + self._depth)
        try:
            yield
        except RuntimeError as error:
            if "max_nodes" not in str(error):
                raise
            self._manager.broken = True
            raise LimitReached(
                f"dd.autoref has used up its {self._most} nodes ({self._limit / 2**20:,.0f} MiB)",
                limit="memory",
            ) from None
        finally:
            sys.setrecursionlimit(before)


open_manager = AutorefBackend
