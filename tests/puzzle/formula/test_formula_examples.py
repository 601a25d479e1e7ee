"""The examples in ``data/formula``: counted by oracles that know the problem, not the file."""

from __future__ import annotations

import itertools
import runpy
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from formula_counts import COUNTS, PROJECTED
from formula_oracle import count, count_by_levels

from bddsudoku.model.constraints import Linear
from bddsudoku.puzzle.formula import Problem

DATA = Path(__file__).parents[3] / "data" / "formula"

Edges = frozenset[tuple[int, int]]


def queens(n: int) -> int:
    def place(row: int, columns: int, rising: int, falling: int) -> int:
        if row == n:
            return 1
        free = ~(columns | rising | falling) & ((1 << n) - 1)
        found = 0
        while free:
            bit = free & -free
            free ^= bit
            found += place(row + 1, columns | bit, (rising | bit) << 1, (falling | bit) >> 1)
        return found

    return place(0, 0, 0, 0)


def dominoes(rows: int, columns: int) -> int:
    """Tilings, cell by cell with a mask of what is covered already."""
    ways = {0: 1}
    for cell in range(rows * columns):
        new: dict[int, int] = {}
        for mask, so_far in ways.items():
            if mask & 1:
                new[mask >> 1] = new.get(mask >> 1, 0) + so_far
                continue
            if cell < (rows - 1) * columns:
                down = (mask | 1 << columns) >> 1
                new[down] = new.get(down, 0) + so_far
            if cell % columns + 1 < columns and not mask & 2:
                right = (mask | 2) >> 1
                new[right] = new.get(right, 0) + so_far
        ways = new
    return ways[0]


def magic_3() -> int:
    lines = ["012", "345", "678", "036", "147", "258", "048", "246"]
    return sum(
        all(sum(m[int(c)] for c in line) == 15 for line in lines)
        for m in itertools.permutations(range(1, 10))
    )


def send_more(leading_zero: bool) -> int:
    found = 0
    for d, e, n, r, o in itertools.permutations(range(10), 5):
        y, carry = (d + e) % 10, (d + e) // 10
        if (n + r + carry) % 10 != e:
            continue
        carry = (n + r + carry) // 10
        if (e + o + carry) % 10 != n or y in (d, e, n, r, o):
            continue
        carry = (e + o + carry) // 10
        for s, m in itertools.permutations(set(range(10)) - {d, e, n, r, o, y}, 2):
            if not leading_zero and 0 in (s, m):
                continue
            found += s + m + carry == 10 * m + o
    return found


def langford(n: int) -> int:
    def place(k: int, taken: int) -> int:
        if k == 0:
            return 1
        pairs = (1 << i | 1 << (i + k + 1) for i in range(2 * n - k - 1))
        return sum(place(k - 1, taken | pair) for pair in pairs if not taken & pair)

    return place(n, 0)


def chromatic(vertices: int, edges: Edges, colours: int) -> int:
    """The chromatic polynomial, by deletion and contraction."""
    if not edges:
        return int(colours**vertices)
    u, v = min(edges)
    rest = edges - {(u, v)}
    merged = frozenset(
        (min(a, b), max(a, b))
        for a, b in (tuple(u if w == v else w for w in edge) for edge in rest)
        if a != b
    )
    return chromatic(vertices, rest, colours) - chromatic(vertices - 1, merged, colours)


def sorted_edges(pairs: Iterable[tuple[int, int]]) -> Edges:
    return frozenset((min(p), max(p)) for p in pairs)


PETERSEN = sorted_edges(
    [(i, (i + 1) % 5) for i in range(5)]
    + [(5 + i, 5 + (i + 2) % 5) for i in range(5)]
    + [(i, i + 5) for i in range(5)]
)
AUSTRALIA = sorted_edges([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4), (2, 5), (3, 4), (4, 5)])


def timetable() -> int:
    found = 0
    for a in itertools.permutations(range(1, 6)):
        for b in itertools.permutations(range(1, 6)):
            maths, english, science, history, sport = range(5)
            found += (
                all(a[s] != b[s] for s in (maths, english, science, history))
                and a[sport] == b[sport]
                and a[sport] >= 3
                and min(a[english], b[english]) >= 2
                and abs(a[science] - b[science]) >= 2
                and a[maths] != a[sport] + 1
                and b[maths] != b[sport] + 1
                and (5 not in (a[history], b[history]) or 1 in (a[maths], b[maths]))
            )
    return found


def grids_of_four() -> int:
    rows = list(itertools.permutations(range(4)))
    found = 0
    for grid in itertools.product(rows, repeat=2):
        top = all(len({*grid[0][c : c + 2], *grid[1][c : c + 2]}) == 4 for c in (0, 2))
        if not top or any(x == y for x, y in zip(*grid, strict=True)):
            continue
        for lower in itertools.product(rows, repeat=2):
            four = [*grid, *lower]
            found += all(len({r[c] for r in four}) == 4 for c in range(4)) and all(
                len({*lower[0][c : c + 2], *lower[1][c : c + 2]}) == 4 for c in (0, 2)
            )
    return found


def words() -> int:
    return sum(
        a * b >= 12 and a % 3 == 1 and (a & b).bit_count() == 1
        for a in range(16)
        for b in range(16)
    )


def triangles() -> int:
    return sum(
        a * a + b * b == c * c for c in range(1, 21) for b in range(1, c) for a in range(1, b)
    )


ORACLES: dict[str, Callable[[], int]] = {
    "australia": lambda: chromatic(7, AUSTRALIA, 3),
    "figure_f": lambda: 3,
    "langford_7": lambda: langford(7),
    "magic_3": magic_3,
    "matchings_8x8": lambda: dominoes(8, 8),
    "petersen": lambda: chromatic(10, PETERSEN, 3),
    "pythagoras": triangles,
    "queens_8": lambda: queens(8),
    "queens_10": lambda: queens(10),
    "queens_12": lambda: queens(12),
    "send_more": lambda: send_more(False),
    "send_more_zero": lambda: send_more(True),
    "sudoku_4x4": grids_of_four,
    "timetable": timetable,
    "words": words,
}


def weights_of(name: str) -> tuple[list[int], int]:
    """The numbers in braces in a file, and the bound in its last line."""
    text = (DATA / f"{name}.formula").read_text()
    numbers = text[text.index("{") + 1 : text.index("}")]
    return [int(w) for w in numbers.split(",")], int(text.split()[-1])


def sums_of(weights: list[int]) -> dict[int, int]:
    """How many selections have each sum."""
    ways = {0: 1}
    for w in weights:
        new = dict(ways)
        for total, so_far in ways.items():
            new[total + w] = new.get(total + w, 0) + so_far
        ways = new
    return ways


def expected(name: str) -> int:
    if name.startswith("knapsack"):
        weights, capacity = weights_of(name)
        return sum(ways for total, ways in sums_of(weights).items() if total <= capacity)
    if name.startswith("subset_sum"):
        weights, target = weights_of(name)
        return sums_of(weights)[target]
    return ORACLES[name]()


def test_every_example_has_a_count() -> None:
    assert sorted([*COUNTS, *PROJECTED]) == sorted(p.stem for p in DATA.glob("*.formula"))


SLOW = ("knapsack_100", "queens_12")
NAMES = [
    pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in COUNTS if n != "magic_4"
]


@pytest.mark.parametrize("name", NAMES)
def test_examples_have_the_solutions_that_are_claimed(name: str) -> None:
    claimed = COUNTS[name]
    assert claimed == expected(name)
    assert count_by_levels(Problem.read(DATA / f"{name}.formula")) == claimed


def test_projection_and_the_same_in_other_formats() -> None:
    adder = Problem.read(DATA / "adder.formula")
    assert count(adder.constraints, 10) == 64
    assert count(adder.constraints, 10, adder.projection) == PROJECTED["adder"] == 15
    clauses = Problem.read(DATA / "adder.cnf")
    assert count(clauses.constraints, 10) == 64
    assert count(clauses.constraints, 10, clauses.projection) == 15
    sums = Problem.read(DATA / "words.opb")
    assert count(sums.constraints, 8) == COUNTS["words"]
    assert count_by_levels(Problem.read(DATA / "petersen.cnf")) == COUNTS["petersen"]


def test_the_single_solution_of_send_more() -> None:
    problem = Problem.read(DATA / "send_more.formula")
    digits = {"S": 9, "E": 5, "N": 6, "D": 7, "M": 1, "O": 0, "R": 8, "Y": 2}
    keys = problem.decoder().encode(digits)
    values = [0] * len(problem.names)
    for key in keys:
        values[key] = 1
    assert all(c.holds(values) for c in problem.constraints)


def test_magic_squares_of_order_four() -> None:
    """Dürer's square and its mirror images are solutions; a swap of two numbers is none."""
    problem = Problem.read(DATA / "magic_4.formula")
    durer = [[16, 3, 2, 13], [5, 10, 11, 8], [9, 6, 7, 12], [4, 15, 14, 1]]

    def holds(square: list[list[int]]) -> bool:
        values = [0] * len(problem.names)
        for r, row in enumerate(square, 1):
            for c, number in enumerate(row, 1):
                values[problem.integers[f"m[{r}][{c}]"].members[number - 1]] = 1
        return all(c.holds(values) for c in problem.constraints)

    assert holds(durer)
    assert holds([row[::-1] for row in durer])
    assert holds([list(column) for column in zip(*durer, strict=True)])
    durer[0][0], durer[0][1] = durer[0][1], durer[0][0]
    assert not holds(durer)
    assert sum(isinstance(c, Linear) for c in problem.constraints) == 10


def test_generated_files_come_out_the_same_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "make_formulas.py"
    script.write_text((DATA / "make_formulas.py").read_text())
    runpy.run_path(str(script), run_name="__main__")
    made = sorted(p.name for p in tmp_path.glob("*.formula"))
    assert made == ["knapsack_100.formula", "knapsack_20.formula", "subset_sum_40.formula"]
    for name in made:
        assert (tmp_path / name).read_text() == (DATA / name).read_text()
