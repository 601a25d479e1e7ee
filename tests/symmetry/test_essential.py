"""Symmetries of puzzles and essentially different solutions, against all permutations tried."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import count, islice, permutations, product

import pytest
from click.testing import CliRunner
from figures import FIGURE_1

from bddsudoku import LimitReached, Puzzle, solve
from bddsudoku.cli import main
from bddsudoku.errors import BddSudokuError
from bddsudoku.puzzle.sudoku.grid import empty_board
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.symmetry import Symmetry, canonical_form, count_up_to_symmetry, is_isomorphic

RULES = [
    "diagonals", "thermo r1c1 r1c2 r2c2", "thermo r4c1 r3c1 r3c2 r4c2", "cage 5 r1c1 r1c2",
    "cage 7 r2c2 r2c3 r3c2", "odd r1c1", "even r4c4", "palindrome r1c1 r2c2 r3c1",
    "blackdot r1c1 r1c2", "whitedot r2c2 r3c2", "whispers 2 r1c1 r2c1 r2c2",
    "renban r1c2 r1c3 r2c3", "arrow r1c1 > r1c2 r2c2", "between r1c1 r2c1 r3c1",
]  # fmt: skip
"""Among them such that read digits, that read the order of cells, and neither."""
GRIDS = [
    "123456789456789123789123456231564897564897231897231564312645978645978312978312645",
    "123456789456789123789123456234567891567891234891234567345678912678912345912345678",
]
"""The grid with most automorphisms, and the cyclic one."""
Map = tuple[tuple[int, ...], tuple[int, ...]]


@cache
def line_maps(count: int, inner: int) -> tuple[tuple[int, ...], ...]:
    """The permutations of rows that keep bands, of all permutations."""
    bands = {frozenset(range(i, i + inner)) for i in range(0, count, inner)}
    return tuple(
        p
        for p in permutations(range(count))
        if {frozenset(p[i] for i in b) for b in bands} == bands
    )


@cache
def cell_maps(layout: Layout) -> tuple[tuple[int, ...], ...]:
    n, (high, wide) = layout.n, (layout.box_rows, layout.box_columns)
    if layout.regions is not None:
        high = wide = 1
    rows, columns = line_maps(n, high), line_maps(n, wide)
    turns = [False, True] if high == wide else [False]
    maps = (
        tuple((q[c] * n + p[r]) if turn else (p[r] * n + q[c]) for r in range(n) for c in range(n))
        for p, q, turn in product(rows, columns, turns)
    )
    regions = {frozenset(house.cells) for house in layout.houses}
    return tuple(m for m in maps if {frozenset(m[c] for c in r) for r in regions} == regions)


def moved(grid: Sequence[int], by: Map) -> tuple[int, ...]:
    cells, digits = by
    found = [0] * len(cells)
    for cell, digit in enumerate(grid):
        found[cells[cell]] = digits[digit - 1] if digit else 0
    return tuple(found)


def symmetries_by_trial(puzzle: Puzzle, grids: Sequence[tuple[int, ...]]) -> Iterator[Map]:
    """Yield the maps that keep the hints, and every rule on some grids.

    Digits are permuted in any way only if each of the rules on several cells allows it.
    """
    layout, n = puzzle.layout, puzzle.layout.n

    def verdicts(rule: object, by: Map | None = None) -> tuple[bool, ...]:
        seen = grids if by is None else [moved(g, by) for g in grids]
        return tuple(rule.holds(Puzzle(g, layout)) for g in seen)  # type: ignore[attr-defined]

    still = tuple(range(n * n))
    identity = tuple(range(1, n + 1))
    every = [*permutations(identity)]
    broad = [rule for rule in puzzle.rules if rule.name not in ("odd", "even")]
    wanted = sorted(map(verdicts, puzzle.rules))
    neutral = all(verdicts(r) == verdicts(r, (still, d)) for r in broad for d in every)
    for cells, digits in product(
        cell_maps(layout), every if neutral else [identity, identity[::-1]]
    ):
        by = cells, digits
        if moved(puzzle.cells, by) == puzzle.cells and wanted == sorted(
            verdicts(rule, by) for rule in puzzle.rules
        ):
            yield by


def orbits(grids: set[tuple[int, ...]], maps: Sequence[Map]) -> int:
    """The number of classes of solutions under a group, by visiting the images of each."""
    left, found = {*grids}, 0
    while left:
        one = next(iter(left))
        left -= {moved(one, by) for by in maps}
        found += 1
    return found


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 60))]
)
def test_boards_with_hints_and_rules_against_all_maps(seed: int) -> None:
    rng = random.Random(seed)
    full = rng.choice([*solve("." * 16)])
    hints = rng.sample(range(16), rng.choice([0, 0, 1, 2, 3]))
    cells = [digit if c in hints else 0 for c, digit in enumerate(full.cells)]
    puzzle = Puzzle(cells, rules=rng.sample(RULES, rng.choice([0, 1, 1, 2])))
    check(puzzle, rng)


def test_a_rule_that_a_symmetry_maps_to_itself() -> None:
    """A cell and its image are both read by one constraint, and by one on two cells."""
    check(
        Puzzle([0] * 16, rules=["thermo r4c1 r3c1 r3c2 r4c2", "whitedot r1c1 r1c2"]),
        random.Random(1),
    )


def check(puzzle: Puzzle, rng: random.Random) -> None:
    drawn = (tuple(rng.choices(range(1, 5), k=16)) for _ in count())
    grids = [*islice(drawn, 10)]
    for rule in puzzle.rules:
        grids += islice((g for g in drawn if rule.holds(Puzzle(g))), 12)
    maps = [*symmetries_by_trial(puzzle, grids)]
    found = count_up_to_symmetry(puzzle)
    symmetries = puzzle.symmetries()
    solutions = {grid.cells for grid in solve(puzzle)}
    assert found.symmetries == symmetries.order == len(maps), puzzle.text
    assert found.solutions == len(solutions)
    assert found.count == orbits(solutions, maps)
    for one in symmetries.generators:
        assert (one.cells, one.digits) in maps
        assert one.apply(puzzle) == puzzle
        assert one.apply(grid := Puzzle(grids[0])).cells == moved(
            grid.cells, (one.cells, one.digits)
        )


JIGSAW = Layout(2, 2, regions=[int(sign) - 1 for sign in "1112132233243444"])


@pytest.mark.parametrize(
    "seed", [0, 1, 28, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(60))]
)
def test_forms_of_boards_with_candidates_rules_and_regions_against_all_maps(seed: int) -> None:
    rng = random.Random(seed)
    layout = rng.choice([Layout(2, 2), Layout.latin(4), JIGSAW])
    rules = rng.sample(RULES, rng.choice([0, 1, 1, 2]))
    masks = [rng.choice([15, 15, rng.randrange(16), 1 << rng.randrange(4)]) for _ in range(16)]
    puzzle = Puzzle([0] * 16, layout, masks, rules)
    drawn = (tuple(rng.choices(range(1, 5), k=16)) for _ in count())
    grids = [*islice(drawn, 10)]
    for rule in puzzle.rules:
        grids += islice((g for g in drawn if rule.holds(Puzzle(g))), 12)
    maps = [*symmetries_by_trial(empty_board(layout, puzzle.rules), grids)]

    def least(signs: Sequence[int], digits: bool) -> tuple[tuple[int, ...], int]:
        images: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
        for by in maps:
            found = [0] * 16
            for cell, sign in enumerate(signs):
                turned = sum(1 << by[1][d] - 1 for d in range(4) if sign >> d & 1)
                found[by[0][cell]] = turned if digits else sign
            line = tuple(-1 if sign == 15 else sign for sign in found)
            images.setdefault(line, set()).add(by[0])
        return min(images), len(images[min(images)])

    form = canonical_form(puzzle)
    found = tuple(-1 if mask == 15 else mask for mask in form.puzzle.masks)
    assert (found, form.automorphisms) == least(puzzle.masks, True), puzzle.text
    assert form.symmetry.apply(puzzle) == form.puzzle
    places = canonical_form(puzzle, pattern=True)
    hints = [1 if number else 15 for number in puzzle.numbers]
    found = tuple(number or -1 for number in places.puzzle.numbers)
    assert (found, places.automorphisms) == least(hints, False)
    cells, digits = rng.choice(maps)
    other = Symmetry(cells, digits).apply(puzzle)
    assert is_isomorphic(puzzle, other)


@pytest.mark.parametrize("line", [*GRIDS, FIGURE_1, "." * 81, "1" + "." * 80])
def test_automorphisms_are_as_many_as_those_of_the_canonical_form(line: str) -> None:
    puzzle = Puzzle.parse(line)
    assert puzzle.symmetries().representatives == canonical_form(puzzle).automorphisms


@pytest.mark.parametrize(
    ("rule", "order"),
    [
        ("skyscraper 2 r1c0", 2 * 72),  # rows but the first; columns stay
        ("dutchflatmates", 2 * 1_296),  # columns; upside down with 1 and 9 exchanged
        ("connected 1 2 3 size 12", 8),
        ("nonconsecutive", 2 * 8),
    ],
)
def test_rules_that_read_the_order_of_cells(rule: str, order: int) -> None:
    assert empty_board(Layout()).with_rule(rule).symmetries().order == order


def test_limits() -> None:
    with pytest.raises(LimitReached, match="time limit"):
        count_up_to_symmetry("." * 81, time_limit=0.2)
    free = empty_board(replace(Layout.latin(5), has_lines=False))
    with pytest.raises(BddSudokuError, match=r"symmetries .* at most 1,000,000"):
        count_up_to_symmetry(free)


def test_what_is_known_of_one_symmetry_is_not_told_as_known_of_the_classes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def give_up(*_: object, **__: object) -> None:
        raise LimitReached("too many", limit="memory", details={"known": {"more_than": "200"}})

    monkeypatch.setattr("bddsudoku.symmetry.fixed_solutions.count_model", give_up)
    done = CliRunner().invoke(main, ["count", "--up-to-symmetry", "--json", "." * 16])
    assert (done.exit_code, json.loads(done.stdout)["count"]) == (3, None)
    assert "more_than" not in done.stdout


def test_the_command() -> None:
    done = CliRunner().invoke(main, ["count", "--up-to-symmetry", "1..............."])
    assert (done.exit_code, done.stdout) == (0, "2\n")
    done = CliRunner().invoke(main, ["count", "--up-to-symmetry", "--limit", "2", "." * 16])
    assert (done.exit_code, "excludes --engine" in done.stderr) == (2, True)


KNOWN = [
    (Layout(2, 2), 2, 3_072, 13),
    (Layout(2, 3), 49, 2_488_320, 32),
    (Layout.latin(2), 1, 16, 5),
    (Layout.latin(3), 1, 432, 6),
    (Layout.latin(4), 2, 27_648, 14),
    (Layout.latin(5), 2, 3_456_000, 9),
    (Layout(1, 5), 2, 3_456_000, 9),
    (Layout.latin(6), 17, 746_496_000, 28),
]
"""The numbers of essentially different grids (OEIS A109741; of Latin squares, which may be
transposed, Schönhardt 1930), the orders of the groups, how many classes of them keep a grid."""


@pytest.mark.parametrize(("layout", "count", "order", "classes"), KNOWN, ids=str)
def test_published_numbers(layout: Layout, count: int, order: int, classes: int) -> None:
    found = count_up_to_symmetry(empty_board(layout))
    assert (found.count, found.symmetries, len(found.classes)) == (count, order, classes)


@pytest.mark.slow
def test_russell_and_jarvis() -> None:
    found = count_up_to_symmetry(empty_board(Layout()))
    assert (found.count, found.solutions) == (5_472_730_538, 6_670_903_752_021_072_936_960)
    fixed = sorted(c.fixed for c in found.classes)
    assert (len(fixed), fixed[0], fixed[-4:-1]) == (
        27,
        162,
        [107_495_424, 155_492_352, 449_445_888],
    )
