from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from figures import FIGURE_1

Run = Callable[..., Any]
GRID = "1234341221434321"
NINE = "123456789456789123789123456214365897365897214897214365531642978642978531978531642"


def test_text(run: Run) -> None:
    out = run("minimal", FIGURE_1).stdout
    assert "Subsets of the 35 hints with the same solutions: 562,756\n" in out
    assert "Minimal among them: 9,865 (22 to 28 hints)\n" in out
    assert "Hints that cannot go at all (8): r2c2=7," in out


def test_only_the_count(run: Run, json_of: Run) -> None:
    (found,) = json_of("minimal", GRID, "--count")
    assert run("minimal", GRID, "--count").stdout == f"{found['minimal']['count']}\n"
    assert "standing" not in found


def test_output(run: Run, tmp_path: Path) -> None:
    from bddsudoku.sets import SolutionSet

    path = tmp_path / "a.set"
    number = run("minimal", GRID, "--count", "--output", str(path)).stdout
    assert SolutionSet.load(path).count() == int(number)


def test_a_limit_gives_bounds(run: Run, json_of: Run) -> None:
    result = run("minimal", NINE, "--time-limit", "3", code=3)
    assert "× (at least" in result.stdout
    assert "limit" in result.stderr.splitlines()[-1]


class TestUnavoidable:
    def test_text(self, run: Run) -> None:
        out = run("unavoidable", NINE, "--digits", "1,2", "--first", "1").stdout
        assert "Minimal unavoidable sets within 18 cells: 4\n" in out
        assert "hit them all: 384, of 4 cells or more" in out
        assert "r1c1=1 r1c2=2 r4c1=2 r4c2=1" in out

    def test_a_puzzle_stands_for_its_grid(self, json_of: Run) -> None:
        (found,) = json_of("unavoidable", FIGURE_1, "--rows", "1,2")
        assert len(found["region"]) == 18

    def test_mistakes(self, run: Run) -> None:
        assert "name a region" in run("unavoidable", GRID, code=2).stderr
        assert "numbers such as 1,2" in run("unavoidable", GRID, "--rows", "x", code=2).stderr
        assert "there is no row 7" in run("unavoidable", GRID, "--rows", "7", code=1).stderr
        several = run("unavoidable", "." * 16, "--rows", "1", code=1).stderr
        assert several.splitlines()[-1].endswith("found several solutions")
