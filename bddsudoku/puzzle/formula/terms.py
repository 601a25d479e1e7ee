"""Terms: objects that stand for formulas; ``+``, ``==``, ``&`` between them make new formulas.

``+ - *``, comparisons, ``& | ^ ~`` (on truths: and, or, either, not), ``<< >>``, ``abs``, and
``a.implies(b)``, ``a.iff(b)``, ``a.then(b, c)`` (``a ? b : c``); the built-in ``sum`` works. ``//``
and ``%`` mean what they mean in Python (they round down), while in the language they mean what they
mean in C. ``and``, ``or``, ``not``, ``in`` and chained comparisons cannot be overloaded; they raise
TypeError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, ClassVar, NoReturn, Union

from bddsudoku.errors import ModelError
from bddsudoku.model.expression import Constant, Expression
from bddsudoku.puzzle.formula.language_values import (
    Array,
    Distinct,
    Number,
    Value,
    apply_function,
    apply_operator,
    flatten_values,
)
from bddsudoku.puzzle.formula.problem_draft import Draft

Operand = Union["Term", int]
_Method = Callable[[Operand, Operand], "Term"]


def _method(op: str) -> _Method:
    """The Term method of an operator, such as ``__sub__``."""
    rule = {"//": _floor_quotient, "%": _floor_remainder}.get(op, partial(_apply_op, op))
    return lambda left, right: rule(left, right)


def _reflected(op: str) -> _Method:
    """The Term method of an operator whose right operand is the Term, such as ``__rsub__``."""
    method = _method(op)
    return lambda right, left: method(left, right)


def _apply_op(op: str, *operands: object) -> Term:
    values, owner = _values_and_owner(operands)
    return Term(apply_operator(op, values), owner)


def _floor_quotient(a: Operand, b: Operand) -> Term:
    return _apply_op("-", _apply_op("/", a, b), _rounding_correction(a, b))


def _floor_remainder(a: Operand, b: Operand) -> Term:
    return _apply_op("+", _apply_op("%", a, b), _apply_op("*", b, _rounding_correction(a, b)))


def _rounding_correction(a: Operand, b: Operand) -> Term:
    """1 where the quotient rounded towards zero exceeds the one rounded down, else 0."""
    exact = _apply_op("==", _apply_op("%", a, b), 0)
    return _apply_op(
        "&&", _apply_op("!", exact), _apply_op("!=", _apply_op("<", a, 0), _apply_op("<", b, 0))
    )


def _values_and_owner(operands: Iterable[object]) -> tuple[list[Value], object]:
    """The values of some operands, and the problem to which they all belong."""
    values: list[Value] = []
    owner: object = None
    for operand in operands:
        if isinstance(operand, Term):
            if operand.owner is not None and owner is not None and operand.owner is not owner:
                raise ModelError("expected terms of one problem, found terms of two")
            owner = operand.owner or owner
            values.append(operand.value)
        elif isinstance(operand, int) or hasattr(operand, "__index__"):
            values.append(int(operand))
        else:
            raise TypeError(f"expected a Term or an integer, found {operand!r}")
    return values, owner


class Term:
    """A number or condition that depends on variables; operators make further Terms of it.

    Its owner is the problem whose variables occur in it; None for a number.
    """

    __slots__ = ("owner", "value")

    def __init__(self, value: Number | Distinct, owner: object = None) -> None:
        self.value: Number | Distinct = value
        self.owner: object = owner

    @property
    def expression(self) -> Expression:
        """The value of the term as an expression."""
        if isinstance(self.value, Distinct):
            return self.value.expression
        return Constant(self.value) if isinstance(self.value, int) else self.value

    def __repr__(self) -> str:
        if not isinstance(self.owner, Draft):
            return f"Term({self.value!r})"
        if isinstance(self.value, Distinct):
            parts = (Term(part, self.owner) for part in self.value.parts)
            return f"all_different({', '.join(map(repr, parts))})"
        return self.owner.expression_text(self.expression)

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a Term has no truth of its own: write & | ~ for and, or, not, and two comparisons "
            "joined by & for a chain"
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    __eq__: ClassVar[_Method] = _method("==")  # type: ignore[assignment]
    __ne__: ClassVar[_Method] = _method("!=")  # type: ignore[assignment]
    __lt__: ClassVar[_Method] = _method("<")
    __gt__: ClassVar[_Method] = _reflected("<")
    __le__: ClassVar[_Method] = _method("<=")
    __ge__: ClassVar[_Method] = _reflected("<=")
    __add__: ClassVar[_Method] = _method("+")
    __radd__: ClassVar[_Method] = _reflected("+")
    __sub__: ClassVar[_Method] = _method("-")
    __rsub__: ClassVar[_Method] = _reflected("-")
    __mul__: ClassVar[_Method] = _method("*")
    __rmul__: ClassVar[_Method] = _reflected("*")
    __floordiv__: ClassVar[_Method] = _method("//")
    __rfloordiv__: ClassVar[_Method] = _reflected("//")
    __mod__: ClassVar[_Method] = _method("%")
    __rmod__: ClassVar[_Method] = _reflected("%")
    __lshift__: ClassVar[_Method] = _method("<<")
    __rlshift__: ClassVar[_Method] = _reflected("<<")
    __rshift__: ClassVar[_Method] = _method(">>")
    __rrshift__: ClassVar[_Method] = _reflected(">>")
    __and__: ClassVar[_Method] = _method("&")
    __rand__: ClassVar[_Method] = _reflected("&")
    __or__: ClassVar[_Method] = _method("|")
    __ror__: ClassVar[_Method] = _reflected("|")
    __xor__: ClassVar[_Method] = _method("^")
    __rxor__: ClassVar[_Method] = _reflected("^")

    def __neg__(self) -> Term:
        return _apply_op("-", self)

    def __pos__(self) -> Term:
        return self

    def __invert__(self) -> Term:
        return _apply_op("~", self)

    def __abs__(self) -> Term:
        return _apply_function("abs", (self,))

    def implies(self, other: Operand) -> Term:
        """The implication, which is false only where this term holds and `other` does not."""
        return _apply_op("->", self, other)

    def iff(self, other: Operand) -> Term:
        """The equivalence, which is true where both terms hold or neither does."""
        return _apply_op("<->", self, other)

    def then(self, value: Operand, otherwise: Operand) -> Term:
        """The choice: ``value`` where this term is not 0, ``otherwise`` where it is 0."""
        return _apply_op("?:", self, value, otherwise)


class Terms:
    """An array of variables, indexed as ``x[1][2]`` or ``x[1, 2]``; iteration yields them all."""

    def __init__(self, array: Array, owner: object) -> None:
        self._array = array
        self._owner = owner

    def __repr__(self) -> str:
        return f"Terms({self._array.name!r}, {len(self)} variables)"

    def __len__(self) -> int:
        return sum(1 for _ in flatten_values([self._array]))

    def __iter__(self) -> Iterator[Term]:
        return (Term(v, self._owner) for v in flatten_values([self._array]))

    def __getitem__(self, index: int | tuple[int, ...]) -> Any:
        """The Term at an index, or Terms when further indices are possible.

        Raises:
            IndexError: there is no such variable.
        """
        found: Value = self._array
        for i in index if isinstance(index, tuple) else (index,):
            if not isinstance(found, Array):
                raise IndexError(f"too many indices for {self._array.name}")
            try:
                found = found.item(int(i))
            except ModelError as error:
                raise IndexError(str(error)) from None
        if isinstance(found, Array):
            return Terms(found, self._owner)
        assert not isinstance(found, tuple)
        return Term(found, self._owner)


def _apply_function(function: str, terms: tuple[object, ...]) -> Term:
    """The Term that results from a function of arguments, given one by one or as one iterable."""
    given: Iterable[object] = terms
    if len(terms) == 1 and isinstance(terms[0], Iterable):
        given = terms[0]
    values, owner = _values_and_owner(given)
    return Term(apply_function(function, values), owner)


def all_different(*terms: object) -> Term:
    """The condition that no two terms (given one by one, or as an iterable) are equal."""
    return _apply_function("all different", terms)


def all_of(*terms: object) -> Term:
    """The condition that no term is 0."""
    return _apply_function("all", terms)


def any_of(*terms: object) -> Term:
    """The condition that at least one term is not 0."""
    return _apply_function("any", terms)


def smallest(*terms: object) -> Term:
    """The least of some terms."""
    return _apply_function("min", terms)


def largest(*terms: object) -> Term:
    """The greatest of some terms."""
    return _apply_function("max", terms)
