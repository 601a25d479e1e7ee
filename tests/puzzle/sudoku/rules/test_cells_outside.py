"""Cells outside the grid and grids without houses: every engine against a test of all fillings."""

from __future__ import annotations

import pickle
import random
from dataclasses import replace
from itertools import islice, permutations, product
from pathlib import Path
from typing import Any

import pytest
from agreement import ENGINES, engine_grids
from grids import layout_houses, random_grid
from oracles import fillings, four_by_four
from recipes import names, random_rule

from bddsudoku.context import Context
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.explore.board_questions import answer
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.fpuzzles import write_fpuzzles
from bddsudoku.puzzle.sudoku.iss import read_iss, write_iss
from bddsudoku.puzzle.sudoku.places import parse_groups
from bddsudoku.puzzle.sudoku.rules import FieldKind, Rule
from bddsudoku.puzzle.sudoku.svg import board_svg
from bddsudoku.solver import count, load, project_to_grid, solve

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


def random_puzzle(seed: object) -> Puzzle:
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
    expected, layout = every_filling(puzzle), puzzle.layout
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
    for numbers in [*expected][:1]:
        cells = [layout.values[number - 1] for number in numbers]
        assert count(Puzzle(cells, layout, rules=puzzle.rules)) == 1
    return len(expected)


def check_many(seeds: range) -> None:
    counts = [check(random_puzzle(seed)) for seed in seeds]
    known = [number for number in counts if number is not None]
    assert len(known) > 0.6 * len(seeds)
    assert min(known) == 0
    assert max(known) > 1


def test_boards_with_cells_outside() -> None:
    check_many(range(12))


@pytest.mark.slow
def test_many_boards_with_cells_outside() -> None:
    check_many(range(100, 500))


EXAMPLE = """
# cells: D 2, S 2x2 1-2 "shade"
1...
....
....
...2
cells S 1. .{12}
thermo D1 r1c2 D2
cage 5 Dr1c2 Sr2c1
"""


def test_grids_alone() -> None:
    puzzle = Puzzle.parse(EXAMPLE)
    grids = solve(project_to_grid(puzzle))
    assert {grid.numbers for grid in grids} == {grid.numbers[:16] for grid in solve(puzzle)}
    assert 1 < grids.count() < count(puzzle)
    assert grids.marginals().shape == (4, 4, 4)
    assert solve(puzzle).marginals().shape == (1, 22, 4)
    plain = Puzzle(puzzle.cells[:16])
    assert count(project_to_grid(plain)) == count(plain)


def test_cells_by_their_names() -> None:
    puzzle = Puzzle.parse(EXAMPLE)
    assert puzzle["S1"] == 1
    assert puzzle.with_hint("Sr2c1", 2)["Sr2c1"] == 2
    assert count(puzzle.with_hint("D1", 4)) == 0
    solutions = solve(puzzle)
    assert solutions.given({"D1": 1, "Sr2c1": 2}).count() == count(
        puzzle.with_hints({"D1": 1, "Sr2c1": 2})
    )
    assert solutions.column_names()[-5:] == ["D2", "S1", "S2", "Sr2c1", "Sr2c2"]
    assert pickle.loads(pickle.dumps(puzzle)) == puzzle
    assert (
        Puzzle.parse(solutions.unrank(0).line, puzzle.layout).numbers == solutions.unrank(0).numbers
    )
    picture = board_svg(puzzle)
    assert "S: shade" in picture
    assert picture.count("Z") > 6


def test_saved_sets(tmp_path: Path) -> None:
    solutions = solve(Puzzle.parse(EXAMPLE))
    solutions.save(tmp_path / "set")
    again = load(tmp_path / "set")
    assert {grid.numbers for grid in again} == {grid.numbers for grid in solutions}


REFUSED = {
    "# cells: D": "expected cells such as D 9",
    "# cells: D 2, D 3": "two groups of cells are called D",
    "# cells: D 2 0-1": "the cells D have the digits 0-1, but the board 1-4",
    "# cells: D 0": "expected 1 to 1000 cells",
    "# houses: none": "needs a line such as '# shape: 8x9'",
    "# houses: all": "expected '# houses: none'",
}


@pytest.mark.parametrize("line", REFUSED)
def test_headers_that_are_refused(line: str) -> None:
    with pytest.raises(PuzzleFormatError, match=REFUSED[line]):
        Puzzle.parse(f"{line}\n....\n....\n....\n....\n")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("cage 5 D3", "D3 is not on a board of 4x4 cells and D 2"),
        ("cells D 123", "expected the digits of 2 cells D, found 3"),
        ("cells E 12", "expected cells outside the grid"),
        ("cells D 17", "expected digits 1-4, found '7'"),
        ("rowindexer D1", "D1 is in no column"),
    ],
)
def test_lines_that_are_refused(line: str, why: str) -> None:
    with pytest.raises(PuzzleFormatError, match=why):
        Puzzle.parse(f"# cells: D 2\n....\n....\n....\n....\n{line}\n")


def test_the_live_board_shows_them() -> None:
    events: list[dict[str, Any]] = []
    answer({"kind": "read", "text": EXAMPLE}, Context(), events.append)
    board = events[0]["board"]
    assert "S: shade" in board["ground"]
    answer({"kind": "board", "board": board}, Context(), events.append)
    (found,) = [event for event in events if event["kind"] == "marginals"]
    assert found["count"] == str(count(Puzzle.parse(EXAMPLE)))


def test_f_puzzles_has_no_cells_outside() -> None:
    with pytest.raises(PuzzleFormatError, match="cells D 2"):
        write_fpuzzles(Puzzle.parse(EXAMPLE))


def page_example(name: str) -> Puzzle:
    page = (Path(__file__).parents[4] / "docs/howto/cells_outside.md").read_text()
    return Puzzle.parse(page.partition(f'```text title="{name}.txt"\n')[2].partition("```")[0])


def test_the_counts_of_the_page_by_brute_force() -> None:
    grids = [grid for grid in four_by_four() if grid[0] == 1]
    letters = [
        grid
        for grid in grids
        for a, b, c in permutations(range(1, 5), 3)
        if grid[1] + grid[2] == a + b and grid[8] + grid[9] == b + c and c < grid[7] < a
    ]
    assert count(page_example("letters")) == len(letters) == 6
    rows = [*permutations(range(4))]
    doubled = 0
    for columns in rows:
        for grid in grids:
            v = [d * (1 + (columns[c // 4] == c % 4)) for c, d in enumerate(grid)]
            doubled += v[1] + v[2] == 11 and v[8] + v[12] + v[13] == 10
    assert count(page_example("doublers")) == doubled == 1
    warmed = []
    for cold, hot in product(rows, repeat=2):
        for grid in grids if all(a != b for a, b in zip(cold, hot, strict=True)) else ():
            more = [(hot[c // 4] == c % 4) - (cold[c // 4] == c % 4) for c in range(16)]
            v = [d + m for d, m in zip(grid, more, strict=True)]
            if v[0] + v[1] == 3 and v[4] < v[5] < v[6]:
                warmed.append(grid)
    hot_and_cold = page_example("hot")
    assert count(hot_and_cold) == len(warmed) == 24
    assert count(project_to_grid(hot_and_cold)) == len({*warmed}) == 6
