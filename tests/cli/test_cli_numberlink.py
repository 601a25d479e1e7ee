"""``bddsudoku numberlink``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
TEXT = ".....\n...12\n.....\n..31.\n2...3\n"
CROSSING = "1.2\n...\n2.1\n"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "board.txt"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def test_count(run: Run, file: str) -> None:
    assert run("numberlink", file, "count").stdout == "169\n"
    assert run("numberlink", "-", "count", stdin=CROSSING).stdout == "0\n"
    record = json.loads(run("numberlink", file, "count", "--json", "--rule", "cover").stdout)
    assert record["count"].isdecimal()
    assert 0 < int(record["count"]) < 169
    assert (record["rule"], record["exact"], record["engine"]) == ("cover", True, "frontier")
    using = run("numberlink", file, "count", "--use", "r1c1-r1c2").stdout
    avoiding = run("numberlink", file, "count", "--avoid", "r1c2-r1c1").stdout
    assert int(using) + int(avoiding) == 169


def test_answers_of_the_contest(run: Run, file: str) -> None:
    out = run("numberlink", file, "enumerate", "--rule", "cover", "--format", "answer").stdout
    number = int(run("numberlink", file, "count", "--rule", "cover").stdout)
    assert len(out.split("\n\n")) == number
    drawn = run("numberlink", file, "sample", "-n", "2", "--seed", "4", "--json").stdout
    assert [json.loads(line)["seed"] for line in drawn.splitlines()] == [4, 4]
    run("numberlink", "-", "sample", stdin=CROSSING, code=1)


def test_compile_draw_and_marginals(run: Run, file: str, tmp_path: Path) -> None:
    saved = str(tmp_path / "all.zset")
    record = json.loads(run("numberlink", file, "compile", "--json", "--output", saved).stdout)
    assert (record["count"], record["variables"]) == ("169", 40)
    assert record["shortest"] < record["longest"]
    assert run("numberlink", saved, "count").stdout == "169\n"
    run("numberlink", saved, "count", "--rule", "cover", code=2)
    picture = tmp_path / "share.svg"
    out = run("numberlink", saved, "marginals", "--plot", str(picture)).stdout.splitlines()
    assert out[0] == "edge,count"
    assert len(out) == 41
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    marginals = json.loads(run("numberlink", file, "marginals", "--json").stdout)["marginals"]
    assert [f"{edge},{n}" for edge, n in marginals.items()] == out[1:]
    assert run("numberlink", file, "draw").stdout.count("<circle") == 6
    assert run("numberlink", saved, "draw", "--index", "168").stdout.count("<polyline") == 3
    run("numberlink", saved, "draw", "--index", "169", code=2)


def test_bad_data_and_wrong_usage(run: Run, file: str, tmp_path: Path) -> None:
    run("numberlink", str(tmp_path / "none"), "count", code=1)
    for arguments in (
        ["count", "--use", "r1c1-r1c3"],
        ["count", "--use", "r9c1-r9c2"],
        ["count", "--use", "here"],
        ["sample", "--json", "--format", "text"],
    ):
        run("numberlink", file, *arguments, code=2)
    wide = "1" + "." * 11 + "\n" + ("." * 12 + "\n") * 10 + "." * 11 + "1\n"
    limit = run("numberlink", "-", "count", "--time-limit", "0.05", stdin=wide, code=3)
    assert limit.stdout == "×\n"
