"""The examples in ``data/formula``: data/README.md names who knows their counts."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from formula_oracle import count

from bddsudoku import solver
from bddsudoku.puzzle.formula import Problem

DATA = Path(__file__).parents[3] / "data" / "formula"

COUNTS = {
    "australia": 18,
    "figure_f": 3,
    "knapsack_20": 99_210,
    "knapsack_100": 1_998_153_311_091_033_295_366_124_111,
    "langford_7": 52,
    "magic_3": 8,
    "magic_4": 7_040,
    "matchings_8x8": 12_988_816,
    "petersen": 120,
    "pythagoras": 6,
    "queens_8": 92,
    "queens_10": 724,
    "queens_12": 14_200,
    "send_more": 1,
    "send_more_zero": 25,
    "subset_sum_40": 1_120_523_463,
    "sudoku_4x4": 288,
    "timetable": 138,
    "words": 29,
}

PROJECTED = {"adder": 15}
"""Those that are counted on some of their variables only."""


def test_every_example_has_a_count() -> None:
    assert sorted([*COUNTS, *PROJECTED]) == sorted(p.stem for p in DATA.glob("*.formula"))


SLOW = ("knapsack_100", "magic_4", "matchings_8x8", "queens_12", "subset_sum_40")
NAMES = [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in COUNTS]


@pytest.mark.parametrize("name", NAMES)
def test_examples_have_the_solutions_that_are_claimed(name: str) -> None:
    assert solver.count(Problem.read(DATA / f"{name}.formula")) == COUNTS[name]


def test_projection_and_the_same_in_other_formats() -> None:
    adder = Problem.read(DATA / "adder.formula")
    assert count(adder.constraints, 10) == 64
    assert count(adder.constraints, 10, adder.projection) == PROJECTED["adder"] == 15
    clauses = Problem.read(DATA / "adder.cnf")
    assert count(clauses.constraints, 10) == 64
    assert count(clauses.constraints, 10, clauses.projection) == 15
    assert solver.count(Problem.read(DATA / "words.opb")) == COUNTS["words"]
    assert solver.count(Problem.read(DATA / "petersen.cnf")) == COUNTS["petersen"]


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


def test_wide_states_do_not_fill_the_memory_with_buffers() -> None:
    double = Problem.parse("integer a b in 0..4000\na == 2*b")
    assert solver.count(double, "frontier", max_memory=1 << 30) == 2001
