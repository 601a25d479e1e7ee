from __future__ import annotations

import json
from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture(autouse=True)
def _on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))


def test_removals_end_in_the_empty_grid() -> None:
    from hint_removal import removals

    from bddsudoku import Puzzle

    puzzle = Puzzle.parse("1234" + "." * 12)
    given = removals(puzzle, None)
    assert [p.hint_count for p in given] == [4, 3, 2, 1, 0]
    assert given[1].line == "123" + "." * 13
    assert [p.line for p in removals(puzzle, 5)] == [p.line for p in removals(puzzle, 5)]
    assert {tuple(p.line for p in removals(puzzle, seed)) for seed in range(20)} != {
        tuple(p.line for p in given)
    }


@pytest.mark.slow
def test_a_small_run_checks_itself_and_resumes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import hint_removal

    output = tmp_path / "out.jsonl"
    arguments = ["--quick", "--puzzles", str(EXPERIMENTS.parent / "data" / "seventeen.txt")]
    arguments += ["--diagram-hints", "16", "--bdd-hints", "16", "--dlx-hints", "16"]
    arguments += ["--output", str(output), "--time-limit", "60"]
    assert hint_removal.main(arguments) == 0
    told = capsys.readouterr().out
    assert "6,670,903,752,021,072,936,960" in told
    lines = output.read_text().splitlines()
    cases = [json.loads(line) for line in lines if "case" in json.loads(line)]
    assert {c["case"]["engine"] for c in cases} == {"bands", "frontier", "rows", "dlx"}
    # Cut off in the middle of a line, it goes on from there and tells the same.
    output.write_text("\n".join(lines[:-1]) + "\n" + lines[-1][:20])
    assert hint_removal.main(arguments) == 0
    assert "6,670,903,752,021,072,936,960" in capsys.readouterr().out
    assert len(output.read_text().splitlines()) == len(lines) + 1


def test_disagreeing_engines_fail_the_run(tmp_path: Path) -> None:
    import hint_removal

    output = tmp_path / "out.jsonl"
    arguments = ["--quick", "--puzzles", str(EXPERIMENTS.parent / "data" / "seventeen.txt")]
    arguments += ["--diagram-hints", "99", "--bdd-hints", "99", "--dlx-hints", "17"]
    arguments += ["--output", str(output)]
    assert hint_removal.main(arguments) == 0
    text = output.read_text()
    lines = []
    for line in text.splitlines():
        record = json.loads(line)
        if "case" in record and record["case"]["engine"] == "dlx":
            record["result"]["count"] = "2"
        lines.append(json.dumps(record))
    output.write_text("\n".join(lines) + "\n")
    assert hint_removal.main(arguments) == 1


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import hint_removal

    assert hint_removal.main(["--puzzles", str(tmp_path / "none.txt")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
