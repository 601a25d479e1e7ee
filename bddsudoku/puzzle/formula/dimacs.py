"""Any model as DIMACS CNF."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bddsudoku.model.constraints import Constraint
from bddsudoku.puzzle.formula.clauses import Clauses


def write(
    names: Sequence[str],
    constraints: Iterable[Constraint],
    projection: Iterable[int] | None = None,
    comments: Iterable[str] = (),
) -> Iterator[str]:
    """The lines of a file.

    Variable ``i + 1`` is the one at position ``i``; comments say what it is called. When there
    are new variables, or a projection, ``c p show`` names the variables that are to be counted.

    Args:
        names: of the variables, in order.
        constraints: of any kind.
        projection: positions of the variables that are counted; None for all.
        comments: lines for the top.

    Raises:
        LimitReached: the machine of a constraint is too large.
    """
    made = Clauses(len(names))
    for c in constraints:
        made.add(c)
    shown = projection
    if shown is None and made.variables > len(names):
        shown = range(len(names))
    yield f"c t {'mc' if shown is None else 'pmc'}"
    yield from (f"c {line}" for line in comments)
    yield from (f"c {v} is {' '.join(name.split())}" for v, name in enumerate(names, 1))
    yield f"p cnf {made.variables} {len(made.clauses)}"
    if shown is not None:
        yield " ".join(["c p show", *(str(v + 1) for v in shown), "0"])
    for literals in made.clauses:
        yield " ".join([*map(str, literals), "0"])
