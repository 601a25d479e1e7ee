"""Texts are read up to a bound, whatever gives them; numbers in JSON, too."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest

from bddsudoku.context import Context
from bddsudoku.diagrams import files
from bddsudoku.errors import DamagedFileError, LimitReached, PuzzleFormatError
from bddsudoku.puzzle.exact_cover import ExactCover
from bddsudoku.reading import parse_json, read_text, text_of
from bddsudoku.solver.source import Source


class Endless(io.RawIOBase):
    """The same bytes for ever; the test fails where somebody wants all of them.

    Attributes:
        given: bytes that were read.
    """

    def __init__(self, data: bytes, head: bytes = b"", pause: float = 0.0) -> None:
        self.given = 0
        self._head, self._data, self._pause = head, data, pause

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        assert self.given < 1 << 27, "somebody reads on and on"
        time.sleep(self._pause)
        piece = (self._head or self._data * (len(buffer) // len(self._data)))[: len(buffer)]
        self._head = b""
        buffer[: len(piece)] = piece
        self.given += len(piece)
        return len(piece)


def test_a_text_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("\ufeffa ü\r\nb".encode())
    assert read_text(path) == "a ü\r\nb"
    assert text_of(io.BytesIO(b""), "x") == ""
    assert text_of(io.BytesIO(b"x" * 100), "x", most=100) == "x" * 100


@pytest.mark.parametrize("most", [1000, 1 << 20])
def test_endless_input_is_refused(most: int) -> None:
    source = Endless(b"a b\n")
    with pytest.raises(
        PuzzleFormatError, match=rf"^x: expected at most {most:,} bytes, found more$"
    ):
        text_of(source, "x", most=most)
    assert source.given <= most + (1 << 20)


def test_a_text_obeys_the_memory_limit() -> None:
    source = Endless(b"a b\n")
    with pytest.raises(LimitReached, match=r"^memory limit reached while x was read") as stop:
        text_of(source, "x", Context(memory=300 << 20))
    assert stop.value.limit == "memory"
    assert source.given < 6 << 20
    assert len(text_of(io.BytesIO(b"a" * 1000), "x", Context(memory=64_000))) == 1000


def test_a_text_that_comes_slowly_obeys_the_time_limit() -> None:
    with pytest.raises(LimitReached, match=r"time limit of 0\.05 s reached while x was read"):
        text_of(Endless(b"a\n", pause=0.02), "x", Context(seconds=0.05))


@pytest.mark.parametrize(
    ("data", "place", "byte"),
    [
        (b"\0", "line 1, column 1", "0x00"),
        (b"a\nbc\xffd\n", "line 2, column 3", "0xff"),
        ("ab\n".encode("utf-16"), "line 1, column 4", "0x00"),
    ],
)
def test_what_is_no_text_is_refused_with_its_place(data: bytes, place: str, byte: str) -> None:
    with pytest.raises(PuzzleFormatError) as caught:
        text_of(io.BytesIO(data), "x")
    assert str(caught.value) == f"x, {place}: expected UTF-8 text, found byte {byte}"


def test_what_is_no_text_is_refused_at_once() -> None:
    source = Endless(b"\0")
    with pytest.raises(PuzzleFormatError, match="found byte 0x00"):
        text_of(source, "x")
    assert source.given <= 1 << 20


def test_text_in_the_place_of_standard_input_is_read_piece_by_piece(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    endless = Endless("aü\n".encode())
    stream = io.TextIOWrapper(io.BufferedReader(endless), encoding="utf-8")

    class Text:
        def read(self, size: int) -> str:
            return stream.read(size)

    monkeypatch.setattr("sys.stdin", Text())
    with Source("-") as source, pytest.raises(PuzzleFormatError, match="at most 1,000 bytes"):
        source.text(1000)
    assert endless.given < 1 << 23


def test_a_saved_set_through_a_pipe_ends_where_it_says(tmp_path: Path) -> None:
    from bddsudoku import solve

    path = tmp_path / "cover.set"
    solve(ExactCover("ab", ["a", "b"])).save(path)
    whole = path.read_bytes()
    assert files.load(files.held(io.BytesIO(whole), "x")).count == files.load(path).count
    source = Endless(b"\0", head=whole)
    with pytest.raises(DamagedFileError, match="longer than it should be"):
        files.load(files.held(source, "x"), name="x")  # type: ignore[arg-type]
    assert source.given < 4 << 20
    with pytest.raises(DamagedFileError, match="damaged: the first bytes"):
        files.held(Endless(b"\0", head=whole[:20]), "x")  # type: ignore[arg-type]
    with pytest.raises(LimitReached, match="memory limit reached while x was read"):
        files.held(io.BytesIO(whole), "x", Context(memory=len(whole) - 1))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "x, line 1, column 2: expected JSON: "),
        ("[1,\n2,]", "x, line 2, column 3: expected JSON: "),
        ("[" * 100_000, "x: expected JSON: it is nested too deep"),
        ("9" * 5000, "x: expected JSON: a number has more than 4,300 digits"),
    ],
)
def test_json_that_is_none_is_told_in_one_line(text: str, words: str) -> None:
    with pytest.raises(PuzzleFormatError) as caught:
        parse_json(text, "x")
    assert str(caught.value).startswith(words)
    assert "\n" not in str(caught.value)
