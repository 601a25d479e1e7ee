"""Any model as a file of the language, which reads back as the same constraints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bddsudoku.errors import ModelError
from bddsudoku.model.constraint import Constraint, Formula, Linear
from bddsudoku.model.expression import Expression, Operation, nodes
from bddsudoku.model.onehot import OneHot
from bddsudoku.puzzle.formula.expressions import RESERVED
from bddsudoku.puzzle.formula.text import expression_text, linear_text, name_text, onehot_text

__all__ = ["write"]

_LINE = 96
_SHORT = 4
"""Operations up to this size are written again rather than named."""


def write(
    names: Sequence[str],
    constraints: Iterable[Constraint],
    projection: Iterable[int] | None = None,
    comments: Iterable[str] = (),
) -> Iterator[str]:
    """The lines of a file that says what a model says.

    What holds under every assignment becomes a comment. Parts that a formula holds in several
    places are given names.

    Args:
        names: of the variables, in order.
        constraints: one-hot, linear and formulas.
        projection: positions of the variables that are counted; None for all.
        comments: lines for the top.

    Raises:
        ModelError: a constraint of another kind, or a name with a quote or line break in it.
    """
    yield from (f"# {line}" for line in comments)
    for name in names:
        if '"' in name or any(ch in name for ch in "\r\n") or not name:
            raise ModelError(f"expected a name that can be put in quotes, found {name!r}")
    yield from _wrapped("symbol", [name_text(n, declared=False) for n in names])
    written = [name_text(n, declared=False) for n in names]
    taken = set(names)
    for c in constraints:
        if c.verdict is True:
            yield f"# {_label(c)} nothing left to say"
        elif isinstance(c, OneHot):
            yield f"{_label(c)} {onehot_text(c, written)}"
        elif isinstance(c, Linear):
            yield f"{_label(c)} {linear_text(c, written)}"
        elif isinstance(c, Formula):
            known: dict[Expression, str] = {}
            for part in _shared(c.expression):
                name = _new_name(taken)
                yield f"{name} = {expression_text(part, written, known)}"
                known[part] = name
            yield f"{_label(c)} {expression_text(c.expression, written, known)}"
        else:
            raise ModelError(f"{c.family} {c.label} has no words in the language")
    if projection is not None:
        chosen = [written[v] for v in projection]
        if not chosen:
            raise ModelError("a projection to no variables cannot be written")
        yield from _wrapped("project", chosen)


def _wrapped(word: str, names: Iterable[str]) -> Iterator[str]:
    """``symbol a b c``, on as many lines as it takes."""
    line = word
    for name in names:
        if len(line) + len(name) >= _LINE and line != word:
            yield line
            line = word
        line += f" {name}"
    if line != word:
        yield line


def _label(constraint: Constraint) -> str:
    """``family label:``, the label in quotes where words and numbers alone do not make it."""
    family, label = constraint.family, constraint.label
    if not family.isidentifier() or family in RESERVED or '"' in label:
        raise ModelError(f"expected a family and a label that can be written, found {family!r}")
    words = label.split(" ")
    plain = all(
        w.isidentifier() or (w.isdecimal() and w.isascii() and (w == "0" or w[0] != "0"))
        for w in words
    )
    return f"{family} {label}:" if plain else f'{family} "{label}":'


def _shared(expression: Expression) -> list[Operation]:
    """Larger parts that stand in several places, the inner ones first."""
    uses: dict[Expression, int] = {}
    size: dict[Expression, int] = {}
    order = nodes(expression)
    for node in order:
        size[node] = 1
        if isinstance(node, Operation):
            for a in node.arguments:
                uses[a] = uses.get(a, 0) + 1
                size[node] += 1 if uses[a] > 1 and size[a] > _SHORT else size[a]
    return [
        n for n in order if isinstance(n, Operation) and uses.get(n, 0) > 1 and size[n] > _SHORT
    ]


def _new_name(taken: set[str]) -> str:
    number = len(taken)
    while (name := f"part{number}") in taken:
        number += 1
    taken.add(name)
    return name
