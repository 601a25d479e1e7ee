"""Every experiment runs on itself, small: its checks hold, and fail where something is wrong."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from figures import FIGURE_1, FIGURE_1_SOLUTION

DATA = Path(__file__).parents[2] / "data"

HERE = [
    ("tromino_table", "--quick", "1,440"),
    ("census", "--quick", "13,579,680"),
    ("peers", "--quick --only ours:_DLX --only frontier", "right"),
]
CHILDREN = [
    ("batches", "--quick", "17 hints"),
    ("estimates", "--quick", "antiking"),
    ("inequivalent", "--quick", "28,200,960"),
    ("formula", "--quick --problem queens --problem send --problem timetable", "timetable"),
    ("scaling", "--quick", "16 puzzles with 17 hints"),
    ("sizes", "--quick --patience 0.5", "28,200,960"),
    ("variants", "--quick --bdd-limit 1 --budget 0 --time-limit 60 --only zipper", "zipper"),
]


def run(module: ModuleType, folder: Path, words: str) -> int:
    folder.mkdir(exist_ok=True)
    arguments = [word.replace("_", " ") if ":" in word else word for word in words.split()]
    return int(module.main([*arguments, "--output", str(folder / "out.jsonl")]))


@pytest.mark.parametrize(("name", "words", "expected"), HERE)
def test_a_small_run_in_this_process(
    here: Any, name: str, words: str, expected: str, tmp_path: Path, capsys: Any
) -> None:
    assert run(here(name), tmp_path, words) == 0
    assert expected in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(("name", "words", "expected"), CHILDREN)
def test_a_small_run(
    load: Any, name: str, words: str, expected: str, tmp_path: Path, capsys: Any
) -> None:
    if name == "scaling":
        pytest.importorskip("distributed")
    assert run(load(name), tmp_path, words) == 0
    outcome = capsys.readouterr()
    assert expected in outcome.out
    assert "all hold" in outcome.err


def test_a_folder_of_strings(here: Any, tmp_path: Path, capsys: Any) -> None:
    strings = {
        "one": ".AntiKnight\n.AntiKing\n.AntiConsecutive",
        "two": ".Nothing",
        "none": ".~R1C1_1~R1C2_1",
    }
    for name, text in strings.items():
        (tmp_path / f"{name}.iss").write_text(text, encoding="utf-8")
    assert run(here("published"), tmp_path, f"{tmp_path} --budget 0") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:4] for line in lines if line.split()[:1] == ["all"]] == [
        ["all", "3", "2", "0"]
    ]
    assert any("two" in line and ".Nothing: this constraint" in line for line in lines)


def test_wrong_results_are_seen(here: Any, tmp_path: Path, monkeypatch: Any) -> None:
    table = here("tromino_table")
    monkeypatch.setitem(table.ARTICLE, (6, None), 161)
    assert run(table, tmp_path / "a", "--quick") == 1


@pytest.mark.slow
def test_boards_with_few_hints(
    load: Any, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    large_boards = load("large_boards")
    monkeypatch.setattr(large_boards, "RANDOM", ((2, 3, 0.5), (3, 4, 0.6)))
    monkeypatch.setattr(large_boards, "TOO_FEW", tmp_path / "puzzles")
    (tmp_path / "puzzles").write_text("." * 200 + "1" * 56 + "\n", encoding="utf-8")
    assert run(large_boards, tmp_path, "--each 1 --time-limit 20") == 0
    outcome = capsys.readouterr()
    assert "12x12" in outcome.out
    assert "checks: all hold" in outcome.err


def hint_removal(load: Any, folder: Path, diagram: int, bdd: int, dlx: int) -> int:
    words = f"--quick --puzzles {DATA / 'seventeen.txt'} --time-limit 60"
    words += f" --diagram-hints {diagram} --bdd-hints {bdd} --dlx-hints {dlx} --resume"
    return run(load("hint_removal"), folder, words)


@pytest.mark.slow
def test_hints_are_taken_away_and_a_run_resumes(load: Any, tmp_path: Path, capsys: Any) -> None:
    assert hint_removal(load, tmp_path, 16, 16, 16) == 0
    assert "6,670,903,752,021,072,936,960" in capsys.readouterr().out
    output = tmp_path / "out.jsonl"
    lines = output.read_text().splitlines()
    # Cut off in the middle of a line, it goes on from there and tells the same.
    output.write_text("\n".join(lines[:-1]) + "\n" + lines[-1][:20])
    assert hint_removal(load, tmp_path, 16, 16, 16) == 0
    assert "6,670,903,752,021,072,936,960" in capsys.readouterr().out
    assert output.read_text().count('{"case"') == len(lines) - 1


def test_disagreeing_engines_fail_the_run(load: Any, tmp_path: Path) -> None:
    assert hint_removal(load, tmp_path, 99, 99, 17) == 0
    output = tmp_path / "out.jsonl"
    records = [json.loads(line) for line in output.read_text().splitlines()]
    for record in records:
        if record.get("case", {}).get("engine") == "dlx":
            record["result"]["count"] = "2"
    output.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert hint_removal(load, tmp_path, 99, 99, 17) == 1


def ordering(load: Any, folder: Path, puzzle: str, words: str) -> int:
    (folder / "puzzles.txt").write_text(puzzle + "\n", encoding="utf-8")
    words = f"--puzzles {folder / 'puzzles.txt'} --repeat 1 {words}"
    return run(load("ordering_table"), folder, words)


@pytest.mark.slow
def test_the_papers_table(load: Any, tmp_path: Path, capsys: Any) -> None:
    sheet = tmp_path / "table.csv"
    words = f"--time-limit 3 --max-memory 1GiB --table {sheet}"
    assert ordering(load, tmp_path, FIGURE_1, words) == 0
    out, err = capsys.readouterr()
    assert "limits of each run: 1.0 GiB, 3 s" in out
    assert "all hold" in err
    lines = [line for line in sheet.read_text("utf-8").splitlines() if line and line[0] != "#"]
    heads, row = list(csv.reader(lines))[:2]
    found = dict(zip(heads, row, strict=True))
    assert (found["hints"], found["variables"], found["final nodes"]) == ("35", "414", "414")
    assert (found["peak 2"], found["peak 3"]) == ("9,041", "9,784")
    # Procedure 1 takes longer than that: a limit reached is a result, too.
    assert found["s 1"] == "× time"


def test_the_papers_table_sees_what_is_wrong(load: Any, tmp_path: Path, capsys: Any) -> None:
    ambiguous = FIGURE_1_SOLUTION.replace("1", ".").replace("2", ".")
    assert ordering(load, tmp_path, ambiguous, "--allocations candidates") == 1
    assert "CHECK FAILED: 63 hints: exactly one solution" in capsys.readouterr().err
    assert ordering(load, tmp_path, "no puzzle", "") == 2
    assert ordering(load, tmp_path, FIGURE_1, "--allocations guesses") == 2


def test_numbers_beside_each_other(load: Any) -> None:
    peers = load("peers")
    table = {
        "Sudoku, 17 hints": {
            "ours: DLX": {"count": "1", "seconds": 0.01, "rss": 1},
            "ours: frontier set": {"count": "1", "seconds": 0.1, "rss": 1},
            "xcover": {"count": "1", "seconds": 0.001, "rss": 1},
            "graphillion": {"count": "1", "seconds": 10.0, "rss": 1},
            "pysdd": {"limit": "time", "wall_seconds": 20.0},
            "dxz": {"count": "2", "seconds": 0.001, "rss": 1},
        }
    }
    rows, remarks, _ = peers.compare(table)
    by_peer = {row[0]: row for row in rows}
    assert by_peer["xcover"][2:] == ["0.1", "0.1"]
    assert by_peer["graphillion"][2:] == ["100.0", "100.0"]  # against our fastest diagram
    assert by_peer["pysdd"][2:] == [">200.0", "200.0"]
    assert by_peer["dxz"][2:] == ["wrong", None]
    assert "the peer wins" in remarks[0]


def lists_in(folder: Path) -> Path:
    """A folder of two lists: puzzles with no, one and many solutions, a comment and a name."""
    (folder / "lists").mkdir()
    puzzles = [FIGURE_1.replace(".", "0"), f"{FIGURE_1} a name", "11" + "." * 79, "." * 81]
    (folder / "lists" / "some").write_text("# a list\n" + "\n".join(puzzles), encoding="utf-8")
    (folder / "lists" / "one").write_text(f"{FIGURE_1_SOLUTION}\r\n\n", encoding="utf-8")
    return folder / "lists"


def test_lists_of_ones_own(here: Any, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    batches, lists = here("batches"), lists_in(tmp_path)
    assert run(batches, tmp_path / "out", f"--quick --lists {lists}") == 0
    out = capsys.readouterr().out
    assert "1 / 2 / 1" in out
    assert "0 / 1 / 0" in out

    def refused(words: str) -> str:
        with pytest.raises(SystemExit):
            run(batches, tmp_path / "out", words)
        return str(capsys.readouterr().err)

    assert "no list of puzzles" in refused(f"--lists {tmp_path / 'none'}")
    (lists / "two").write_text(f"{FIGURE_1_SOLUTION}\n123\n", encoding="utf-8")
    assert "two, line 2: no puzzle of 81 symbols" in refused(f"--lists {lists}")
    monkeypatch.setattr(batches.beside.shutil, "which", lambda name: f"/bin/{name}")
    assert "no checkout of tdoku in" in refused(f"--beside {tmp_path}")
    monkeypatch.setattr(batches.beside.shutil, "which", lambda name: None)
    assert "g++ is not installed" in refused(f"--beside {tmp_path}")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert batches.beside.built_crate(tmp_path) is None
    assert "cargo is not installed" in capsys.readouterr().err
