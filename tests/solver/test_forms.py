"""One puzzle and many in every form that users have: the right count, or a refusal."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle import Puzzle, write_fpuzzles, write_iss
from bddsudoku.solver import (
    check,
    compile_set,
    count,
    count_each,
    count_many,
    hint_impact,
    marginals,
    rule_impact,
    solve,
    solve_many,
    true_candidates,
    true_candidates_many,
)

PUZZLE = Puzzle.parse(
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
)
LINE = PUZZLE.line
ROWS = [list(PUZZLE.cells[at : at + 9]) for at in range(0, 81, 9)]
SIGNS = [LINE[at : at + 9] for at in range(0, 81, 9)]
ARRAY = np.array(ROWS)


def of_table(name: str) -> Callable[[Path], Any]:
    def column(_: Path) -> Any:
        return pytest.importorskip(name).Series([LINE])

    return column


def of_frame(name: str) -> Callable[[Path], Any]:
    def frame(_: Path) -> Any:
        return pytest.importorskip(name).DataFrame({"puzzle": [LINE]})

    return frame


ONE: dict[str, Callable[[Path], Any]] = {
    "a Puzzle": lambda _: PUZZLE,
    "81 signs": lambda _: LINE,
    "zeros": lambda _: LINE.replace(".", "0"),
    "a grid": lambda _: str(PUZZLE),
    "nine lines": lambda _: "\n".join(SIGNS),
    "JSON": lambda _: json.dumps(ROWS),
    "f-puzzles": lambda _: write_fpuzzles(PUZZLE),
    "ISS": lambda _: write_iss(PUZZLE),
    "bytes": lambda _: LINE.encode(),
    "a string of numpy": lambda _: np.array([LINE])[0],
    "a Path": lambda path: path,
    "a path": str,
    "an open file": lambda _: io.StringIO(LINE),
    "an open binary file": lambda _: io.BytesIO(LINE.encode()),
    "rows": lambda _: ROWS,
    "tuples": lambda _: tuple(map(tuple, ROWS)),
    "81 numbers": lambda _: list(PUZZLE.cells),
    "rows of text": lambda _: SIGNS,
    "signs": lambda _: [*map(list, SIGNS)],
    "an array of signs": lambda _: np.array([*map(list, SIGNS)]),
    "an array": lambda _: ARRAY,
    "int8": lambda _: ARRAY.astype("i1"),
    "uint64": lambda _: ARRAY.astype("u8"),
    "81 cells": lambda _: ARRAY.reshape(81),
    "rows of arrays": lambda _: [*ARRAY],
}
MANY: dict[str, Callable[[Path], Any]] = {
    "shape (n, 81)": lambda _: ARRAY.reshape(1, 81),
    "shape (n, 9, 9)": lambda _: ARRAY.reshape(1, 9, 9).astype("i2"),
    "a tuple": lambda _: (LINE,),
    "a generator": lambda _: iter([LINE]),
    "strings of numpy": lambda _: np.array([LINE]),
    "bytes of numpy": lambda _: np.array([LINE.encode()]),
    "objects": lambda _: np.array([LINE], dtype=object),
    "a column of pandas": of_table("pandas"),
    "a column of polars": of_table("polars"),
    "a table of pandas": of_frame("pandas"),
    "a table of polars": of_frame("polars"),
    "a Path": lambda path: path,
    "a path": str,
    "a text": lambda _: LINE,
    "an open file": lambda _: io.StringIO(LINE),
}
REFUSED: dict[str, tuple[Any, str]] = {
    "a number too large": ([*ROWS[:2], [0] * 4 + [12] + [0] * 4, *ROWS[3:]], "r3c5: .* found 12"),
    "a negative number": (np.where(ARRAY == 0, -1, ARRAY), "r1c3: expected .* found -1"),
    "numbers with a point": (ARRAY.astype(float), r"r1c1: expected .* found 5\.0"),
    "truth values": (ARRAY == 5, "r1c1: expected .* found True"),
    "a short row": ([*ROWS[:2], ROWS[2][1:], *ROWS[3:]], "row 3: expected 9 cells.* found 8"),
    "rows of three": (ARRAY.reshape(27, 3), "has 81 cells, not 27 rows of 3"),
    "80 cells": (list(PUZZLE.cells[1:]), "not 80"),
    "80 signs": (LINE[1:], "80"),
    "two puzzles": (f"{LINE}\n{LINE}", "expected one puzzle, found a second"),
    "no file": ("no such file.txt", "cannot be read"),
    "a number": (5, "expected a puzzle .* found 5"),
    "nothing": (None, "expected a puzzle .* found None"),
    "an array of one": (ARRAY.reshape(1, 9, 9), "3x3"),
    "no cells": ([], "0"),
    "a hole": ([[None] * 9] * 9, "r1c1: expected .* found None"),
}  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "one.txt"
    made.write_text(LINE + "\n", encoding="utf-8")
    return made


@pytest.mark.parametrize("form", ONE)
def test_one_puzzle(form: str, path: Path) -> None:
    def again() -> Any:
        return ONE[form](path)

    assert count(again()) == solve(again()).count() == 1
    if form in ("81 signs", "rows", "an array", "a Path"):
        assert compile_set(again()).count() == 1
        assert check(again(), ["search"]).runs[0].count == 1
        assert rule_impact(again()).count == 1
        assert hint_impact(again()) == hint_impact(PUZZLE)
    assert marginals(again()).sum() == true_candidates(again()).sum() == 81
    if form == "a path":
        return  # texts of a list are puzzles, not paths
    assert count_many([again()]).tolist() == [1]
    counts, solutions = solve_many([again(), LINE])
    assert counts.tolist() == [1, 1]
    assert (solutions[0] == solutions[1]).all()


@pytest.mark.parametrize("form", MANY)
def test_many_puzzles(form: str, path: Path) -> None:
    for asked in (count_many, count_each, lambda p: solve_many(p).counts):
        assert [int(n or 0) for n in asked(MANY[form](path))] == [1]
    assert true_candidates_many(MANY[form](path)).shape == (1, 81)


@pytest.mark.parametrize("form", REFUSED)
def test_what_is_refused(form: str) -> None:
    wrong, words = REFUSED[form]
    for asked in (count, solve, marginals, true_candidates, hint_impact):
        with pytest.raises((PuzzleFormatError, TypeError), match=words) as refusal:
            asked(wrong)
        assert "\n" not in str(refusal.value)
    if not isinstance(wrong, str):
        with pytest.raises((PuzzleFormatError, TypeError), match=f"puzzle 0: .*{words}"):
            count_many([wrong])


def test_open_cells_and_digits_are_those_of_the_layout() -> None:
    assert count(np.zeros((4, 4), int)) == count([0] * 16) == 288
    assert count_many([np.zeros((4, 4), int), "." * 16]).tolist() == [288, 288]
