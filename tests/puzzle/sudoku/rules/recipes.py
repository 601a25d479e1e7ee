"""Random well-formed rules of every registered kind, for any board.

A recipe draws the fields of one rule. Fields that the rule's own check refuses are drawn again.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.rules import FieldKind, Place, Places, Rule, known_rules
from bddsudoku.puzzle.sudoku.rules.outside_clues import DIRECTIONS


@dataclass
class Draw:
    """A board, a random generator, and a grid from which numbers are read so that rules hold."""

    layout: Layout
    rng: random.Random
    grid: Puzzle | None = None

    @property
    def rows(self) -> int:
        return self.layout.row_count

    @property
    def columns(self) -> int:
        return self.layout.column_count

    def digit(self) -> int:
        return self.rng.choice(self.layout.values)

    def every(self) -> list[Place]:
        return [Place(r, c) for r in range(self.rows) for c in range(self.columns)]

    def place(self) -> Place:
        return Place(self.rng.randrange(self.rows), self.rng.randrange(self.columns))

    def some(self, least: int, most: int) -> Places:
        """Different cells at random places."""
        every = self.every()
        size = self.rng.randint(min(least, len(every)), min(most, len(every)))
        return tuple(self.rng.sample(every, size))

    def line(self, least: int, most: int, *, sides: bool = False, barred: Places = ()) -> Places:
        """A path of different cells, each touching the previous one; short if it is stuck."""
        return self.from_cell(self.place(), least, most, sides=sides, barred=barred)

    def from_cell(
        self, start: Place, least: int, most: int, *, sides: bool = False, barred: Places = ()
    ) -> Places:
        steps = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a == 0) != (b == 0)]
        if not sides:
            steps += [(a, b) for a in (-1, 1) for b in (-1, 1)]
        line = [start]
        size = self.rng.randint(least, most)
        while len(line) < size:
            near = (Place(line[-1].row + a, line[-1].column + b) for a, b in steps)
            fit = [p for p in near if self.has(p) and p not in line and p not in barred]
            if not fit:
                break
            line.append(self.rng.choice(fit))
        return tuple(line)

    def has(self, place: Place) -> bool:
        return 0 <= place.row < self.rows and 0 <= place.column < self.columns

    def pair(self) -> Places:
        return self.line(2, 2, sides=True)

    def beside(self) -> Places:
        """A place beside the board, in line with a row or column."""
        is_row = self.rng.random() < 0.5
        along, across = (self.rows, self.columns) if is_row else (self.columns, self.rows)
        at, side = self.rng.randrange(along), self.rng.choice((-1, across))
        return (Place(at, side) if is_row else Place(side, at),)


Fields = dict[str, Any]
Recipe = Callable[[Draw], Fields]


def cage(draw: Draw) -> Fields:
    return {"cells": draw.line(1, min(len(draw.layout.values), 5), sides=True)}


def xv(draw: Draw) -> Fields:
    return {"cells": draw.pair(), "kind": draw.rng.choice("xv")}


def negative(draw: Draw) -> Fields:
    kind = draw.rng.choice(("ratio", "difference", "xv", "kropki"))
    values = {"xv": (5, 10), "ratio": (2, 3), "difference": (1, 2), "kropki": ()}[kind]
    spared = {tuple(sorted(draw.pair())) for _ in range(draw.rng.randint(0, 3))}
    return {
        "kind": kind,
        "values": tuple(draw.rng.sample(values, draw.rng.randint(0, len(values)))),
        "spared": tuple(p for pair in spared for p in pair),
    }


def extreme(draw: Draw) -> Fields:
    cells, spared = draw.some(1, 3), draw.some(0, 2)
    return {"cells": cells, "spared": tuple(p for p in spared if p not in cells)}


def little_killer(draw: Draw) -> Fields:
    rows, columns = draw.rows, draw.columns
    direction, (down, right) = draw.rng.choice([*DIRECTIONS.items()])
    clue = draw.rng.choice(
        [Place(-1 if down > 0 else rows, c) for c in range(-1, columns + 1)]
        + [Place(r, -1 if right > 0 else columns) for r in range(-1, rows + 1)]
    )
    return {"clue": (clue,), "direction": direction}


def arrow(draw: Draw) -> Fields:
    circle = draw.line(1, draw.rng.choice((1, 1, 2, 3)))
    last = draw.rng.choice(circle)
    line = draw.from_cell(last, 2, 5, barred=circle)
    return {"circle": circle, "shaft": line[1:]}


def digits_of(draw: Draw, cells: Places) -> tuple[int, ...]:
    """Some digits of cells in the grid, or random ones."""
    size = draw.rng.randint(1, len(cells))
    some = draw.grid if draw.rng.random() < 0.9 else None
    return tuple(draw.digit() if some is None else some[p] for p in cells[:size])


def quadruple(draw: Draw) -> Fields:
    top, left = draw.rng.randrange(draw.rows - 1), draw.rng.randrange(draw.columns - 1)
    cells = [Place(top + i, left + j) for i in (0, 1) for j in (0, 1)]
    draw.rng.shuffle(cells)
    digits = digits_of(draw, tuple(cells))
    return {"cells": tuple(cells), "digits": tuple(draw.rng.sample(digits, len(digits)))}


def contains(draw: Draw) -> Fields:
    cells = draw.some(1, 6)
    return {"cells": cells, "digits": digits_of(draw, cells)}


def look_and_say(draw: Draw) -> Fields:
    cells, fields = draw.some(1, 6), []
    for digit in draw.rng.sample(draw.layout.values, draw.rng.randint(1, 3)):
        times = sum(draw.grid[p] == digit for p in cells) if draw.grid else draw.rng.randint(0, 2)
        fields += [times, digit]
    return {"cells": cells, "digits": tuple(fields)}


def two_sets(draw: Draw) -> Fields:
    return {"cells": draw.some(1, 4), "others": draw.some(1, 4)}


def equality_cage(draw: Draw) -> Fields:
    size = draw.rng.choice((2, 2, 4))
    return {"cells": draw.some(size, size)}


def sum_line(draw: Draw) -> Fields:
    cells = draw.line(2, 7)
    if draw.rng.random() < 0.5:
        return {"cells": cells}
    row, column = draw.rng.randrange(draw.rows - 1), draw.rng.randrange(draw.columns - 1)
    square = [Place(row + i, column + j) for i, j in ((0, 0), (0, 1), (1, 1), (1, 0), (0, 0))]
    return {"cells": tuple(square)}


def count_distinct(draw: Draw) -> Fields:
    return {"counter": draw.some(1, 1), "cells": draw.some(1, 6)}


def clone(draw: Draw) -> Fields:
    cells = draw.some(1, 3)
    if draw.grid is None:
        return {"cells": cells, "copies": draw.some(len(cells), len(cells))}
    copies: list[Place] = []
    for place in cells:
        every = draw.some(10**4, 10**4)
        fit = [p for p in every if draw.grid[p] == draw.grid[place] and p != place]
        copies += [p for p in fit if p not in copies][:1]
    return {"cells": cells, "copies": tuple(copies)}


def pattern(draw: Draw, depth: int = 0) -> str:
    """A random regular expression, mostly one of few digits."""
    rng = draw.rng

    def digit() -> str:
        return rng.choice(draw.layout.symbols)

    kind = rng.randrange(9 if depth < 3 else 4)
    if kind < 2:
        return digit()
    if kind == 2:
        return "."
    if kind == 3:
        low, high = sorted((digit(), digit()))
        return f"[{rng.choice(('', '^'))}{rng.choice((low + high, f'{low}-{high}'))}]"
    inner = [pattern(draw, depth + 1) for _ in range(rng.randint(2, 3))]
    if kind == 4:
        return f"({'|'.join(inner)})"
    if kind < 7:
        return "".join(inner)
    least = rng.randrange(3)
    times = f"{{{least},{least + rng.randrange(3)}}}", f"{{{least},}}", f"{{,{least + 1}}}"
    return f"({''.join(inner)}){rng.choice(('*', '+', '?', *times))}"


def regex(draw: Draw) -> Fields:
    cells = draw.line(1, 5)
    found = pattern(draw)
    if draw.rng.random() < 0.5:
        found = f".*{found}.*"
    return {"cells": cells, "pattern": found}


def machine(draw: Draw) -> Fields:
    """A random table, mostly with several ways to read a word, on up to three lines of segments."""
    rng, names = draw.rng, [str(i) for i in range(draw.rng.randint(1, 4))]
    is_cut, states = rng.random() < 0.3, []
    for name in names:
        reads = [*draw.layout.symbols, ".", *"//"] if is_cut else [*draw.layout.symbols, "."]
        moves = [f"{r} {to}" for r in reads for to in names if rng.random() < 0.4]
        marks = rng.choice(("", "", ">")), rng.choice(("", "*"))
        states.append(f"{marks[0]}{name}{marks[1]}: {', '.join(moves)}")
    sizes = [
        [rng.randrange(4) for _ in range(rng.randint(1, 3) if is_cut else 1)] for _ in range(2)
    ]
    for size in sizes:
        size[0] += not any(size)
    lines = ">".join("/".join(map(str, size)) for size in sizes[rng.randrange(2) :])
    number = sum(map(int, re.findall(r"\d", lines)))
    cells = draw.some(1, 6)
    return {
        "cells": tuple(rng.choices(cells, k=number)),
        "machine": rng.choice(("", "name = ")) + "; ".join(states),
        "lines": "" if lines.isdigit() else lines,
    }


PAIRS = (
    "a + b > 5", "a != b", "a < b", "abs(a - b) >= 2", "a == 2 -> b != 1", "a % 2 != b % 2",
    "a * b % 3 == 0 | a == b", "max(a, b) > 2; a + 1 != b",
)  # fmt: skip


def pair(draw: Draw) -> Fields:
    which = draw.rng.choice(("line", "all"))
    cells = draw.line(2, 4)
    if which == "line" and len(cells) > 2 and draw.rng.random() < 0.3:
        cells = (*cells, cells[0])
    return {"cells": cells, "formula": draw.rng.choice(PAIRS), "which": which}


def weighted_sum(draw: Draw) -> Fields:
    cells, minus = draw.some(1, 4), draw.some(0, 2)
    cells = tuple(draw.rng.choices(cells, k=draw.rng.randint(len(cells), 6)))
    relation = draw.rng.choice(("=", "=", "<=", ">="))
    most = len(cells) * draw.layout.values[-1]
    number = draw.rng.randint(1, 3) if relation == "=" else 1
    totals = [draw.rng.randint(-most, most) for _ in range(number)]
    if draw.grid is not None:
        totals[0] = sum(draw.grid[p] for p in cells) - sum(draw.grid[p] for p in minus)
    return {"relation": relation, "totals": tuple(totals), "cells": cells, "minus": minus}


FORMULAS = (
    "{0} * {1} == {2} + {3}", "all different({0}, {1}, {2})", "{0} < {1} | {2} < {3}",
    "{0} + 2 * {1} - {2} >= 4", "F = {0} - {1}; F * F > {2}", "{0} == 1 ? {1} == 2 : {2} > 1",
    "sum({0}, {1}, {2}, {3}) % 3 == 1", "{0} != {1}", "{0} > 2", "{0} % {1} == 0",
    "{0} == {1} -> ({2} == {3} && {0} + {2} > 4)", "max({0}, {1}) == min({2}, {3})",
)  # fmt: skip


def chaos_clue(draw: Draw) -> Fields:
    control, *cells = draw.some(3, 7)
    arms = [cells[0], *cells[1:3], cells[0], *cells[3:]] if draw.rng.random() < 0.3 else cells
    return {"control": (control,), "cells": tuple(arms)}


def connected(draw: Draw) -> Fields:
    digits = draw.rng.sample(draw.layout.values, draw.rng.randint(1, len(draw.layout.values)))
    return {"digits": tuple(digits)}


def formula(draw: Draw) -> Fields:
    return {"formula": draw.rng.choice(FORMULAS).format(*draw.some(4, 4))}


def block(draw: Draw) -> Fields:
    kinds = ["cage", "thermo", "even", "odd", "extraregion", "renban", "whispers", "regex", "sum"]
    kinds += ["arrow", "difference", "palindrome", "skyscraper", "clone", "formula", "pair"]
    found = [
        random_rule(draw.rng.choice(kinds), draw.layout, draw.rng, draw.grid)
        for _ in range(draw.rng.randint(1, 3))
    ]
    rules = [rule for rule in found if rule is not None]
    if len(rules) > 2:
        inner = known_rules()[draw.rng.choice(("anyof", "allof"))]
        rules[1:] = [inner(rules=tuple(rules[1:]))]  # type: ignore[call-arg]
    return {"rules": tuple(rules)}


RECIPES: dict[str, Recipe] = {
    "allof": block,
    "anyof": block,
    "arrow": arrow,
    "cage": cage,
    "chaosarrow": chaos_clue,
    "clone": clone,
    "connected": connected,
    "contains": contains,
    "containsexactly": contains,
    "countdistinct": count_distinct,
    "equalitycage": equality_cage,
    "equalsums": two_sets,
    "formula": formula,
    "littlekiller": little_killer,
    "lookandsay": look_and_say,
    "machine": machine,
    "maximum": extreme,
    "minimum": extreme,
    "negative": negative,
    "pair": pair,
    "quadruple": quadruple,
    "regex": regex,
    "rellik": cage,
    "sum": weighted_sum,
    "sumline": sum_line,
    "xv": xv,
}
"""By the rules' names; the cells of other rules are those of their drawing."""


def usual(kind: type[Rule], draw: Draw) -> Fields:
    """The cells of a rule with one list of them, as many as it takes, and of how it is drawn."""
    least, places = kind.arity[0], FieldKind.PLACES in kind.fields.values()
    if kind.drawn_on == "margin":
        return {"clue": draw.beside()}
    if kind.drawn_on == "neighbours":
        return {"cells": draw.pair()}
    cells = draw.line if kind.drawn_on == "line" else draw.some
    return {"cells": cells(least, least + 3)} if places else {}


def names() -> list[str]:
    """The names of the registered rules."""
    return sorted(known_rules())


def random_rule(
    name: str, layout: Layout, rng: random.Random, grid: Puzzle | None = None
) -> Rule | None:
    """A random rule that fits a board and, if one is found fast, holds in the grid; or None."""
    found: Rule | None = None
    kind, draw = known_rules()[name], Draw(layout, rng, grid)
    for _ in range(60 if kind.fields else 1):
        try:
            recipe = RECIPES.get(name)
            rule = numbered(kind, recipe(draw) if recipe else usual(kind, draw), draw)
            rule.check(layout)
        except (PuzzleFormatError, IndexError):  # a rule for square boards
            continue
        if grid is None or rule.holds(grid):
            return rule
        found = rule
    return found


def numbered(kind: type[Rule], fields: Fields, draw: Draw) -> Rule:
    """The rule with a number in its range, mostly one with which it holds in the grid."""
    keys = {key: f for key, f in kind.fields.items() if f in (FieldKind.NUMBER, FieldKind.MAYBE)}
    rule = kind(**fields, **dict.fromkeys(keys, 1))
    for key, field in keys.items():
        reach = rule.number_range(draw.layout)
        assert reach is not None
        every = [replace(rule, **{key: number}) for number in range(reach[0], reach[1] + 1)]
        if draw.grid is not None and draw.rng.random() < 0.9:
            every = [r for r in every if r.holds(draw.grid)] or every
        if field is FieldKind.MAYBE and draw.rng.random() < 0.2:
            return kind(**fields)
        rule = draw.rng.choice(every or [rule])
    return rule


def random_rules(
    name: str, layout: Layout, number: int, grids: list[Puzzle], seed: object = ""
) -> list[Rule]:
    """Different rules of one kind: half of them hold in one of the grids, if any does."""
    rng = random.Random(f"{name} {layout} {seed}")
    found = [
        random_rule(name, layout, rng, rng.choice(grids) if grids and i % 2 == 0 else None)
        for i in range(number)
    ]
    return [rule for rule in dict.fromkeys(found) if rule is not None]


@st.composite
def rules(draw: st.DrawFn, layout: Layout, grid: Puzzle | None = None) -> Rule:
    """Rules of all kinds that fit a board."""
    fitting = [n for n in names() if random_rule(n, layout, random.Random(0)) is not None]
    name = draw(st.sampled_from(fitting))
    rule = random_rule(name, layout, random.Random(draw(st.integers(0, 2**32))), grid)
    return draw(st.nothing()) if rule is None else rule
