"""The spec: what a top-down construction needs to know about a family of sets.

The engine (the idea is that of TdZdd, Iwashita & Minato 2013) walks over *levels*.
A level owns a block of consecutive diagram variables and decides them all at once: a *choice* is
a subset of the block. A *state* is a row of 64-bit words that says all that later levels need to
know about the choices so far. The engine keeps equal states of one level once, so the number of
states, not the number of sets, is what a construction costs.

Writing a spec
--------------
1.  A ``NamedTuple`` class of numpy arrays and integers. Its *type* selects the step, its fields are
    the step's constants::

        class Params(NamedTuple):
            masks: U64

2.  The step: what one choice makes of one state, handed to :func:`define_step` in the same module.
    It is compiled into the engine's kernels, whose machine code is kept on disk until that module
    changes, or one of the package that it imports (:mod:`bddsudoku.jit`)::

        @inlined
        def _child(params, level, states, row, choice, children, slot, scratch):
            ...  # read states[row, w], write children[slot, w]
            return level + 1

        define_step(Params, _child)

    Functions that the step calls are subroutines (:func:`bddsudoku.jit.subroutine`).

    It returns the level of the child state that it wrote: any later level (at most
    ``max_jump`` further), ``levels`` for "accepted", or :data:`DEAD`: then nothing need be
    written. It must write *every* word of the child, in a canonical form (equal futures should
    give equal words; bits without meaning must be 0), and must not touch anything else but its
    working memory: it runs without the GIL in several threads. All integers that meet ``uint64``
    words must be ``uint64`` themselves (``np.uint64(1) << np.uint64(k)``), or numba makes floats
    of them. Whatever prunes or canonicalises states belongs into the step, before it returns.

    Where all choices of a state share work, the spec overloads :func:`expand` itself.
3.  A :class:`Spec` that holds the parameters, the root state and, for every level, the block and
    the subsets that its choices stand for.

An accepted child has no words: everything must have been checked by then. Variables skipped
because a child jumps over their levels are 0 in all sets below (zero-suppression).

A level may have any number of choices up to 65,535. ``words`` may differ between levels:
``states`` has ``words[level]`` columns, ``children`` always has ``max(words)``, of which the first
``words[child level]`` are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import I32, I64, U64, AnyArray

DEAD = -1
"""What a step returns when nothing below can be accepted."""


class Children(NamedTuple):
    """Output arrays of :func:`expand`: the children of consecutive states.

    Attributes:
        rows: uint64, shape (any, greatest words); the children in rows 0, 1, 2, …, with a row for
            every choice of every state.
        degree: the number of children of every state.
        rank: ``rank[m] = r`` says that row ``m`` came from ``choices[r]``; ascending in a state.
        to: int64; ``to[m]`` is the level of the child in row ``m``.
        scratch: uint64 (Spec.scratch,); working memory, zero before the first call only.
    """

    rows: U64
    degree: AnyArray
    rank: AnyArray
    to: I64
    scratch: U64


def expand(
    params: Any, level: int, states: Any, lo: int, hi: int, choices: Any, out: Children
) -> int:
    """Make all children of consecutive states; compiled for each class of spec parameters.

    It takes many states because a call per state would cost more than many a step: numba passes
    every array as seven arguments. :func:`define_step` makes an overload from a step for one state.

    Args:
        params: the spec's parameters; their class selects the implementation.
        level: level of the states.
        states: uint64, shape (any, words of this level); those from ``lo`` to ``hi - 1`` are
            expanded.
        choices: int64; the choices to try, in the order in which children must be listed.
        out: arrays to fill.

    Returns:
        The number of children.
    """
    raise NotImplementedError("compiled by numba only")


def define_step(params_class: Any, step: Any) -> None:
    """Register the function that makes one child of one state, for a class of spec parameters.

    Args:
        params_class: the spec's parameters.
        step: an :func:`bddsudoku.jit.inlined` function of the parameters, the level, the states,
            the row of the parent, the choice (from 0), the rows of children, the row of the child,
            and the working memory; it returns the child's level or :data:`DEAD`.
    """

    def loop(params, level, states, lo, hi, choices, out):  # type: ignore[no-untyped-def]
        rows, degree, rank, to, scratch = out
        slot = np.int64(0)  # a literal would be a type, and a specialisation, of its own
        for row in range(lo, hi):
            before = slot
            for r in range(choices.shape[0]):
                child_level = step(params, level, states, row, choices[r], rows, slot, scratch)
                if child_level >= 0:
                    rank[slot] = r
                    to[slot] = child_level
                    slot += 1
            degree[row - lo] = slot - before
        return slot

    @overload(expand)
    def chosen(params, level, states, lo, hi, choices, out):  # type: ignore[no-untyped-def]
        return loop if getattr(params, "instance_class", None) is params_class else None


@dataclass(frozen=True, eq=False)
class Spec:
    """A family of sets as a top-down construction: levels, choices, a root state and a step.

    Attributes:
        params: a NamedTuple whose class selects the step (see the module's text).
        labels: int64, shape (variables,); key of every diagram variable, top first.
        first: int32, shape (levels + 1,); level ``i`` owns the variables
            ``first[i] … first[i + 1] - 1`` (possibly none).
        choices: for every level, for every choice, the ascending offsets (from ``first[i]``) of
            the variables that the choice sets to 1; no two choices of a level are equal.
        words: int32, shape (levels,); 64-bit words that a state of the level needs (at least 1).
        key_words: states of a level are equal when the first so many words are; what follows is
            *payload*, a function of them that is only carried along. By default all words.
        root: uint64, shape (max(words),); the root state.
        root_level: its level; ``levels`` if the empty set is accepted at once (then it is the only
            one), :data:`DEAD` if the family is empty.
        max_jump: greatest ``child level - level`` that the step returns; 1 lets the engine save
            2 bytes an edge.
        scratch: 64-bit words of working memory for :func:`expand`.
    """

    params: Any
    labels: I64
    first: I32
    choices: Sequence[tuple[tuple[int, ...], ...]]
    words: I32
    root: U64
    root_level: int = 0
    max_jump: int = 1
    scratch: int = 1
    key_words: int | None = None

    @property
    def nbytes(self) -> int:
        """Memory of the parameters in bytes."""
        return _nbytes(self.params)

    @property
    def levels(self) -> int:
        """Number of levels."""
        return len(self.choices)

    @property
    def rank_type(self) -> type[np.unsignedinteger[Any]]:
        """The integer type that can hold the index of any choice on any level."""
        return np.uint8 if max(map(len, self.choices), default=0) < 256 else np.uint16

    @property
    def key_words_by_level(self) -> I64:
        """For each level, how many words of a state decide equality; then a 0 for acceptance."""
        words = np.append(self.words, 0).astype(np.int64)
        return words if self.key_words is None else np.minimum(words, self.key_words)

    @property
    def max_words(self) -> int:
        """The greatest number of 64-bit words of a state, over all levels."""
        return int(self.words.max()) if len(self.words) else 1

    def allocate_children(self, capacity: int, states: int) -> Children:
        """Allocate arrays for ``capacity`` children of ``states`` parents."""
        return Children(
            np.empty((capacity, self.max_words), np.uint64),
            np.empty(states, self.rank_type),
            np.empty(capacity, self.rank_type),
            np.empty(capacity, np.int64),
            np.zeros(max(self.scratch, 1), np.uint64),
        )


def _nbytes(value: Any) -> int:
    """Bytes of an array, or of all arrays in a nested tuple."""
    return sum(map(_nbytes, value)) if isinstance(value, tuple) else getattr(value, "nbytes", 0)


@kernel
def expand_states(params, level, states, lo, hi, choices, out):  # type: ignore[no-untyped-def]
    """Make the children of states ``lo`` to ``hi - 1``; return their number."""
    return expand(params, level, states, lo, hi, choices, out)


NONE = -1
"""A branch that no choice takes."""


@dataclass(frozen=True, slots=True, eq=False)
class ChoiceTree:
    """The decision tree of one level's choices, which are subsets of its block of variables.

    Bottom variable first, every choice is a leaf that is read exactly once; the forward pass lists
    a state's edges in the order of reading, so that the backward pass reads them with one cursor
    per state.

    A branch is :data:`NONE`, a leaf (its consumption rank ``r`` as ``-2 - r``) or the column of an
    earlier decision. Every decision is read once; then a later one may reuse its column.

    Attributes:
        nodes: int64 (decisions + 1, 4); variable, low, high, own column; bottom variable first,
            children before parents. In the last row, of no variable (-1), low is the root.
        order: int64 (choices,); the choices by consumption rank, as the backward pass takes them.
        columns: number of columns needed.
        group: greatest number of decisions on one variable.
    """

    nodes: I64
    order: I64
    columns: int
    group: int


@lru_cache(maxsize=256)
def choice_tree(choices: tuple[tuple[int, ...], ...]) -> ChoiceTree:
    """The decision tree of a level's choices, each an ascending subset of the level's variables."""
    # every distinct decided part is a decision on the path of some choice; those with the same
    # prefix share the upper decisions, so group by prefix from the bottom variable up
    branch: dict[tuple[int, ...], int] = {}
    order: list[int] = []
    pending: dict[tuple[int, ...], int] = {c: i for i, c in enumerate(choices)}
    nodes: list[tuple[int, int, int, int]] = []
    unused: list[int] = []
    columns = 0

    def read_branch(subset: tuple[int, ...]) -> int:
        if subset in branch:
            unused.append(branch[subset])
            return branch.pop(subset)
        if subset in pending:
            order.append(pending.pop(subset))
            return -1 - len(order)
        return NONE

    for variable in sorted({v for c in choices for v in c}, reverse=True):
        # subsets whose greatest element is this variable, children complete below it
        ends = sorted(
            {c for c in (*pending, *branch) if c and c[-1] == variable}, key=lambda c: c[:-1]
        )
        for subset in ends:
            low, high = read_branch(subset[:-1]), read_branch(subset)
            if not unused:
                unused.append(columns)
                columns += 1
            own = branch[subset[:-1]] = unused.pop()
            nodes.append((variable, low, high, own))
    root = read_branch(())
    group = max(Counter(variable for variable, *_ in nodes).values(), default=0)
    rows = np.array([*nodes, (-1, root, NONE, 0)])
    return ChoiceTree(rows, np.array(order, np.int64), max(columns, 1), group)
