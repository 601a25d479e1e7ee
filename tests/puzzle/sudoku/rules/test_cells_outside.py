"""Cells outside the grid and grids without houses: every engine against a test of all fillings."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import islice

import pytest
from agreement import ENGINES, engine_grids
from grids import layout_houses, random_grid
from oracles import fillings
from recipes import names, random_rule

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.iss import read_iss, write_iss
from bddsudoku.puzzle.sudoku.places import parse_groups
from bddsudoku.puzzle.sudoku.rules import FieldKind, Rule
from bddsudoku.solver import count, solve

GRIDS = (
    Layout(2, 2),
    Layout(2, 3),
    Layout.latin(5),
    Layout.of_shape(4, 4, (0, 4)),
    Layout(1, 3, (), shape=(2, 3), digits=(1, 4), has_lines=False),
    Layout(1, 5, (), shape=(4, 5), digits=(1, 3), has_lines=False),
)
GROUPS = ("D 1", "D 3", "AB 2x2", "D 2 1-2", "S 2x2 2-3, D 1", 'D 2 "of, two"')
MOST_FILLINGS = 4_000
KINDS = [name for name in names() if name not in ("allof", "anyof")]


def moved(rule: Rule, layout: Layout, rng: random.Random) -> Rule:
    """The rule with some of its cells replaced by cells outside the grid, if it allows that."""
    lists = [key for key, kind in rule.fields.items() if kind is FieldKind.PLACES]
    outside = [place for group in layout.groups for place in group.places()]
    rng.shuffle(outside)
    cells = [*dict.fromkeys(place for key in lists for place in getattr(rule, key))]
    rng.shuffle(cells)
    to = dict(zip(cells[: rng.randint(1, 3)], outside, strict=False))
    if rule.name == "formula":
        text = rule.formula  # type: ignore[attr-defined]
        return replace(rule, formula=text.replace(str(rule.cells[0]), str(outside[0])))  # type: ignore[attr-defined, call-arg]
    return replace(rule, **{k: tuple(to.get(p, p) for p in getattr(rule, k)) for k in lists})


def random_puzzle(seed: object) -> Puzzle | None:
    """A board with cells outside and up to three rules about these and the grid's."""
    rng = random.Random(f"outside {seed}")
    grid = rng.choice(GRIDS)
    layout = replace(grid, groups=parse_groups(rng.choice(GROUPS)))
    some = random_grid(grid, rng) if grid.has_lines else None
    if some is None:
        some = Puzzle([rng.choice(grid.values) for _ in range(grid.cell_count)], grid)
    rules = []
    for _ in range(rng.randint(1, 3)):
        name = rng.choice(KINDS)
        rule = random_rule(name, grid, rng, some) if grid.has_lines else None
        rule = rule or random_rule("sum", grid, rng, some)
        if rule is not None:
            try:
                other = moved(rule, layout, rng)
                other.check(layout)
                rules.append(other)
            except (PuzzleFormatError, KeyError):
                rules.append(rule)
    hidden = rng.sample(range(grid.cell_count), rng.randint(1, min(9, grid.cell_count)))
    cells = [grid.blank if c in hidden else digit for c, digit in enumerate(some.cells)]
    puzzle = Puzzle(cells, layout, rules=rules)
    if rng.random() < 0.3:
        place = rng.choice([*layout.groups[0].places()])
        puzzle = puzzle.with_hint(place, rng.choice(layout.values))
    return puzzle


def every_filling(puzzle: Puzzle) -> set[tuple[int, ...]] | None:
    """All solutions by definition; None if there are too many fillings to try."""
    layout = puzzle.layout
    masks = list(puzzle.masks)
    at = layout.row_count * layout.column_count
    for group in layout.groups:
        low, high = group.digits or (layout.values[0], layout.values[-1])
        for cell in range(at, at + group.rows * group.columns):
            masks[cell] &= sum(1 << i for i, d in enumerate(layout.values) if low <= d <= high)
        at += group.rows * group.columns
    found = [*islice(fillings(masks, layout_houses(layout)), MOST_FILLINGS + 1)]
    if len(found) > MOST_FILLINGS:
        return None
    rules = [rule.in_company(puzzle.rules) for rule in puzzle.rules]
    return {
        cells for cells in found if all(rule.holds(Puzzle.trusted(cells, layout)) for rule in rules)
    }


def check(puzzle: Puzzle) -> int | None:
    """Check every engine and the round trips of a puzzle; return its number of solutions."""
    expected = every_filling(puzzle)
    if expected is None:
        return None
    for name in ENGINES:
        found = engine_grids(puzzle, name)
        assert found in (None, expected), (name, puzzle.text)
    assert count(puzzle) == count(puzzle, limit=10**6) == len(expected), puzzle.text
    assert {grid.numbers for grid in solve(puzzle)} == expected
    again = Puzzle.parse(puzzle.text)
    assert again == puzzle, puzzle.text
    try:
        text = write_iss(puzzle)
    except PuzzleFormatError:
        pass
    else:
        assert count(read_iss(text)) == len(expected), text
        assert write_iss(read_iss(text)) == write_iss(read_iss(write_iss(read_iss(text))))
    return len(expected)


def check_many(seeds: range) -> None:
    counts = [check(puzzle) for seed in seeds if (puzzle := random_puzzle(seed)) is not None]
    known = [number for number in counts if number is not None]
    assert len(known) > 0.6 * len(seeds)
    assert {0, 1} <= {*known}
    assert max(known) > 1


def test_boards_with_cells_outside() -> None:
    check_many(range(12))


@pytest.mark.slow
def test_many_boards_with_cells_outside() -> None:
    check_many(range(100, 500))
