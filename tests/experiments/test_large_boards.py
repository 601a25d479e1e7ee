"""16×16 puzzles with hints taken away."""

from __future__ import annotations

from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.mark.slow
def test_a_few_boards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    import large_boards

    monkeypatch.setattr(large_boards, "RANDOM", ((2, 3, 0.5), (3, 4, 0.6)))
    monkeypatch.setattr(large_boards, "TOO_FEW", tmp_path / "puzzles")
    (tmp_path / "puzzles").write_text("." * 200 + "1" * 56 + "\n", encoding="utf-8")
    arguments = ["--each", "1", "--output", str(tmp_path / "out.jsonl"), "--time-limit", "20"]
    assert large_boards.main(arguments) == 0
    told = capsys.readouterr()
    assert "12x12" in told.out
    assert "checks: all hold" in told.err
