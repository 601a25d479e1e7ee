"""What experiments share: a journal that resumes, measurements under limits, checks, tables."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def harness(load: Any) -> ModuleType:
    found: ModuleType = load("harness")
    return found


def options(harness: ModuleType, folder: Path, *more: str):
    parser = harness.parser("", "squares")
    return parser.parse_args(["--output", str(folder / "x.jsonl"), *more])


def test_a_journal_resumes_and_drops_a_line_cut_off(harness: ModuleType, tmp_path: Path) -> None:
    given = options(harness, tmp_path, "--resume")
    cases = [{"n": n} for n in range(3)]
    journal = harness.Journal(given)
    for case in list(journal.pending(cases))[:2]:
        journal.add(case, {"square": case["n"] ** 2})
    with given.output.open("a", encoding="utf-8") as file:
        file.write('{"case": {"n": 2}, "ba')
    again = harness.Journal(options(harness, tmp_path, "--resume", "--seed", "7"))
    assert list(again.pending(cases)) == [{"n": 2}]
    again.add({"n": 2}, {"square": 4})
    assert list(again.results()) == [{"n": n, "square": n * n} for n in range(3)]
    # The headers are those of the runs that measured.
    assert [(number, header["seed"]) for number, header in again.headers] == [(2, 1), (1, 7)]
    done = given.output.read_bytes()
    complete = harness.Journal(given)
    assert list(complete.pending(cases)) == []
    assert given.output.read_bytes() == done
    for journal in (
        harness.Journal(options(harness, tmp_path, "--resume", "--time-limit", "7")),
        harness.Journal(given, repeat=3),
        harness.Journal(options(harness, tmp_path)),
    ):
        assert list(journal.pending([{"n": 1}])) == [{"n": 1}]


def test_what_is_measured_and_what_is_published_part(
    harness: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = harness.parser("", "squares")
    folders = [parser.parse_args(words).output.parent for words in ([], ["--publish"])]
    assert folders == [harness.MEASURED, harness.PUBLISHED]
    ignored = (EXPERIMENTS.parent / ".gitignore").read_text("utf-8").splitlines()
    assert f"{harness.MEASURED.relative_to(EXPERIMENTS.parent).parts[0]}/" in ignored
    for kind in ("MEASURED", "PUBLISHED"):
        monkeypatch.setattr(harness, kind, tmp_path / kind)
    (tmp_path / "PUBLISHED").mkdir()
    told = []
    for words in ([], ["--publish"]):
        journal = harness.Journal(harness.parser("", "squares").parse_args(words))
        harness.show(parser.parse_args(words), journal, [("Squares", ["n"], [[1]])])
        told.append(journal.path.with_suffix(".md").read_text("utf-8").split()[0])
    assert told == ["Your", "Published"]


def test_results_and_limits(harness: ModuleType, tmp_path: Path) -> None:
    given = options(harness, tmp_path, "--time-limit", "1.5", "--max-memory", "300MiB")
    result = harness.measured(f"{__name__}:task", "answer", given)
    assert result["answer"] == 42
    assert 0 < result["wall_seconds"] < 1.5
    assert harness.measured(f"{__name__}:task", "sleep", given)["limit"] == "time"
    assert harness.measured(f"{__name__}:task", "hoard", given)["limit"] == "memory"
    crashed = harness.measured(f"{__name__}:task", "crash", given)
    assert (crashed["limit"], "status 3" in crashed["message"]) == ("crash", True)


def task(what: str, send):
    if what == "sleep":
        time.sleep(60)
    if what == "hoard":
        return {"size": len(bytearray(1 << 30))}
    if what == "crash":
        os._exit(3)
    return {"answer": 42}


def test_checks(harness: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert harness.Checks().finish() == 1
    checks = harness.Checks()
    checks.expect(True, "this")
    assert checks.finish() == 0
    checks.expect(False, "that")
    assert checks.finish() == 1
    assert "CHECK FAILED: that" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("output", "to", "message"),
    [
        ("no/x.jsonl", os.devnull, "bddsudoku: no/x.jsonl: there is no folder no"),
        ("x.jsonl", "/dev/full", "bddsudoku: standard output: No space left on device"),
    ],
)
def test_an_experiment_fails_with_one_line(
    output: str, to: str, message: str, tmp_path: Path
) -> None:
    if not Path(to).exists():
        pytest.skip(f"no {to} here")
    command = [sys.executable, str(EXPERIMENTS / "tromino_table.py"), "--quick"]
    with open(to, "wb") as full:
        done = subprocess.run(
            [*command, "--output", output],
            cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, timeout=300, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == message
    assert "Traceback" not in done.stderr
