from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bddsudoku.engine.bitboard import count_many

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture(autouse=True)
def _on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))


def test_lists_are_what_they_say() -> None:
    import puzzle_lists

    for kind in puzzle_lists.KINDS:
        lines = puzzle_lists.make(kind, 20, 3)
        assert len(set(lines)) == 20
        assert lines == puzzle_lists.make(kind, 20, 3)
        assert lines != puzzle_lists.make(kind, 20, 4)
        boards = puzzle_lists.digits_of(lines)
        counts = count_many(boards).counts
        if kind == "2 to 1,555 solutions":
            assert counts.min() >= 2
            assert counts.max() <= 1555
            assert np.median(counts) > 20
        else:
            assert (counts == 1).all()
        if kind == "17 hints":
            assert ((boards > 0).sum(axis=1) == 17).all()
        if kind in ("minimal at random", "hard"):
            for board in boards[:10]:
                fewer = np.repeat(board[None], (board > 0).sum(), axis=0)
                fewer[np.arange(len(fewer)), np.flatnonzero(board)] = 0
                assert (count_many(fewer, 2).counts == 2).all()


def test_wrong_answers_are_seen() -> None:
    import batch_solvers
    import puzzle_lists

    line = puzzle_lists.SEVENTEEN[0]
    solved = batch_solvers.OTHERS["ours, dlx"][2]()
    digits = solved[1](solved[0](line))
    assert batch_solvers.fits(line, digits)
    assert not batch_solvers.fits(line, digits[::-1])
    assert not batch_solvers.fits(line, [digits[0]] * 81)
    assert batch_solvers.right([line], [1], "17 hints")
    assert not batch_solvers.right([line], [2], "17 hints")
    assert not batch_solvers.right([line], [2], batch_solvers.MANY)
    assert not batch_solvers.right([line, line], [1], "17 hints")


@pytest.mark.slow
def test_a_small_run_checks_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import batches

    output = tmp_path / "out.jsonl"
    assert batches.main(["--quick", "--output", str(output)]) == 0
    assert "checks: all hold" in capsys.readouterr().err
    records = [json.loads(line) for line in output.read_text().splitlines()]
    assert sum("case" in record for record in records) >= 20
