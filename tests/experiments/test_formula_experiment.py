"""The problems of data/formula on every engine."""

from __future__ import annotations

from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture(autouse=True)
def _found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))


@pytest.mark.slow
def test_every_engine_counts_the_problems(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import formula
    import formula_rivals

    picture = tmp_path / "widths.png"
    engines = [s for s in formula_rivals.SOLVERS if formula.ours(s)]
    arguments = ["--quick", "--output", str(tmp_path / "out.jsonl"), "--plot", str(picture)]
    arguments += ["--problem", "queens", "--problem", "send", "--problem", "timetable"]
    for engine in engines:
        arguments += ["--only", engine]
    assert formula.main(arguments) == 0
    told = capsys.readouterr()
    assert "timetable" in told.out
    assert "16 checks: all hold" in told.err
    assert picture.stat().st_size > 10_000


def test_limits_and_faster_packages_are_told() -> None:
    import formula

    found = {
        "queens_8": {
            "frontier": {"count": "92", "seconds": 0.5},
            "conjunction": {"limit": "time"},
            "cpmpy": {"count": "92", "seconds": 0.25},
        }
    }
    times, sizes, faster = formula.tables(found, ["frontier", "conjunction", "dlx", "cpmpy"])
    assert times[2] == [["queens_8", "92", "0.5000", "× time", None, "0.2500"]]
    assert sizes[2][0][:3] == ["queens_8", 64, 42]
    assert faster[2] == [["queens_8", "cpmpy", "0.2500", "frontier", "0.5000"]]
    assert formula.shown(1_998_153_311_091_033_295_366_124_111) == "1.998·10^27"
