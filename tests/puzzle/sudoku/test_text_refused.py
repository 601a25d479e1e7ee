"""Texts that are no puzzles: errors of one line with place and reason."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bddsudoku.errors import DamagedFileError, PuzzleFormatError
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.text import PuzzleRecord, parse_one, read_puzzles
from bddsudoku.solver import read_records

FIGURE = "4.3.1...2.7..2..3.5...3.8...5..42.6.69.157.43.4.96..1...2.7...5.6..8..9.8...9.1.7"
ROWS = [FIGURE[i : i + 9] for i in range(0, 81, 9)]
GRID = "\n".join(ROWS)


def refusal(text: str | bytes, layout: Layout | None = None) -> PuzzleFormatError:
    stream = io.BytesIO(text) if isinstance(text, bytes) else io.StringIO(text)
    with pytest.raises(PuzzleFormatError) as caught:
        list(read_puzzles(stream, layout))
    message = str(caught.value)
    assert "\n" not in message
    assert "\r" not in message
    assert message.isprintable()
    assert len(message) < 300
    return caught.value


LONG = "1" * 5000
CASES = {
    # text: (line, words in the message); what is shorter stands in forms/refused.txt
    FIGURE.replace("9", "\u2028", 1): (1, "found U+2028"),
    "a\0b": (1, "byte 0x00"),
    GRID + "\n\n\0": (11, "byte 0x00"),
    f"# layout: {LONG}x3\n" + FIGURE: (1, "at most 9 digits"),
    f"# layout: 3x{LONG}\n" + FIGURE: (1, "at most 9 digits"),
    f"[[[1],[{LONG}],[2],[3]],[[],[],[],[]],[[],[],[],[]],[[],[],[],[]]]": (1, ""),
    "1234............" * 100: (1, "cells"),
}


@pytest.mark.parametrize("text", CASES, ids=lambda text: text[:20])
def test_cases(text: str) -> None:
    line, words = CASES[text]
    for source in (text, text.encode()):
        error = refusal(source)
        assert words in str(error)
        assert (error.source, error.line) == ("<stream>", line)


GOLDEN = (Path(__file__).parent / "forms" / "refused.txt").read_text(encoding="utf-8")
ABOUT_THE_BOARD_ABOVE = ("below the board", "no rule is called", "a map of")


@pytest.mark.parametrize("case", GOLDEN[3:].split("\n@@ "), ids=lambda case: case[:60])
def test_texts_that_are_refused(case: str) -> None:
    """Every text is below its error message, ``@@ MESSAGE``."""
    message, _, text = case.partition("\n")
    assert message.isprintable()
    assert len(message) < 330
    for source in (io.StringIO(text), io.BytesIO(text.replace("\n", "\r\n").encode())):
        found: list[PuzzleRecord] = []
        with pytest.raises(PuzzleFormatError) as caught:
            found.extend(read_puzzles(source, name="here"))
        assert str(caught.value) in (f"here, {message}", f"here: {message}")
        if any(words in message for words in ABOUT_THE_BOARD_ABOVE):
            assert not found


GONE = (Path(__file__).parent / "forms" / "gone.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("case", GONE[3:].split("\n@@ "), ids=lambda case: case.partition("\n")[0])
def test_forms_that_are_read_no_longer(case: str) -> None:
    """They are refused, alone and below a board, and never read as another board."""
    _, _, text = case.partition("\n")
    for above in ("", f"{FIGURE}\n\n"):
        found: list[PuzzleRecord] = []
        with pytest.raises(PuzzleFormatError) as caught:
            found.extend(read_puzzles(io.StringIO(above + text), name="here"))
        assert len(str(caught.value)) < 330
        assert [record.puzzle.line for record in found] in ([], [FIGURE] * bool(above))


def test_zeros_among_numbers_are_open_cells() -> None:
    text = "10 0 . 4 5 6 7 8 9 1\n" + "1 0 . 4 5 6 7 8 9 2\n" * 9
    assert parse_one(text).n == 10


def test_other_encodings() -> None:
    assert "UTF-16" in str(refusal(FIGURE.encode("utf-16")[:-1]))
    assert "UTF-16" in str(refusal(b"\xff\xfe\x00\xd8" + FIGURE.encode("utf-16-le")))
    refusal(FIGURE.encode("utf-32"))


def test_contradicting_borders() -> None:
    six = Puzzle([0] * 36, Layout(3, 2))
    assert "draw blocks of 6x6 (3x2 blocks), but" in str(refusal(str(six), Layout(2, 3)))
    assert "asked for" in str(refusal("# layout: 3x2\n" + six.line, Layout(2, 3)))
    two = "\n".join(["..|..|..", "..|..|..", "--+--+--"] * 3)
    assert "draw equal blocks" in str(refusal(two))
    uneven = "\n".join(["..|.|..."] * 6)
    assert "layout" in str(refusal(uneven))
    assert parse_one(uneven, Layout(2, 3)).n == 6
    assert parse_one(str(six), Layout(6, 1)).n == parse_one(str(six), Layout(1, 6)).n == 6
    commas = [",".join(row) + "," for row in ROWS]
    assert "ends after 2 of 9" in str(refusal("\n".join([*commas[:2], "# ?", *commas[2:]])))
    halves = "\n\n".join(["\n".join(["." * 16] * 7 + ["G" * 16])] * 2)
    assert "ends after 8 of 16" in str(refusal(halves))


def test_wrong_layout() -> None:
    assert "36 for 6x6" in str(refusal(FIGURE, Layout(2, 3)))
    assert "expected 6" in str(refusal(GRID, Layout(2, 3)))
    assert refusal("1" * 16 + "\n", Layout(3, 3)).cell == "r1c9"


def test_nothing_is_skipped_after_a_good_puzzle() -> None:
    for rest in ("x", "Hello", "12345678", ROWS[0], ". . .", "]", "[", "9" * 80, "~"):
        error = refusal(f"{FIGURE}\n{rest}\n")
        assert error.line == 2
        error = refusal(f"{GRID}\n\n{rest}\n")
        assert error.line == 11


MAP = ["111222333"] * 3 + ["444555666"] * 3 + ["777888999"] * 3
FAULTY = ["111222332", *MAP[1:]]


def test_maps_and_words_below_a_one_line_board_refuse_it() -> None:
    faulty = "\n".join(FAULTY)
    for above in (f"{GRID}\n\n", f"{FIGURE}\n", f"{FIGURE}\n\n# regions\n"):
        assert not list(read_up_to_error(read_puzzles(io.StringIO(above + faulty))))
    for below, read in ((ROWS[0], 2), ("[[1,2", 2), ('frobnicate "x"', 1), ("pair r1c1", 1)):
        text = f"{FIGURE}\n{FIGURE}\n{below}\n"
        assert len([*read_up_to_error(read_puzzles(io.StringIO(text)))]) == read


def read_up_to_error(records: Iterator[PuzzleRecord]) -> Iterator[PuzzleRecord]:
    """The records before the error."""
    try:
        yield from records
    except PuzzleFormatError:
        return
    raise AssertionError("nothing was refused")


def test_other_boards_below_a_grid_are_other_boards() -> None:
    for below in (GRID, FIGURE, f"+---+\n{GRID}", f"Grid 2\n{GRID}", str([[0] * 9] * 9), "9" * 81):
        text = f"{GRID}\n{below}\n"
        records = read_puzzles(io.StringIO(text))
        assert next(records).puzzle.line == FIGURE
    assert len(list(read_puzzles(io.StringIO(f"{GRID}\n{'9' * 81}\n{GRID}\n")))) == 3
    # a faulty board of a list does not affect the board above it
    for below in (FIGURE[:-1], FIGURE.replace("4", "q", 1), "[[1,2]]"):
        (record,) = read_up_to_error(read_puzzles(io.StringIO(f"{FIGURE}\n{below}\n")))
        assert record.puzzle.line == FIGURE


def test_very_long_lines() -> None:
    assert "characters" in str(refusal("1" * 10**6))
    assert "characters" in str(refusal(FIGURE + " " + "x" * 10**6))
    assert "byte 0x00" in str(refusal(bytes(10**6)))


def test_no_second_puzzle_for_parse_one() -> None:
    with pytest.raises(PuzzleFormatError, match="second") as caught:
        parse_one(f"{FIGURE}\n\n{FIGURE}")
    assert caught.value.line == 3
    assert str(caught.value).startswith("line 3: ")


def test_place_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "p.sdm"
    path.write_text(f"{FIGURE}\n{FIGURE[:30]}q{FIGURE[31:]}\n")
    records = read_puzzles(path)
    assert next(records).source == str(path)
    with pytest.raises(PuzzleFormatError) as caught:
        next(records)
    assert str(caught.value).startswith(f"{path}, line 2, cell r4c4: ")
    with pytest.raises(PuzzleFormatError, match="<argument>, line 1, cell r4c4: "):
        list(read_records(f"{FIGURE[:30]}q{FIGURE[31:]}"))


ALPHABET = ".0_*-?xX123456789ABCGHPQY |!+=:,;#\t\n\r[]'`│─└０．・Ａ\ufeffé\0"


def read_or_refused(stream: io.StringIO | io.BytesIO) -> bool:
    """Whether a stream has puzzles; other exceptions than these two are raised."""
    try:
        return len(list(read_puzzles(stream))) > 0
    except (PuzzleFormatError, DamagedFileError) as error:
        return str(error).isprintable()


@settings(max_examples=200)
@given(st.text(st.sampled_from(ALPHABET), max_size=300) | st.text(max_size=200))
@example("# symbols: \n.")
@example("# layout: 3x3\n# symbols: 1-4\n1")
@example("|||\n|.|")
@example(",,,,\n,,,,\n,,,,\n,,,,")
@example("000Ā")
def test_any_text_is_read_or_refused(text: str) -> None:
    assert read_or_refused(io.StringIO(text))


@settings(max_examples=200)
@given(st.binary(max_size=400))
@example(b"PK\3\4")
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    assert read_or_refused(io.BytesIO(data))


@settings(max_examples=150)
@given(st.integers(0, 2**32), st.sampled_from([Layout(2, 2), Layout(2, 3), Layout(3, 3)]))
def test_damaged_grids_never_turn_into_others(seed: int, layout: Layout) -> None:
    """One row or cell lost or doubled in a file of grids: refused, or all others unharmed."""
    rng = random.Random(seed)
    n = layout.n
    boards = [
        Puzzle([rng.choice([0, 0, rng.randint(1, n)]) for _ in range(n * n)], layout)
        for _ in range(3)
    ]
    style = rng.choice(["bare", "bordered"])
    blocks = [
        str(b) if style == "bordered" else "\n".join(b.line[i : i + n] for i in range(0, n * n, n))
        for b in boards
    ]
    lines = "\n\n".join(blocks).split("\n")
    rows = [i for i, line in enumerate(lines) if any(c in line for c in ".123456789")]
    at = rng.choice(rows)
    kind = rng.choice(["drop row", "double row", "drop cell", "double cell"])
    if kind == "drop row":
        del lines[at]
    elif kind == "double row":
        lines.insert(at, lines[at])
    else:
        cells = [i for i, c in enumerate(lines[at]) if c in ".123456789"]
        i = rng.choice(cells)
        lines[at] = lines[at][:i] + lines[at][i] * 2 * (kind == "double cell") + lines[at][i + 1 :]
    refusal("\n".join(lines))
