"""Export of sets that are no grids."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from families import diagram_of

from bddsudoku import Puzzle, compile_set
from bddsudoku.cli import main
from bddsudoku.sets.solutionset import SolutionSet

SIX = "1....3....4.....\ndiagonals"
STARTS = {".csv": b"r1c1,", ".npy": b"\x93NUMPY", ".parquet": b"PAR1", ".CSV": b"r1c1,"}


def test_keys_and_zeros_and_ones() -> None:
    s = SolutionSet(diagram_of([7, 3], [[7], [3, 7], []]), fixed=[5])
    texts = {}
    for form in ("line", "csv", "npy"):
        out = io.BytesIO()
        assert s.export(out, form) == 3
        texts[form] = out.getvalue()
    assert texts["line"] == b"3 5 7\n5 7\n5\n"
    assert texts["csv"] == b"3,5,7\n1,1,1\n0,1,1\n0,1,0\n"
    rows = np.load(io.BytesIO(texts["npy"]))
    assert rows.tolist() == [[1, 1, 1], [0, 1, 1], [0, 1, 0]]


@pytest.mark.parametrize("ending", STARTS)
def test_the_ending_of_a_file_is_followed(ending: str, tmp_path: Path) -> None:
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    for name, write in {
        "export": lambda path: compile_set(Puzzle.parse(SIX)).export(path),
        "enumerate": lambda path: CliRunner().invoke(main, ["enumerate", SIX, "--output", path]),
    }.items():
        path = tmp_path / f"{name}{ending}"
        write(str(path))
        assert path.read_bytes().startswith(STARTS[ending])


@pytest.mark.parametrize("ending", STARTS)
def test_another_form_than_the_ending_says_is_refused(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    with pytest.raises(ValueError, match=f"expected the form {ending[1:].lower()} for"):
        compile_set(Puzzle.parse(SIX)).export(path, "line")
    (tmp_path / "f.formula").write_text("symbol a b\na | b\n")
    (tmp_path / "c.txt").write_text("a b\na\nb\n")
    for command in (
        ["enumerate", SIX, "--format", "line"],
        ["enumerate", SIX, "--json"],
        ["formula", str(tmp_path / "f.formula"), "enumerate"],
        ["cover", str(tmp_path / "c.txt"), "enumerate"],
        ["tiling", "2x3", "enumerate", "--pieces", "I2"],
        ["numberlink", "A.A", "enumerate"],
    ):
        found = CliRunner().invoke(main, [*command, "--output", str(path)])
        assert found.exit_code == 2, command
        assert "--format" in found.output or "expected the form" in found.output
        assert not path.exists()
