"""The examples in ``data/formula``: counted by oracles that know the problem, not the file."""

from __future__ import annotations

import itertools
import runpy
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from formula_counts import COUNTS, PROJECTED
from formula_oracle import count

from bddsudoku import solver
from bddsudoku.model.constraints import Linear
from bddsudoku.puzzle.formula import Problem

DATA = Path(__file__).parents[3] / "data" / "formula"

Edges = frozenset[tuple[int, int]]


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


KNOWN = {
    "figure_f": 3,  # the paper
    "langford_7": 52,  # OEIS A014552, mirror images counted apart
    "magic_3": 8,
    "matchings_8x8": 12_988_816,  # OEIS A004003
    "queens_8": 92,  # OEIS A000170
    "queens_10": 724,
    "queens_12": 14_200,
    "sudoku_4x4": 288,
}
ORACLES: dict[str, Callable[[], int]] = {
    "australia": lambda: chromatic(7, AUSTRALIA, 3),
    "petersen": lambda: chromatic(10, PETERSEN, 3),
    "pythagoras": triangles,
    "send_more": lambda: send_more(False),
    "send_more_zero": lambda: send_more(True),
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
    return KNOWN[name] if name in KNOWN else ORACLES[name]()


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
    assert solver.count(Problem.read(DATA / f"{name}.formula")) == claimed


def test_projection_and_the_same_in_other_formats() -> None:
    adder = Problem.read(DATA / "adder.formula")
    assert count(adder.constraints, 10) == 64
    assert count(adder.constraints, 10, adder.projection) == PROJECTED["adder"] == 15
    clauses = Problem.read(DATA / "adder.cnf")
    assert count(clauses.constraints, 10) == 64
    assert count(clauses.constraints, 10, clauses.projection) == 15
    sums = Problem.read(DATA / "words.opb")
    assert count(sums.constraints, 8) == COUNTS["words"]
    assert solver.count(Problem.read(DATA / "petersen.cnf")) == COUNTS["petersen"]


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
