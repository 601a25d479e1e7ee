"""Classic boards of lists as arrays against the reader of lines, with texts cut anywhere."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from figures import FIGURE_1, FIGURE_1_SOLUTION, SEVENTEEN
from hypothesis import example, given
from hypothesis import strategies as st

from bddsudoku.errors import BddSudokuError
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.text import reader
from bddsudoku.puzzle.sudoku.text.board_lists import BoardsInLines, ClassicBoardChunk

GRID = "\n".join(SEVENTEEN[i : i + 9] for i in range(0, 81, 9)) + "\n"

cells = st.text("123456789.0_*-?xX", min_size=81, max_size=81)
maps = "".join(str(b) * 3 for b in (1, 2, 3) * 3 + (4, 5, 6) * 3 + (7, 8, 9) * 3)
placed = "1..4....9.2......9" + "." * 62 + "9"
names = st.builds(
    lambda sep, name: sep + name,
    st.sampled_from([" ", ",", "\t", ";", ":", "|", "#", " # ", ",,", " \t "]),
    st.text(' ,;ab1.#\t~é\x7f"', max_size=8),
)
fast = st.builds(
    lambda board, name, end: board + name + end,
    st.one_of(cells, cells, cells, st.sampled_from([SEVENTEEN, maps, placed, "." * 81])),
    st.one_of(
        st.sampled_from(["", "", f",{SEVENTEEN}", " antiknight", " digits: 3", " a r1c1"]), names
    ),
    st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"]),
)
passed_over = st.sampled_from(
    ["\n", "\r\n", "  \n", "# a comment\n", "#\r\n", "\t# 日本語\n", "## twice\n", "# a: b\n"]
)
directives = st.sampled_from(
    [
        "# layout: 3x3\n", "# layout: 2x2\n", "## Layout = 1x9\n", "# symbols: 0-8\n", "#layout:\n",
        "# layout: auto\n", "#\u3000layout: 2x2\n", "# layout\uff1a 1x9\n",
        "# \u017fymbols: 1-9\n", "# a layout of its own\n", "# \udcff layout\n",
    ]
)  # fmt: skip
other = st.sampled_from(
    [
        str(Puzzle.parse(SEVENTEEN)) + "\n", f"\n{Puzzle.parse(FIGURE_1)}\n\n",
        "1" + "." * 15 + "\n",
        maps + "\n",
        "Grid 01\n", "[Puzzle]\n",
        SEVENTEEN[:-1] + "&\n", "oops\n", "\ufeff" + SEVENTEEN + "\n", "." * 80 + "\n", "é\n",
        "# no end", "\udcff\udcfe" + SEVENTEEN + "\n", "\0\n", "12\n", "puzzle,solution\n",
        SEVENTEEN + " " + "x" * 300 + "\n", "." * 36 + "\n", "-" * 81 + "\n", "\r\r\n",
    ]
)  # fmt: skip
grids = st.builds(
    lambda board, end: "".join(board[i : i + 9] + "\n" for i in range(0, 81, 9)) + end,
    st.one_of(cells, st.sampled_from([SEVENTEEN, maps, placed, "." * 81, "-" * 9 + "." * 72])),
    st.sampled_from(["\n", "\n", "", "antiknight\n", "\n\n", "........1\n"]),
)
quoted = st.builds(
    lambda board, more: f'"{board}"{more}\n',
    st.one_of(cells, st.just(SEVENTEEN)),
    st.sampled_from(
        [
            "",
            ",",
            f',"{SEVENTEEN}"',
            f',"{maps}"',
            ' "antiknight"',
            ',"a",1',
            ',"a"',
            " a",
            ",7",
            '"',
        ]
    ),
)
rows = st.builds(
    lambda number, board, more: f"{number},{board}{more}\n",
    st.sampled_from(
        ["1", "22", "", "x", '"3"', '"1,2"', "antiknight", '"house"', '""', f'"1,{SEVENTEEN},2"']
    ),
    st.one_of(cells, st.sampled_from([SEVENTEEN, f'"{SEVENTEEN}"', f'"{SEVENTEEN}', "", "."])),
    st.sampled_from([f",{SEVENTEEN}", "", ",", ",24,1.5", ',"a, b"', ",antiknight", " ", ";x"]),
)
headings = st.sampled_from(["", "puzzle,solution\n", "id,puzzle,solution\n", "a,b,quizzes\n"])
texts = st.builds(
    lambda head, lines, cut, times: head + "".join(line * times for line in lines)[: -cut or None],
    headings,
    st.one_of(
        st.lists(st.one_of(fast, fast, fast, fast, passed_over, directives, other), max_size=12),
        st.lists(st.one_of(grids, grids, fast, passed_over), max_size=5),
        st.lists(st.one_of(quoted, quoted, fast), max_size=8),
        st.lists(st.one_of(rows, rows, rows, grids), max_size=8),
    ),
    st.integers(0, 3),
    st.sampled_from([1, 1, 3, 20]),
)


@contextmanager
def sizes(least: int, block: int) -> Iterator[None]:
    """In a with block, the least number of boards in an array, and of bytes that are read."""
    before = reader.MIN_GROUP, reader.READ_BYTES
    reader.MIN_GROUP, reader.READ_BYTES = least, block
    try:
        yield
    finally:
        reader.MIN_GROUP, reader.READ_BYTES = before


def read(text: str, layout: Layout | None = None) -> tuple[list[tuple[object, ...]], str]:
    """Puzzle, line and name of each, and the message at the end."""
    out: list[tuple[object, ...]] = []
    data = io.BytesIO(text.encode(errors="surrogateescape"))
    try:
        out.extend((r.puzzle, r.line, r.name) for r in reader.read_puzzles(data, layout))
    except BddSudokuError as error:
        return out, str(error)
    return out, ""


def in_arrays(text: str) -> int:
    """How many boards are read in arrays."""
    with reader.open_source(io.StringIO(text)) as source:
        found = reader.read_source(source)
        return sum(len(one) for one in found if isinstance(one, ClassicBoardChunk))


@given(texts, st.integers(1, 400))
@example("# layout: 2x2\n1...............\n", 64)
@example(f"{SEVENTEEN}\n## layout: 1x9\n{SEVENTEEN}\n", 64)
@example(f"{SEVENTEEN}\n\ufeff{SEVENTEEN}\n", 64)
@example(f"{SEVENTEEN}\n\udcff\udcfe{SEVENTEEN}\n", 64)
@example("# only a comment\n", 5)
@example("\ufeff", 5)
@example(f"id,puzzle\n1,{SEVENTEEN}\nantiknight,{SEVENTEEN}\n", 64)
@example(f"# \u017fymbols: 1-9\n{SEVENTEEN}\n", 64)
@example(f"\ufeff{SEVENTEEN}\r\n\r\n{SEVENTEEN}", 100)
@example(f"{SEVENTEEN}\r\r\n{SEVENTEEN}", 83)
@example(f"{GRID}\n{GRID}\n", 100)
@example(f"id,a,puzzle\n{GRID}\n{GRID}", 400)
def test_arrays_are_what_the_reader_of_lines_reads(text: str, block: int) -> None:
    for layout in (None, Layout()):
        with sizes(10**9, 1 << 18):
            wanted = read(text, layout)
        for least, size in ((0, 1 << 18), (0, block), (3, 2 * block)):
            with sizes(least, size):
                assert read(text, layout) == wanted


TABLE = "".join(f"{i},{SEVENTEEN},{SEVENTEEN},17\n" for i in range(100))


@pytest.mark.parametrize(
    "text",
    [
        f"{SEVENTEEN}\n" * 100,
        f"{SEVENTEEN} a name\r\n" * 100,
        "".join(f"{SEVENTEEN},{i}\n\n" for i in range(100)),
        "quizzes,solutions\n" + f"{SEVENTEEN},{FIGURE_1_SOLUTION}\n" * 100,
        f"id,puzzle,solution,clues\n{TABLE}",
        f'"{SEVENTEEN}","{FIGURE_1_SOLUTION}"\n' * 100,
        'id,puzzle\n' + f'7,"{SEVENTEEN}"\n' * 100,
        f'"{SEVENTEEN}"\n' * 100,
        f"{GRID}\n" * 100,
        f"# titles\n{GRID}\n" + f"{GRID}\n" * 99,
        f"{SEVENTEEN}\n" * 50 + f"{FIGURE_1}\n" * 50,
        "\ufeff" + f"{SEVENTEEN}\n" * 100,
    ],
)  # fmt: skip
def test_whatever_a_list_is_written_in_it_is_read_in_arrays(text: str) -> None:
    assert in_arrays(text) >= 95


def test_names_and_lines() -> None:
    text = f"{SEVENTEEN}\n{SEVENTEEN} , a name \n\n{GRID}{SEVENTEEN}#x\n".encode()
    found = BoardsInLines(text)
    assert found.boards_from(0) == (0, 4)
    assert found.boards_from(1) == (1, 1)
    chunk = found.chunk(0, 4, "list", 10)
    assert [(r.source, r.line, r.name) for r in chunk] == [
        ("list", 10, ""), ("list", 11, "a name"), ("list", 13, ""), ("list", 22, "x"),
    ]  # fmt: skip
    assert (chunk.boards == np.frombuffer(SEVENTEEN.encode(), np.uint8) - ord("0")).all()
    assert chunk.texts == [Puzzle.parse(SEVENTEEN).line] * 4
    assert chunk.hint_counts == [17] * 4
