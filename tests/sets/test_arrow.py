"""Solutions as Arrow streams and Parquet files."""

from __future__ import annotations

import io
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from bddsudoku import Problem, Puzzle, solve
from bddsudoku.cli import main
from bddsudoku.engine.bands.band_set import BandSet
from bddsudoku.errors import BackendUnavailable
from bddsudoku.sets import GridSet, solution_writer

pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")

EMPTY = Puzzle([0] * 16)
WIDE = "1.......4......."


def rows_of(table: object) -> np.ndarray:
    return np.stack([c.to_numpy() for c in table.columns], axis=1)  # type: ignore[attr-defined]


def test_a_set_of_grids_is_a_stream_of_batches() -> None:
    solutions = solve(EMPTY)
    assert isinstance(solutions, GridSet)
    reader = solutions.to_arrow()
    assert isinstance(reader, pyarrow.RecordBatchReader)
    assert reader.schema.names[:5] == ["r1c1", "r1c2", "r1c3", "r1c4", "r2c1"]
    assert set(reader.schema.types) == {pyarrow.uint8()}
    table = reader.read_all()
    assert (rows_of(table) == solutions.to_numpy()).all()
    assert (rows_of(solutions.to_arrow(10, 20).read_all()) == solutions[10:20].to_numpy()).all()
    assert solutions.given({0: 1, 1: 1}).to_arrow().read_all().num_rows == 0


def test_a_stream_computes_as_it_is_read() -> None:
    reader = BandSet(np.full(81, 511)).to_arrow()  # 6,670,903,752,021,072,936,960 grids
    first = reader.read_next_batch()
    assert first.num_rows == 1
    assert sorted(first.to_pylist()[0].values()) == sorted([*range(1, 10)] * 9)


def test_assignments_are_columns_of_zeros_and_ones() -> None:
    solutions = solve(Problem.parse("symbol a b c\na + b + c == 1"))
    table = solutions.to_arrow().read_all()
    assert table.schema.names == solutions.column_names()
    assert (rows_of(table) == solutions.to_numpy()).all()


@pytest.mark.parametrize("group", [1, 7, 100, 1000])
def test_a_parquet_file_has_the_rows_of_the_set(
    group: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solution_writer, "_GROUP_BYTES", 16 * group)
    solutions = solve(EMPTY)
    path = tmp_path / "all.parquet"
    assert solutions.export(path, "parquet") == 288
    file = parquet.ParquetFile(path)
    assert (rows_of(file.read()) == solutions.to_numpy()).all()
    assert file.schema_arrow.names == solutions.column_names()
    groups = file.num_row_groups
    assert 288 // (2 * group) <= groups <= -(-288 // group)
    assert solutions.export(path, "parquet", limit=0) == 0
    assert parquet.read_table(path).num_rows == 0


def enumerate_(*arguments: str) -> bytes:
    found = CliRunner().invoke(main, ["enumerate", *arguments, "--format", "parquet"])
    assert found.exit_code == 0, found.stderr
    return found.stdout_bytes


def test_the_command_line_writes_the_table_of_csv(tmp_path: Path) -> None:
    path = tmp_path / "wide.parquet"
    enumerate_(WIDE, "--output", str(path))
    lines = CliRunner().invoke(main, ["enumerate", WIDE, "--format", "csv"]).stdout.splitlines()
    table = parquet.read_table(path)
    assert table.schema.names == lines[0].split(",")
    assert [",".join(map(str, row)) for row in rows_of(table)] == lines[1:]
    assert parquet.read_table(io.BytesIO(enumerate_(WIDE))) == table


def test_several_puzzles_are_one_table(tmp_path: Path) -> None:
    puzzles = tmp_path / "puzzles"
    puzzles.write_text(f"{WIDE}\n1234341221434...\n", encoding="utf-8")
    assert parquet.read_table(io.BytesIO(enumerate_(str(puzzles)))).num_rows == 24 + 1
    puzzles.write_text(f"{WIDE}\n{'.' * 36}\n", encoding="utf-8")
    line = ["enumerate", str(puzzles), "--format", "parquet", "--output", str(tmp_path / "p")]
    found = CliRunner().invoke(main, line)
    assert found.exit_code == 1
    assert "expected a board of 16 cells" in found.stderr
    assert not (tmp_path / "p").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "bddsudoku", "enumerate", WIDE, "--format", "parquet"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr == (
        "bddsudoku: standard output: No space left on device; the Parquet file is cut off and "
        "cannot be read\n"
    )


def test_memory_does_not_grow_with_the_solutions(tmp_path: Path) -> None:
    solutions = solve(Puzzle([0] * 36), "frontier")  # 28,200,960 solutions
    path = tmp_path / "many.parquet"
    solutions.export(path, "parquet", limit=300_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    solutions.export(path, "parquet", limit=3_000_000)  # 103 MiB of rows
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 40 << 10, f"{grown >> 10} MiB"
    assert parquet.ParquetFile(path).metadata.num_rows == 3_000_000


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(BackendUnavailable, match="pip install pyarrow"):
        solve(EMPTY).to_arrow()
    path = tmp_path / "x.parquet"
    line = ["enumerate", WIDE, "--format", "parquet", "--output", str(path)]
    found = CliRunner().invoke(main, line)
    assert found.exit_code == 1
    assert found.stderr == ("bddsudoku: Arrow and Parquet need pyarrow: pip install pyarrow\n")
    assert not path.exists()
