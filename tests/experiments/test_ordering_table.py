"""The experiment on itself: it measures, resumes, and fails when something is wrong."""

from __future__ import annotations

import csv
import importlib
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
FIGURE_1 = "4.3.1...2.7..2..3.5...3.8...5..42.6.69.157.43.4.96..1...2.7...5.6..8..9.8...9.1.7"
SOLUTION = "483716952179528436526439871351842769698157243247963518912374685765281394834695127"


@pytest.fixture
def ordering(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    return importlib.import_module("ordering_table")


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    return importlib.import_module("harness")


def options(harness: ModuleType, folder: Path, *more: str):
    parser = harness.parser("", output="x.jsonl")
    return parser.parse_args(["--output", str(folder / "x.jsonl"), *more])


def run(ordering: ModuleType, folder: Path, puzzle: str, *more: str) -> int:
    file = folder / "puzzles.txt"
    file.write_text(puzzle + "\n", encoding="utf-8")
    output = folder / "out.jsonl"
    return ordering.main(["--puzzles", str(file), "--output", str(output), "--repeat", "1", *more])


@pytest.mark.slow
def test_figure_1(ordering: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "table.csv"
    context = ("--time-limit", "3", "--max-memory", "1GiB")
    assert run(ordering, tmp_path, FIGURE_1, *context, "--table", str(sheet)) == 0
    out, err = capsys.readouterr()
    assert "limits of each run: 1.0 GiB, 3 s" in out
    assert "dd 0" in out
    assert "all hold" in err
    lines = [line for line in sheet.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    heads, row = list(csv.reader(lines))[:2] if lines[0] else list(csv.reader(lines[1:]))[:2]
    found = dict(zip(heads, row, strict=True))
    assert (found["hints"], found["variables"], found["final nodes"]) == ("35", "414", "414")
    assert (found["peak 2"], found["peak 3"]) == ("9,041", "9,784")
    assert (found["paper 1"], found["paper 2"], found["paper 3"]) == ("16.5", "0.520", "0.300")
    # Procedure 1 takes longer than that: a limit reached is a result, too.
    assert found["s 1"] == "× time"
    assert found["peak 1"].startswith(">")

    # The second run finds everything done, whatever the form of its table.
    records = [json.loads(s) for s in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert [r["result"]["solution"] for r in records if "nodes" in r.get("result", ())] == [
        SOLUTION
    ] * 8
    ordering.build_case = None
    try:
        assert run(ordering, tmp_path, FIGURE_1, *context, "--format", "markdown") == 0
    finally:
        importlib.reload(ordering)
    assert "## Allocation candidates" in capsys.readouterr().out


def test_a_puzzle_with_two_solutions_fails_the_checks(
    ordering: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ambiguous = SOLUTION.replace("1", ".").replace("2", ".")
    assert run(ordering, tmp_path, ambiguous, "--allocations", "candidates") == 1
    assert "CHECK FAILED: 63 hints: exactly one solution" in capsys.readouterr().err


def test_a_wrong_result_in_the_journal_fails_the_checks(
    ordering: ModuleType, tmp_path: Path
) -> None:
    assert run(ordering, tmp_path, FIGURE_1, "--allocations", "candidates") == 0
    journal = tmp_path / "out.jsonl"
    text = journal.read_text(encoding="utf-8")
    journal.write_text(text.replace(SOLUTION, SOLUTION[::-1]), encoding="utf-8")
    assert run(ordering, tmp_path, FIGURE_1, "--allocations", "candidates") == 1


def test_bad_arguments(ordering: ModuleType, tmp_path: Path) -> None:
    assert run(ordering, tmp_path, "no puzzle") == 2
    assert run(ordering, tmp_path, FIGURE_1, "--allocations", "guesses") == 2
    with pytest.raises(SystemExit) as caught:
        run(ordering, tmp_path, FIGURE_1, "--max-memory", "lots")
    assert caught.value.code == 2


class TestJournal:
    def test_resumes_and_drops_a_line_cut_off(self, harness: ModuleType, tmp_path: Path) -> None:
        given = options(harness, tmp_path)
        cases = [{"n": n} for n in range(3)]
        journal = harness.Journal(given, "squares")
        for case in list(journal.pending(cases))[:2]:
            journal.add(case, {"square": case["n"] ** 2})
        with given.output.open("a", encoding="utf-8") as file:
            file.write('{"case": {"n": 2}, "ba')
        again = harness.Journal(given, "squares")
        assert list(again.pending(cases)) == [{"n": 2}]
        again.add({"n": 2}, {"square": 4})
        assert list(again.results()) == [{"n": n, "square": n * n} for n in range(3)]
        lines = given.output.read_text(encoding="utf-8").splitlines()
        assert sum("header" in json.loads(line) for line in lines) == 2
        assert len(lines) == 5

    def test_other_limits_or_settings_start_anew(self, harness: ModuleType, tmp_path: Path) -> None:
        journal = harness.Journal(options(harness, tmp_path), "squares")
        journal.add({"n": 1}, {"square": 1})
        for journal in (
            harness.Journal(options(harness, tmp_path, "--time-limit", "7"), "squares"),
            harness.Journal(options(harness, tmp_path), "squares", repeat=3),
            harness.Journal(options(harness, tmp_path), "cubes"),
            harness.Journal(options(harness, tmp_path, "--fresh"), "squares"),
        ):
            assert list(journal.pending([{"n": 1}])) == [{"n": 1}]


class TestMeasured:
    def test_result_and_limits(self, harness: ModuleType, tmp_path: Path) -> None:
        given = options(harness, tmp_path, "--time-limit", "1.5", "--max-memory", "300MiB")
        result = harness.measured(f"{__name__}:task", "answer", given)
        assert result["answer"] == 42
        assert 0 < result["wall_seconds"] < 1.5
        assert harness.measured(f"{__name__}:task", "sleep", given)["limit"] == "time"
        assert harness.measured(f"{__name__}:task", "hoard", given)["limit"] == "memory"
        crashed = harness.measured(f"{__name__}:task", "crash", given)
        assert (crashed["limit"], "status 3" in crashed["message"]) == ("crash", True)


def task(what: str, send):
    import os
    import time

    if what == "sleep":
        time.sleep(60)
    if what == "hoard":
        return {"size": len(bytearray(1 << 30))}
    if what == "crash":
        os._exit(3)
    return {"answer": 42}


def test_checks(harness: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert harness.Checks().finish() == 1
    good = harness.Checks()
    good.expect(True, "this")
    assert good.finish() == 0
    bad = harness.Checks()
    bad.expect(True, "this")
    bad.expect(False, "that")
    assert bad.finish() == 1
    assert "CHECK FAILED: that" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("csv", 'a,b\n1,"2,000"\n–,x'),
        ("markdown", "|   a |     b |\n|-----|-------|\n|   1 | 2,000 |\n|   – |     x |"),
        ("plain", "  a      b\n---  -----\n  1  2,000\n  –      x"),
    ],
)
def test_table(harness: ModuleType, form: str, expected: str) -> None:
    assert harness.table(["a", "b"], [[1, "2,000"], [None, "x"]], form) == expected


def test_script_starts_from_anywhere(tmp_path: Path) -> None:
    import subprocess

    told = subprocess.run(
        [sys.executable, str(EXPERIMENTS / "ordering_table.py"), "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--time-limit" in told.stdout
