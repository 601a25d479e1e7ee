from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from figures import FIGURE_1

Run = Callable[..., Any]


def test_wrong_usage(run: Run) -> None:
    assert run("count", code=2).stdout == ""
    assert run("count", FIGURE_1, "--engine", "magic", code=2).stdout == ""
    assert run("count", FIGURE_1, "--max-memory", "much", code=2).stdout == ""


def test_a_limit_is_exit_code_3(run: Run) -> None:
    many = "." * 81
    late = "--engine", "dlx", "--time-limit", "1"
    outcome = run("count", "-", *late, stdin=f"{FIGURE_1}\n{many}\n", code=3)
    assert outcome.stdout.startswith("1\n×, more than ")
    assert outcome.stderr.count("time limit of 1 s reached") == 1
    small = "--engine", "bands", "--max-memory", "1M"
    outcome = run("count", "-", *small, stdin=f"{many}\n{FIGURE_1}\n", code=3)
    assert outcome.stdout == "×\n1\n"  # with many hints bands need next to nothing
    record = json.loads(run("count", many, *late, "--json", code=3).stdout)
    assert record["count"] is None
    assert record["exact"] is False


def test_estimates(run: Run) -> None:
    outcome = run("count", "." * 36, "--estimate", "--precision", "10%")
    assert outcome.stdout.startswith("about 2.")
    assert "descents)" in outcome.stdout
    record = json.loads(run("count", "1...............", "--estimate", "--json").stdout)
    assert (record["count"], record["exact"], record["estimate"]) == (None, False, "72")
    record = json.loads(
        run("cover", "bddsudoku/examples/cover.txt", "count", "--estimate", "--json").stdout
    )
    assert (record["count"], record["low"], record["estimate"]) == (None, "1", "1")
    for wrong in (["--engine", "dlx"], ["--limit", "2"], ["--precision", "0%"]):
        assert run("count", "." * 36, "--estimate", *wrong, code=2).stdout == ""
    text = run("marginals", "12" + "." * 14, "--estimate").stdout
    assert text.startswith("24 (exact: every solution was met in ")
    assert "r1c1" in text
    assert "100.0% ± 0.0%" in text
    run("marginals", "12" + "." * 14, "--estimate", "--format", "csv", code=2)
    run("marginals", "12" + "." * 14, "--estimate", "--engine", "bands", code=2)
