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


def count_by_levels(problem: Any) -> int:
    """Solutions, by going through the variables once with a table of machine states.

    For problems too large to be tried; knows nothing of the engines.
    """
    from bddsudoku.model.constraints import OneHot
    from bddsudoku.model.to_mdd import machine

    levels: list[tuple[int, ...]] = []
    placed: set[int] = set()
    for c in problem.constraints:
        if isinstance(c, OneHot) and c.total == 1 and placed.isdisjoint(c.variables):
            levels.append(c.variables)
            placed.update(c.variables)
    levels += [(v,) for v in range(len(problem.names)) if v not in placed]
    machines = [machine(c, levels) for c in problem.constraints]
    begins: dict[int, list[int]] = {}
    reads: dict[int, list[int]] = {}
    for k, m in enumerate(machines):
        if m.layers.is_empty:
            return 0
        if m.places:
            begins.setdefault(m.places[0], []).append(k)
        for place in m.places:
            reads.setdefault(place, []).append(k)
    tables = [[t.tolist() for t in m.layers.tables] for m in machines]
    states: dict[tuple[tuple[int, int], ...], int] = {(): 1}
    for place, level in enumerate(levels):
        new: dict[tuple[tuple[int, int], ...], int] = {}
        rows = []
        for k in reads.get(place, ()):
            depth = machines[k].places.index(place)
            rows.append((k, depth, {v: i for i, v in enumerate(machines[k].levels[depth], 1)}))
        for state, ways in states.items():
            here = dict(state) | dict.fromkeys(begins.get(place, ()), 0)
            for chosen in (None, *level):
                after = dict(here)
                for k, depth, choice in rows:
                    target = tables[k][depth][here[k]][choice.get(chosen, 0)]
                    if target < 0:
                        break
                    if depth + 1 == len(tables[k]):
                        del after[k]
                    else:
                        after[k] = target
                else:
                    key = tuple(sorted(after.items()))
                    new[key] = new.get(key, 0) + ways
        states = new
    return sum(states.values())
