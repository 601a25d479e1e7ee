"""Constraints as clauses, for formats that know nothing else.

Few clauses are written as they are. Where there would be many, the constraint's BDD is written
instead, a new variable for every node: its value is determined by those of the others, so that the
number of solutions stays the same; all the same the writers say which variables are to be counted.
(N. Eén and N. Sörensson, *Translating pseudo-Boolean constraints into SAT*, JSAT 2, 2006.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations

from bddsudoku.errors import LimitReached
from bddsudoku.model.constraints import Constraint, Linear, OneHot
from bddsudoku.puzzle.formula.printing import one_by_one, products

_MOST_PAIRED = 40
"""Variables of "at most one" that are written pair by pair."""
_MOST_PLAIN = 64
"""Clauses of a constraint that are written without new variables."""


@dataclass
class Clauses:
    """Clauses over variables from 1 on; a negative number is a variable that is false.

    Attributes:
        variables: how many there are, new ones included.
        clauses: lists of literals.
    """

    variables: int
    clauses: list[tuple[int, ...]] = field(default_factory=list)

    def add(self, constraint: Constraint) -> None:
        """Add a constraint.

        Raises:
            LimitReached: its machine is too large.
        """
        self.clauses += self._made(constraint)

    def _made(self, constraint: Constraint) -> Iterable[tuple[int, ...]]:
        verdict = constraint.verdict
        if verdict is not None:
            return () if verdict else [()]
        if isinstance(constraint, OneHot):
            literals = tuple(v + 1 for v in constraint.variables)
            if constraint.total == 0:
                return ((-v,) for v in literals)
            if len(literals) <= _MOST_PAIRED:
                pairs = [(-a, -b) for a, b in combinations(literals, 2)]
                return pairs if constraint.at_most else [literals, *pairs]
        if isinstance(constraint, Linear):
            one = _single(constraint)
            if one is not None:
                return [one]
        try:
            found = products(constraint, _MOST_PLAIN, negated=True)
        except LimitReached:
            return self._diagram(constraint)
        return [tuple(-(v + 1) if true else v + 1 for v, true in p) for p in found]

    def _diagram(self, constraint: Constraint) -> Iterator[tuple[int, ...]]:
        """A new variable for every node: ``node <-> (variable ? high : low)``."""
        variable, low, high, root = one_by_one(constraint).bdd()
        first = self.variables + 1
        self.variables += len(variable)
        rows = zip(variable.tolist(), low.tolist(), high.tolist(), strict=True)
        for k, (v, lo, hi) in enumerate(rows):
            for test, below in ((-(v + 1), hi), (v + 1, lo)):
                # Where the test fails: the node equals what lies below; 0 and 1 are known.
                if below != 0:
                    yield (first + k, test, *(() if below == 1 else (-(first + below - 2),)))
                if below != 1:
                    yield (-(first + k), test, *(() if below == 0 else (first + below - 2,)))
        if root != 1:
            yield (first + root - 2,) if root else ()


def _single(constraint: Linear) -> tuple[int, ...] | None:
    """The clause that a linear constraint is; None if it is none."""
    if set(constraint.weights) - {1, -1}:
        return None
    least, most = constraint.bounds
    if constraint.high is None and constraint.low == least + 1:
        sign = 1
    elif constraint.low is None and constraint.high == most - 1:
        sign = -1
    else:
        return None
    pairs = zip(constraint.variables, constraint.weights, strict=True)
    return tuple(sign * w * (v + 1) for v, w in pairs)
