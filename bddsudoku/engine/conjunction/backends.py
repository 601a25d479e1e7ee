"""One class for the BDD packages that conjoin constraints: CUDD and OxiDD.

A backend is named by the caller; the default is the first of :data:`BACKENDS` that is installed.
Every result names it, and :func:`missing_backends_note` says which faster ones are not installed;
a process whose default is not the fastest warns of it once, through :mod:`logging`.
Packages are imported when a manager is made.
"""

from __future__ import annotations

import ctypes
import logging
import os
import warnings
from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from bddsudoku.errors import BackendUnavailable, LimitReached
from bddsudoku.lazy_imports import is_installed

if TYPE_CHECKING:
    from bddsudoku.diagrams.zdd import Diagram
    from bddsudoku.jit.decorators import U16, U32

_LOG = logging.getLogger(__name__)

Function: TypeAlias = Any
"""A backend's own handle of a Boolean function; opaque (hence ``Any``) to its callers."""

BACKENDS = {
    "cudd": ("dd.cudd", "dd wheels with CUDD exist for Linux x86-64, CPython 3.11 to 3.13"),
    "oxidd": ("oxidd.bcdd", "pip install oxidd"),
}
"""Backend → (module to import, advice when it is missing); fastest first."""

_CACHE_ENTRY = 32
"""Bytes per entry of the operation cache, in CUDD and in OxiDD."""


class BddArrays(NamedTuple):
    """The nodes of one function as arrays, in any order; nodes 0 and 1 are ⊥ and ⊤.

    A node and its negation, which share one with complement edges, are two nodes here.

    Attributes:
        level: uint16; the level (position of the variable) of every node; of the terminals the
            number of variables.
        low, high: uint32; the children.
        root: the node that is the function.
    """

    level: U16
    low: U32
    high: U32
    root: int

    def model_count(self) -> int:
        """Number of satisfying assignments, exact for any size; one pass in pure Python."""
        level: list[int] = self.level.tolist()
        low, high = self.low.tolist(), self.high.tolist()
        counts = [0, 1] + [0] * (len(level) - 2)  # over the variables from the node's level down
        for i in sorted(range(2, len(level)), key=level.__getitem__, reverse=True):
            counts[i] = sum(counts[c] << (level[c] - level[i] - 1) for c in (low[i], high[i]))
        return counts[self.root] << level[self.root]

    def diagram(self, labels: Sequence[int]) -> Diagram:
        """Convert to the canonical ZDD of the satisfying assignments, in linear time.

        Args:
            labels: the key of each level's variable, top level first.
        """
        from bddsudoku.diagrams.canonical import Nodes
        from bddsudoku.diagrams.transform import diagram_of_bdd

        return diagram_of_bdd(np.array(labels, dtype=np.int64), Nodes(*self))


class Backend:
    """A BDD manager with complement edges, a fixed variable order and bounded memory.

    All backends count nodes in the same way (one node for a function and its negation), so that
    their traces are equal. Every operation raises
    :class:`~bddsudoku.errors.LimitReached` when the manager's memory is exhausted; after that the
    manager must not be used any more.

    Args:
        variables: number of variables, declared in order.
        memory: bytes for nodes, tables and cache together.

    Attributes:
        name: the key in :data:`BACKENDS`.
        version: version of the package.
    """

    name: ClassVar[str]
    min_memory: ClassVar[tuple[int, str]] = 0, ""
    """Least memory of a manager in bytes, and the package's name with its article."""
    version: str

    def __init__(self, variables: int, memory: int) -> None:
        least, manager = self.min_memory
        if memory < least:
            raise LimitReached(
                f"{memory} bytes are too few for {manager} manager; it takes {least}",
                limit="memory",
            )
        self._variables = variables
        self._limit = memory
        self._make_manager()

    def constant(self, value: bool) -> Function:
        """The constant function true or false."""
        return self._bdd.true if value else self._bdd.false

    def node(self, variable: int, low: Function, high: Function) -> Function:
        """The function that is ``high`` where the variable is true, and ``low`` elsewhere."""
        with self._translate_memory_errors():
            return self._ite(variable, high, low)

    def conjoin(self, f: Function, g: Function) -> Function:
        """The conjunction of two functions; O(|f| |g|) at worst."""
        with self._translate_memory_errors():
            return f & g

    def node_count(self, f: Function) -> int:
        """Number of nodes of ``f`` without terminals; O(|f|)."""
        return len(f) - 1

    def keep_if_damaged(self) -> None:
        """Keep the manager alive if a limit error has damaged it, so that it cannot be freed."""

    def memory(self) -> int:
        """Bytes in use by the manager, reported by the package or estimated."""
        raise NotImplementedError

    def export(self, f: Function) -> BddArrays:
        """The nodes of ``f`` as arrays; some 2 microseconds a node."""
        ids = {self._identity(self.constant(value)): int(value) for value in (False, True)}
        waiting: deque[Function] = deque()

        def number(g: Function) -> int:
            key = self._identity(g)
            if key not in ids:
                ids[key] = len(ids)
                waiting.append(g)
            return ids[key]

        rows = [(self._variables, 0, 0), (self._variables, 1, 1)]
        root = number(f)
        while waiting:
            level, low, high = self._decision(waiting.popleft())
            rows.append((level, number(low), number(high)))
        table = np.array(rows, np.uint32).T.copy()
        return BddArrays(table[0].astype(np.uint16), table[1], table[2], root)

    # package-specific operations; the defaults are those of dd
    _bdd: Any  # the packages have no types

    def _make_manager(self) -> None:
        """Create a BDD manager of the package, and declare the variables."""
        raise NotImplementedError

    def _ite(self, variable: int, high: Function, low: Function) -> Function:
        return self._bdd.ite(self._bdd.var(str(variable)), high, low)

    def _identity(self, f: Function) -> Hashable:
        """What equal functions have in common."""
        return int(f)

    def _decision(self, f: Function) -> tuple[int, Function, Function]:
        """The level of a function's first variable, and the function where it is 0 and 1."""
        return (f.level, ~f.low, ~f.high) if f.negated else (f.level, f.low, f.high)

    def _translate_memory_errors(self) -> Any:
        """Context manager that turns the package's out-of-memory errors into LimitReached."""
        raise NotImplementedError

    def _memory_error(self, package: str) -> LimitReached:
        size = f"{self._limit / 2**20:,.0f} MiB"
        return LimitReached(f"{package} has used up its {size}", limit="memory")


class Cudd(Backend):
    """CUDD through ``dd.cudd``: the fastest backend, used for the project's measurements.

    Peculiarities of dd 0.6.0, all of them covered by tests:

    * ``BDD()`` turns dynamic reordering on, and its memory limit is 1 GiB: both are set here.
    * ``BDD()`` lifts CUDD's bound on the operation cache, which then outgrows the memory limit; the
      bound that CUDD itself would choose is restored.
    * Its counts are C doubles: models are never counted with CUDD.
    * ``find_or_add`` crashes the process on a complemented high child: nodes are made with ``ite``.
    * At the memory limit CUDD returns NULL, which dd reports as a bare ``ValueError``, and leaves
      stray references behind, about which dd complains (see :meth:`keep_if_damaged`).
    """

    name = "cudd"
    min_memory: ClassVar[tuple[int, str]] = 4 << 20, "a CUDD"

    def _make_manager(self) -> None:
        import dd.cudd

        self.version = f"dd {dd.__version__}, CUDD {dd.cudd.__version__}"
        # a third of the memory at most, and no more than CUDD can count with 32 bits
        most_slots = min(max(self._limit // _CACHE_ENTRY // 3, 1 << 12), 1 << 31)
        first_slots = min(most_slots // 4, 1 << 18)
        self._bdd = dd.cudd.BDD(memory_estimate=self._limit, initial_cache_size=first_slots)
        self._bdd.configure(reordering=False, max_memory=self._limit, max_cache_hard=most_slots)
        with self._translate_memory_errors():
            self._bdd.declare(*map(str, range(self._variables)))

    def keep_if_damaged(self) -> None:
        """Keep a damaged manager alive, since dd would print an error and free no memory.

        Out of memory in the middle of an operation, CUDD leaves references behind. dd then prints
        an AssertionError when the manager is deleted, and does not free its memory. In an isolated
        process the memory is freed at its end; here it stays allocated, without the message.
        """
        if len(self._bdd):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._bdd))

    def memory(self) -> int:
        """Bytes in use, as CUDD reports them."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # "the unit has changed", every time
            return int(self._bdd.statistics()["mem"])

    @contextmanager
    def _translate_memory_errors(self) -> Iterator[None]:
        """Turn CUDD's out-of-memory errors in a with block into LimitReached."""
        try:
            yield
        except ValueError as error:
            if "NULL" not in str(error):
                raise
            raise self._memory_error("CUDD") from None
        except (MemoryError, RuntimeError) as error:
            raise LimitReached(f"CUDD is out of memory: {error}", limit="memory") from None


class Oxidd(Backend):
    """OxiDD: the portable second backend (wheels for every system), with one thread.

    It allocates its tables once: the numbers of nodes and of cache entries (up to a quarter of the
    memory) follow from the memory. A node takes some 42 bytes, hash tables included (measured).
    """

    name = "oxidd"
    min_memory: ClassVar[tuple[int, str]] = 4 << 20, "an OxiDD"
    _node = 48

    def _make_manager(self) -> None:
        from oxidd.bcdd import BCDDManager

        self.version = f"oxidd {metadata.version('oxidd')}"
        entries = min(self._limit // 4 // _CACHE_ENTRY, 1 << 22)
        self._cache = _CACHE_ENTRY << (entries.bit_length() - 1)
        nodes = min((self._limit - self._cache) // self._node, (1 << 32) - 4096)
        self._bdd = BCDDManager(nodes, self._cache // _CACHE_ENTRY, 1)
        self._bdd.add_vars(self._variables)

    def constant(self, value: bool) -> Function:
        """The constant function true or false."""
        return self._bdd.true() if value else self._bdd.false()

    def node_count(self, f: Function) -> int:
        """Number of nodes without the terminal."""
        return int(f.node_count()) - 1

    def memory(self) -> int:
        """Bytes of the existing nodes and of the whole cache."""
        return int(self._bdd.num_inner_nodes() * self._node + self._cache)

    def _ite(self, variable: int, high: Function, low: Function) -> Function:
        return self._bdd.var(variable).ite(high, low)

    def _identity(self, f: Function) -> Hashable:
        return f  # type: ignore[no-any-return]

    def _decision(self, f: Function) -> tuple[int, Function, Function]:
        high, low = f.cofactors()
        return f.node_level(), low, high

    @contextmanager
    def _translate_memory_errors(self) -> Iterator[None]:
        """Turn OxiDD's out-of-memory errors in a with block into LimitReached."""
        try:
            yield
        except MemoryError:  # DDMemoryError is a subclass
            raise self._memory_error("OxiDD") from None


_CLASSES: dict[str, type[Backend]] = {kind.name: kind for kind in (Cudd, Oxidd)}


def available_backends() -> list[str]:
    """Names of the installed backends, fastest first."""
    return [name for name in BACKENDS if is_installed(BACKENDS[name][0])]


def resolve_backend(name: str | None = None) -> str:
    """Resolve a backend's name; None and ``auto`` mean the fastest backend that is installed.

    Raises:
        BackendUnavailable: the backend is unknown or not installed, or none is.
    """
    if name is None or name == "auto":
        found = available_backends()
        if not found:
            raise BackendUnavailable("no BDD backend is installed; pip install oxidd brings one")
        _warn_of_missing_backends(found[0])
        return found[0]
    if name not in BACKENDS:
        raise BackendUnavailable(f"unknown BDD backend {name!r}; there are {', '.join(BACKENDS)}")
    if not is_installed(BACKENDS[name][0]):
        module, advice = BACKENDS[name]
        raise BackendUnavailable(f"BDD backend {name!r} needs {module}, not installed: {advice}")
    return name


def missing_backends_note(name: str) -> str:
    """Text that names the faster backends not installed, with advice; empty if none is missing."""
    before = list(BACKENDS)[: list(BACKENDS).index(name)]
    missing = [
        f"no {other}: {BACKENDS[other][1]}"
        for other in before
        if not is_installed(BACKENDS[other][0])
    ]
    return f" ({'; '.join(missing)})" if missing else ""


@cache
def _warn_of_missing_backends(name: str) -> None:
    """Log a warning if faster backends are missing, once in a process."""
    if missing := missing_backends_note(name):
        _LOG.warning("BDD backend: %s%s", name, missing)


def make_backend(name: str, variables: int, memory: int) -> Backend:
    """Make a manager with ``variables`` ordered variables, within ``memory`` bytes.

    The memory is reduced to the physical memory of the host.

    Raises:
        BackendUnavailable: the backend is not installed, or its library does not load.
        LimitReached: the memory does not even suffice for an empty manager.
    """
    import_backend(resolve_backend(name))
    if hasattr(os, "sysconf"):
        # dd refuses a limit of the whole physical memory
        memory = min(memory, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") - 1)
    return _CLASSES[name](variables, memory)


def import_backend(name: str) -> None:
    """Import the package of an installed backend.

    Raises:
        BackendUnavailable: its library does not load.
    """
    try:
        import_module(BACKENDS[name][0])
    except ImportError as error:
        raise BackendUnavailable(f"BDD backend {name!r} does not load: {error}") from error
