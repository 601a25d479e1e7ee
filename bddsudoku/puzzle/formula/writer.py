"""Any model as a file of the language, which reads back as the same constraints."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import product

from bddsudoku.errors import ModelError
from bddsudoku.model.constraints import Constraint, Formula, Linear, OneHot
from bddsudoku.model.expression import Expression, Operation, nodes
from bddsudoku.puzzle.formula.integers import IntegerVariable
from bddsudoku.puzzle.formula.lexer import RESERVED
from bddsudoku.puzzle.formula.text import expression_text, linear_text, name_text, onehot_text

_LINE = 96
_INTEGER = re.compile(r"(?:0|-?[1-9]\d*)\Z", re.ASCII)
_ITEM = re.compile(r"([^\W\d]\w*)((?:\[(?:0|-?[1-9]\d*)\])+)\Z")
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
    constraints = list(constraints)
    if not names and all(c.verdict for c in constraints):
        yield "1 == 1"
    integers, declared = _integers(names, constraints)
    written = [""] * len(names)
    yield from _declarations(names, integers, written)
    numbers: dict[Expression, str] = {
        IntegerVariable.made(name, values, first).expression: _quoted(name)
        for first, (name, values) in integers.items()
        if len(values) > 1
    }
    taken = set(names)
    for c in constraints:
        if c.verdict is True:
            yield f"# {_label(c)} nothing left to say"
        elif isinstance(c, OneHot):
            if c not in declared:
                yield f"{_label(c)} {onehot_text(c, written)}"
        elif isinstance(c, Linear):
            yield f"{_label(c)} {linear_text(c, written)}"
        elif isinstance(c, Formula):
            # Integer variables are written as such, and what stands in several places only once.
            known = dict(numbers)
            for part in _shared(c.expression, numbers):
                name = _new_name(taken)
                yield f"{name} = {expression_text(part, written, known)}"
                known[part] = name
            yield f"{_label(c)} {expression_text(c.expression, written, known)}"
        else:
            raise ModelError(f"{c.family} {c.label} has no words in the language")
    if projection is not None:
        chosen = [_quoted(names[v]) for v in projection]
        if not chosen:
            raise ModelError("a projection to no variables cannot be written")
        yield from _wrapped("project", chosen)


def _quoted(name: str) -> str:
    return name_text(name, declared=False)


def _integers(
    names: Sequence[str], constraints: Sequence[Constraint]
) -> tuple[dict[int, tuple[str, list[int]]], set[OneHot]]:
    """Integer variables, by the position of their first Boolean: names and values; what says so."""
    found: dict[int, tuple[str, list[int]]] = {}
    declared: set[OneHot] = set()
    for c in constraints:
        if isinstance(c, OneHot) and c.family == "integer" and c.variables and c.total == 1:
            first, last = c.variables[0], c.variables[-1]
            parts = [names[v].rpartition("=") for v in c.variables]
            values = [int(v) for _, _, v in parts if _INTEGER.match(v)]
            whole = last - first + 1 == len(c.variables) == len(values)
            if whole and values == sorted(set(values)) and {n for n, _, _ in parts} == {c.label}:
                found[first] = (c.label, values)
                declared.add(c)
    return found, declared


def _declarations(
    names: Sequence[str], integers: dict[int, tuple[str, list[int]]], written: list[str]
) -> Iterator[str]:
    """Declarations of all variables in order; sets how each is written."""
    place = 0
    symbols: list[str] = []
    while place < len(names):
        if place in integers:
            yield from _wrapped("symbol", symbols)
            symbols = []
            name, values = integers[place]
            whole = values == list(range(values[0], values[-1] + 1))
            domain = f"{values[0]}..{values[-1]}" if whole else f"{{{', '.join(map(str, values))}}}"
            yield f"integer {_quoted(name)} in {domain}"
            count = len(values)
        else:
            count, text = _array(names, place, integers)
            symbols.append(text)
        for v in range(place, place + count):
            written[v] = name_text(names[v], declared=count > 1)
        place += count
    yield from _wrapped("symbol", symbols)


def _array(
    names: Sequence[str], place: int, integers: dict[int, tuple[str, list[int]]]
) -> tuple[int, str]:
    """How many variables from here on make an array, and its declaration; or a single one."""
    base = names[place].partition("[")[0]
    indices: list[tuple[int, ...]] = []
    for v in range(place, len(names)):
        match = _ITEM.match(names[v])
        if v in integers or match is None or match[1] != base:
            break
        indices.append(tuple(int(i) for i in match[2][1:-1].split("][")))
    # The longest run that is a box, its last index the fastest.
    if len(indices) > 1 and len({len(i) for i in indices}) == 1:
        sides = [
            range(low, max(a) + 1)
            for low, a in zip(indices[0], zip(*indices, strict=True), strict=True)
        ]
        if list(product(*sides)) == indices:
            ranges = "".join(f"[{side[0]}..{side[-1]}]" for side in sides)
            return len(indices), base + ranges
    return 1, _quoted(names[place])


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
    """``family label:``, in quotes what is no word or number."""
    family, label = constraint.family, constraint.label
    if '"' in family + label or not family:
        raise ModelError(f"expected a family and a label that can be written, found {family!r}")
    name = family if family.isidentifier() and family not in RESERVED else f'"{family}"'
    plain = all(w.isidentifier() or (_INTEGER.match(w) and w[0] != "-") for w in label.split(" "))
    return f"{name} {label}:" if plain else f'{name} "{label}":'


def _shared(expression: Expression, numbers: Container[Expression]) -> list[Operation]:
    """Larger parts that stand in several places, the inner ones first."""
    uses: dict[Expression, int] = {}
    size: dict[Expression, int] = {}
    order = nodes(expression, numbers)
    for node in order:
        size[node] = 1
        if isinstance(node, Operation) and node not in numbers:
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
