"""Written puzzles read back equal, in all formats, borders and spacings."""

from __future__ import annotations

import io
import pickle
import random
import time
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import layouts, puzzles, solved_puzzles

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.layout import SYMBOLS
from bddsudoku.puzzle.sudoku.text import (
    looks_like_puzzle,
    parse_one,
    read_puzzles,
    write_grid,
    write_puzzles,
    write_sdk,
)
from bddsudoku.puzzle.sudoku.text.cell_resolver import refuse_region_map
from bddsudoku.solver import read_records

ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def grid_texts(draw: st.DrawFn, puzzle: Puzzle) -> str:
    """A puzzle as a grid with some borders, some open-cell symbol, some spacing."""
    layout, n = puzzle.layout, puzzle.n
    has_open_row = any(not any(puzzle.cells[i : i + n]) for i in range(0, n * n, n))
    blank = draw(st.sampled_from(".0_*?x" if has_open_row else ".0_*?x-"))
    bar = draw(st.sampled_from(["|", "||", "!", "│", "｜"]))
    join = draw(st.sampled_from(["", " ", "  ", "\t"] if n < 10 else ["", " ", "\t"]))
    outer = draw(st.booleans())
    rule = draw(st.sampled_from(["+---+", "=====", "-+-", "─┼─", "═══"]))
    pad = draw(st.sampled_from(["", " "]))
    case = draw(st.sampled_from([str.upper, str.lower]))
    indent = draw(st.sampled_from(["", "  "]))
    lines = [rule] if outer else []
    for r in range(n):
        if r and r % layout.box_rows == 0:
            lines.append(rule)
        row = [case(SYMBOLS[d - 1]) if d else blank for d in puzzle.cells[r * n : (r + 1) * n]]
        groups = [
            join.join(row[c : c + layout.box_columns]) for c in range(0, n, layout.box_columns)
        ]
        line = (pad + bar + pad).join(groups)
        lines.append(indent + (f"{bar}{pad}{line}{pad}{bar}" if outer else line))
    if outer:
        lines.append(rule)
    return "\n".join(lines)


def may_be_map(board: Puzzle) -> bool:
    """Whether a filled board has equal digits that touch, as in a map of regions."""
    try:
        refuse_region_map(board.line, board.n)
    except PuzzleFormatError:
        return True
    return False


@st.composite
def puzzles_with_candidates(draw: st.DrawFn, largest: int = 16) -> Puzzle:
    """Random puzzles with candidates, some cells with none."""
    layout = draw(layouts(largest))
    n = layout.n
    rng = random.Random(draw(st.integers(0, 2**32)))
    share = draw(st.sampled_from([0.1, 0.5, 0.9]))
    rest = draw(st.sampled_from([0.0, 0.3, 0.95]))  # of the cells are open to all digits
    return Puzzle.from_masks(
        [
            (1 << n) - 1
            if rng.random() < rest
            else sum(1 << d for d in range(n) if rng.random() < share)
            for _ in range(n * n)
        ],
        layout,
    )


BOARDS = st.one_of(puzzles(largest=25), puzzles_with_candidates())


@settings(max_examples=100)
@given(st.data())
def test_dressed_grids(data: st.DataObject) -> None:
    boards = data.draw(st.lists(puzzles(), min_size=1, max_size=3))
    assume(not any(map(may_be_map, boards)))
    gap = data.draw(st.sampled_from(["\n\n", "\n# and\n", "\n \n\n", "\nPuzzle 3\n"]))
    text = gap.join(data.draw(grid_texts(b)) for b in boards) + data.draw(
        st.sampled_from(["", "\n"])
    )
    end = data.draw(ENDS)
    found = [r.puzzle for r in read_puzzles(io.StringIO(text.replace("\n", end)))]
    assert found == boards
    encoding = data.draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
    raw = io.BytesIO(text.replace("\n", end).encode(encoding))
    assert [r.puzzle for r in read_puzzles(raw)] == boards
    assert not raw.closed


@settings(max_examples=100)
@given(BOARDS)
def test_str_line_repr_pickle(puzzle: Puzzle) -> None:
    for text in (str(puzzle), puzzle.line, write_grid(puzzle, borders=False)):
        assert Puzzle.parse(text, puzzle.layout) == puzzle
    assert Puzzle.parse(str(puzzle)) == puzzle
    assert eval(repr(puzzle), {"Puzzle": Puzzle, "Layout": Layout}) == puzzle
    assert pickle.loads(pickle.dumps(puzzle)) == puzzle
    if puzzle.candidates is None:
        assert Puzzle.parse(write_sdk(puzzle)) == puzzle
    else:
        assert len(puzzle.line) == puzzle.n**3


@given(BOARDS, st.sampled_from(".0_*?-"))
def test_every_blank(puzzle: Puzzle, blank: str) -> None:
    if puzzle.candidates is None:
        assume(not may_be_map(puzzle))
        assert parse_one(write_grid(puzzle, blank=blank)) == puzzle
        bare = write_grid(puzzle, blank=blank, borders=False)
        assert parse_one(bare, puzzle.layout) == puzzle
    if blank != "-" or puzzle.hint_count or puzzle.candidates is not None:
        line = f"{puzzle.line.replace('.', blank)} some name"
        (record,) = read_puzzles(io.StringIO(line), puzzle.layout)
        assert (record.puzzle, record.name) == (puzzle, "some name")


@given(st.lists(BOARDS, min_size=1, max_size=8), st.sampled_from(["line", "grid", "sdm"]))
def test_written_files(boards: list[Puzzle], style: str) -> None:
    assume(not any(may_be_map(b) for b in boards if b.candidates is None))
    stream = io.StringIO()
    assert write_puzzles(boards, stream, style) == len(boards)  # type: ignore[arg-type]
    assert [r.puzzle for r in read_puzzles(io.StringIO(stream.getvalue()))] == boards


def test_an_sdk_file_holds_one() -> None:
    board = Puzzle([0] * 81)
    assert write_puzzles([board], io.StringIO(), "sdk") == 1
    with pytest.raises(PuzzleFormatError, match="second"):
        write_puzzles([board, board], io.StringIO(), "sdk")
    with pytest.raises(PuzzleFormatError, match="open cell"):
        write_grid(board, blank="o")
    with pytest.raises(PuzzleFormatError, match="style"):
        write_puzzles([board], io.StringIO(), "pdf")  # type: ignore[arg-type]


@given(layouts(25), st.data())
def test_arguments_that_are_puzzles(layout: Layout, data: st.DataObject) -> None:
    puzzle, _ = data.draw(solved_puzzles(layout))
    assert looks_like_puzzle(puzzle.line)
    assert looks_like_puzzle(str(puzzle))
    assert looks_like_puzzle(puzzle.line + " name")
    if puzzle.n <= 9:
        assert looks_like_puzzle(puzzle.line[:-1])
        assert looks_like_puzzle(puzzle.line[:5] + "q" + puzzle.line[6:])


@pytest.mark.parametrize(
    "path",
    [
        "puzzle.txt",
        "data/paper/35.txt",
        "/home/someone/sudoku/2012-06-12.txt",
        "2012-06-12_sudoku.sdm",
        "0123456789012345.txt",
        "a-file-with-a-long-name-and-no-extension",
        "数独.txt",
        "-",
        "",
        "12345678",
        r"C:\puzzles\1234567890.sdk",
    ],
)
def test_arguments_that_are_paths(path: str) -> None:
    assert not looks_like_puzzle(path)


def test_an_existing_file_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = "1234" * 4
    assert looks_like_puzzle(name)
    (tmp_path / name).write_text("." * 81)
    assert not looks_like_puzzle(name)
    assert next(read_records(name)).puzzle.n == 9


def test_blank_lines_are_passed_over() -> None:
    """Half a million blank lines around boards are read fast."""
    line = "." * 81
    grid = "\n".join(["." * 9] * 9)
    blank = "\n" * 100_000 + " \t\r\n" * 10_000
    text = f"{blank}{line}\n{blank}{grid}\n{blank}antiknight\n{blank}{line}\n{blank}"
    begin = time.process_time()
    found = list(read_puzzles(io.BytesIO(text.encode())))
    assert time.process_time() - begin < 1  # some 0.1 s
    assert [(r.line, len(r.puzzle.rules)) for r in found] == [
        (110_001, 0), (220_002, 1), (440_012, 0),
    ]  # fmt: skip


def test_reading_is_lazy_and_fast() -> None:
    line = "4.3.1...2.7..2..3.5...3.8...5..42.6.69.157.43.4.96..1...2.7...5.6..8..9.8...9.1.7\n"
    stream = io.BytesIO(line.encode() * 50_000 + b"junk\n")
    records = read_puzzles(stream)
    next(records)
    assert stream.tell() < 10**6
    begin = time.process_time()
    with pytest.raises(PuzzleFormatError, match="line 50001"):
        for _ in records:
            pass
    assert time.process_time() - begin < 5  # some 0.3 s; the rest is for slow machines
