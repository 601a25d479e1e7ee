"""Several rules on one board: all engines agree, in any order and form of the rules."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations_with_replacement

import pytest
from agreement import ENGINES, agreed_grids
from grids import every_grid, random_grids
from recipes import names, random_rule

from bddsudoku import solver
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.rules import (
    XV,
    Difference,
    Even,
    Maximum,
    Minimum,
    Negative,
    Odd,
    Ratio,
    Rule,
    rule_from_line,
)
from bddsudoku.puzzle.sudoku.rules.places_and_marks import Place, neighbours
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
from bddsudoku.solver import rule_impact

PAIRS = [*combinations_with_replacement(names(), 2)]
LAYOUTS = [
    Layout(2, 2),
    Layout(2, 3),
    Layout(3, 2),
    Layout.jigsaw((0, 0, 0, 1, 2, 0, 1, 1, 2, 2, 3, 1, 2, 3, 3, 3)),
    Layout.jigsaw(
        (0, 0, 0, 1, 1, 0, 2, 0, 1, 1, 2, 2, 2, 3, 1, 4, 2, 3, 3, 3, 4, 4, 4, 4, 3)
    ),
    Layout.latin(5),
]  # fmt: skip


@cache
def grids_of(layout: Layout) -> list[Puzzle]:
    """Some grids of a board, from which rules are drawn."""
    return random_grids(layout, 60)


def count_solutions(pair: tuple[str, str], seed: str) -> int:
    """The number of solutions of a board with two rules and hints of a grid, checked."""
    rng = random.Random(f"{pair} {seed}")
    layout = rng.choice(LAYOUTS)
    cells = layout.cell_count
    for grid in rng.sample(grids_of(layout), 20):
        draw_rules = [random_rule(name, layout, rng, grid) for name in pair]
        rules = [rule for rule in draw_rules if rule is not None]
        if all(rule.holds(grid) for rule in rules):
            break
    few = cells == 16
    hinted = rng.sample(range(cells), rng.randint(0, 5) if few else cells // 2)
    puzzle = Puzzle([0] * cells, layout, rules=rules).with_hints({c: grid[c] for c in hinted})
    return len(agreed_grids(puzzle, ENGINES if few else ("frontier", "search")))


def test_some_pairs() -> None:
    chosen = random.Random(0).sample(PAIRS, min(len(PAIRS), 90))
    some = sum(count_solutions(pair, "") > 0 for pair in chosen)
    assert some > len(chosen) // 3, "most have a solution, or this test says little"


@pytest.mark.slow
@pytest.mark.parametrize("first", names())
def test_all_pairs(first: str) -> None:
    for pair in PAIRS:
        if first == pair[0]:
            for seed in range(6):
                count_solutions(pair, f"all {seed}")


# What a rule means beside others

SPEAKING = ["difference", "maximum", "minimum", "negative", "ratio", "xv"]
"""Rules that refer to other rules, and the rules that they refer to."""


def obeys(grid: Puzzle, rules: Sequence[Rule]) -> bool:
    """Whether a grid obeys rules together, by a plain definition."""
    n = grid.n
    signs = [r for r in rules if isinstance(r, Difference | Ratio | XV)]
    every = [Place(r, c) for r in range(n) for c in range(n)]
    for rule in rules:
        if isinstance(rule, Minimum | Maximum):
            marked = {p for r in rules if type(r) is type(rule) for p in r.cells}
            sign = 1 if isinstance(rule, Minimum) else -1
            for p in rule.cells:
                around = [
                    q
                    for q in neighbours(p)
                    if q in every and q not in marked and q not in rule.spared
                ]
                if any(sign * grid[p] >= sign * grid[q] for q in around):
                    return False
        elif isinstance(rule, Negative):
            spared = [{*rule.spared[i : i + 2]} for i in range(0, len(rule.spared), 2)]
            spared += [{*s.cells} for s in signs if isinstance(s, XV) == (rule.kind == "xv")]
            sign_values = {s.value for s in signs if s.name == rule.kind and not isinstance(s, XV)}
            usual = {"difference": {1}, "ratio": {2}, "xv": {5, 10}, "kropki": set()}[rule.kind]
            values = {*rule.values} or sign_values or usual
            for p in every:
                for q in {*neighbours(p)} & {*every}:
                    a, b = sorted((grid[p], grid[q]))
                    found = {"difference": b - a, "ratio": b / a, "xv": a + b}.get(rule.kind)
                    strict = rule.kind == "kropki" and (b == 2 * a or b == a + 1)
                    if (found in values or strict) and {p, q} not in spared:
                        return False
        elif not rule.holds(grid):
            return False
    return True


def equivalent_puzzles(
    rules: Sequence[Rule], layout: Layout, rng: random.Random
) -> Iterator[Puzzle]:
    """The empty board with rules, built in every possible way."""
    empty = Puzzle([layout.blank] * layout.cell_count, layout)
    for order in (rules, rules[::-1], rng.sample(rules, len(rules))):
        yield empty.with_rule(*order)
        puzzle = empty
        for rule in order:
            puzzle = puzzle.with_rule(rule)
        yield puzzle
        yield Puzzle.parse(puzzle.text)
        yield Puzzle.parse(str(puzzle))
        yield SudokuDecoder.from_dict(
            json.loads(json.dumps(SudokuDecoder(puzzle).to_dict()))
        ).puzzle
        yield empty.with_rule(*(rule_from_line(rule.text) for rule in order))
        yield empty.with_rule(*(rule.in_company(order) for rule in order))
    separate = empty
    for rule in rules:  # marked cells on separate lines
        is_split = isinstance(rule, Even | Odd | Minimum | Maximum)
        cells = rule.cells if is_split else ()
        separate = separate.with_rule(*([replace(rule, cells=(p,)) for p in cells] or [rule]))
    yield separate
    puzzle = empty.with_rule(*rules)
    some = rng.choice([*rules])
    yield puzzle.without(some).with_rule(some)


def draw_rules(name: str, layout: Layout, rng: random.Random) -> list[Rule]:
    """Random rules of a kind, together with rules that refer to others."""
    grid = rng.choice(every_grid(layout))
    found: list[Rule] = []
    for kind in [name, name, *rng.sample(SPEAKING, 2), rng.choice(SPEAKING)]:
        rule = random_rule(kind, layout, rng, grid)
        if isinstance(rule, Negative) and rng.random() < 0.5:
            rule = Negative(rule.kind)
        if rule is not None and obeys(grid, [*found, rule]):
            found.append(rule)
    return list(dict.fromkeys(found))


@pytest.mark.parametrize(
    "layout",
    [pytest.param(LAYOUTS[0], marks=pytest.mark.slow), LAYOUTS[3]],
    ids=["blocks", "jigsaw"],
)
@pytest.mark.parametrize("name", names())
def test_order_and_form_of_rules_make_no_difference(name: str, layout: Layout) -> None:
    rng = random.Random(name)
    rules = draw_rules(name, layout, rng)
    wanted = sum(obeys(grid, rules) for grid in every_grid(layout))
    judged: set[Puzzle] = set()
    for puzzle in equivalent_puzzles(rules, layout, rng):
        if puzzle not in judged:
            solved = (Puzzle(g.cells, layout, rules=puzzle.rules) for g in every_grid(layout))
            assert sum(grid.is_solution for grid in solved) == wanted, puzzle.text
        judged.add(puzzle)
        assert solver.count(puzzle, "search") == wanted, puzzle.text
    for left in rules:
        rest = [rule for rule in rules if rule != left]
        without = Puzzle([0] * 16, layout, rules=rules).without(left)
        wanted = sum(obeys(grid, rest) for grid in every_grid(layout))
        assert solver.count(without) == solver.count(Puzzle.parse(without.text)) == wanted


DOTS = ["r1c3 r2c3", "r2c3 r2c4", "r3c1 r4c1", "r5c2 r6c2", "r5c3 r5c4", "r6c3 r6c4"]
"""All black dots of a 6x6 grid."""


def test_rule_impact_is_that_of_the_text_without_its_line() -> None:
    rules = [rule_from_line(f"ratio {pair}") for pair in DOTS]
    puzzle = Puzzle([0] * 36, rules=[*rules, rule_from_line("negative ratio")])
    answers = rule_impact(puzzle)
    assert answers.count == solver.count(puzzle, "dlx") == 16
    for rule, row in zip(puzzle.rules, answers.rules, strict=True):
        lines = [line for line in puzzle.text.split("\n") if line != rule.text]
        assert row.rule == rule.text
        assert row.count == solver.count(Puzzle.parse("\n".join(lines)))
    # without this dot there are as many solutions, but other ones
    row = answers.rules[puzzle.rules.index(rules[4])]
    assert (row.rule, row.count, row.redundant) == (rules[4].text, 16, None)


def test_sets_of_puzzles_whose_rules_mean_different_things() -> None:
    """The rules of a union or intersection of sets hold in all of its solutions."""
    board = Puzzle([0] * 36)
    rules = [rule_from_line(f"ratio {pair}") for pair in DOTS]
    negative = rule_from_line("negative ratio")
    one, other = board.with_rule(negative, *rules), board.with_rule(negative, *rules[:5])
    sets = solver.solve(one), solver.solve(other)
    for both in (sets[0] | sets[1], sets[0] & sets[1], sets[0] & solver.solve(one)):
        assert both.count() == sum(grid.is_solution for grid in both)
    assert (sets[0] | sets[1]).count() >= 16
