"""Commands on workers print what they print here; what goes wrong is one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bddsudoku.cli import main

pytest.importorskip("distributed", reason="needs bddsudoku[cluster]")

from dask_cluster import Cluster, own_cluster

DATA = Path(__file__).parents[2] / "data"
SIX = "...8..9........................2.............5.............6.......3............."


def here(*arguments: str, code: int = 0) -> Any:
    result = CliRunner().invoke(main, arguments, prog_name="bddsudoku")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, (result.stdout, result.stderr)
    return result


def program(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bddsudoku", *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )


@pytest.fixture(scope="module")
def far(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with own_cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.fixture
def puzzles(tmp_path: Path) -> Path:
    path = tmp_path / "list.txt"
    boards = (DATA / "collection.sdm").read_text(encoding="utf-8")
    path.write_text(boards + "1....2.........4\n", encoding="utf-8")
    return path


@pytest.mark.slow
def test_on_a_cluster_and_in_processes(far: Cluster, puzzles: Path) -> None:
    expected = here("hints", str(puzzles)).stdout
    assert program("hints", str(puzzles), "--jobs", "2").stdout == expected
    outcome = program("hints", str(puzzles), "--scheduler-file", str(far.file))
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, expected, "")


@pytest.mark.slow
def test_one_hard_puzzle(far: Cluster, tmp_path: Path) -> None:
    hard = tmp_path / "hard.txt"
    hard.write_text("." * 36 + "\nantiknight\n")
    outcome = program("count", str(hard), "--scheduler-file", str(far.file), "--json")
    (record,) = map(json.loads, outcome.stdout.splitlines())
    assert record["count"] == "11520"


@pytest.mark.slow
def test_rules_minimal_and_generate(far: Cluster, tmp_path: Path) -> None:
    path = tmp_path / "variants.txt"
    path.write_text("1...............\ndiagonals\n\n1....2.........4\nantiknight\n")
    for asked in (
        ["rules", str(path)],
        ["minimal", str(path)],
        ["generate", "--layout", "2x2", "-n", "3", "--seed", "5"],
    ):
        outcome = program(*asked, "--scheduler-file", str(far.file))
        assert (outcome.returncode, outcome.stdout) == (0, here(*asked).stdout)


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bddsudoku.work.cluster._CONNECT_SECONDS", 1.0)
    outcome = here("hints", SIX, "--scheduler", "tcp://127.0.0.1:9", code=3)
    assert outcome.stdout == ""
    assert outcome.stderr.splitlines() == [
        "bddsudoku: no scheduler answers at tcp://127.0.0.1:9 within 1 s"
    ]


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = here("count", SIX, "--scheduler", "tcp://127.0.0.1:9", code=2)
    assert result.stderr.splitlines() == [
        "bddsudoku: a cluster needs distributed: pip install distributed"
    ]


def test_wrong_usage() -> None:
    both = ("--scheduler", "tcp://127.0.0.1:9", "--scheduler-file", "x")
    assert "not both" in here("hints", SIX, *both, code=2).stderr
    assert "leave it out" in here("hints", SIX, "--jobs", "2", *both[:2], code=2).stderr
    assert "not shared out" in here("minimal", SIX, "--jobs", "2", "-n", "3", code=2).stderr


def test_nothing_of_dask_is_loaded_unasked() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from bddsudoku.cli import main;"
        "CliRunner().invoke(main, ['hints', '1....2.........4']);"
        "import bddsudoku.work.processes, bddsudoku.work.processes;"
        "print([m for m in sys.modules if m.split('.')[0] in ('distributed', 'dask', 'tornado')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
