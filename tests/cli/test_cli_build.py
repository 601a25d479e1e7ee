"""``bddsudoku build``: output, exit codes and error messages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from figures import FIGURE_1, SEVENTEEN

Run = Callable[..., Any]


def test_figure_1_with_procedure_3_as_json(json_of: Run) -> None:
    (found,) = json_of("build", FIGURE_1, "--procedure", "3")
    assert found["puzzle"] == FIGURE_1
    assert (found["nodes"], found["peak_nodes"], found["variables"]) == (414, 9784, 414)
    assert (found["count"], found["exact"], found["engine"]) == ("1", True, "bdd")
    assert (found["hints"], found["allocation"], found["procedure"]) == (35, "paper", 3)
    assert len(found["steps"]) == 280
    assert found["seconds"] == pytest.approx(sum(s["seconds"] for s in found["steps"]), abs=1e-3)


def test_candidates_and_another_backend(json_of: Run) -> None:
    (found,) = json_of("build", FIGURE_1, "--allocation", "candidates", "--backend", "oxidd")
    assert (found["variables"], found["nodes"], found["backend"]) == (127, 127, "oxidd")


def test_text(run: Run) -> None:
    order = "cell>row>block>column"
    output = run("build", FIGURE_1, "--allocation", "candidates", "--schedule", order).stdout
    assert "solutions   1\n" in output
    assert "nodes       127\n" in output
    assert order in output


def test_constraints_are_a_file_to_read_back(run: Run, json_of: Run, tmp_path: Path) -> None:
    output = run("build", FIGURE_1, "--show-constraints").stdout
    assert "row a 8: 0 + 0 + 0" not in output  # nothing is left to say there
    assert "row a 5: 0 + ab5 + 0 + ad5 + 0 + af5 + ag5 + ah5 + 0 == 1" in output
    assert "# solutions   1\n" in output
    path = tmp_path / "printed.formula"
    path.write_text(output)
    (found,), (own,) = json_of("formula", str(path), "build"), json_of("build", FIGURE_1)
    for key in ("count", "nodes", "peak_nodes", "variables"):
        assert found[key] == own[key]
    assert [s["nodes"] for s in found["steps"]] == [s["nodes"] for s in own["steps"]]
    (some,) = json_of("build", FIGURE_1, "--show-constraints", "--allocation", "singles")
    ends = (line.startswith("symbol ") or line.endswith(" == 1") for line in some["constraints"])
    assert all(ends)


@pytest.mark.parametrize(
    ("limit", "name"), [(("--max-nodes", "3000"), "nodes"), (("--time-limit", "1"), "time")]
)
def test_nodes_and_time_limits_in_text(run: Run, limit: tuple[str, str], name: str) -> None:
    output = run("build", SEVENTEEN, "--procedure", "1", *limit, code=3)
    assert len(output.stderr.splitlines()) == 1
    assert f"stopped by  the {name} limit" in output.stdout
    assert "steps" in output.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "output"),
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
def test_refusals(run: Run, arguments: list[str], status: int, output: str) -> None:
    assert output in run("build", FIGURE_1, *arguments, code=status).stderr


def test_clashing_hints_have_no_solution(run: Run) -> None:
    done = run("build", "44" + FIGURE_1[2:], "--json")
    assert json.loads(done.stdout)["count"] == "0"
    assert "r1c1" in done.stderr
