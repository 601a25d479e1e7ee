"""What more workers bring."""

from __future__ import annotations

from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.mark.slow
def test_a_small_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    import scaling

    assert scaling.main(["--quick", "--output", str(tmp_path / "out.jsonl")]) == 0
    told = capsys.readouterr()
    assert "16 puzzles with 17 hints" in told.out
    assert "checks: all hold" in told.err
