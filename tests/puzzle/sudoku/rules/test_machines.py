"""State machines: tables by hand, codes of Interactive-Sudoku-Solver, and words by definition."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import pytest
from grids import all_grids, random_grids
from recipes import names, random_rule

from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.model.constraints import rename_constraint
from bddsudoku.puzzle import Machine, Puzzle, rule_from_line, write_iss
from bddsudoku.puzzle.sudoku import Layout
from bddsudoku.puzzle.sudoku.rules import Rule, cells, rule_from_dict
from bddsudoku.solver import count

PARITY = "even*: 2468 even, 13579 odd; odd: 13579 even, 2468 odd"
CODES = {
    "Qi_-q_9VAA": ("0*: 13579 1, 2468 0; 1: 13579 0, 2468 1", "9x9"),
    "BNR0EaMgrOmQ": ("0: . 0, 2 2; 1*: . 1; 2: 3 1", "4x4"),
    "SQz8pweTg44MQQA": (
        "0*: 1 1, 2 2, 3 3, 4 4, / 0; 1*: 2 2, 3 3, 4 4, / 0; 2*: 3 3, 4 4, / 0; "
        "3*: 4 4, / 0; 4*: / 0",
        "4x4",
    ),
    "QPfH-A": ("0: 0 1, 123 0; 1*: . 1", "4x4~0-3"),
    "": ("0:", "4x4"),
}
"""Codes that Interactive-Sudoku-Solver makes of functions, with their tables."""


@pytest.mark.parametrize("code", CODES)
def test_codes_are_tables(code: str) -> None:
    table, shape = CODES[code]
    puzzle = Puzzle.parse(f".Shape~{shape}.NFA~{code}~_a%7Eb%22c~R1C1~R1C2~~R2C1~_~R3C1~R3C2")
    texts = [rule.text for rule in puzzle.rules]
    assert texts == [
        f'machine "a~b c = {code}" r1c1 r1c2 > r2c1',
        f'machine "{code}" r3c1 r3c2',
    ]
    back = Puzzle.parse(write_iss(puzzle))
    assert back.rules == puzzle.rules
    for rule in puzzle.rules:
        assert isinstance(rule, Machine)
        written = replace(rule, machine=table)
        same = [rename_constraint(c, "", "") for c in rule.constraints(puzzle.layout)]
        assert [rename_constraint(c, "", "") for c in written.constraints(puzzle.layout)] == same


def test_lines_in_json() -> None:
    data = {"rule": "machine", "machine": "a: 1 a", "cells": ["r1c1", "r1c2"]}
    for lines, message in (("1", "expected 1 cells"), ("2/", "lines such as 4/3>5, found '2/'")):
        with pytest.raises(PuzzleFormatError, match=message):
            Puzzle([0] * 81, rules=[rule_from_dict(data | {"lines": lines})])


TEXTS = {
    f'machine "{PARITY}" r1c1 r1c2': "",
    'machine "a: . b; >b*: ^1-35 a, 2 b, / b" r1c1 > r1c2 / r1c3 r1c3 > / r2c2 /': "1>1/2>0/1/0",
    'machine "two = 0: / 0, 2 1; 1*:" r1c1': "",
}


@pytest.mark.parametrize("text", TEXTS)
def test_texts(text: str) -> None:
    rule = rule_from_line(text)
    assert isinstance(rule, Machine)
    assert rule.text == text
    assert rule.lines == TEXTS[text]
    assert rule_from_dict(json.loads(json.dumps(rule.to_dict()))) == rule
    board = Puzzle([0] * 81, rules=[rule])
    assert Puzzle.parse(board.text) == board


REFUSED = {
    '"a: 1 b" r1c1': "state a: expected a state of the table, found 'b'",
    '"a: 1" r1c1': "state a: expected digits and a state such as '2468 odd', found '1'",
    '"a: 0 a" r1c1': "expected digits 1 to 9, found '0'",
    '"a: 1 a; a:" r1c1': "expected another name, found 'a:'",
    '"a: 1 a; b" r1c1': "expected states such as 'even",
    '"even" r1c1': "expected a table such as 'even",
    '"Qi_-q_9V" r1c1': "found the beginning of one",
    '"Qi_-q_9VAAQ" r1c1': "found more bits",
    '"-i_-q_9VAA" r1c1': "expected the format 0 or 1 of a machine's code, found 3",
    '"a: 1 a" r1c1 >': "one or more in each line",
    '"a: 1 a" r1c1 / r1c2': "the machine reads no / between segments",
    '"a: 1 a" 1/1 r1c1 / r1c2': "'1/1' does not belong there",
    '"a: 1 a"': "expected 1 or more cells, found 0",
    '"a: 1 a" r1c10': "r1c10 is not on a board",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(PuzzleFormatError) as caught:
        Puzzle.parse(f"{'.' * 81}\nmachine {text}")
    assert REFUSED[text] in str(caught.value)
    assert str(caught.value).startswith("line 2: machine")


def test_machines_that_become_too_wide() -> None:
    """Whether a 1 stands 17 cells before the end: 2^17 sets of states, as a minimal machine has."""
    states = [f"{i}: . {i + 1}" for i in range(1, 17)]
    table = "; ".join(["0: . 0, 1 1", *states, "17*:"])
    line = " ".join(f"r{r}c{c}" for r in (1, 2, 3, 4) for c in range(1, 10))
    puzzle = Puzzle([0] * 81, rules=[rule_from_line(f'machine "{table}" {line}')])
    with pytest.raises(PuzzleFormatError, match=r"sets of states .* 20,000 allowed"):
        count(puzzle)


def test_machines_of_functions() -> None:
    """Sums of segments that rise: as a rule with its own automaton says for one segment."""

    def step(state: tuple[int, int], symbol: int | str) -> tuple[int, int] | None:
        before, total = state
        if isinstance(symbol, str):
            return (total, 0) if total > before else None
        return before, total + symbol

    layout = Layout(2, 2)
    line = cells("r1c1 r1c2 r2c3 r3c3 r4c3 r4c4")
    rule = Machine.from_step(
        line, (0, 0), step, lambda s: s[1] > s[0], lines="1/2/1>1/1", values=layout.values, name="s"
    )
    holding = 0
    for grid in all_grids(Puzzle([0] * 16)):
        a, b, c, d, e, f = (grid[place] for place in line)
        assert rule.holds(grid) == (a < b + c < d and e < f)
        holding += rule.holds(grid)
    assert count(Puzzle([0] * 16, layout, rules=[rule])) == holding > 0
    assert write_iss(Puzzle([0] * 16, rules=[rule])).startswith(".Shape~4x4.NFA~")
    with pytest.raises(LimitReached, match="20,000 states"):
        Machine.from_step(cells("r1c1 " * 9), "", lambda s, digit: f"{s}{digit}")


# Random boards against the definition


class Way(NamedTuple):
    """One move of a machine: from a state, by a symbol ("/" for a break), to a state."""

    state: int
    symbol: int | str
    to: int


class Drawn(NamedTuple):
    """A random machine, as moves, and the segments of the lines on which it stands."""

    starts: set[int]
    ends: set[int]
    ways: set[Way]
    lines: list[list[list[int]]]

    def leads(self, state: int, word: list[int | str]) -> bool:
        """Whether some way from a state ends well."""
        if not word:
            return state in self.ends
        onward = (w.to for w in self.ways if (w.state, w.symbol) == (state, word[0]))
        return any(self.leads(to, word[1:]) for to in onward)

    def holds(self, grid: tuple[int, ...]) -> bool:
        for line in self.lines:
            word: list[int | str] = []
            for segment in line:
                word += ["/", *(grid[cell] for cell in segment)]
            if not any(self.leads(start, word[1:]) for start in self.starts):
                return False
        return True

    def text(self, layout: Layout, rng: random.Random) -> str:
        rows = []
        for state in {way.state for way in self.ways} | {way.to for way in self.ways} | self.starts:
            moves = [f"{way.symbol} {way.to}" for way in self.ways if way.state == state]
            rng.shuffle(moves)
            mark = ">" * (state in self.starts), "*" * (state in self.ends)
            rows.append(f"{mark[0]}{state}{mark[1]}: {', '.join(moves)}")
        rng.shuffle(rows)
        lines = [
            " / ".join(" ".join(map(layout.cell_name, segment)) for segment in line)
            for line in self.lines
        ]
        return f'machine "{"; ".join(rows)}" {" > ".join(lines)}'


def drawn_machine(layout: Layout, grid: tuple[int, ...], rng: random.Random) -> Drawn:
    """A machine that accepts the words of a grid with several lines, or any."""
    size = rng.randint(2, 5)
    is_cut = rng.random() < 0.4
    lines = [
        [
            rng.choices(range(layout.cell_count), k=rng.randint(1 - i % 2, 4))
            for i in range(rng.randint(1, 3) if is_cut else 1)
        ]
        for _ in range(rng.randint(1, 2))
    ]
    symbols = [*layout.values, "/", "/"]
    ways = {
        Way(state, symbol, rng.randrange(size))
        for state in range(size)
        for symbol in symbols
        for _ in range(rng.choice((0, 1, 1, 2, 2)))
    }
    starts = {0, *rng.choices(range(size), k=rng.choice((0, 0, 1)))}
    is_right = rng.random() < 0.9
    made = Drawn(
        starts, set() if is_right else {rng.randrange(size)}, ways | {Way(0, "/", 0)}, lines
    )
    if is_right:
        for line in lines:  # its own word ends well
            for end in range(size):
                if made._replace(ends={end}, lines=[line]).holds(grid):
                    made.ends.add(end)
                    break
    return made


LAYOUTS = Layout(2, 2), Layout(2, 2, digits=(0, 3)), Layout.latin(5), Layout(2, 3), Layout(3, 2)


@cache
def grids_of(layout: Layout) -> list[Puzzle]:
    return random_grids(layout, 20)


def check_board(seed: int) -> int:
    """Compare the count of a board with machines, alone or with other rules, with its grids."""
    rng = random.Random(seed)
    layout = rng.choice(LAYOUTS)
    grid = rng.choice(grids_of(layout))
    machines = [drawn_machine(layout, grid.cells, rng) for _ in range(rng.randint(1, 3))]
    others = [
        rule
        for name in rng.sample(names(), rng.choice((0, 0, 2)))
        if (rule := random_rule(name, layout, rng, grid)) is not None and rule.name != "machine"
    ]
    kept = {4: (0, 5), 5: (5, 12), 6: (18, 24)}[layout.row_count]
    hinted = rng.sample(range(layout.cell_count), rng.randint(*kept))
    board = Puzzle([layout.blank] * layout.cell_count, layout)
    board = board.with_hints({cell: grid[cell] for cell in hinted})
    rules: list[Rule] = [rule_from_line(machine.text(layout, rng)) for machine in machines]
    puzzle = board.with_rule(*rules, *others)
    expected = 0
    for found in all_grids(board):
        is_right = all(machine.holds(found.cells) for machine in machines)
        assert is_right == all(rule.holds(found) for rule in rules), puzzle.text
        expected += is_right and all(r.in_company(puzzle.rules).holds(found) for r in others)
    for each in (puzzle, Puzzle.parse(puzzle.text)):
        assert count(each) == expected, puzzle.text
    alone = board.with_rule(*rules)
    assert count(Puzzle.parse(write_iss(alone))) == count(alone)
    return expected


def test_random_boards() -> None:
    sizes = Counter(min(check_board(seed), 2) for seed in range(20))
    assert min(sizes[size] for size in (0, 1, 2)) > 0


@pytest.mark.slow
def test_many_random_boards() -> None:
    sizes = Counter(min(check_board(seed), 2) for seed in range(1000, 1300))
    assert min(sizes[size] for size in (0, 1, 2)) > 10
