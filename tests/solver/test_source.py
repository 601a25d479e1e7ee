"""Pipes, FIFOs and standard input: whatever is asked about is opened once and read once."""

from __future__ import annotations

import io
import mmap
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from bddsudoku.errors import DamagedFileError, PuzzleFormatError
from bddsudoku.input_source import STDIN, InputSource
from bddsudoku.puzzle.sudoku import Puzzle
from bddsudoku.solver import compile_set, load, load_covers, read_records, solve

LINE = "12.4............"
PUZZLE = Puzzle.parse(LINE)
COVER = "a b c\na b\nc\na\nb c\n"


@pytest.fixture
def fifo(tmp_path: Path) -> Iterator[Callable[[bytes], Path]]:
    """``fifo(data)``: a named pipe into which a thread writes the data, once, in small pieces."""
    threads: list[threading.Thread] = []

    def make(data: bytes) -> Path:
        path = tmp_path / f"pipe{len(threads)}"
        os.mkfifo(path)

        def write() -> None:
            with path.open("wb", buffering=0) as pipe:
                for at in range(0, len(data), 5):
                    pipe.write(data[at : at + 5])

        threads.append(threading.Thread(target=write, daemon=True))
        threads[-1].start()
        return path

    yield make
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "p.set"
    compile_set(PUZZLE).save(path)
    return path


def is_mapped(array: object) -> bool:
    while isinstance(array, np.ndarray | memoryview):
        array = array.base if isinstance(array, np.ndarray) else array.obj
    return isinstance(array, mmap.mmap)


def standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_puzzles_through_a_fifo(fifo: Callable[[bytes], Path]) -> None:
    path = fifo(f"{LINE} one\n{PUZZLE}\n".encode())
    found = list(read_records(str(path)))
    assert [s.puzzle for s in found] == [PUZZLE, PUZZLE]
    assert [(s.source, s.line, s.name) for s in found] == [
        (str(path), 1, "one"),
        (str(path), 3, ""),
    ]


def test_a_set_through_a_fifo(fifo: Callable[[bytes], Path], saved: Path) -> None:
    (subject,) = read_records(str(fifo(saved.read_bytes())))
    assert subject.saved == solve(PUZZLE)
    assert subject.puzzle == PUZZLE
    assert load(fifo(saved.read_bytes())) == solve(PUZZLE)


def test_a_set_on_standard_input(monkeypatch: pytest.MonkeyPatch, saved: Path) -> None:
    standard_input(monkeypatch, saved.read_bytes())
    (subject,) = read_records("-")
    assert subject.saved == solve(PUZZLE)
    assert subject.source == STDIN
    standard_input(monkeypatch, saved.read_bytes()[:-1])
    with pytest.raises(DamagedFileError, match=r"^<standard input>: truncated"):
        list(read_records("-"))


def test_files_are_mapped_even_as_standard_input(
    monkeypatch: pytest.MonkeyPatch, saved: Path
) -> None:
    (subject,) = read_records(str(saved))
    assert subject.saved is not None
    assert is_mapped(subject.saved.diagram.low)
    with saved.open("rb") as file:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(file))
        (subject,) = read_records("-")
        assert subject.saved == solve(PUZZLE)
        assert is_mapped(subject.saved.diagram.low)


def test_what_cannot_be_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(PuzzleFormatError, match="<standard input>: cannot be read: it is closed"):
        list(read_records("-"))
    for argument, words in {
        "": "expected a path, - or a puzzle, found an empty argument",
        str(tmp_path): "expected a file, found a directory",
        str(tmp_path / "none"): "No such file",
        "12.4": "neither a file nor a puzzle: 4 symbols, expected",
        "a\0b": "null",
        str(tmp_path / ("é" * 300)): "name too long",
    }.items():
        with pytest.raises(PuzzleFormatError, match=words) as caught:
            list(read_records(argument))
        assert str(caught.value).isprintable()
    assert load_covers(tmp_path / "none") is None
    for argument in (str(tmp_path / "none"), str(tmp_path)):
        with pytest.raises(OSError, match=r"No such file|directory"):
            InputSource(argument)


@pytest.mark.parametrize(
    ("arguments", "data", "answer"),
    [
        (["count", "{}"], LINE.encode(), str(solve(PUZZLE).count())),
        (["cover", "{}", "count"], COVER.encode(), "2"),
        (["numberlink", "{}", "count"], b"A..\n...\n..A\n", None),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_whole_commands_on_pipes(arguments: list[str], data: bytes, answer: str | None) -> None:
    """``command <(…)``, ``command /dev/stdin`` and ``command -`` say the same."""
    answers = set()
    for argument in ("/dev/stdin", "-"):
        call = [sys.executable, "-m", "bddsudoku", *(a.format(argument) for a in arguments)]
        done = subprocess.run(call, input=data, capture_output=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        answers.add(done.stdout.decode().strip())
    assert len(answers) == 1
    assert answer is None or answers == {answer}
