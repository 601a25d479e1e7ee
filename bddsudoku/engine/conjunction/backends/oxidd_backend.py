"""OxiDD: the portable second backend (wheels for every system).

OxiDD allots its tables once: the number of nodes and of cache entries follows from the memory.
A node takes some 42 bytes with its share of the hash tables (measured), a cache entry 32.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata

from oxidd.bcdd import BCDDManager

from bddsudoku.engine.conjunction.backends.protocol import Function
from bddsudoku.engine.conjunction.result import BddArrays, read_dddmp
from bddsudoku.errors import LimitReached

_NODE = 48
_CACHE_ENTRY = 32
_CACHE_SHARE = 4
_MOST_CACHE_ENTRIES = 1 << 22
_MOST_NODES = (1 << 32) - 4096
_LEAST = 4 << 20


class OxiddBackend:
    """An OxiDD manager of BDDs with complement edges, one thread, no reordering.

    Args:
        variables: how many, in order.
        memory: bytes for nodes and cache together; the cache takes up to a quarter of it.
    """

    name = "oxidd"
    version = f"oxidd {metadata.version('oxidd')}"

    def __init__(self, variables: int, memory: int) -> None:
        if memory < _LEAST:
            raise LimitReached(
                f"{memory} bytes are too few for an OxiDD manager; it takes {_LEAST}",
                limit="memory",
            )
        entries = min(memory // _CACHE_SHARE // _CACHE_ENTRY, _MOST_CACHE_ENTRIES)
        self._cache = 1 << (entries.bit_length() - 1)
        nodes = min((memory - self._cache * _CACHE_ENTRY) // _NODE, _MOST_NODES)
        self._manager = BCDDManager(nodes, self._cache, 1)
        self._limit = memory
        self._variables = variables
        self._manager.add_vars(variables)

    def constant(self, value: bool) -> Function:
        """⊤ or ⊥."""
        return self._manager.true() if value else self._manager.false()

    def node(self, variable: int, low: Function, high: Function) -> Function:
        """The function that tests one variable."""
        with self._full_is_a_limit():
            return self._manager.var(variable).ite(high, low)

    def conjoin(self, f: Function, g: Function) -> Function:
        """The logical product."""
        with self._full_is_a_limit():
            return f & g

    def node_count(self, f: Function) -> int:
        """Nodes without the terminal."""
        return int(f.node_count()) - 1

    def tidy(self) -> None:
        """OxiDD collects garbage by itself."""

    def abandon(self) -> None:
        """OxiDD keeps its counts right and frees everything."""

    def memory(self) -> int:
        """Bytes of the nodes that exist now, and of the whole cache."""
        return self._manager.num_inner_nodes() * _NODE + self._cache * _CACHE_ENTRY

    def export(self, f: Function) -> BddArrays:
        """The nodes as arrays, by way of the same text format as CUDD's."""
        if not f.satisfiable() or f.valid():
            return BddArrays.constant(f.valid(), self._variables)
        with tempfile.TemporaryDirectory(prefix="bddsudoku-") as folder:
            path = os.path.join(folder, "bdd.dddmp")
            self._manager.export_dddmp(path, [f], ascii=True)
            return read_dddmp(path, self._variables)

    @contextmanager
    def _full_is_a_limit(self) -> Iterator[None]:
        try:
            yield
        except MemoryError:  # DDMemoryError is a child of it
            raise LimitReached(
                f"OxiDD has used up its {self._limit / 2**20:,.0f} MiB", limit="memory"
            ) from None


open_manager = OxiddBackend
