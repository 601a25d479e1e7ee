"""Golden counts and solutions, each confirmed by two engines when it was recorded."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from conformance import takers
from oracles import grid_of, keys_of, masks_of

from bddsudoku.context import Context
from bddsudoku.engine import bands, bitboard, dlx
from bddsudoku.engine.brute_force import BruteForceSearch
from bddsudoku.engine.frontier import count_spec
from bddsudoku.engine.specs.product_spec import model_spec
from bddsudoku.errors import LimitReached
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


@pytest.mark.parametrize("name", FILES)
def test_solutions(name: str) -> None:
    for puzzle, count, line in lines(name):
        if count == 0:
            assert line == "-"
            continue
        solution = Puzzle.parse(line, puzzle.layout)
        assert solution.is_solution
        assert all(solution[cell] == digit for cell, digit in puzzle.hints.items())
        if count == 1:
            (keys,) = dlx.DlxEngine().solutions(allocate(puzzle, "singles"), Context())
            assert {*keys.tolist()} == keys_of(solution.cells, puzzle.n)


def test_solutions_are_the_first_of_several() -> None:
    """Brute force goes through the grids in lexicographic order."""
    found = 0
    for puzzle, count, line in (line for name in FILES for line in lines(name)[::2]):
        if count > 1:
            search = BruteForceSearch(allocate(puzzle)).run(
                Context(), limit=1, node_limit=8_000_000, listing=True
            )
            with suppress(LimitReached):
                first = grid_of(next(search).tolist(), puzzle.n)
                assert Puzzle(first, puzzle.layout).line == line
                found += 1
    assert found > 45


@pytest.mark.parametrize("name", FILES)
def test_counts_by_dancing_links(name: str) -> None:
    for puzzle, count, _ in lines(name):
        if count < 200_000:
            assert dlx.count(allocate(puzzle, "candidates")).count == count


@pytest.mark.parametrize("name", FILES)
def test_counts_by_frontier(name: str) -> None:
    for puzzle, count, _ in lines(name):
        if count < 600_000:
            assert count_spec(model_spec(allocate(puzzle, "singles"))) == count


def test_counts_by_bands_and_bit_boards() -> None:
    for puzzle, count, _ in lines("9x9.txt"):
        assert bands.count(masks_of(puzzle.cells, 9)) == count
    few = [(puzzle.cells, count) for puzzle, count, _ in lines("9x9.txt") if count <= 3_000_000]
    counts = bitboard.count_many(np.array([cells for cells, _ in few], np.uint8)).counts
    assert counts.tolist() == [count for _, count in few]


@pytest.mark.parametrize("name", FILES)
def test_counts_by_all_engines_where_little_is_open(name: str) -> None:
    for puzzle, count, _ in lines(name)[::3]:
        model = allocate(puzzle, "singles")
        if len(model.variables) <= 64:
            for engine in takers(model, patience=0):
                assert engine.count(model, Context()) == count, engine.name


def test_data_files_hold_what_their_names_say() -> None:
    """Hints, counts written behind the cells, one solution each, the same seven puzzles twice."""
    seven = [next(read_puzzles(DATA / "paper" / f"{h}.txt")).puzzle for h in HINTS]
    assert [p.hint_count for p in seven] == HINTS
    assert [r.puzzle for r in read_puzzles(DATA / "ordering.sdm")] == seven
    for name in ("few_hints.txt", "seventeen.txt"):
        for record in read_puzzles(DATA / name):
            if record.puzzle.hint_count >= 12:
                masks = masks_of(record.puzzle.cells, 9)
                assert bands.count(masks) == int(record.name.split()[0])
    for path in (*DATA.glob("sizes/*.txt"), DATA / "collection.sdm", DATA / "telegraph.txt"):
        for record in read_puzzles(path):
            result = dlx.count(allocate(record.puzzle, "singles"), limit=2, node_limit=10**6)
            assert (result.count, result.done) == (1, True), path
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
