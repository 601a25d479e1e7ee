"""Boards with few hints: the experiment runs, and its checks hold."""

from __future__ import annotations

from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.mark.slow
def test_one_board_of_each_kind(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    import strewn

    assert strewn.main(["--boards", "1", "--check", "--only", "hints"]) == 0
    told = capsys.readouterr()
    assert "17 to 22 hints" in told.out
    assert "checks: all hold" in told.err
