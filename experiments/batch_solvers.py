"""Solvers for the lists of `batches.py`: this package, and others that solve puzzles one by one."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import puzzle_lists

__all__ = ["MANY", "OTHERS", "UNIQUE_ONLY", "by_dancing_links", "counted", "others", "ours"]

MANY = "2 to 1,555 solutions"
"""The list whose solutions are all counted."""


# -- ours ------------------------------------------------------------------------------------------


def counted(path: str, limit: int | None, jobs: int) -> list[int]:
    """Numbers of solutions of all puzzles of a file."""
    from bddsudoku import count_many

    with open(path, encoding="ascii") as file:
        found: list[int] = count_many(file, limit, jobs).tolist()
    return found


def ours(given: dict[str, Any], jobs: int) -> dict[str, Any]:
    """Count a whole list with this package; the best of several runs."""
    path, limit = given["path"], None if given["list"] == MANY else 2
    found = counted(path, limit, jobs)  # loads, and compiles if need be
    seconds = []
    while len(seconds) < 3 or (sum(seconds) < 2 and len(seconds) < 20):
        begin = time.perf_counter()
        again = counted(path, limit, jobs)
        seconds.append(time.perf_counter() - begin)
        assert again == found
    lines = Path(path).read_text(encoding="ascii").split()
    return {
        "puzzles": len(found),
        "seconds": min(seconds),
        "solutions": sum(found),
        "right": right(lines, found, given["list"]),
        "nodes": nodes_of(path, limit),
    }


def nodes_of(path: str, limit: int | None) -> float:
    """Average number of search nodes for a puzzle."""
    from bddsudoku.engine.bitboard import count_many

    lines = Path(path).read_text(encoding="ascii").splitlines()
    return float(count_many(puzzle_lists.digits_of(lines), limit).nodes.mean())


def right(lines: list[str], found: list[int], kind: str) -> bool:
    """Check the counts of a list; some puzzles are counted again by dancing links."""
    if len(found) != len(lines):
        return False
    if not all(2 <= n <= 1555 if kind == MANY else n == 1 for n in found):
        return False
    return all(by_dancing_links(lines[i]) == found[i] for i in range(0, len(lines), 499))


def by_dancing_links(line: str, limit: int | None = None) -> int:
    from bddsudoku.engine import dlx
    from bddsudoku.puzzle.sudoku.grid import Puzzle
    from bddsudoku.puzzle.sudoku.sudoku_model import allocate

    return dlx.count(allocate(Puzzle.parse(line), "candidates"), limit=limit).count


# -- others ----------------------------------------------------------------------------------------


def _digits(line: str) -> list[int]:
    return [int(c) if c.isdigit() else 0 for c in line]


def _lib_sudoku() -> tuple[Callable[[str], Any], Callable[[Any], Any]]:
    import lib_sudoku

    return lambda line: bytearray(_digits(line)), lambda board: list(lib_sudoku.solve(board))


def _sudoku_rust() -> tuple[Callable[[str], Any], Callable[[Any], Any]]:
    import numpy as np
    import sudoku_rust

    return (
        lambda line: np.array(_digits(line), np.uint16).reshape(9, 9),
        lambda board: sudoku_rust.solve(board).ravel().tolist(),
    )


def _dlxsudoku() -> tuple[Callable[[str], Any], Callable[[Any], Any]]:
    import dlxsudoku

    def solve(line: str) -> list[int]:
        sudoku = dlxsudoku.Sudoku(line)
        sudoku.solve()
        return _digits(sudoku.to_oneliner())

    return lambda line: line.replace(".", "0"), solve


def _py_sudoku() -> tuple[Callable[[str], Any], Callable[[Any], Any]]:
    import sudoku

    def board(line: str) -> list[list[int]]:
        digits = _digits(line)
        return [digits[9 * r : 9 * r + 9] for r in range(9)]

    def solve(rows: list[list[int]]) -> list[int]:
        solved = sudoku.Sudoku(3, 3, board=rows).solve()
        return [digit for row in solved.board for digit in row]

    return board, solve


def _dancing_links() -> tuple[Callable[[str], Any], Callable[[Any], Any]]:
    from bddsudoku.engine import dlx
    from bddsudoku.puzzle.sudoku.grid import Puzzle
    from bddsudoku.puzzle.sudoku.sudoku_model import allocate

    def solve(puzzle: Puzzle) -> list[int]:
        model = allocate(puzzle, "candidates")
        digits = [0] * 81
        chosen = next(iter(dlx.covers(model)))
        for key in [v.key for v in model.fixed] + [model.variables[v].key for v in chosen]:
            digits[key // 9] = key % 9 + 1
        return digits

    return Puzzle.parse, solve


OTHERS: dict[str, tuple[str, Callable[[], Any]]] = {
    "ours, dlx": ("bddsudoku", _dancing_links),
    "lib-sudoku": ("lib-sudoku", _lib_sudoku),
    "sudoku-rust": ("sudoku-rust", _sudoku_rust),
    "dlxsudoku": ("dlxsudoku", _dlxsudoku),
    "py-sudoku": ("py-sudoku", _py_sudoku),
}
"""Name → package, and what makes (line → input, input → solution)."""
UNIQUE_ONLY = {"dlxsudoku"}
"""Those that refuse a puzzle with more than one solution."""


def others(given: dict[str, Any]) -> dict[str, Any]:
    """Solve as many puzzles of a list as the time allows, one solution each."""
    package, make = OTHERS[given["solver"]]
    prepare, solve = make()
    solve(prepare(puzzle_lists.SEVENTEEN[1].replace("0", ".")))  # loads, and compiles if need be
    lines = Path(given["path"]).read_text(encoding="ascii").split()
    spent, answers = 0.0, []
    for line in lines:
        board = prepare(line)
        begin = time.perf_counter()
        answers.append(solve(board))
        spent += time.perf_counter() - begin
        if spent > given["budget"]:
            break
    return {
        "puzzles": len(answers),
        "seconds": spent,
        "right": all(map(fits, lines, answers)),
        "version": "" if package == "bddsudoku" else metadata.version(package),
    }


def fits(line: str, digits: list[int]) -> bool:
    """Whether a grid is valid and agrees with the hints of the puzzle."""
    from bddsudoku.puzzle.sudoku.grid import Puzzle

    hints = _digits(line)
    if any(h not in (0, d) for h, d in zip(hints, digits, strict=True)):
        return False
    return Puzzle(digits).is_solution
