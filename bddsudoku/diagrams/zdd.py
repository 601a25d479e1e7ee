"""The immutable, canonical ZDD in flat arrays: the common result type of the engines.

A zero-suppressed decision diagram (Minato, "Zero-suppressed BDDs for set manipulation in
combinatorial problems", DAC 1993; Knuth, TAOCP 7.1.4) stands for a family of sets of variables.
Here a set is one solution: the variables that are true in it. The two terminals are

* ``0`` = ⊥, the empty family (no solution), and
* ``1`` = ⊤, the unit family (one solution in which no further variable is true).

Numbering is canonical, so two diagrams over the same labels describe the same family exactly when
their arrays are equal: inner nodes count from 2, by levels from the bottom (the largest level)
upwards, within a level by ascending (low, high).

:func:`diagram_of_solutions` and :func:`diagram_of_rows` build a diagram from listed solutions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bddsudoku.argument_types import check_types
from bddsudoku.diagrams import canonical
from bddsudoku.diagrams.canonical import Nodes, read_only
from bddsudoku.errors import ModelError
from bddsudoku.jit.decorators import I64, U8, U16, U32

EMPTY = 0
"""Id of ⊥."""
UNIT = 1
"""Id of ⊤."""

_MAX_LEVELS = 0xFFFF
_MAX_SIZE = 0xFFFFFFFF


@dataclass(frozen=True, eq=False, repr=False, slots=True, weakref_slot=True)
class Diagram:
    """A family of sets of variables as an immutable, canonical ZDD.

    Make one with :meth:`from_arrays`, which checks and reduces, :meth:`empty` or :meth:`unit`; the
    constructor expects arrays that are canonical already.

    Attributes:
        labels: int64, shape (levels,); the variable's key at each level, top level first.
        variable: uint16, shape (size,); level of each node. Terminals have level ``levels``.
        low: uint32, shape (size,); child for "variable is false". Terminals point to themselves.
        high: uint32, shape (size,); child for "variable is true"; never ⊥ at an inner node.
        root: id of the root.

    All arrays are read-only. ``size`` counts the two terminals.
    """

    labels: I64
    variable: U16
    low: U32
    high: U32
    root: int

    def __post_init__(self) -> None:
        for name in ("labels", "variable", "low", "high"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Diagram, (self.labels, *self.nodes)

    @classmethod
    @check_types
    def from_arrays(
        cls,
        labels: ArrayLike,
        variable: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        root: int,
        *,
        overwrite: bool = False,
    ) -> Diagram:
        """Make a diagram from arrays of an ordered ZDD, which are checked, reduced and renumbered.

        Nodes may be in any order, duplicate, redundant (high child ⊥) or unreachable from the
        root. Entries 0 and 1 of the arrays stand for the terminals; their contents are ignored.

        Args:
            labels: the key of each level's variable, top level first; all different.
            variable: level of each node.
            low: id of the child where the variable is false.
            high: id of the child where the variable is true.
            root: id of the root.
            overwrite: allows the reduction to work in the given arrays instead of copies, which
                saves memory if they are contiguous uint16, uint32, uint32 and grouped by
                descending level. The caller must not use them afterwards.

        Raises:
            ModelError: labels repeat or are too many (65,534), a node's level or child is out of
                range, or a child does not stand below its parent.

        Cost: linear. Beside the arrays themselves 5 bytes a node and 24 bytes a node of the widest
        level, and another 10 bytes a node for a copy unless ``overwrite`` is given.
        """
        names = np.array(labels, dtype=np.int64).reshape(-1)
        levels = len(names)
        if levels >= _MAX_LEVELS:
            raise ModelError(f"a diagram has at most {_MAX_LEVELS - 1} variables, not {levels}")
        if len(np.unique(names)) != levels:
            raise ModelError("a diagram's variables must have different keys")
        given = [np.asarray(a) for a in (variable, low, high)]
        size = len(given[0])
        if not (len(given[1]) == len(given[2]) == size >= 2):
            raise ModelError("variable, low and high need one entry a node, terminals included")
        if size > _MAX_SIZE:
            raise ModelError(f"a diagram has at most {_MAX_SIZE} nodes, not {size}")
        if not 0 <= root < size:
            raise ModelError(f"the root {root} is not one of the {size} nodes")
        types = (("variable", np.uint16), ("low", np.uint32), ("high", np.uint32))
        v, lo, hi = (_to_integer_array(a, *t, overwrite) for a, t in zip(given, types, strict=True))
        v[:2] = levels
        lo[:2] = hi[:2] = (0, 1)
        if size == 2:  # nothing to check, and no kernel to load for it
            return cls(names, v, lo, hi, root)
        found = canonical.classify_node_order(
            read_only(v), read_only(lo), read_only(hi), root, levels, np.zeros(size, np.uint8)
        )
        if found == canonical.CANONICAL:
            return cls(names, v, lo, hi, root)
        if found >= 0:
            raise ModelError(
                f"node {found} (level {v[found]}, low {lo[found]}, high {hi[found]}) does not "
                f"stand above its children in a diagram of {levels} levels and {size} nodes"
            )
        if found == canonical.UNGROUPED:
            v, lo, hi, renamed = canonical.group_by_level(v, lo, hi, levels)
            root = int(renamed[root])
            del renamed
        used, root = canonical.canonicalise(v, lo, hi, root)
        if used < size:
            v, lo, hi = (a[:used].copy() for a in (v, lo, hi))
        return cls(names, v, lo, hi, root)

    @classmethod
    @check_types
    def empty(cls, labels: ArrayLike = ()) -> Diagram:
        """The empty family: no solution."""
        return cls.from_arrays(labels, [0, 0], [0, 0], [0, 0], EMPTY)

    @classmethod
    @check_types
    def unit(cls, labels: ArrayLike = ()) -> Diagram:
        """The unit family: one solution, in which every variable is false."""
        return cls.from_arrays(labels, [0, 0], [0, 0], [0, 0], UNIT)

    @property
    def nodes(self) -> Nodes:
        """The node arrays and the root as a :class:`Nodes` tuple, which kernels take."""
        return Nodes(self.variable, self.low, self.high, self.root)

    @property
    def levels(self) -> int:
        """Number of levels; each level has one variable."""
        return len(self.labels)

    @property
    def size(self) -> int:
        """Number of nodes, the two terminals included."""
        return len(self.variable)

    @property
    def nbytes(self) -> int:
        """Number of bytes that the diagram's arrays take."""
        return self.labels.nbytes + self.variable.nbytes + self.low.nbytes + self.high.nbytes

    @property
    def is_empty(self) -> bool:
        """Whether this is the empty family."""
        return self.root == EMPTY

    def profile(self) -> I64:
        """The number of nodes on each level, from the top level down, as an int64 array."""
        return np.bincount(self.variable[2:], minlength=self.levels).astype(np.int64)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Diagram):
            return NotImplemented
        pairs: Any = zip((self.labels, *self.nodes), (other.labels, *other.nodes), strict=True)
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)

    def __hash__(self) -> int:
        return hash((self.root, self.size, self.labels.tobytes()))

    def __repr__(self) -> str:
        return f"<Diagram: {self.levels} variables, {self.size - 2} ZDD nodes>"


def _to_integer_array(array: np.ndarray[Any, Any], name: str, dtype: Any, overwrite: bool) -> Any:
    """Convert to a contiguous, writable array of an integer type, or raise ModelError."""
    if array.ndim != 1:
        raise ModelError(f"{name} must be one-dimensional")
    if array.dtype != dtype and len(array):
        info = np.iinfo(dtype)
        if int(array[2:].min(initial=0)) < 0 or int(array[2:].max(initial=0)) > info.max:
            raise ModelError(f"{name} holds a number outside 0 to {info.max}")
    if overwrite and array.flags.writeable:
        return np.ascontiguousarray(array, dtype=dtype)
    return np.array(array, dtype=dtype)


def _build_trie(sets: U16, levels: int) -> tuple[U16, U32, U32, int]:
    """Build the trie of sorted, distinct rows of ascending levels, as a ZDD's unreduced nodes.

    Rows are padded with ``levels``. An entry is a node unless the previous row agrees with its row
    up to and including it. Its high child is the next entry of its row; its low child is the first
    node of the next row, if the two rows agree on all entries before it.
    """
    rows, width = sets.shape
    shared = np.zeros(rows, np.int64)
    shared[1:] = (sets[1:] != sets[:-1]).argmax(axis=1)
    own = shared <= np.arange(width)[:, None]
    inner = own & (levels > sets.T)
    nodes = np.count_nonzero(inner)
    ids = np.ones((width + 1, rows), np.uint32)
    ids[:-1][inner] = np.arange(2, nodes + 2)
    at = np.flatnonzero(own)
    depth, row = np.divmod(at, rows)
    other = np.zeros((width, rows), np.uint32)
    other.reshape(-1)[at[:-1]] = np.where(shared[row] == depth, ids.reshape(-1)[at], 0)[1:]
    variable, low, high = sets.T[inner], other[inner], ids[1:][inner]
    variable, low, high = (np.append(np.zeros(2, a.dtype), a) for a in (variable, low, high))
    return variable, low, high, int(ids[0, 0])


def nonzero_columns(rows: U8) -> U16:
    """The columns of each row's nonzero entries, ascending, padded with the number of columns."""
    row, level = np.nonzero(rows)
    sizes = np.bincount(row, minlength=len(rows))
    out = np.full((len(rows), int(sizes.max(initial=0))), rows.shape[1], dtype=np.uint16)
    out[np.arange(out.shape[1]) < sizes[:, None]] = level
    return out


def diagram_of_solutions(
    keys: Sequence[int], solutions: Iterable[I64], fixed: Iterable[int] = ()
) -> Diagram:
    """The canonical diagram of listed solutions, each given by the keys of its true variables.

    Args:
        keys: the key of each level's variable, top level first.
        solutions: the keys that are true in each; ``fixed`` keys are ignored.
        fixed: keys that are true in all solutions and are no variables of the diagram.
    """
    level_of = {key: level for level, key in enumerate(keys)}
    known = set(fixed)
    rows = [sorted(level_of[k] for k in s.tolist() if k not in known) for s in solutions]
    size = max(map(len, rows), default=0)
    table = np.full((len(rows), size), len(level_of), np.int64)
    for row, levels in zip(table, rows, strict=True):
        row[: len(levels)] = levels
    return diagram_of_rows(list(keys), table)


def diagram_of_rows(labels: ArrayLike, rows: ArrayLike) -> Diagram:
    """The canonical diagram of listed sets, each given as a row of ascending levels.

    Args:
        labels: the key of each level's variable, top level first.
        rows: levels of the variables that are true, shape (sets, size of the largest set),
            ascending within a row; shorter sets are padded with the number of levels. The same
            set may occur twice.

    Raises:
        ModelError: a level that is out of range or out of order.

    Memory: some 20 bytes an entry of the rows.
    """
    given = np.asarray(rows)
    if given.ndim != 2:
        raise ModelError(f"expected one row a set, found an array of {given.ndim} dimensions")
    number, size = given.shape
    levels = len(np.asarray(labels))
    if number == 0:
        return Diagram.empty(labels)
    if size == 0:
        return Diagram.unit(labels)
    rising = (given[:, 1:] > given[:, :-1]) | (given[:, 1:] == levels)
    if given.min() < 0 or given.max() > levels or not rising.all():
        raise ModelError(f"rows must hold ascending levels 0 to {levels - 1}")
    words = np.unique(given.astype(">u2").view(f"S{2 * size}").reshape(-1))
    words = words.view(">u2").reshape(-1, size).astype(np.uint16)
    return Diagram.from_arrays(labels, *_build_trie(words, levels), overwrite=True)
