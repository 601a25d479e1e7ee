"""Decomposable diagrams: a node is a choice of branches, a branch a product of nodes.

A *node* stands for a family over some of the variables. Each of its *branches* says which variables
are true (its *literals*) and has *children*, nodes over other variables each; no two branches of a
node have a member in common. So a branch has as many members as the product of its children, and a
node as many as the sum of its branches: *decision-DNNF* (Huang and Darwiche, *The language of
search*, JAIR 29, 2007), with branches of any number instead of two. Where independent parts of a
problem would multiply the width of an ordered diagram, here they only add.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bddsudoku.diagrams.canonical import I32, I64, U64, AnyArray
from bddsudoku.jit import kernel

_EXACT = 2.0**62
"""Numbers below it, estimated in floating point, are exact in 64 bits."""


@dataclass(frozen=True, eq=False)
class Decomposed:
    """A decomposable diagram in flat arrays; node 0 has no member, children come before parents.

    Attributes:
        labels: int64 (levels,); the key of every variable.
        branch_at: int64 (nodes + 1,); the first branch of a node.
        child_at: int64 (branches + 1,); where a branch's children begin.
        literal_at: int64 (branches + 1,); likewise its literals.
        child: int32; nodes.
        literal: int32; levels, the variables that a branch says are true.
        root: node that stands for the whole family.
    """

    labels: I64
    branch_at: I64
    child_at: I64
    literal_at: I64
    child: I32
    literal: I32
    root: int

    @classmethod
    def empty(cls) -> Decomposed:
        """The family without a member."""
        at, none = np.zeros(1, np.int64), np.zeros(0, np.int32)
        return cls(np.zeros(0, np.int64), np.zeros(2, np.int64), at, at, none, none, 0)

    @property
    def size(self) -> int:
        """Nodes, the empty one included."""
        return len(self.branch_at) - 1

    @property
    def branches(self) -> int:
        """Branches of all nodes."""
        return len(self.child_at) - 1

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        arrays = (self.labels, self.branch_at, self.child_at, self.literal_at, self.child)
        return sum(a.nbytes for a in (*arrays, self.literal))

    def reachable(self) -> Decomposed:
        """The same without nodes that the root does not need."""
        needed = np.zeros(self.size, bool)
        needed[[0, self.root]] = True
        _mark(self.branch_at, self.child_at, self.child, needed)
        if needed.all():
            return self
        branch = np.repeat(needed, np.diff(self.branch_at))
        children, literals = np.diff(self.child_at), np.diff(self.literal_at)
        place = np.cumsum(needed) - 1
        return Decomposed(
            self.labels,
            _ends(np.diff(self.branch_at)[needed]),
            _ends(children[branch]),
            _ends(literals[branch]),
            place[self.child[np.repeat(branch, children)]].astype(np.int32),
            self.literal[np.repeat(branch, literals)],
            int(place[self.root]),
        )

    @property
    def is_sound(self) -> bool:
        """Whether the arrays fit together, so that whatever runs on them ends within them."""
        ends = (
            (self.branch_at, self.branches),
            (self.child_at, len(self.child)),
            (self.literal_at, len(self.literal)),
        )
        for at, end in ends:
            if not (len(at) and at[0] == 0 and at[-1] == end and (np.diff(at) >= 0).all()):
                return False
        if not (0 <= self.root < self.size and self.branch_at[1] == 0):
            return False
        if len(self.child_at) != len(self.literal_at):
            return False
        owner = np.repeat(np.arange(self.size), np.diff(self.branch_at))
        parent = np.repeat(owner, np.diff(self.child_at))
        levels = len(self.labels)
        return bool(
            ((self.child > 0) & (self.child < parent)).all()
            and ((self.literal >= 0) & (self.literal < levels)).all()
            and len(np.unique(self.labels)) == levels
        )


def _ends(sizes: I64) -> I64:
    """Where each of some lists begins, and the last one ends."""
    return np.append(0, np.cumsum(sizes)).astype(np.int64)


@kernel
def _mark(branch_at: I64, child_at: I64, child: I32, needed: NDArray[np.bool_]) -> None:
    """All nodes below those that are needed."""
    for node in range(len(needed) - 1, 0, -1):
        if needed[node]:
            for p in range(child_at[branch_at[node]], child_at[branch_at[node + 1]]):
                needed[child[p]] = True


@kernel
def _add_up(
    branch_at: I64, child_at: I64, child: I32, taken: NDArray[np.bool_], out: U64,
    rough: NDArray[np.float64],
) -> None:  # fmt: skip
    """Members of every node, modulo 2**64 and in floating point."""
    for node in range(len(out)):
        members = np.uint64(0)
        about = 0.0
        for branch in range(branch_at[node], branch_at[node + 1]):
            if taken[branch]:
                product = np.uint64(1)
                size = 1.0
                for p in range(child_at[branch], child_at[branch + 1]):
                    product *= out[child[p]]
                    size *= rough[child[p]]
                members += product
                about += size
        out[node] = members
        rough[node] = about


@kernel
def _hand_down(
    branch_at: I64, child_at: I64, literal_at: I64, child: I32, literal: I32,
    taken: NDArray[np.bool_], totals: U64, ways: U64, out: U64,
) -> None:  # fmt: skip
    """Members of the family in which each level is true, modulo 2**64."""
    for node in range(len(totals) - 1, 0, -1):
        above = ways[node]
        if above == np.uint64(0):
            continue
        for branch in range(branch_at[node], branch_at[node + 1]):
            if not taken[branch]:
                continue
            here = above
            for p in range(child_at[branch], child_at[branch + 1]):
                here *= totals[child[p]]
                others = above
                for q in range(child_at[branch], child_at[branch + 1]):
                    if q != p:
                        others *= totals[child[q]]
                ways[child[p]] += others
            for p in range(literal_at[branch], literal_at[branch + 1]):
                out[literal[p]] += here


class Totals:
    """Members below every node of a diagram, of those that take only some variables.

    Args:
        diagram: the family.
        allowed: bool (levels,): variables that may be true; None: all.

    Cost: one linear pass; in Python's integers where the count passes 2**62.
    """

    def __init__(self, diagram: Decomposed, allowed: NDArray[np.bool_] | None = None) -> None:
        self.diagram = diagram
        self.allowed = np.ones(len(diagram.labels), bool) if allowed is None else allowed
        forbidden = np.append(0, np.cumsum(~self.allowed[diagram.literal]))
        at = diagram.literal_at
        self._taken = forbidden[at[1:]] == forbidden[at[:-1]]
        self._fit: U64 = np.zeros(diagram.size, np.uint64)
        rough = np.zeros(diagram.size, np.float64)
        d = diagram
        _add_up(d.branch_at, d.child_at, d.child, self._taken, self._fit, rough)
        self._small = bool(rough[d.root] < _EXACT)

    @cached_property
    def _of(self) -> list[int]:
        """Members below every node; where they are small, those past the root may be nonsense."""
        if self._small:
            return [int(n) for n in self._fit.tolist()]
        found = [0] * self.diagram.size
        for node in range(1, self.diagram.size):
            found[node] = sum(self._product(found, branch) for branch in self._branches(node))
        return found

    @property
    def total(self) -> int:
        """Members of the family."""
        root = self.diagram.root
        return int(self._fit[root]) if self._small else self._of[root]

    @cached_property
    def _lists(self) -> tuple[list[int], list[int], list[int], list[int], list[int], list[bool]]:
        """The arrays as lists, which Python reads faster."""
        d = self.diagram
        at = d.branch_at.tolist(), d.child_at.tolist(), d.literal_at.tolist()
        return (*at, d.child.tolist(), d.literal.tolist(), self._taken.tolist())

    def _branches(self, node: int) -> Iterator[int]:
        branch_at, _, _, _, _, taken = self._lists
        return (b for b in range(branch_at[node], branch_at[node + 1]) if taken[b])

    def _children(self, branch: int) -> list[int]:
        _, child_at, _, child, _, _ = self._lists
        return child[child_at[branch] : child_at[branch + 1]]

    def _literals(self, branch: int) -> list[int]:
        _, _, literal_at, _, literal, _ = self._lists
        return literal[literal_at[branch] : literal_at[branch + 1]]

    def _product(self, of: list[int], branch: int) -> int:
        product = 1
        for child in self._children(branch):
            product *= of[child]
        return product

    def marginals(self) -> AnyArray:
        """Members in which each level is true: int64 below 2**62, else Python integers.

        Cost: as the totals, once more.
        """
        d = self.diagram
        if self._small:
            ways, out = np.zeros(d.size, np.uint64), np.zeros(len(d.labels), np.uint64)
            ways[d.root] = 1
            _hand_down(
                d.branch_at, d.child_at, d.literal_at, d.child, d.literal, self._taken, self._fit,
                ways, out,
            )  # fmt: skip
            return out.astype(np.int64)
        found = [0] * len(d.labels)
        above = [0] * d.size
        above[d.root] = 1
        for node in range(d.size - 1, 0, -1):
            for branch in self._branches(node) if above[node] else ():
                children = self._children(branch)
                sizes = [self._of[c] for c in children]
                here = above[node] * self._product(self._of, branch)
                for i, child in enumerate(children):
                    others = above[node]
                    for j, size in enumerate(sizes):
                        others *= 1 if i == j else size
                    above[child] += others
                for level in self._literals(branch):
                    found[level] += here
        return np.array(found, dtype=object)

    def unrank(self, index: int) -> list[int]:
        """The levels that are true in the member with a number below the total.

        Numbers run over a node's branches, and within a branch over its children like the digits
        of a number, the first child's fastest.
        """
        found: list[int] = []
        waiting = [(self.diagram.root, index)]
        while waiting:
            node, rest = waiting.pop()
            for branch in self._branches(node):
                size = self._product(self._of, branch)
                if rest < size:
                    break
                rest -= size
            found += self._literals(branch)
            for child in self._children(branch):
                rest, digit = divmod(rest, self._of[child])
                waiting.append((child, digit))
        return found

    def rank(self, true: set[int]) -> int | None:
        """The number of the member in which these levels are true; None when it is none."""
        met: set[int] = set()
        taken: list[tuple[int, int, int]] = []
        waiting = [self.diagram.root]
        while waiting:
            node = waiting.pop()
            before = 0
            for branch in self._branches(node):
                if true.issuperset(self._literals(branch)):
                    break
                before += self._product(self._of, branch)
            else:
                return None
            taken.append((node, branch, before))
            met.update(self._literals(branch))
            waiting += self._children(branch)
        if met != true:
            return None
        number: dict[int, int] = {}
        for node, branch, before in reversed(taken):  # children first
            scale = 1
            for child in self._children(branch):
                before += scale * number[child]
                scale *= self._of[child]
            number[node] = before
        return number[self.diagram.root]
