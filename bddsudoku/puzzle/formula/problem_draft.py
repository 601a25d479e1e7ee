"""A formula problem under construction, and the decoder of its solutions to values by name.

A :class:`Draft` has variables, constraints, and the projection to the variables that are counted.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from numbers import Integral
from operator import index
from typing import Any

from bddsudoku.argument_types import require_type
from bddsudoku.errors import ModelError, PuzzleFormatError
from bddsudoku.model.constraints import Constraint, OneHot, Variable
from bddsudoku.model.expression import (
    Constant,
    Expression,
    Operation,
    Reference,
    distinct_subexpressions,
)
from bddsudoku.model.model import Model
from bddsudoku.model.simplify import as_boolean
from bddsudoku.notebook_html import facts_html, tally_text
from bddsudoku.puzzle.formula.language_values import Distinct, Number, Value, as_number_if_constant
from bddsudoku.puzzle.formula.lexer import MAX_VARIABLES, quote
from bddsudoku.puzzle.formula.lowering import (
    IntegerVariable,
    check_always_defined,
    lower_statement,
    make_integer_variable,
)
from bddsudoku.sets.decoder import Decoder

_MAX_TEXT = 120
"""Characters of an expression that are shown."""


class FormulaDecoder(Decoder[dict[str, int]]):
    """Converter between keys of true variables and solutions, which map names to values.

    Boolean variables are 0 or 1, integer variables their number; both are in the order of their
    declaration. Under a projection only the variables that are counted occur.

    Args:
        names: of the Boolean variables; the key is the position.
        integers: for every integer variable its name, its values and the position of its first
            Boolean.
        counted: positions of the variables that solutions speak of; None for all.
    """

    kind = "formula"

    def __init__(
        self,
        names: Sequence[str],
        integers: Iterable[tuple[str, Sequence[int], int]] = (),
        counted: Iterable[int] | None = None,
    ) -> None:
        self.names: tuple[str, ...] = tuple(names)
        self.integers: tuple[tuple[str, tuple[int, ...], int], ...] = tuple(
            (name, tuple(values), first) for name, values, first in integers
        )
        self.counted: tuple[int, ...] | None = None if counted is None else tuple(sorted(counted))
        self._number = {first: i for i, (_, _, first) in enumerate(self.integers)}
        self._key: dict[str, int] = {name: k for k, name in enumerate(self.names)}
        self.key_by_name: dict[str, int] = self._key
        """Keys of the variables that solutions speak of, by name."""
        if self.counted is not None:
            self.key_by_name = {self.names[key]: key for key in self.counted}

    @property
    def space(self) -> Hashable:
        """The variables, which two sets must have in common to be compared or combined."""
        return (self.kind, self.names, self.integers, self.counted)

    def decode(self, keys: Sequence[int]) -> dict[str, int]:
        """The solution, as values by name, whose true variables have the given keys."""
        true = {int(k) for k in keys}
        listed = range(len(self.names)) if self.counted is None else self.counted
        found: dict[str, int] = {}
        within = -1
        for key in listed:
            if key in self._number:
                name, values, first = self.integers[self._number[key]]
                within = first + len(values)
                chosen = [v for i, v in enumerate(values, first) if i in true]
                if len(chosen) == 1:
                    found[name] = chosen[0]
                    continue
                within = -1
            if key >= within:
                found[self.names[key]] = int(key in true)
        return found

    def encode(self, solution: Mapping[str, int] | Iterable[str]) -> Iterable[int]:
        """The keys of the true variables, from the solution's values by name or their names alone.

        Raises:
            PuzzleFormatError: a name is no variable, or a value is not in its domain.
        """
        given = solution if isinstance(solution, Mapping) else dict.fromkeys(solution, 1)
        domains = {name: (values, first) for name, values, first in self.integers}
        keys = []
        for name, value in given.items():
            if name in domains:
                values, first = domains[name]
                if value not in values:
                    raise PuzzleFormatError(f"expected a value of {name}, found {value!r}")
                keys.append(first + values.index(value))
            elif name not in self._key:
                raise PuzzleFormatError(f"expected the name of a variable, found {name!r}")
            elif value not in (0, 1):
                raise PuzzleFormatError(f"expected 0 or 1 for {name}, found {value!r}")
            elif value:
                keys.append(self._key[name])
        return sorted(keys)

    def to_dict(self) -> dict[str, Any]:
        """The decoder's kind and variables as JSON values."""
        return {
            "kind": self.kind,
            "names": list(self.names),
            "integers": [[name, list(values), first] for name, values, first in self.integers],
            "counted": None if self.counted is None else list(self.counted),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> FormulaDecoder:
        """The decoder described by the JSON values of :meth:`to_dict`.

        Raises:
            PuzzleFormatError: the data do not describe such a decoder.
        """
        try:
            names, integers, counted = data["names"], data["integers"], data["counted"]
            return cls(
                [str(name) for name in names],
                [(str(name), [*map(index, values)], index(at)) for name, values, at in integers],
                None if counted is None else [range(len(names))[key] for key in counted],
            )
        except (LookupError, TypeError, ValueError) as error:
            raise PuzzleFormatError(f"expected a formula's variables, found {error!r}") from error


@dataclass(frozen=True)
class Statement:
    """A statement as it was added to a problem, with its line, before it became constraints.

    ``value`` is an expression that shall not be 0, or numbers that shall all differ.
    """

    family: str
    label: str
    value: Expression | Distinct
    line: int | None = None

    @property
    def expression(self) -> Expression:
        """The statement as an expression that is 0 or 1."""
        return as_boolean(self.value.expression if isinstance(self.value, Distinct) else self.value)


class Draft:
    """A formula problem under construction: its variables, statements and constraints.

    Attributes:
        names: of the variables, in order.
        integers: integer variables by name.
        statements: as they were added.
        constraints: the lowered statements, with "exactly one" for every integer variable.
        notes: messages for the user about how the file was read.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.integers: dict[str, IntegerVariable] = {}
        self.statements: list[Statement] = []
        self.constraints: list[Constraint] = []
        self.notes: list[str] = []
        self.position: dict[str, int] = {}
        """Positions of the variables by name."""
        self._by_expression: dict[Expression, IntegerVariable] = {}
        self._projected: set[int] | None = None
        self._called: set[tuple[str, str]] = set()
        self._numbered: dict[tuple[str, str], int] = {}

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"<{kind}: {len(self.names)} variables, {len(self.constraints)} constraints>"

    def _repr_html_(self) -> str:
        """The numbers of variables, statements and constraints as a table, for notebooks."""
        counted = self.projection
        in_integers = sum(len(i.members) for i in self.integers.values())
        facts = [
            ("Boolean variables", len(self.names) - in_integers),
            ("integer variables", len(self.integers)),
            ("statements", len(self.statements)),
            ("constraints", len(self.constraints)),
            ("families", tally_text(c.family for c in self.constraints)),
            ("counted variables", None if counted is None else f"{len(counted):,} (a projection)"),
        ]
        return facts_html(type(self).__name__, facts)

    # Variables

    def new_variable(self, name: str) -> Reference:
        """Declare a new Boolean variable."""
        return Reference(self._declare_booleans(name, [name]))

    def new_integer(self, name: str, values: Iterable[int]) -> IntegerVariable:
        """Declare a new integer variable; its Booleans are called ``name=value``."""
        distinct: set[int] = set()
        for value in values:  # which may be far too many
            require_type(value, Integral, f"whole numbers as values of {name}")
            distinct.add(value)
            self._check_room(len(distinct))
        domain = sorted(distinct)
        if not domain:
            raise ModelError(f"expected values of {name}, found none")
        first = self._declare_booleans(name, [f"{name}={value}" for value in domain])
        made = self.integers[name] = make_integer_variable(name, domain, first)
        if len(domain) > 1:
            self._by_expression[made.expression] = made
        self._called.add(("integer", name))
        self.constraints.append(OneHot("integer", name, made.members))
        return made

    def _declare_booleans(self, name: str, booleans: list[str]) -> int:
        """Add the Booleans of the new variable ``name``; return the position of the first."""
        if name in self.position or name in self.integers:
            raise ModelError(f"expected a new name, found {quote(name)}, which is declared already")
        first = len(self.names)
        self._check_room(len(booleans))
        self.names += booleans
        self.position.update(zip(booleans, count(first)))
        return first

    def _check_room(self, booleans: int) -> None:
        if len(self.names) + booleans > MAX_VARIABLES:
            raise ModelError(f"expected at most {MAX_VARIABLES:,} variables")

    def find(self, name: str) -> Number | None:
        """The expression of the variable with a name such as ``x[1][2]``; None if it is unknown."""
        if name in self.integers:
            return as_number_if_constant(self.integers[name].expression)
        position = self.position.get(name)
        return None if position is None else Reference(position)

    def expression_text(self, expression: Expression) -> str:
        """An expression with the names of the variables; of a long one the beginning."""
        text: dict[Expression, str] = {e: made.name for e, made in self._by_expression.items()}
        for node in distinct_subexpressions(expression, text):
            if isinstance(node, Reference):
                text[node] = self.names[node.index]
            elif isinstance(node, Constant):
                text[node] = str(node.value)
            elif isinstance(node, Operation) and node not in text:
                parts = [text[part] for part in node.arguments]
                if node.op == "?:":
                    found = f"({parts[0]} ? {parts[1]} : {parts[2]})"
                elif len(parts) == 1 or node.op.isalpha():
                    found = f"{node.op}({', '.join(parts)})"
                else:
                    found = f"({f' {node.op} '.join(parts)})"
                text[node] = found if len(found) <= _MAX_TEXT else found[:_MAX_TEXT] + "…"
        return text[expression]

    def model(self) -> Model:
        """The problem as a model, in which a variable's key is its position."""
        literal = {
            v: (cell, value)
            for cell, made in enumerate(self.integers.values())
            for v, value in zip(made.members, made.values, strict=True)
        }
        variables = [Variable(name, i, *literal.get(i, ())) for i, name in enumerate(self.names)]
        return Model(tuple(variables), tuple(self.constraints))

    def decoder(self) -> FormulaDecoder:
        """The decoder of this problem's solutions."""
        integers = [(i.name, i.values, i.members[0]) for i in self.integers.values()]
        return FormulaDecoder(self.names, integers, self.projection)

    # Statements

    def unused_label(self, family: str, base: str = "") -> str:
        """A label that a family does not have yet: a number, or ``base``, ``base (2)``, …"""
        first = self._numbered.get((family, base), 1)
        for number in count(first):
            label = f"{base} ({number})" if base and number > 1 else base or str(number)
            if (family, label) not in self._called:
                break
        self._numbered[family, base] = number
        return label

    def require(
        self, value: Number | Distinct, family: str, label: str, line: int | None = None
    ) -> None:
        """Add a statement, which must hold, with its family, label and line number."""
        if (family, label) in self._called:
            raise ModelError(f"expected a new name, found {quote(f'{family} {label}')} twice")
        statement = Constant(value) if isinstance(value, int) else value
        if isinstance(statement, Expression):
            check_always_defined(statement, self.names, self._by_expression)
        elif not all(isinstance(p, int) or p.defined for p in statement.parts):
            check_always_defined(statement.expression, self.names, self._by_expression)
        made = lower_statement(statement, family, label, self._by_expression)
        for c in made:
            if c.variables and c.variables[-1] >= len(self.names):
                raise ModelError(f"{family} {label}: a variable of another problem")
            if c.label != label and (family, c.label) in self._called:
                raise ModelError(f"expected a new name, found {quote(f'{family} {c.label}')} twice")
        self._called.add((family, label))
        self._called.update((family, c.label) for c in made)
        self.constraints += made
        self.statements.append(Statement(family, label, statement, line))

    # Projection

    def project_value(self, value: Value, name: str = "") -> None:
        """Add a variable, given as its expression, to the projection (the variables counted)."""
        known = self.integers.get(name)
        if known is not None and as_number_if_constant(known.expression) == value:
            self.project_to(known.members)
        elif isinstance(value, Reference):
            self.project_to([value.index])
        elif isinstance(value, Expression) and value in self._by_expression:
            self.project_to(self._by_expression[value].members)
        else:
            # An integer variable with one value is recognised by this value, and adds nothing.
            fixed = [i.members for i in self.integers.values() if i.values == (value,)]
            if not fixed:
                raise ModelError("expected a variable to project to, found something else")
            self.project_to(chain.from_iterable(fixed))

    def project_to(self, positions: Iterable[int]) -> None:
        """Add variables, given by position, to the projection (the variables counted)."""
        self._projected = (self._projected or set()) | set(positions)

    @property
    def projection(self) -> tuple[int, ...] | None:
        """Positions of the variables that are counted, ascending; None when all are."""
        return None if self._projected is None else tuple(sorted(self._projected))
