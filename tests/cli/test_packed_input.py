"""Packed input: every command and function reads it as the file that is packed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from figures import SEVENTEEN

from bddsudoku.context import Context
from bddsudoku.errors import DamagedFileError, LimitReached, PuzzleFormatError
from bddsudoku.input_source import InputSource
from bddsudoku.puzzle.sudoku import Puzzle
from bddsudoku.puzzle.sudoku.text import read_puzzles
from bddsudoku.solver import compile_set, count_many, load, read_records

TEXT = "id,puzzle\n" + "".join(f"{i},{SEVENTEEN}\n" for i in range(30))


def zipped(*texts: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("folder")
        for number, text in enumerate(texts):
            archive.writestr(f"folder/{number}", text)
    return stream.getvalue()


def table(text: bytes) -> bytes:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    names, *rows = (line.split(",") for line in text.decode().splitlines())
    stream = io.BytesIO()
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    parquet.write_table(pyarrow.table(columns), stream)
    return stream.getvalue()


FORMS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zip": zipped,
    "parquet": table,
}


@pytest.mark.parametrize("form", FORMS)
def test_lists(form: str, tmp_path: Path, run: Callable[..., Any]) -> None:
    path = tmp_path / "list"  # the name tells nothing
    path.write_bytes(FORMS[form](TEXT.encode()))
    found = list(read_puzzles(path))
    assert [(record.line, record.name) for record in found] == [(i + 2, str(i)) for i in range(30)]
    assert found == list(read_records(str(path)))
    with path.open("rb") as file:
        assert count_many(file, 2).tolist() == [1] * 30
    assert run("count", str(path)).stdout == "1\n" * 30


@pytest.mark.parametrize("form", FORMS)
def test_damaged(form: str, tmp_path: Path, run: Callable[..., Any]) -> None:
    path = tmp_path / "list"
    path.write_bytes(FORMS[form](TEXT.encode())[:-12])
    with pytest.raises(DamagedFileError, match="list: it cannot be unpacked") as caught:
        list(read_records(str(path)))
    assert "\n" not in str(caught.value)
    assert run("count", str(path), code=1).stderr.count("\n") == 1


def test_endless(tmp_path: Path) -> None:
    path = tmp_path / "zeros"
    for data in (bytes(1 << 24), b"1" * (1 << 24)):
        path.write_bytes(gzip.compress(data))
        with pytest.raises(PuzzleFormatError, match=r"byte 0x00|more than 65535 characters"):
            list(read_puzzles(path))
    path.write_bytes(zipped(*[TEXT.encode()] * 2))
    with pytest.raises(PuzzleFormatError, match="a ZIP archive of one file, found 2"):
        list(read_puzzles(path))
    path.write_bytes(zipped(bytes(1000)))
    with pytest.raises(LimitReached, match=r"memory limit reached while .*zeros was read"):
        InputSource(path, Context(max_memory=100))


def test_a_saved_set(tmp_path: Path) -> None:
    saved = tmp_path / "set"
    found = compile_set(Puzzle.parse("12.4............"))
    found.save(saved)
    saved.write_bytes(gzip.compress(saved.read_bytes()))
    assert load(saved) == found
