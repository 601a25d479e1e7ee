"""The experiments on covers, with their measurements taken in this process."""

from __future__ import annotations

import importlib
import json
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
NAMES = ("tromino_table", "backtracking_vs_dlx", "uniformity", "dlx_speed", "peers", "rivals")


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Import an experiment; its children run in this process, without limits."""
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    for name in NAMES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    harness = importlib.import_module("harness")

    def measured(task: str, case: Any, options: Any, **isolated: Any) -> dict[str, Any]:
        module, _, function = task.partition(":")
        result = getattr(importlib.import_module(module), function)(case, lambda message: None)
        json.dumps(result)
        return {**result, "wall_seconds": 1.0}

    monkeypatch.setattr(harness, "measured", measured)
    yield importlib.import_module
    for name in NAMES:
        sys.modules.pop(name, None)


def run(module: ModuleType, folder: Path, *more: str) -> int:
    return int(module.main(["--quick", "--output", str(folder / "out.jsonl"), *more]))


def test_the_association_lists_find_what_dancing_links_find(load: Any) -> None:
    table = load("tromino_table")
    assert table.algorithm_x([[0, 3, 6], [0, 3], [3, 4, 6], [2, 4, 5], [1, 2, 5, 6], [1, 6]]) == 1
    assert table.algorithm_x([[1, 2], [2, 3], [3, 4], [1, 5], [5], [2]]) == 2
    assert table.algorithm_x([[0], [1]]) == 1
    assert table.algorithm_x([[0, 1], [1, 2]]) == 0
    assert table.row_transfer(6) == 162
    assert table.row_transfer(9) == 1193600
    assert table.row_transfer(5) == 0


def test_tromino_table(load: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = load("tromino_table")
    sheet = tmp_path / "table.md"
    assert run(table, tmp_path, "--table", str(sheet)) == 0
    out, err = capsys.readouterr()
    assert "1,440" in out
    assert "all hold" in err
    assert "| " in sheet.read_text(encoding="utf-8")
    # it resumes: nothing is measured again
    assert run(table, tmp_path) == 0
    assert "association lists" not in capsys.readouterr().err


def test_tromino_table_sees_a_wrong_count(
    load: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = load("tromino_table")
    monkeypatch.setitem(table.ARTICLE, (6, None), 161)
    assert run(table, tmp_path) == 1


def test_backtracking_vs_dlx(
    load: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = load("backtracking_vs_dlx")
    assert run(experiment, tmp_path) == 0
    out = capsys.readouterr().out
    # the textbook's tree on the Telegraph's board
    assert "49,558" in out
    monkeypatch.setattr(experiment, "ARTICLE_SOLUTION", "1" * 81)
    assert run(experiment, tmp_path) == 1


def test_the_law_of_the_shuffled_search(load: Any) -> None:
    from bddsudoku.puzzle.exact_cover import ExactCover

    uniformity = load("uniformity")
    # a: two options; behind the first two covers, behind the second one
    problem = ExactCover.parse("a b c d\na\na b\nb\nb c\nc\nc d\nd\n")
    law = uniformity.law_of_the_search(problem.model())
    assert math.isclose(sum(law.values()), 1)
    assert len(law) == 5
    assert len(set(law.values())) > 1


def test_chi_square(load: Any) -> None:
    uniformity = load("uniformity")
    statistic, p = uniformity.chi_square([10] * 20, [10.0] * 20)
    assert statistic == 0
    assert p > 0.999
    # the 5 % quantile of 30 degrees of freedom is 43.77
    spread = math.sqrt(43.77 / 31 * 100)
    statistic, p = uniformity.chi_square([100 + spread, *[100.0] * 30], [100.0] * 31)
    assert p > 0.05
    even = [100 + spread * (-1) ** i for i in range(30)] + [100 + spread]
    statistic, p = uniformity.chi_square(even, [100.0] * 31)
    assert math.isclose(statistic, 43.77, rel_tol=1e-9)
    assert abs(p - 0.05) < 0.002


def test_uniformity(load: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    uniformity = load("uniformity")
    picture = tmp_path / "picture.png"
    assert run(uniformity, tmp_path, "--plot", str(picture)) == 0
    assert picture.stat().st_size > 10_000
    assert "227" in capsys.readouterr().out


def test_uniformity_sees_an_unfair_sampler(
    load: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uniformity = load("uniformity")
    work = uniformity.work

    def swapped(case: Any, send: Any) -> dict[str, Any]:
        result = work(case, send)
        return result | {"uniform": result["shuffled"]}

    monkeypatch.setattr(uniformity, "work", swapped)
    assert run(uniformity, tmp_path) == 1


def test_dlx_speed(load: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    speed = load("dlx_speed")
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\necho "count 2284505 nodes 10 seconds 2.000"\n')
    program.chmod(0o755)
    assert run(speed, tmp_path, "--repeat", "1", "--command", str(program)) == 0
    out = capsys.readouterr().out
    assert "1,193,600" in out


def test_ours_among_the_rivals(load: Any) -> None:
    rivals = load("rivals")
    for name, solver in rivals.SOLVERS.items():
        if solver.package == "bddsudoku" and solver.only is None:
            found = rivals.run({"solver": name, "instance": rivals.WARM_UP, "memory": 1 << 30})
            assert found["count"] == "72", name
            assert found["seconds"] > 0
    assert rivals.absent("ours: DLX") is None


def test_instances_are_what_they_say(load: Any) -> None:
    from bddsudoku.solver import counted

    rivals = load("rivals")
    for name, (count, _) in rivals.INSTANCES.items():
        if count < 10**6 and "pentominoes" not in name:
            assert counted(rivals.instance(name).model).count == count, name


def test_comparison(load: Any) -> None:
    peers = load("peers")
    name = "Sudoku, 17 hints"
    table = {
        name: {
            "ours: DLX": {"count": "1", "seconds": 0.01, "rss": 1},
            "ours: frontier set": {"count": "1", "seconds": 0.1, "rss": 1},
            "xcover": {"count": "1", "seconds": 0.001, "rss": 1},
            "graphillion": {"count": "1", "seconds": 10.0, "rss": 1},
            "pysdd": {"limit": "time", "wall_seconds": 20.0},
            "dxz": {"count": "2", "seconds": 0.001, "rss": 1},
            "pyganak": {"limit": "memory", "wall_seconds": 5.0},
        }
    }
    rows, remarks, everything = peers.compare(table)
    by_peer = {row[0]: row for row in rows}
    assert by_peer["xcover"][2:] == ["0.1", "0.1"]
    assert by_peer["graphillion"][2:] == ["100.0", "100.0"]  # against our fastest diagram
    assert by_peer["pysdd"][2:] == [">200.0", "200.0"]
    assert by_peer["dxz"][2:] == ["wrong", None]
    assert by_peer["pyganak"][2:] == ["× memory", None]
    assert len(remarks) == 1
    assert "the peer wins" in remarks[0]
    assert everything is not None
    assert math.isclose(everything, (0.1 * 100 * 200) ** (1 / 3))


def test_peers(
    load: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    peers = load("peers")
    picture = tmp_path / "picture.png"
    arguments = ("--only", "ours: DLX", "--only", "frontier", "--plot", str(picture))
    assert run(peers, tmp_path, *arguments) == 0
    assert picture.stat().st_size > 10_000
    rivals = load("rivals")
    monkeypatch.setitem(
        rivals.INSTANCES, "Sudoku, 17 hints", (2, rivals.INSTANCES["Sudoku, 17 hints"][1])
    )
    assert run(peers, tmp_path, *arguments) == 1
