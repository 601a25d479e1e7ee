"""Counts and solutions that were once confirmed by two engines stay what they are."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from conformance import engines_for

from bddsudoku.engine import backtrack, bands, dlx
from bddsudoku.engine.frontier import count_spec
from bddsudoku.engine.specs.exact_cover import cover_spec
from bddsudoku.puzzle.sudoku import Puzzle, allocate
from bddsudoku.puzzle.sudoku.text import read_puzzles

GOLDEN = Path(__file__).parent / "golden"
DATA = Path(__file__).parent.parent / "data"
FILES = sorted(p.name for p in GOLDEN.glob("*.txt"))


@cache
def lines(name: str) -> tuple[tuple[Puzzle, int, str], ...]:
    out = []
    for record in read_puzzles(GOLDEN / name):
        count, solution = record.name.split(":")
        out.append((record.puzzle, int(count), solution))
    return tuple(out)


def test_there_are_counts_of_every_kind() -> None:
    counts = [count for name in FILES for _, count, _ in lines(name)]
    assert len(FILES) == 6
    assert sum(c == 0 for c in counts) >= 5
    assert sum(c == 1 for c in counts) >= 30
    assert sum(c > 1 for c in counts) >= 50
    assert max(counts) == 75_221_305


@pytest.mark.parametrize("name", FILES)
def test_solutions(name: str) -> None:
    for puzzle, count, line in lines(name):
        if count == 0:
            assert line == "-"
            continue
        solution = Puzzle.parse(line, puzzle.layout)
        assert solution.is_solution
        assert all(solution[cell] == digit for cell, digit in puzzle.hints.items())
        if count > 10**6:
            continue
        model = allocate(puzzle, "singles")
        found = dlx.first(model) if count == 1 else backtrack.first(model, slots="cell")
        assert found is not None
        keys = {v.key for v in model.fixed} | {model.variables[v].key for v in found}
        assert keys == {c * puzzle.n + d - 1 for c, d in solution.hints.items()}


@pytest.mark.parametrize("name", FILES)
def test_counts_by_dancing_links(name: str) -> None:
    for puzzle, count, _ in lines(name):
        if count < 200_000:
            assert dlx.count(allocate(puzzle, "candidates")).count == count


@pytest.mark.parametrize("name", FILES)
def test_counts_by_frontier(name: str) -> None:
    for puzzle, count, _ in lines(name):
        if count < 600_000:
            assert count_spec(cover_spec(allocate(puzzle, "singles"))) == count


def test_counts_by_bands() -> None:
    for puzzle, count, _ in lines("9x9.txt"):
        assert bands.count([1 << d - 1 if d else 511 for d in puzzle.cells]) == count


@pytest.mark.parametrize("name", FILES)
def test_counts_by_all_engines_where_little_is_open(name: str) -> None:
    for puzzle, count, _ in lines(name):
        model = allocate(puzzle, "singles")
        if len(model.variables) <= 64:
            for engine in engines_for(model, ordinary=puzzle.n == 9, slow=False):
                assert engine.solve(model)[0] == count, engine


def test_data_files_hold_what_their_names_say() -> None:
    """Hints, counts written behind the cells, one solution each, the same seven puzzles twice."""
    seven = [next(read_puzzles(DATA / "paper" / f"{h}.txt")).puzzle for h in HINTS]
    assert [p.hint_count for p in seven] == HINTS
    assert [r.puzzle for r in read_puzzles(DATA / "ordering.sdm")] == seven
    for name in ("few_hints.txt", "seventeen.txt"):
        for record in read_puzzles(DATA / name):
            masks = [1 << d - 1 if d else 511 for d in record.puzzle.cells]
            if record.puzzle.hint_count >= 12:
                assert bands.count(masks) == int(record.name.split()[0])
    for path in (*DATA.glob("sizes/*.txt"), DATA / "collection.sdm", DATA / "telegraph.txt"):
        for record in read_puzzles(path):
            result = dlx.count(allocate(record.puzzle, "singles"), limit=2, node_limit=10**6)
            assert (result.count, result.exact) == (1, True), path
    for record in read_puzzles(DATA / "no_solution.txt"):
        assert dlx.count(allocate(record.puzzle, "singles")).count == 0


HINTS = [35, 33, 30, 28, 24, 21, 18]


def test_every_data_file_is_in_the_readme() -> None:
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    for path in DATA.rglob("*.*"):
        if "__pycache__" in path.parts or path.name == "README.md":
            continue
        folder = path.parent.name
        known = path.name in readme or (folder in readme and f"{folder}/*" in readme)
        assert known, f"{path} has no pedigree in data/README.md"
