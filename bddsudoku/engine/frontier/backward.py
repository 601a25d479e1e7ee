"""Backward pass of the frontier engine: reduce states and edges bottom-up to a canonical ZDD.

Levels are processed bottom-up, and the variables of a level's block bottom-up, so that nodes appear
in the canonical order of :class:`bddsudoku.diagrams.zdd.Diagram`; within a variable the pairs
(low, high) are sorted, which both merges equal nodes and numbers them canonically.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bddsudoku.context import UNLIMITED
from bddsudoku.diagrams.canonical import HISTOGRAM, sort_by_key
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.engine.frontier.forward import Edges, ForwardPass
from bddsudoku.engine.frontier.spec import NONE, choice_tree
from bddsudoku.engine.frontier.state_table import ResourceAccounts
from bddsudoku.engine.protocol import Compiled
from bddsudoku.errors import LimitReached
from bddsudoku.jit import kernel, subroutine
from bddsudoku.jit.decorators import I64, U32, U64

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.engine.frontier.spec import Spec


class ReductionWorkspace(NamedTuple):
    """Workspace of :func:`_reduce_level`; n is the number of states of the level.

    Attributes:
        columns: uint32 (columns * n,); a node for every column of the choice tree and every state.
        sides: uint32 (2, n); the low and the high child of a decision, for every state.
        cursor: int64 (n,); the first edge of a state not yet read.
        keys: uint64 (greatest group * n,); (low << 32) | high of the nodes to be made.
        place: int64, same shape; index in ``columns`` to which the node of a key is written.
        spare_keys, spare_place, histogram: see :func:`~bddsudoku.diagrams.canonical.sort_by_key`.
    """

    columns: U32
    sides: U32
    cursor: I64
    keys: U64
    place: I64
    spare_keys: U64
    spare_place: I64
    histogram: I64


@subroutine
def _number_distinct_keys(n, next_id, workspace, distinct):  # type: ignore[no-untyped-def]
    """Sort ``n`` keys; number the distinct ones from ``next_id`` on, in ascending order.

    Returns:
        Number of distinct keys; ``distinct`` holds them in ascending order.
    """
    columns, _, _, keys, place, spare_keys, spare_place, histogram = workspace
    if sort_by_key(keys, place, spare_keys, spare_place, n, histogram):
        keys, place = spare_keys, spare_place
    different = 0
    for k in range(n):
        if k == 0 or keys[k] != keys[k - 1]:
            distinct[different] = keys[k]
            different += 1
        columns[place[k]] = np.uint32(next_id + different - 1)
    return different


@kernel
def _read_child_nodes(choice_rank, edges, node_by_state, cursor, out):  # type: ignore[no-untyped-def]
    """For one choice, look up the diagram node of each state's child; 0 where there is no child."""
    level, degree, rank, target, jump = edges
    value, base = node_by_state
    jumps = jump.shape[0] > 0
    edge = np.int64(0)
    for s in range(len(degree)):
        at = edge + cursor[s]
        many = degree[s]
        result = np.uint32(0)
        if cursor[s] < many and rank[at] == choice_rank:
            cursor[s] += 1
            result = value[base[level + (np.int64(jump[at]) if jumps else 1)] + target[at]]
        out[s] = result
        edge += many


@kernel
def _reduce_level(edges, node_by_state, tree, workspace, new_nodes, next_id):  # type: ignore[no-untyped-def]
    """Make the diagram nodes of a level, bottom-up, from the edges of its states.

    Args:
        edges: of its states.
        node_by_state: uint32; the nodes of all states by level, to be filled in for this level; and
            int64 (levels + 1,), where each level begins in it.
        tree: int64; the rows of the level's choice tree
            (:class:`bddsudoku.engine.frontier.spec.ChoiceTree`).
        workspace: a :class:`ReductionWorkspace`.
        new_nodes: uint64: (low << 32) | high of the nodes, in order; and int64 (rows of the tree,
            2): variables, and number of nodes of each. (A state has at most one node for each
            variable that the choice of one of its edges sets.)
        next_id: number of the next node.

    Returns:
        Number of nodes made, and of variables that have some.
    """
    value, base = node_by_state
    columns, sides, cursor, keys, place, _, _, _ = workspace
    pairs, groups = new_nodes
    shift = np.uint64(32)
    done = np.int64(0)
    variables = 0
    n = len(edges.degree)
    cursor[:] = 0
    at = 0
    while at < len(tree):
        variable = tree[at, 0]
        count = 0
        while at < len(tree) and tree[at, 0] == variable:
            for side in range(2):
                code = tree[at, 1 + side]
                if code >= 0:
                    for s in range(n):
                        sides[side, s] = columns[code * n + s]
                elif code == NONE:
                    for s in range(n):
                        sides[side, s] = 0
                else:
                    _read_child_nodes(-2 - code, edges, node_by_state, cursor, sides[side])
            own = tree[at, 3] * n
            for s in range(n):
                columns[own + s] = sides[0, s]
                if sides[1, s]:
                    keys[count] = (np.uint64(sides[0, s]) << shift) | np.uint64(sides[1, s])
                    place[count] = own + s
                    count += 1
            at += 1
        if count:
            different = _number_distinct_keys(count, next_id + done, workspace, pairs[done:])
            done += different
            groups[variables, 0] = variable
            groups[variables, 1] = different
            variables += 1
    for s in range(n):
        value[base[edges.level] + s] = sides[0, s]
    return done, variables


class BackwardPass:
    """The backward pass: makes a diagram from the edges of a finished forward pass.

    Args:
        spec: the spec of the pass.
        expanded: the edges of all levels with states, in their order; they are freed on the way.
        accounts: checks memory and time.
    """

    def __init__(
        self,
        spec: Spec,
        expanded: list[Edges],
        accounts: ResourceAccounts,
    ) -> None:
        self.spec = spec
        self.expanded = expanded
        self.accounts = accounts
        rows = np.zeros(spec.levels + 2, np.int64)
        for one in expanded:
            rows[one.level + 1] = len(one.degree)
        self.base: I64 = rows.cumsum()
        # untouched pages use no memory; the last entry is the accepted child
        self.value: U32 = np.zeros(self.base[spec.levels] + 1, np.uint32)
        self.value[-1] = 1
        self.next_id: int = 2
        self.pairs: list[U64] = []
        self.groups: list[I64] = []

    def build_diagram(self) -> Diagram:
        """Reduce all levels to the canonical diagram; can be called once.

        Raises:
            LimitReached: memory, time or the number of nodes reached its limit.
        """
        states = sum(len(one.degree) for one in self.expanded)
        while self.expanded:
            one = self.expanded.pop()
            self._reduce(one)
            self.accounts.release(one.nbytes)
        spec = self.spec
        root = int(self.value[self.base[spec.root_level]]) if spec.root_level >= 0 else 0
        del self.value
        self.accounts.release(4 * states)
        size = self.next_id
        self.accounts.check_memory(size * 10)
        groups = np.concatenate([np.zeros((0, 2), np.int64), *self.groups])
        variable = np.full(size, len(spec.labels), np.uint16)
        variable[2:] = np.repeat(groups[:, 0].astype(np.uint16), groups[:, 1])
        low, high = np.empty((2, size), np.uint32)
        low[:2] = high[:2] = 0, 1
        ends = np.cumsum([2, *map(len, self.pairs)])
        for begin, end, pairs in zip(ends[:-1], ends[1:], self.pairs, strict=True):
            np.right_shift(pairs, 32, out=low[begin:end], casting="unsafe")
            np.copyto(high[begin:end], pairs, casting="unsafe")
        return Diagram.from_arrays(spec.labels, variable, low, high, root, overwrite=True)

    def _reduce(self, edges: Edges) -> None:
        """Make the diagram nodes of a level."""
        choices = self.spec.choices[edges.level]
        tree = choice_tree(choices)
        states, most = len(edges.degree), len(edges.rank) * max(map(len, choices), default=0)
        keys = tree.group * states
        self.accounts.note_level(edges.level, states)
        self.accounts.check_time()
        self.accounts.check_memory(states * (4 * tree.columns + 16) + keys * 32 + most * 8)
        workspace = ReductionWorkspace(
            np.empty(tree.columns * states, np.uint32),
            np.empty((2, states), np.uint32),
            np.empty(states, np.int64),
            np.empty(keys, np.uint64),
            np.empty(keys, np.int64),
            np.empty(keys, np.uint64),
            np.empty(keys, np.int64),
            np.empty(HISTOGRAM, np.int64),
        )
        self.accounts.book(4 * states)
        pairs = np.empty(most, np.uint64)
        groups = np.empty((len(tree.nodes), 2), np.int64)
        node_count, variables = _reduce_level(
            edges, (self.value, self.base), tree.nodes, workspace, (pairs, groups), self.next_id
        )
        self.next_id += node_count
        if self.next_id >= 1 << 32:
            raise LimitReached("the diagram has more than 2^32 nodes", limit="nodes")
        self.accounts.book(8 * node_count)
        self.pairs.append(pairs[:node_count].copy())
        groups[:variables, 0] += self.spec.first[edges.level]
        self.groups.append(groups[:variables].copy())


def compile_spec(
    spec: Spec, *, context: Context = UNLIMITED, threads: int | None = None
) -> Compiled:
    """Compile a spec to the canonical ZDD of its family of sets.

    Args:
        spec: see :mod:`bddsudoku.engine.frontier.spec`.
        context: limits of memory and time, and the receiver of progress.
        threads: number of threads, by default the cores available, four at most; the result does
            not depend on it.

    Raises:
        LimitReached: names the limit, the level, its states and bytes; ``trace`` holds the
            levels finished by then.
    """
    began = perf_counter()
    accounts = ResourceAccounts(context)
    expanded: list[Edges] = []

    def keep(edges: Edges, waiting: dict[int, int]) -> None:
        accounts.book(edges.nbytes)
        expanded.append(edges)

    forward = ForwardPass(spec, accounts, threads=threads)
    forward.expand_all_levels(keep)
    diagram = BackwardPass(spec, expanded, accounts).build_diagram()
    return Compiled(
        diagram,
        variables=len(spec.labels),
        levels=tuple(forward.trace),
        seconds=perf_counter() - began,
        peak_bytes=accounts.peak,
    )
