"""What the parser makes of a file: statements whose expressions are small programs for a stack.

Programs are lists, not trees, so that neither reading nor running them recurses with the depth of
brackets. Jumps count from the instruction that holds them: a piece cut out of a program still runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from bddsudoku.puzzle.formula.tokens import Token

MAX_LOOPS = 40
"""Loops inside each other."""


class Op(IntEnum):
    """What an instruction does to the stack."""

    PUSH = 0
    """A number."""
    NAME = 1
    """What a name stands for."""
    INDEX = 2
    """``a[i]`` for ``a`` and ``i``."""
    APPLY = 3
    """An operator to its operands."""
    CALL = 4
    """A function to its arguments."""
    EACH = 5
    """A function to the values of an expression for every round of a loop."""
    SHORT = 6
    """Jump when a number decides ``&&``, ``||`` or ``->``: what follows is not looked at."""
    IF = 7
    """Jump over ``then`` when the condition is the number 0."""
    ELSE = 8
    """Jump over ``else`` when the condition was another number."""
    CHOOSE = 9
    """``?:`` of three values, unless the condition was a number."""


class Instruction(NamedTuple):
    """A step of a program.

    Attributes:
        op: what it does.
        offset: where it stands in the text.
        text: of a name, operator or function.
        number: of PUSH the number, else how many values are taken.
        jump: instructions to skip, from this one on.
        each: of EACH.
    """

    op: Op
    offset: int
    text: str = ""
    number: int = 0
    jump: int = 0
    each: Each | None = None


Code = list[Instruction]


@dataclass(frozen=True)
class Domain:
    """What a loop or an index runs over.

    Attributes:
        offset: where it begins.
        low, high: of a range ``low..high``, both ends included.
        elements: of a set ``{…}``; several programs are a tuple ``(…, …)``.
        name: of a set defined before.
    """

    offset: int
    low: Code = field(default_factory=list)
    high: Code = field(default_factory=list)
    elements: list[list[Code]] | None = None
    name: Token | None = None


@dataclass(frozen=True)
class Clause:
    """``for names in domain``, or ``if condition``."""

    names: list[Token] = field(default_factory=list)
    domain: Domain | None = None
    condition: Code | None = None


@dataclass(frozen=True)
class Each:
    """An expression and the loops around it, the outermost first."""

    body: Code
    clauses: list[Clause]

    @cached_property
    def depth(self) -> int:
        """How many loops stand inside each other."""
        programs = [self.body]
        for clause in self.clauses:
            if clause.condition is not None:
                programs.append(clause.condition)
            if clause.domain is not None:
                programs += [clause.domain.low, clause.domain.high]
                programs += [part for e in clause.domain.elements or () for part in e]
        inner = max((i.each.depth for p in programs for i in p if i.each is not None), default=0)
        return len(self.clauses) + inner


class Target(NamedTuple):
    """A name with ranges in brackets behind it."""

    name: Token
    ranges: list[Domain]


@dataclass(frozen=True)
class Symbols:
    """``symbol a b x[1..9]``."""

    targets: list[Target]


@dataclass(frozen=True)
class Integers:
    """``integer n q[1..8] in 0..9``."""

    targets: list[Target]
    domain: Domain


@dataclass(frozen=True)
class Table:
    """``w[1..3] = {7, 8, 9}``, or without brackets a named set."""

    name: Token
    ranges: list[Domain]
    domain: Domain


@dataclass(frozen=True)
class Definition:
    """``F = …`` or ``F[i] = … for i in …``."""

    name: Token
    indices: list[Code]
    code: Code
    clauses: list[Clause]


@dataclass(frozen=True)
class Constraint:
    """A statement that shall hold.

    Attributes:
        family: named before a colon, else "".
        label: the words after the family.
        code: the statement.
        clauses: its loops.
        offset: where it begins.
    """

    family: str
    label: str
    code: Code
    clauses: list[Clause]
    offset: int


@dataclass(frozen=True)
class Projection:
    """``project a x``."""

    targets: list[Token]


Statement = Symbols | Integers | Table | Definition | Constraint | Projection
