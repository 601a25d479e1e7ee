"""``bddsudoku build`` as scripts see it: output, exit codes, one line of complaint."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FIGURE_1 = "4.3.1...2.7..2..3.5...3.8...5..42.6.69.157.43.4.96..1...2.7...5.6..8..9.8...9.1.7"
SEVENTEEN = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"


def run(
    *arguments: str, given: str | None = None, command: tuple[str, ...] = ("build",)
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bddsudoku", *command, *arguments],
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )


def test_figure_1_with_procedure_3_as_json() -> None:
    told = run(FIGURE_1, "--procedure", "3", "--json")
    assert (told.returncode, told.stderr) == (0, "")
    found = json.loads(told.stdout)
    assert found["puzzle"] == FIGURE_1
    assert (found["nodes"], found["peak_nodes"], found["variables"]) == (414, 9784, 414)
    assert (found["count"], found["exact"], found["engine"]) == ("1", True, "bdd")
    assert (found["hints"], found["allocation"], found["procedure"]) == (35, "paper", 3)
    assert found["backend"] in ("cudd", "oxidd", "autoref")
    assert len(found["steps"]) == 280
    assert set(found["steps"][0]) >= {"constraint", "nodes", "seconds"}
    assert found["seconds"] == pytest.approx(sum(s["seconds"] for s in found["steps"]), abs=1e-3)


@pytest.mark.parametrize("backend", ["oxidd", "autoref"])
def test_candidates_and_other_backends(backend: str) -> None:
    told = run(FIGURE_1, "--allocation", "candidates", "--backend", backend, "--json")
    found = json.loads(told.stdout)
    assert (found["variables"], found["nodes"], found["backend"]) == (127, 127, backend)


def test_text() -> None:
    told = run(FIGURE_1, "--allocation", "candidates", "--schedule", "cell>row>block>column")
    assert told.returncode == 0
    assert "solutions   1\n" in told.stdout
    assert "nodes       127\n" in told.stdout
    assert "cell>row>block>column" in told.stdout


@pytest.mark.parametrize("procedure", [pytest.param("2", marks=pytest.mark.slow), "3"])
def test_constraints_are_a_file_to_read_back(tmp_path: Path, procedure: str) -> None:
    told = run(FIGURE_1, "--procedure", procedure, "--show-constraints")
    assert "row a 8: 0 + 0 + 0" not in told.stdout  # nothing is left to say there
    assert "row a 5: 0 + ab5 + 0 + ad5 + 0 + af5 + ag5 + ah5 + 0 == 1" in told.stdout
    assert "# solutions   1\n" in told.stdout
    path = tmp_path / "printed.formula"
    path.write_text(told.stdout)
    again = run("--json", command=("formula", str(path), "build"))
    found = json.loads(again.stdout)
    own = json.loads(run(FIGURE_1, "--procedure", procedure, "--json").stdout)
    for key in ("count", "nodes", "peak_nodes", "variables"):
        assert found[key] == own[key]
    assert [s["nodes"] for s in found["steps"]] == [s["nodes"] for s in own["steps"]]
    told = run(FIGURE_1, "--show-constraints", "--json", "--allocation", "singles")
    lines = json.loads(told.stdout)["constraints"]
    assert all(line.startswith("symbol ") or line.endswith(" == 1") for line in lines)


def test_two_puzzles_give_two_lines() -> None:
    both = f"{FIGURE_1}\n{FIGURE_1.replace('4', '.', 1)}\n"
    told = run("-", "--allocation", "candidates", "--json", given=both)
    assert [json.loads(line)["hints"] for line in told.stdout.splitlines()] == [35, 34]


def test_memory_limit_keeps_the_trace() -> None:
    told = run(SEVENTEEN, "--allocation", "candidates", "--procedure", "1", "--json",
               "--max-memory", "80MiB")  # fmt: skip
    assert told.returncode == 3
    assert len(told.stderr.splitlines()) == 1
    assert "memory limit of 80 MiB reached in step" in told.stderr
    found = json.loads(told.stdout)
    assert (found["limit"], found["count"], found["exact"]) == ("memory", None, False)
    assert found["steps"]
    assert found["peak_nodes"] == max(s["nodes"] for s in found["steps"])


def test_nodes_and_time_limits_in_text() -> None:
    told = run(FIGURE_1, "--max-nodes", "3000")
    assert (told.returncode, len(told.stderr.splitlines())) == (3, 1)
    assert "stopped by  the nodes limit" in told.stdout
    assert "row i 9" in told.stdout
    told = run(SEVENTEEN, "--procedure", "1", "--time-limit", "2")
    assert (told.returncode, len(told.stderr.splitlines())) == (3, 1)
    assert "stopped by  the time limit" in told.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["--schedule", "cell>row>block"], 2, "column 'a 1' is missing"),
        (["--schedule", "cell>diagonal"], 2, "found 'diagonal'"),
        (["--schedule", "cell", "--procedure", "1"], 2, "exclude each other"),
        (["--procedure", "4"], 2, "4"),
        (["--backend", "buddy"], 2, "buddy"),
        (["--max-memory", "plenty"], 2, "plenty"),
        (["--max-memory", "1MiB"], 3, "memory limit"),
    ],
)
def test_refusals(arguments: list[str], status: int, told: str) -> None:
    done = run(FIGURE_1, *arguments)
    assert done.returncode == status
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_clashing_hints_have_no_solution() -> None:
    done = run("44" + FIGURE_1[2:], "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["count"] == "0"
    assert "r1c1" in done.stderr
