"""The paper's constraints, printed and read back."""

from __future__ import annotations

from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.mark.slow
def test_what_is_printed_reads_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    import own_words

    arguments = ["--quick", "--repeat", "1", "--bar", "9", "--output", str(tmp_path / "out.jsonl")]
    assert own_words.main(arguments) == 0
    told = capsys.readouterr()
    assert "2,284,505" in told.out
    assert "9,784" in told.out
    assert "18 checks: all hold" in told.err
