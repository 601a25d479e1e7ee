"""Counts on boards of every size, sorted and not."""

from __future__ import annotations

from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.mark.slow
def test_a_few_boards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    import sizes

    arguments = ["--quick", "--patience", "0.5", "--output", str(tmp_path / "out.jsonl")]
    assert sizes.main(arguments) == 0
    told = capsys.readouterr()
    assert "28,200,960" in told.out
    assert "checks: all hold" in told.err
