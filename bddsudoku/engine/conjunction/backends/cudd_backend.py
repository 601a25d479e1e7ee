"""CUDD through ``dd.cudd``: the fastest, and the package the figures of this project speak of.

What has to be known about dd 0.6.0, all of it covered by tests:

* ``BDD()`` turns dynamic reordering on, and its memory limit is 1 GiB: both are set here.
* ``BDD()`` lifts CUDD's bound on the operation cache, which then outgrows the memory limit; the
  bound CUDD itself would choose is put back.
* Counts are C doubles: nothing here counts models with CUDD.
* ``find_or_add`` crashes the process on a complemented high child: nodes are made with ``ite``.
* At the memory limit CUDD returns NULL, which dd reports as a bare ``ValueError``, and leaves
  stray references behind, about which dd complains (see :meth:`CuddBackend.abandon`).
"""

from __future__ import annotations

import ctypes
import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import dd
import dd.cudd

from bddsudoku.engine.conjunction.backends.protocol import Function
from bddsudoku.engine.conjunction.result import BddArrays, read_dddmp
from bddsudoku.errors import LimitReached

_CACHE_ENTRY = 32
_CACHE_SHARE = 3
_FEWEST_CACHE_SLOTS = 1 << 12
_MOST_FIRST_CACHE_SLOTS = 1 << 18
_MOST_CACHE_SLOTS = 1 << 31
_LEAST = 4 << 20


class CuddBackend:
    """A CUDD manager without reordering and with its memory configured.

    Args:
        variables: how many, declared in order.
        memory: bytes that CUDD may use for nodes, tables and cache together.
    """

    name = "cudd"
    version = f"dd {dd.__version__}, CUDD {dd.cudd.__version__}"

    def __init__(self, variables: int, memory: int) -> None:
        if memory < _LEAST:
            raise LimitReached(
                f"{memory} bytes are too few for a CUDD manager; it takes {_LEAST}", limit="memory"
            )
        most_slots = max(memory // _CACHE_ENTRY // _CACHE_SHARE, _FEWEST_CACHE_SLOTS)
        most_slots = min(most_slots, _MOST_CACHE_SLOTS)  # CUDD counts them with 32 bits
        first_slots = min(most_slots // 4, _MOST_FIRST_CACHE_SLOTS)
        self._bdd = dd.cudd.BDD(memory_estimate=memory, initial_cache_size=first_slots)
        self._bdd.configure(reordering=False, max_memory=memory, max_cache_hard=most_slots)
        # Plain numbers as names: an export is then a table of numbers.
        self._names = [str(v) for v in range(variables)]
        with _null_is_a_limit(memory):
            self._bdd.declare(*self._names)
        self._limit = memory

    def constant(self, value: bool) -> Function:
        """⊤ or ⊥."""
        return self._bdd.true if value else self._bdd.false

    def node(self, variable: int, low: Function, high: Function) -> Function:
        """The function that tests one variable."""
        with _null_is_a_limit(self._limit):
            return self._bdd.ite(self._bdd.var(self._names[variable]), high, low)

    def conjoin(self, f: Function, g: Function) -> Function:
        """The logical product."""
        with _null_is_a_limit(self._limit):
            return f & g

    def node_count(self, f: Function) -> int:
        """Nodes without the terminal, which ``len`` counts."""
        return len(f) - 1

    def tidy(self) -> None:
        """CUDD collects garbage by itself."""

    def abandon(self) -> None:
        """Keep a manager with stray references for good, since dd would not free it anyway.

        Out of memory in the middle of an operation, CUDD leaves references behind. dd then prints
        an AssertionError when the manager goes, and leaves its memory allotted. A process of its
        own gives that memory back; here it stays allotted, but quietly.
        """
        if len(self._bdd):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._bdd))

    def memory(self) -> int:
        """Bytes in use, as CUDD counts them."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # "the unit has changed", every time
            return int(self._bdd.statistics()["mem"])

    def export(self, f: Function) -> BddArrays:
        """The nodes as arrays, by way of CUDD's own text format (50 times a walk in Python)."""
        if f == self._bdd.true or f == self._bdd.false:
            return BddArrays.constant(f == self._bdd.true, len(self._names))
        with tempfile.TemporaryDirectory(prefix="bddsudoku-") as folder:
            path = os.path.join(folder, "bdd.dddmp")
            self._bdd.dump(path, [f])
            return read_dddmp(path, len(self._names))


@contextmanager
def _null_is_a_limit(memory: int) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        if "NULL" not in str(error):
            raise
        raise LimitReached(
            f"CUDD has used up its {memory / 2**20:,.0f} MiB", limit="memory"
        ) from None
    except (MemoryError, RuntimeError) as error:
        raise LimitReached(f"CUDD is out of memory: {error}", limit="memory") from None


open_manager = CuddBackend
