"""Which groups a constraint's machine reads, and in which order, when a search may choose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bddsudoku.limits import Check
from bddsudoku.model.automaton import Automaton
from bddsudoku.model.constraint import Constraint, Linear
from bddsudoku.model.machine import WIDTH, Machine, machine
from bddsudoku.model.onehot import OneHot

__all__ = ["Groups", "machine_of"]


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
        LimitReached: see :func:`bddsudoku.model.machine.machine`.
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
