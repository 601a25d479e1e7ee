"""What the package logs, and progress by a callback or by a bar of tqdm."""

from __future__ import annotations

import io
import logging
import re
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tqdm import tqdm

from bddsudoku import Puzzle, compile_set, count, solve
from bddsudoku.cli import main
from bddsudoku.cli.command_base import print_log_messages, progress_bar
from bddsudoku.solver import count_detailed, question, solve_detailed

EMPTY = Puzzle([0] * 16)
LOGGER = logging.getLogger("bddsudoku")


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.DEBUG, "bddsudoku")
    return caplog


def test_the_choice_and_its_reason_are_logged_once(logged: pytest.LogCaptureFixture) -> None:
    found = count_detailed(EMPTY)
    said = [r.getMessage() for r in logged.records if r.getMessage().startswith(found.engine)]
    assert said[-1].startswith(f"{found.engine}: {found.why} (")
    assert len([line for line in said if found.why in line and line.endswith(" s)")]) == 1
    assert {r.name.split(".")[0] for r in logged.records} == {"bddsudoku"}
    logged.clear()
    made = solve_detailed(EMPTY)
    assert f"{made.engine}: {made.why} (" in logged.text


def test_nothing_is_printed_unless_somebody_listens(capfd: pytest.CaptureFixture[str]) -> None:
    count(EMPTY)
    assert LOGGER.handlers == []
    assert LOGGER.level == logging.NOTSET


def run(*arguments: str) -> Result:
    found = CliRunner().invoke(main, arguments)
    assert LOGGER.handlers == []
    assert LOGGER.level == logging.NOTSET
    return found


@pytest.mark.parametrize(
    "command",
    [
        ["count", "." * 16],
        ["sample", "." * 16],
        ["compile", "." * 16],
        ["hints", "1234341221434..."],
        ["cover", "{cover}", "count"],
        ["formula", "{formula}", "sample"],
    ],
)
def test_the_command_line_shows_the_choice(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question, "_SLOW_SECONDS", 1000.0)
    (tmp_path / "cover").write_text("a b\na\nb\n", encoding="utf-8")
    (tmp_path / "formula").write_text("symbol a b\na + b == 1\n", encoding="utf-8")
    line = [part.format(cover=tmp_path / "cover", formula=tmp_path / "formula") for part in command]
    chosen = re.compile(r"^[\w-]+: .+ \(\d+\.\d\d s\)$", re.M)
    assert chosen.search(run(*line, "-v").stderr)
    assert not chosen.search(run(*line).stderr)


def test_only_the_first_slow_answer_is_explained(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(question, "_SLOW_SECONDS", 0.0)
    (tmp_path / "list").write_text(f"{'.' * 16}\n1{'.' * 15}\n", encoding="utf-8")
    found = run("count", str(tmp_path / "list"))
    assert found.stdout.split() == ["288", "72"]
    assert len(found.stderr.splitlines()) == 1
    assert found.stderr.endswith(" s)\n")


class Terminal(io.StringIO):
    """Standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_what_was_logged_stands_behind_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    with print_log_messages(verbose=False, explain=True), progress_bar("counting") as progress:
        LOGGER.getChild("engine").debug("frontier forecasts a count of 12 s")
        time.sleep(0.6)
        progress(1, 4)
        LOGGER.getChild("engine").info("search: it was fast (2.00 s)")
    shown = sys.stderr.getvalue()  # type: ignore[attr-defined]
    assert "counting:  25%" in shown
    assert "frontier forecasts a count of 12 s]" in shown
    assert "search: it was fast (2.00 s)\n" in shown
    assert (LOGGER.handlers, LOGGER.level) == ([], logging.NOTSET)


def bar() -> tqdm:
    return tqdm(file=io.StringIO(), mininterval=0)


@pytest.mark.parametrize("answer", [count, solve, compile_set])
def test_a_bar_of_tqdm_stands_for_a_callback(answer: object) -> None:
    puzzle = Puzzle([0] * 36)
    seen: list[tuple[float, float]] = []
    kind = "frontier"
    ask = {
        count: lambda progress: count(puzzle, kind, progress=progress),
        solve: lambda progress: solve(puzzle, kind, progress=progress),
        compile_set: lambda progress: compile_set(puzzle, progress=progress),
    }[answer]  # type: ignore[index]
    ask(lambda done, total: seen.append((done, total)))
    with bar() as shown:
        ask(shown)
    assert seen
    assert (shown.n, shown.total) == seen[-1]


def test_export_moves_a_bar() -> None:
    with bar() as shown:
        solve(EMPTY).export(io.BytesIO(), progress=shown)
    assert (shown.n, shown.total) == (288, 288)
