"""What the inner loop knows, works on and leaves behind: flat arrays (:mod:`.kernel`).

Which groups a constraint's machine reads, and in which order, when a search may choose.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import Check
from bddsudoku.model.constraints import Automaton, Constraint, Linear, OneHot
from bddsudoku.model.to_mdd import WIDTH, Machine, machine

START, ENTER, LEAVE, DONE, FULL = range(5)
"""Where the search goes on: at its very beginning, down from a settled row, back from a finished
one, nowhere; or it needs more rows first."""

# Fields of the search state, int64: branchings under way, and sums of all calls; then entries of
# ``out`` and ``ends`` that the last call has written.
PHASE, TOP, COUNT, NODES, WORK, USED, FOUND, FIELDS = range(8)

Words = NDArray[np.uint64]


class Tables(NamedTuple):
    """What does not change. Lists of lists are flat, with their beginnings in ``…_at``.

    A row of the search holds words of live candidates, as many of chosen ones, those of the live
    states of every layer, the number of live candidates of every item, and last the number of
    items whose candidate is not chosen yet.
    """

    conflict: Words
    """(candidates, words): those that cannot hold together with it."""
    items_at: Words
    items: Words
    """The items of a candidate."""
    member_at: Words
    member: Words
    """The candidates of an item."""
    uses_at: Words
    uses: Words
    """The levels that a candidate has something to say at."""
    owner: Words
    """The machine of a level."""
    first: Words
    """(machines + 1,): a machine's first level. It has one more than it reads, for its last
    layer."""
    once: NDArray[np.bool_]
    """Whether a machine meets each candidate at one level only."""
    wide: Words
    """(levels,): choices."""
    table_at: Words
    table: NDArray[np.uint32]
    """The next state for a state and a choice; the last bit of the last word, which is never set,
    when there is none."""
    words_at: Words
    """(levels + 1,): the words of a layer's states in a row."""
    base: Words
    """(levels,): the item whose candidates are the level's choices, or stand for none of them."""
    choice_at: Words
    choice: Words
    """The candidate of a choice; anything for choice 0."""
    others_at: Words
    others: Words
    """The candidates that stand for choice 0."""
    variables: Words
    """(words,): the candidates that are variables."""


class Work(NamedTuple):
    """Queues, scratch, and what the search learns."""

    tried: Words
    """The candidate that each branching has chosen."""
    gone: Words
    """Candidates to be taken away."""
    queue: Words
    """Bit sets: items with one live candidate, items with two, machines that have changed."""
    low: Words
    high: Words
    """(machines,): first and last changed level of those in the queue."""
    reached: Words
    """One layer's states."""
    picked: Words
    """Live choices of a level, or candidates of an item."""
    supported: Words
    """(choices,): 1 for those of a level that lie on a path."""
    weight: NDArray[np.float64]
    """(items,): one more than how often an item was at a dead end."""
    witness: Words
    """Candidates that some solution holds."""


class Bounds(NamedTuple):
    """How far a call goes, and what it looks for."""

    chunk: int
    """Steps before the next return."""
    max_count: int
    max_nodes: int
    """Totals at which the search pauses."""
    supports: bool
    """Look for solutions that hold something new; each ends the branch."""


class Groups:
    """The groups of a problem of which exactly one variable is true.

    Args:
        one_hot: the problem's one-hot constraints.
    """

    def __init__(self, one_hot: Iterable[OneHot]) -> None:
        self.members = [c.variables for c in one_hot if c.total == 1 and not c.at_most]
        self.of: dict[int, list[int]] = {}
        for number, members in enumerate(self.members):
            for v in members:
                self.of.setdefault(v, []).append(number)

    def cut(self, variables: Sequence[int]) -> list[tuple[int, ...]]:
        """Some variables cut into parts of groups: the largest part first, then of what is left."""
        parts: list[tuple[int, ...]] = []
        left = dict.fromkeys(variables)
        shares: dict[int, int] = {}
        for v in variables:
            for number in self.of.get(v, ()):
                shares[number] = shares.get(number, 0) + 1
        for number in sorted(shares, key=lambda g: (-shares[g], g)):
            part = tuple(v for v in self.members[number] if v in left)
            if len(part) > 1:
                parts.append(part)
                for v in part:
                    del left[v]
        return [*parts, *((v,) for v in left)]

    def is_whole(self, level: Sequence[int]) -> bool:
        """Whether always one of a level's variables is true."""
        wanted = set(level)
        return any(set(self.members[g]) == wanted for g in self.of.get(level[0], ()))


def machine_of(
    constraint: Constraint,
    groups: Groups,
    *,
    width: int = WIDTH,
    check: Check | None = None,
) -> Machine:
    """The machine of a constraint over the groups of a problem.

    An automaton keeps its own groups and their order. Sums read large weights first: what is left
    is then small, and few partial sums can still come out right.

    Raises:
        LimitReached: see :func:`bddsudoku.model.to_mdd.machine`.
    """
    if isinstance(constraint, Automaton):
        open_ = (tuple(v for v in g if v >= 0) for g in constraint.groups)
        levels = [level for level in open_ if level]
    else:
        levels = groups.cut(constraint.variables)
        levels.sort(key=min)
    exact = {i for i, level in enumerate(levels) if groups.is_whole(level)}
    if isinstance(constraint, Linear):
        weight = dict(zip(constraint.variables, constraint.weights, strict=True))
        spread = [_spread(level, weight, i in exact) for i, level in enumerate(levels)]
        order = sorted(range(len(levels)), key=lambda i: -spread[i])
        levels = [levels[i] for i in order]
        exact = {new for new, old in enumerate(order) if old in exact}
    return machine(constraint, levels, exact=exact, width=width, check=check)


def _spread(level: Sequence[int], weight: Mapping[int, int], exact: bool) -> int:
    found = [weight[v] for v in level] + ([] if exact else [0])
    return max(found) - min(found)
