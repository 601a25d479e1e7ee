"""Decision-DNNFs in flat arrays: a node is a disjoint union of branches (products of nodes).

A *node* stands for a family over some of the variables. Each of its *branches* has true variables
(its *literals*) and *children*, nodes over pairwise disjoint sets of other variables; no two
branches of a node have a member in common. So the count of a branch is the product of its
children's, and that of a node the sum of its branches': a *decision-DNNF* (Huang and Darwiche, *The
language of search*, JAIR 29, 2007), with any number of branches instead of two. Independent
components multiply the width of an ordered diagram; here their sizes only add up.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np

from bddsudoku.diagrams.counting import from_residues
from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import F64, I32, I64, U64, AnyArray, Flags

_EXACT_FLOAT = 2.0**62
"""Counts whose floating-point estimate is below this are exact in 64 bits."""


class DecisionDnnf(NamedTuple):
    """A decision-DNNF in flat arrays; children come before parents.

    Node 0 is the empty family and is no node's child.

    Attributes:
        labels: int64 (levels,); the key of every variable.
        branch_at: int64 (nodes + 1,); the first branch of each node.
        child_at: int64 (branches + 1,); start of each branch's children in ``child``.
        literal_at: int64 (branches + 1,); start of each branch's literals in ``literal``.
        child: int32; nodes.
        literal: int32; levels of the variables that are true in a branch.
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
    def empty(cls) -> DecisionDnnf:
        """The empty family."""
        at, none = np.zeros(1, np.int64), np.zeros(0, np.int32)
        return cls(np.zeros(0, np.int64), np.zeros(2, np.int64), at, at, none, none, 0)

    @property
    def size(self) -> int:
        """Number of nodes, node 0 (the empty family) included."""
        return len(self.branch_at) - 1

    @property
    def branch_count(self) -> int:
        """Number of branches of all nodes."""
        return len(self.child_at) - 1

    @property
    def nbytes(self) -> int:
        """Number of bytes that the diagram's arrays take."""
        arrays = (self.labels, self.branch_at, self.child_at, self.literal_at, self.child)
        return sum(a.nbytes for a in (*arrays, self.literal))

    def without_unreachable(self) -> DecisionDnnf:
        """The diagram without the nodes that are unreachable from the root."""
        needed = np.zeros(self.size, bool)
        needed[[0, self.root]] = True
        _mark_reachable(self, needed)
        if needed.all():
            return self
        sizes, children, literals = map(np.diff, self[1:4])
        branch = np.repeat(needed, sizes)
        place = np.cumsum(needed) - 1
        lengths = (sizes[needed], children[branch], literals[branch])
        branch_at, child_at, literal_at = (np.append(0, np.cumsum(n)) for n in lengths)
        child = place[self.child[np.repeat(branch, children)]].astype(np.int32)
        literal = self.literal[np.repeat(branch, literals)]
        root = int(place[self.root])
        return DecisionDnnf(self.labels, branch_at, child_at, literal_at, child, literal, root)

    @property
    def is_well_formed(self) -> bool:
        """Whether the arrays are consistent, so that no kernel reads or writes outside them."""
        ends = (self.branch_count, len(self.child), len(self.literal))
        for at, end in zip(self[1:4], ends, strict=True):
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


@kernel
def _mark_reachable(diagram: DecisionDnnf, needed: Flags) -> None:
    """Flag every node that is reachable from a node flagged already."""
    _, branch_at, child_at, _, child, _, _ = diagram
    for node in range(len(needed) - 1, 0, -1):
        if needed[node]:
            for p in range(child_at[branch_at[node]], child_at[branch_at[node + 1]]):
                needed[child[p]] = True


@kernel
def _count_members(
    diagram: DecisionDnnf, branch_allowed: Flags, modulus: np.uint64, counts: U64,
    estimates: F64,
) -> None:  # fmt: skip
    """For each node count its members modulo ``modulus`` (0 means 2**64), and also as a float."""
    _, branch_at, child_at, _, child, _, _ = diagram
    for node in range(len(counts)):
        members = np.uint64(0)
        about = 0.0
        for branch in range(branch_at[node], branch_at[node + 1]):
            if branch_allowed[branch]:
                product = np.uint64(1)
                size = 1.0
                for p in range(child_at[branch], child_at[branch + 1]):
                    product *= counts[child[p]]
                    size *= estimates[child[p]]
                    if modulus:
                        product %= modulus
                members += product
                about += size
        counts[node] = members % modulus if modulus else members
        estimates[node] = about


@kernel
def _marginals_modulo(
    diagram: DecisionDnnf, branch_allowed: Flags, modulus: np.uint64, member_counts: U64, ways: U64,
    out: U64,
) -> None:  # fmt: skip
    """Count the members in which each variable is true, modulo ``modulus`` (0 means 2**64)."""
    _, branch_at, child_at, literal_at, child, literal, root = diagram
    ways[root] = 1
    for node in range(len(member_counts) - 1, 0, -1):
        above = ways[node] % modulus if modulus else ways[node]
        if above == np.uint64(0):
            continue
        for branch in range(branch_at[node], branch_at[node + 1]):
            if not branch_allowed[branch]:
                continue
            # each child, and after them the whole branch, for its literals
            for p in range(child_at[branch], child_at[branch + 1] + 1):
                others = above
                for q in range(child_at[branch], child_at[branch + 1]):
                    if q != p:
                        others *= member_counts[child[q]]
                        if modulus:
                            others %= modulus
                if p < child_at[branch + 1]:
                    ways[child[p]] += others
                else:
                    for at in range(literal_at[branch], literal_at[branch + 1]):
                        out[literal[at]] += others


class DnnfCounts:
    """Numbers of members below every node of a decision-DNNF, with ranking and unranking.

    Args:
        diagram: the family.
        allowed: bool (levels,): only members whose true variables are all allowed count; None
            for all members.

    Cost: one linear pass; with Python integers where the count exceeds 2**62.
    """

    def __init__(self, diagram: DecisionDnnf, allowed: Flags | None = None) -> None:
        self.diagram = d = diagram
        self._allowed = np.ones(d.branch_count, bool)
        if allowed is not None:
            forbidden = np.append(0, np.cumsum(~allowed[d.literal]))
            self._allowed = forbidden[d.literal_at[1:]] == forbidden[d.literal_at[:-1]]
        self._counts_in_word, rough = self._member_counts_modulo(np.uint64(0))
        self._fits_in_word = bool(rough[d.root] < _EXACT_FLOAT)

    def _member_counts_modulo(self, modulus: np.uint64) -> tuple[U64, F64]:
        """Each node's member count modulo ``modulus`` (0 means 2**64), and the count as a float."""
        found, rough = np.zeros(self.diagram.size, np.uint64), np.zeros(self.diagram.size)
        _count_members(self.diagram, self._allowed, modulus, found, rough)
        return found, rough

    @cached_property
    def _exact_member_counts(self) -> list[int]:
        """Each node's member count, exact for the root and all nodes stored before the root."""
        if self._fits_in_word:
            return [*self._counts_in_word.tolist()]
        found: list[int] = []
        for node in range(self.diagram.size):
            branches = self._allowed_branches(node)
            found.append(sum(prod(found[c] for c in children) for _, children in branches))
        return found

    @property
    def total(self) -> int:
        """Number of members of the family."""
        counts = self._counts_in_word if self._fits_in_word else self._exact_member_counts
        return int(counts[self.diagram.root])

    @cached_property
    def _arrays_as_lists(self) -> list[list[int]]:
        """The diagram's arrays as Python lists, whose entries are read faster one by one."""
        return [array.tolist() for array in (*self.diagram[1:6], self._allowed)]

    def _allowed_branches(self, node: int) -> Iterator[tuple[list[int], list[int]]]:
        """Yield the literals and children of a node's branches whose literals are all allowed."""
        branch_at, child_at, literal_at, child, literal, taken = self._arrays_as_lists
        for b in range(branch_at[node], branch_at[node + 1]):
            if taken[b]:
                literals = literal[literal_at[b] : literal_at[b + 1]]
                yield literals, child[child_at[b] : child_at[b + 1]]

    def marginals(self) -> AnyArray:
        """An array with the number of members in which the variable of each level is true.

        int64 while the total is below 2**63, otherwise Python integers.

        Cost: one linear pass; two more for every 32 bits beyond the first 64.
        """
        d = self.diagram

        def residues(modulus: np.uint64) -> U64:
            totals = self._member_counts_modulo(modulus)[0] if modulus else self._counts_in_word
            out = np.zeros(len(d.labels), np.uint64)
            _marginals_modulo(d, self._allowed, modulus, totals, np.zeros(d.size, np.uint64), out)
            return out

        return from_residues(residues, self.total)

    def unrank(self, rank: int) -> list[int]:
        """Return the levels of the variables that are true in the member of a given rank, from 0.

        Ranks are ordered by a node's branches, and within a branch by its children's ranks as
        digits of a mixed-radix number, the first child's least significant.
        """
        found: list[int] = []
        waiting = [(self.diagram.root, rank)]
        while waiting:
            node, rest = waiting.pop()
            for literals, children in self._allowed_branches(node):
                size = prod(self._exact_member_counts[c] for c in children)
                if rest < size:
                    found += literals
                    for child in children:
                        rest, digit = divmod(rest, self._exact_member_counts[child])
                        waiting.append((child, digit))
                    break
                rest -= size
        return found

    def rank(self, true_levels: set[int]) -> int | None:
        """The rank of the member with exactly the given true levels; None if there is none."""
        met: set[int] = set()
        taken: list[tuple[int, list[int], int]] = []
        waiting = [self.diagram.root]
        while waiting:
            node = waiting.pop()
            before = 0
            for literals, children in self._allowed_branches(node):
                if true_levels.issuperset(literals):
                    break
                before += prod(self._exact_member_counts[c] for c in children)
            else:
                return None
            taken.append((node, children, before))
            met.update(literals)
            waiting += children
        if met != true_levels:
            return None
        number: dict[int, int] = {}
        for node, children, before in reversed(taken):  # children first
            scale = 1
            for child in children:
                before += scale * number[child]
                scale *= self._exact_member_counts[child]
            number[node] = before
        return number[self.diagram.root]
