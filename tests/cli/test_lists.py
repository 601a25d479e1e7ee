"""Long lists of puzzles give the same answers and errors as single puzzles."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from figures import FIGURE_1, SEVENTEEN
from strategies import shuffled_grid

from bddsudoku.errors import BddSudokuError
from bddsudoku.puzzle.sudoku import Layout
from bddsudoku.puzzle.sudoku.text import reader
from bddsudoku.puzzle.sudoku.text.board_lists import ClassicBoardChunk
from bddsudoku.solver import sources as lists
from bddsudoku.solver.sources import read_records_or_chunks

Run = Callable[..., Any]

CLASH = "55" + "." * 79
FOUR = "1...............\n"


def some_lines(number: int, seed: int = 0) -> list[str]:
    """Puzzles that a search settles at once, most with several solutions."""
    rng = random.Random(seed)
    return [
        shuffled_grid(Layout(), rng).without(*rng.sample(range(81), rng.randint(40, 54))).line
        for _ in range(number)
    ]


LINES = some_lines(60)


def grouped(path: Path) -> int:
    """Number of boards of a file that are read in groups."""
    number = 0
    with suppress(BddSudokuError):
        for found in read_records_or_chunks(str(path)):
            number += len(found) if isinstance(found, ClassicBoardChunk) else 0
    return number


class TestReading:
    """A list that cannot be read to its end."""

    def test_a_bad_line_in_the_middle(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "list.txt"
        lines = [*LINES]
        lines[40:40] = ["# comment", SEVENTEEN[:-1] + "&"]
        path.write_text("\n".join(lines) + "\n")
        result = run("count", str(path), code=1)
        assert len(result.stdout.splitlines()) == 40
        assert result.stderr.count("bddsudoku: ") == 1  # a slow machine says what took long, too
        assert "line 42" in result.stderr


class TestCount:
    """``bddsudoku count`` of lists."""

    def test_clashes_are_reported(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "list.txt"
        path.write_text("\n".join([*LINES[:20], CLASH, *LINES[20:], CLASH]) + "\n")
        for more in ([], ["--limit", "0"], ["--json"]):
            lists_, one_by_one = (run("count", str(path), *more, *v) for v in ([], ["-v"]))
            assert lists_.stderr.count("r1c1 and r1c2 are both 5 in row 1") == 2
            printed = [line for line in one_by_one.stderr.splitlines() if "clash" in line]
            assert [line for line in lists_.stderr.splitlines() if "clash" in line] == printed

    def test_time_is_up(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "list.txt"
        path.write_text("\n".join([*LINES[:20], *["." * 40 + SEVENTEEN[40:]] * 2, *LINES]) + "\n")
        printed = run("count", str(path), "--time-limit", "1", "--engine", "bitboard", code=3)
        assert "time limit of 1 s reached" in printed.stderr
        lines = printed.stdout.splitlines()
        assert lines[-1] == "×"
        assert all(line.isdecimal() for line in lines[:-1])


class TestEnumerate:
    """``bddsudoku enumerate`` of lists: the lines that one puzzle after the other gives."""

    @pytest.fixture
    def mixed(self, tmp_path: Path) -> Path:
        """Most have one solution, some a few, two none."""
        rng = random.Random(4)
        lines = []
        for _ in range(60):
            grid = shuffled_grid(Layout(), rng)
            lines.append(grid.without(*rng.sample(range(81), rng.randint(20, 47))).line)
        path = tmp_path / "list.txt"
        path.write_text("\n".join([*lines[:30], CLASH, SEVENTEEN, *lines[30:], CLASH]) + "\n")
        return path

    @pytest.mark.parametrize("form", ["line", "grid", "csv", "json"])
    @pytest.mark.parametrize("limit", ["0", "3", None])
    def test_as_one_by_one(
        self,
        run: Run,
        monkeypatch: pytest.MonkeyPatch,
        mixed: Path,
        form: str,
        limit: str | None,
    ) -> None:
        more = ["--json"] if form == "json" else ["--format", form]
        more += [] if limit is None else ["--limit", limit]
        found = run("enumerate", str(mixed), *more)
        assert grouped(mixed) > 40
        for module in (reader, lists):
            monkeypatch.setattr(module, "MIN_GROUP", 1000)
        assert grouped(mixed) == 0
        wanted = run("enumerate", str(mixed), *more)
        assert found.stdout == wanted.stdout
        assert found.stderr == wanted.stderr

    def test_one_table_of_one_size(self, run: Run, mixed: Path) -> None:
        text = mixed.read_text()
        mixed.write_text(text + FOUR)
        assert "line 64" in run("enumerate", str(mixed), "--format", "csv", code=1).stderr
        mixed.write_text(FOUR + "# layout: auto\n" + text)
        assert "line 3" in run("enumerate", str(mixed), "--format", "csv", code=1).stderr


class TestPipes:
    """What comes slowly is answered as it comes; who has read enough may leave.

    A board waits a moment for the next lines, because they may name its rules.
    """

    def test_fed_slowly(self) -> None:
        with subprocess.Popen(
            [sys.executable, "-m", "bddsudoku", "count", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as program:
            assert program.stdin is not None
            assert program.stdout is not None
            guard = threading.Timer(60, program.kill)
            guard.start()
            for text in (SEVENTEEN + "\n", "# pause\n" + FIGURE_1 + "\n", SEVENTEEN + "\n"):
                program.stdin.write(text)
                program.stdin.flush()
                assert program.stdout.readline() == "1\n"
            program.stdin.write(SEVENTEEN[:40])
            program.stdin.flush()
            time.sleep(0.1)
            program.stdin.write(SEVENTEEN[40:])
            program.stdin.close()
            assert program.stdout.read() == "1\n"
            assert program.wait(60) == 0
            guard.cancel()
