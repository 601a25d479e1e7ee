from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from figures import FIGURE_1, SEVENTEEN

Run = Callable[..., Any]

WIDER = SEVENTEEN[:54] + "0" + SEVENTEEN[55:]
"""The 17-hint puzzle without r7c1 = 3: 15,085 solutions."""


def test_enumerate_in_row_order_is_sorted_and_complete(run: Run) -> None:
    lines = run("enumerate", WIDER, "--order", "rows").stdout.splitlines()
    assert len(lines) == len(set(lines)) == 15085
    assert lines == sorted(lines)
    hints = [(i, c) for i, c in enumerate(WIDER) if c != "0"]
    assert all(line[i] == c for line in lines for i, c in hints)


def test_enumerate_formats_hold_the_same_solutions(run: Run, tmp_path: Path) -> None:
    lines = run("enumerate", WIDER, "--limit", "50").stdout.splitlines()
    assert len(lines) == 50
    table = list(
        csv.reader(io.StringIO(run("enumerate", WIDER, "--limit", "50", "--format", "csv").stdout))
    )
    assert table[0][:3] == ["r1c1", "r1c2", "r1c3"]
    assert ["".join(row) for row in table[1:]] == lines
    target = tmp_path / "out.npy"
    run("enumerate", WIDER, "--limit", "50", "--format", "npy", "--output", str(target))
    array = np.load(target)
    assert array.dtype == np.uint8
    assert ["".join(map(str, row)) for row in array.tolist()] == lines
    records = [
        json.loads(line)
        for line in run("enumerate", WIDER, "--limit", "50", "--json").stdout.splitlines()
    ]
    assert [record["solution"] for record in records] == lines
    assert [record["rank"] for record in records] == [str(i) for i in range(50)]
    grids = run("enumerate", WIDER, "--limit", "2", "--format", "grid").stdout
    assert grids.count("+-------+-------+-------+") == 8


@pytest.mark.parametrize("puzzle", [WIDER, "." * 81], ids=["diagram", "bands"])
def test_rank_and_unrank_are_inverse(run: Run, puzzle: str) -> None:
    total = int(run("count", puzzle).stdout)
    for index in (0, total // 3, total - 1):
        grid = run("unrank", puzzle, str(index)).stdout.strip()
        assert run("rank", puzzle, grid).stdout.strip() == str(index)
    assert "no solution has number" in run("unrank", puzzle, str(total), code=2).stderr


@pytest.mark.parametrize("puzzle", [WIDER, "." * 81], ids=["diagram", "bands"])
def test_samples_are_solutions_and_repeat_with_the_seed(run: Run, puzzle: str) -> None:
    first = run("sample", puzzle, "-n", "5", "--seed", "3").stdout
    assert first == run("sample", puzzle, "-n", "5", "--seed", "3").stdout
    assert first != run("sample", puzzle, "-n", "5", "--seed", "4").stdout
    for line in first.splitlines():
        assert run("count", line).stdout == "1\n"
        assert all(h in ("0", ".", c) for h, c in zip(puzzle, line, strict=True))


def test_marginals_as_table_and_csv(run: Run) -> None:
    table = run("marginals", FIGURE_1).stdout
    assert table.splitlines()[2].split() == ["r1c1", *[".", ".", ".", "1", ".", ".", ".", ".", "."]]
    lines = run("marginals", FIGURE_1, "--format", "csv").stdout.splitlines()
    assert lines[0] == "row,column,digit,count"
    assert lines[1] == "1,1,4,1"
    assert len(lines) == 82


def test_a_saved_set_stands_wherever_a_puzzle_can(run: Run, json_of: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "wider.set")
    (record,) = json_of("compile", WIDER, "--output", path)
    assert record["count"] == "15085"
    assert record["nodes"] > 0
    assert record["bdd_nodes"] >= record["nodes"]
    assert run("count", path).stdout == "15085\n"
    grid = run("unrank", path, "77").stdout.strip()
    assert run("rank", path, grid).stdout == "77\n"
    assert len(run("enumerate", path).stdout.splitlines()) == 15085
    assert run("sample", path, "-n", "3", "--seed", "1").stdout.count("\n") == 3
    (record,) = json_of("marginals", path)
    assert record["count"] == "15085"
    assert json_of("hints", path)[0]["count"] == "15085"
    assert json_of("check", path, "--engine", "dlx")[0]["agree"] is True


def test_check_counts_a_lying_engine_as_disagreement(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bddsudoku.engine.dlx import DlxEngine
    from bddsudoku.engine.frontier_engine import FrontierEngine

    for lying in (DlxEngine, FrontierEngine):
        monkeypatch.setattr(lying, "count", lambda self, model, context, progress=None: 2)
    result = run("check", FIGURE_1, "--engine", "bands", "--engine", "dlx", code=1)
    assert "DISAGREE" in result.stdout
    assert result.stderr == "bddsudoku: the engines disagree\n"
    assert run("analyse", "1" + "." * 15, "--no-hints", code=1).stderr == result.stderr
