"""Small things that know the language by themselves and share no code with the package."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

TOKEN = re.compile(r"\s*(<->|->|<<|>>|<=|>=|==|!=|&&|\|\||\d+|\w+|[-+*/%&|^!~?:(),<>])")

LEVELS = [
    ["<->"], ["->"], ["||"], ["&&"], ["|"], ["^"], ["&"],
    ["==", "!="], ["<", "<=", ">", ">="], ["<<", ">>"], ["+", "-"], ["*", "/", "%"],
]  # fmt: skip


class NoValueError(Exception):
    """Division by 0, or a shift by a negative count, where C would look."""


def evaluate(text: str, values: Mapping[str, int]) -> int:
    """The value of an expression, by recursive descent, straight from the text."""
    tokens = [*TOKEN.findall(text), ""]
    place = 0

    def peek() -> str:
        return tokens[place]

    def take() -> str:
        nonlocal place
        place += 1
        return tokens[place - 1]

    def choice() -> Callable[[], int]:
        test = level(0)
        if peek() != "?":
            return test
        take()
        then = choice()
        assert take() == ":"
        other = choice()
        return lambda: then() if test() else other()

    def level(k: int) -> Callable[[], int]:
        if k == len(LEVELS):
            return prefix()
        left = level(k + 1)
        while peek() in LEVELS[k]:
            op = take()
            # "->" groups to the right
            right = level(k) if op == "->" else level(k + 1)
            left = applied(op, left, right)
        return left

    def prefix() -> Callable[[], int]:
        if peek() in ("!", "~", "-", "+"):
            op = take()
            inner = prefix()
            if op == "!":
                return lambda: 0 if inner() else 1
            if op == "-":
                return lambda: -inner()
            if op == "+":
                return inner
            return lambda: -inner() - 1
        word = take()
        if word == "(":
            inner = choice()
            assert take() == ")"
            return inner
        if word in ("sum", "min", "max", "any", "all", "abs"):
            assert take() == "("
            parts = [choice()]
            while peek() == ",":
                take()
                parts.append(choice())
            assert take() == ")"
            return lambda: called(word, (p() for p in parts))
        return (lambda: int(word)) if word.isdigit() else (lambda: values[word])

    found = choice()
    assert peek() == "", (text, tokens, place)
    return found()


def called(name: str, values: Iterator[int]) -> int:
    # any and all look no further than the value that decides
    if name in ("any", "all"):
        return int(any(values) if name == "any" else all(values))
    return (
        abs(next(values)) if name == "abs" else {"sum": sum, "min": min, "max": max}[name](values)
    )


def applied(op: str, left: Callable[[], int], right: Callable[[], int]) -> Callable[[], int]:
    def value() -> int:
        a = left()
        if op == "&&":
            return int(a != 0 and right() != 0)
        if op == "||":
            return int(a != 0 or right() != 0)
        if op == "->":
            return int(a == 0 or right() != 0)
        b = right()
        if op in ("/", "%"):
            if b == 0:
                raise NoValueError
            quotient = abs(a) // abs(b) * (1 if (a >= 0) == (b > 0) else -1)
            return quotient if op == "/" else a - quotient * b
        if op in ("<<", ">>"):
            if b < 0:
                raise NoValueError
            return a * 2**b if op == "<<" else a // 2**b
        simple: dict[str, Callable[[], Any]] = {
            "<->": lambda: (a != 0) == (b != 0), "|": lambda: a | b, "^": lambda: a ^ b,
            "&": lambda: a & b, "==": lambda: a == b, "!=": lambda: a != b, "<": lambda: a < b,
            "<=": lambda: a <= b, ">": lambda: a > b, ">=": lambda: a >= b, "+": lambda: a + b,
            "-": lambda: a - b, "*": lambda: a * b,
        }  # fmt: skip
        return int(simple[op]())

    return value


def assignments(count: int) -> Iterable[tuple[int, ...]]:
    return itertools.product((0, 1), repeat=count)


def count(constraints: Sequence[Any], variables: int, counted: Sequence[int] | None = None) -> int:
    """Assignments that satisfy all constraints, by trying all; distinct ones of what is counted."""
    found = set()
    for values in assignments(variables):
        if all(c.holds(values) for c in constraints):
            found.add(values if counted is None else tuple(values[v] for v in counted))
    return len(found)
