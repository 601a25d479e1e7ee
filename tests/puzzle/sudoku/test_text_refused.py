"""What is not a puzzle is refused in one line that says where and what."""

from __future__ import annotations

import io
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.text import PuzzleRecord, parse_one, read_argument, read_puzzles

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


CASES = {
    # text: (line, cell, words in the message)
    "": (None, None, "empty"),
    "\n\n \n": (None, None, "no puzzle"),
    "# only a comment\n": (None, None, "no puzzle"),
    "+---+---+---+\n": (None, None, "no puzzle"),
    "[State]\n" + GRID: (None, None, "[Puzzle]"),
    FIGURE[:-1]: (1, None, "80 cells"),
    FIGURE + "1": (1, None, "82 cells"),
    FIGURE + FIGURE: (1, None, "two 9x9 boards"),
    FIGURE.replace("9", "q", 1): (1, "r5c2", "found 'q'"),
    FIGURE.replace("9", "q", 1) + " name": (1, "r5c2", "found 'q'"),
    FIGURE.replace("4", "A", 1): (1, "r1c1", "found 'A'"),
    f"# one\n{FIGURE}\n{FIGURE.replace('7', 'é', 1)}\n": (3, "r2c2", "found 'é'"),
    FIGURE.replace("9", "\x07", 1): (1, "r5c2", "found U+0007"),
    FIGURE.replace("9", "\u2028", 1): (1, "r5c2", "found U+2028"),
    "\n".join(ROWS[:8]): (8, None, "8 of 9 rows"),
    "\n".join(ROWS[:8]) + "\n\n" + GRID: (8, None, "8 of 9 rows"),
    "\n".join(ROWS[:6]) + "\n\n" + GRID: (None, None, "rows"),
    "\n".join(ROWS[:3]) + "\n\n" + GRID: (None, None, "rows"),
    "\n".join(ROWS[:5]) + "\n# next\n" + "\n".join(ROWS[5:]): (5, None, "5 of 9 rows"),
    "\n".join(ROWS[:8]) + "\n" + FIGURE: (8, None, "8 of 9 rows"),
    GRID + "\n" + ROWS[0]: (10, None, "1 of 9 rows"),
    GRID.replace(ROWS[3], ROWS[3][:-1]): (4, "r4c9", "row 4 has 8 cells"),
    GRID.replace(ROWS[3], ROWS[3] + "7"): (4, "r4c9", "row 4 has 10 cells"),
    GRID.replace(ROWS[3], "12345q789"): (4, "r4c6", "found 'q'"),
    GRID.replace(ROWS[3], ""): (None, None, "rows"),
    GRID.replace(ROWS[0], "0000 0000"): (1, "r1c9", "row 1 has 8 cells"),
    "\n".join(" ".join(r) for r in ROWS).replace("4 . 3", "4 . 35"): (1, "r1c3", "found '35'"),
    "\n".join(["---------"] * 9): (1, None, "dashes"),
    "-" * 81: (None, None, "no puzzle"),
    "12345\n" * 5: (1, None, "has no usual blocks"),
    "123\n" * 3: (1, None, "3x3 cells: boards are 4x4 to 25x25"),
    "1234567\n" * 7: (1, None, "7x7 board"),
    "hello": (1, None, "'hello'"),
    "hello world": (1, None, "found"),
    "a\0b": (1, None, "binary"),
    GRID + "\n\n\0": (11, None, "binary"),
    "# layout: 3\n" + FIGURE: (1, None, "layout"),
    "# layout: 0x3\n" + FIGURE: (1, None, "1x1"),
    "# layout: 9x9\n" + FIGURE: (1, None, "25x25"),
    f"# layout: {'1' * 5000}x3\n" + FIGURE: (1, None, "at most 9 digits"),
    f"# layout: 3x{'1' * 5000}\n" + FIGURE: (1, None, "at most 9 digits"),
    f"\nr1c{'1' * 5000}=5\n": (2, None, "at most 9 digits"),
    f"\nr1c1={'1' * 5000}\n": (2, None, "at most 9 digits"),
    f"[[[1],[{'1' * 5000}],[2],[3]],[[],[],[],[]],[[],[],[],[]],[[],[],[],[]]]": (1, None, ""),
    "# layout: 2x3\n" + FIGURE: (2, None, "36"),
    "# symbols: 0-8\n" + "9" * 81: (2, "r1c1", "found '9'"),
    "# symbols: 1-8\n" + FIGURE: (2, None, "9 symbols"),
    "1567 3 1567 4 1q579 179 689 5678 579\n" * 9: (1, "r1c1", "found '1567'"),
    "5,3,x,,\n" * 9: (1, None, ""),
    # 16x16: letters past G together with digits; 0 beside another open cell
    "1" + "H" + "." * 254: (1, "r1c2", "found 'H'"),
    "10" + "." * 254: (1, None, "'# symbols: 0-F'"),
    "1234............" * 15 + "5...........\n": (1, None, "cells"),
    # numbers
    "1 2 3 4 5 6 7 8 9 10\n" * 9 + "1 2 3 4 5 6 7 8 9 11\n": (10, "r10c10", "found '11'"),
    "1 2 3 4 5 6 7 8 9 10\n" * 9 + "1 2 3 4 5 6 7 8 9\n": (10, "r10c10", "9 cells"),
    "10 0 . 4 5 6 7 8 9 1\n" + "1 0 . 4 5 6 7 8 9 2\n" * 9: None,
}


@pytest.mark.parametrize("text", CASES)
def test_cases(text: str) -> None:
    if CASES[text] is None:
        assert parse_one(text).n == 10
        return
    line, cell, words = CASES[text]
    for source in (text, text.encode()):
        error = refusal(source)
        assert words in str(error)
        if line is not None:
            assert error.line == line
        if cell is not None:
            assert error.cell == cell
            assert cell in str(error)
        assert error.source == "<stream>"


def test_bytes_that_are_no_utf8_are_named() -> None:
    for raw in (f"# Rätsel\n{FIGURE}\n".encode("latin-1"), FIGURE.encode() + b" \xff"):
        assert "UTF-8" in str(refusal(raw))
        assert "0x" in str(refusal(raw))
    assert refusal(f"{FIGURE}\n{FIGURE}\n\xe4".encode("latin-1")).line == 3
    assert "UTF-8" in str(refusal("数独".encode("shift-jis")))


def test_other_encodings() -> None:
    assert "binary" in str(refusal(FIGURE.encode("utf-16-le")))
    assert "UTF-16" in str(refusal(FIGURE.encode("utf-16")[:-1]))
    assert "UTF-16" in str(refusal(b"\xff\xfe\x00\xd8" + FIGURE.encode("utf-16-le")))
    refusal(FIGURE.encode("utf-32"))


def test_contradicting_borders() -> None:
    six = Puzzle([0] * 36, Layout(3, 2))
    assert "3 rows" in str(refusal(str(six), Layout(2, 3)))
    assert "asked for" in str(refusal("# layout: 3x2\n" + six.line, Layout(2, 3)))
    two = "\n".join(["..|..|..", "..|..|..", "--+--+--"] * 3)
    assert "2x2" in str(refusal(two))
    uneven = "\n".join(["..|.|..."] * 6)
    assert "layout" in str(refusal(uneven))
    assert parse_one(uneven, Layout(2, 3)).n == 6


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
SMALL = "1...\n.3..\n..4.\n....\n"
BELOW = {
    # what stands directly below a grid: (line, words in the message)
    "a faulty map": ("\n".join(FAULTY), 10, "that of 2 has 10, that of 3 has 8"),
    "a map that begins wrong": ("\n".join(["211222333", *MAP[1:]]), 10, "that of 1 has 8"),
    "a map that lacks a region": ("\n".join(MAP).replace("9", "8"), 10, "that of 8 has 18"),
    "a map with zeros": ("\n".join(FAULTY).replace("2", "0"), 10, "that of the open cells has 10"),
    "a map in letters": (
        "\n".join(FAULTY).translate({ord(str(d)): "ABCDEFGHI"[d - 1] for d in range(1, 10)}),
        10,
        "a map of the regions of the board above",
    ),
    "a map with a cell too few": ("\n".join([*MAP[:8], "77788899"]), 18, "8 cells"),
    "a map with a row too few": ("\n".join(MAP[:8]), 17, "neither a rule nor another board"),
    "a map on one line": ("".join(FAULTY), 10, "that of 2 has 10"),
    "a row": (ROWS[0], 10, "neither a rule nor another board: the grid ends after 1 of 9 rows"),
    "a rule that nobody knows": ('frobnicate "x" r1c1', 10, "no rule is called 'frobnicate'"),
    "a condition": ('pair "a + b > 4" r1c1 r2c2', 10, "no rule is called 'pair'"),
    "words without a cell": ('frobnicate "x"', 10, "neither a rule nor another board"),
    "other words": ('"a + b > 4" r1c1', 10, "neither a rule nor another board"),
    "words in brackets": ("(a + b > 4) r1c1", 10, "neither a rule nor another board"),
    "half a list": ("[[1,2", 10, "neither a rule nor another board"),
    "words below a rule": ('antiknight\nfrobnicate "x"', 11, "neither a rule nor another"),
    "words below a frame": ('+---+\nfrobnicate "x"', 11, "neither a rule nor another"),
    "half a grid": ("\n".join(ROWS[:5]), 14, "neither a rule nor another board"),
}


@pytest.mark.parametrize("form", BELOW)
def test_what_stands_below_a_grid_belongs_to_it(form: str) -> None:
    """The grid is not given by itself, whatever follows then."""
    below, line, words = BELOW[form]
    for more in ("\n", f"\n\n{GRID}\n" * ("list" not in form)):
        found = []
        with pytest.raises(PuzzleFormatError) as caught:
            found += list(read_puzzles(io.StringIO(f"{GRID}\n{below}{more}")))
        assert not found
        assert words in str(caught.value)
        assert caught.value.line == line
    if "map" in form and "too few" not in form:  # below a blank line as well, and below one line
        for above in (f"{GRID}\n\n", f"{FIGURE}\n", f"{FIGURE}\n\n# regions\n"):
            assert not list(take(read_puzzles(io.StringIO(above + below))))
    one_line = [*take(read_puzzles(io.StringIO(f"{FIGURE}\n{FIGURE}\n{below}\n")))]
    cells = (
        form in ("a row", "half a grid", "words in brackets", "half a list") or "too few" in form
    )
    assert len(one_line) == (2 if cells else 1), "lines of cells begin another board"


def take(records: Iterator[PuzzleRecord]) -> Iterator[PuzzleRecord]:
    """What comes before the error."""
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
    # faulty boards of lists take nothing along
    for below in (FIGURE[:-1], FIGURE.replace("4", "q", 1), "[[1,2]]"):
        (record,) = take(read_puzzles(io.StringIO(f"{FIGURE}\n{below}\n")))
        assert record.puzzle.line == FIGURE


def test_very_long_lines() -> None:
    assert "characters" in str(refusal("1" * 10**6))
    assert "characters" in str(refusal(FIGURE + " " + "x" * 10**6))
    assert "binary" in str(refusal(bytes(10**6)))


def test_no_second_puzzle_for_parse_one() -> None:
    with pytest.raises(PuzzleFormatError, match="second") as caught:
        parse_one(f"{FIGURE}\n\n{FIGURE}", source="here")
    assert (caught.value.line, caught.value.source) == (3, "here")
    assert str(caught.value).startswith("here, line 3: ")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "missing.txt"
    closed = tmp_path / "closed.txt"
    closed.write_text(FIGURE)
    closed.chmod(0)
    paths = [str(missing), str(tmp_path), "", "a\0b", "x" * 5000, str(tmp_path / ("é" * 300))]
    if os.geteuid():
        paths.append(str(closed))
    for path in paths:
        with pytest.raises(PuzzleFormatError) as caught:
            next(iter(read_puzzles(path)))
        assert "\n" not in str(caught.value)
        assert "\0" not in str(caught.value)
    with pytest.raises(PuzzleFormatError, match=r"missing\.txt: .*No such file"):
        list(read_puzzles(missing))
    with pytest.raises(PuzzleFormatError, match="directory"):
        list(read_puzzles(tmp_path))


def test_place_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "p.sdm"
    path.write_text(f"{FIGURE}\n{FIGURE[:30]}q{FIGURE[31:]}\n")
    records = read_puzzles(path)
    assert next(records).source == str(path)
    with pytest.raises(PuzzleFormatError) as caught:
        next(records)
    assert str(caught.value).startswith(f"{path}, line 2, cell r4c4: ")
    with pytest.raises(PuzzleFormatError, match="<argument>, line 1, cell r4c4: "):
        list(read_argument(f"{FIGURE[:30]}q{FIGURE[31:]}"))


ALPHABET = ".0_*-?xX123456789ABCGHPQY |!+=:,;#\t\n\r[]'`│─└０．・Ａ\ufeffé\0"


def read_or_refused(stream: io.StringIO | io.BytesIO) -> bool:
    """True when there are puzzles; no other exception than the one that is due."""
    try:
        return len(list(read_puzzles(stream))) > 0
    except PuzzleFormatError as error:
        return str(error).isprintable()


@settings(max_examples=400)
@given(st.text(st.sampled_from(ALPHABET), max_size=300))
@example("# symbols: \n.")
@example("# layout: 3x3\n# symbols: 1-4\n1")
@example("|||\n|.|")
@example(",,,,\n,,,,\n,,,,\n,,,,")
@example("000Ā")
def test_any_text_is_read_or_refused(text: str) -> None:
    assert read_or_refused(io.StringIO(text))


@settings(max_examples=200)
@given(st.text(max_size=200))
def test_any_unicode_is_read_or_refused(text: str) -> None:
    assert read_or_refused(io.StringIO(text, newline=None))


@settings(max_examples=200)
@given(st.binary(max_size=400))
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
