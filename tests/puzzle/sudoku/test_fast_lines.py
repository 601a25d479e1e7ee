"""The fast reader of long files against the general reader, with files cut anywhere."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.text import PuzzleRecord, read_puzzles
from bddsudoku.puzzle.sudoku.text.fast_lines import FastLines, read_fast_lines

P17 = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"

cells = st.text("123456789.0_*-?xX", min_size=81, max_size=81)
maps = "".join(str(b) * 3 for b in (1, 2, 3) * 3 + (4, 5, 6) * 3 + (7, 8, 9) * 3)
placed = "1..4....9.2......9" + "." * 62 + "9"
cells = st.one_of(cells, cells, cells, cells, st.sampled_from([maps, placed, "." * 81]))
names = st.one_of(
    st.just(""),
    st.builds(
        lambda sep, name: sep + name,
        st.sampled_from([" ", ",", "\t", ";", ":", "|", "#", " # ", ",,", " \t "]),
        st.text(" ,;ab1.#\t~é\x7f", max_size=8),
    ),
)
ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])
fast = st.builds(lambda c, n, e: c + n + e, cells, names, ends)
other = st.sampled_from(
    [
        "\n", "# a comment\n", P17[:80] + "\n", P17 + "0\n", "-" * 81 + "\n", " " + P17 + "\n",
        "a" * 81 + "\n", P17[:36] + "\n", "\ufeff" + P17 + "\n", P17[:80] + "é\n", "[Puzzle]\n",
        P17[:80] + "\0\n", P17 + " " + "x" * 5000 + "\n", P17.replace("0", " ") + "\n",
    ]
)  # fmt: skip
texts = st.builds(
    lambda lines, cut: "".join(lines)[: -cut or None],
    st.lists(st.one_of(fast, fast, fast, other), max_size=8),
    st.integers(0, 4),
)


def read_in_pieces(data: bytes, sizes: list[int]) -> tuple[list[tuple[bytes, str]], int]:
    """The fast lines at the beginning of a file, read in pieces, and where they end."""
    found, at, end = [], 0, 0
    for size in [*sizes, len(data)]:
        end = min(len(data), end + size)
        piece = data[at:end]
        lines = read_fast_lines(piece, is_last=end == len(data))
        found += [(lines.digits[i].tobytes(), name) for i, name in enumerate(lines.names)]
        at += lines.used
        assert not (lines.more and end == len(data))
        if not lines.more:
            break
    return found, at


def by_reader(data: bytes) -> list[tuple[bytes, str]]:
    return [(bytes(r.puzzle.cells), r.name) for r in read_puzzles(io.BytesIO(data))]


@given(texts, st.lists(st.integers(1, 200), max_size=6))
@example(P17, [81])
@example(P17 + "\r\n" + P17, [82])
@example(P17 + " \n", [])
@example(P17 + "\r\r\n" + P17, [])
def test_fast_lines_are_what_the_reader_reads(text: str, sizes: list[int]) -> None:
    data = text.encode()
    found, used = read_in_pieces(data, sizes)
    if found:
        assert by_reader(data[:used]) == found
    one = read_fast_lines(data, is_last=True)
    assert one.used == used
    assert len(one.digits) == len(found)
    rest = data[used:]
    if not rest:
        return
    # the next line is no board on one line, or has a name that is looked at more closely
    line = rest.decode().replace("\r\n", "\n").replace("\r", "\n").partition("\n")[0]
    try:
        records: list[PuzzleRecord] = list(read_puzzles(io.StringIO(line + "\n")))
    except PuzzleFormatError:
        return
    if len(records) == 1 and records[0].puzzle.n == 9:
        head, behind = line[:81], line[81:]
        plain = set(head) <= set("123456789.0_*-?xX") and set(head) != {"-"}
        assert (
            not plain
            or not behind.isascii()
            or "\t" in behind
            or len(behind) > 70
            or head in (maps, placed)
            or (not behind.isprintable())
        )


def test_spans_names_and_rest() -> None:
    data = f"{P17}\n{P17} , a name \r\n{P17}#x\n\n{P17}\n".encode()
    lines = read_fast_lines(data, is_last=True)
    assert lines.names == ["", "a name", "x"]
    assert [data[a:b].decode()[81:] for a, b in lines.spans] == ["", " , a name ", "#x"]
    assert (lines.used, lines.more) == (data.index(b"\n\n") + 1, False)
    assert (lines.digits == np.frombuffer(P17.encode(), np.uint8) - 48).all()


@pytest.mark.parametrize("last", [True, False])
def test_the_end_of_a_piece(last: bool) -> None:
    def fast_line_count(text: str) -> tuple[int, int, bool]:
        lines: FastLines = read_fast_lines(text.encode(), is_last=last)
        return len(lines.digits), lines.used, lines.more

    assert fast_line_count("") == (0, 0, not last)
    assert fast_line_count(P17 + "\n") == (1, 82, not last)
    assert fast_line_count(P17) == ((1, 81, False) if last else (0, 0, True))
    assert fast_line_count(P17 + "\r") == ((1, 82, False) if last else (0, 0, True))
    assert fast_line_count(P17 + " na") == ((1, 84, False) if last else (0, 0, True))
    assert fast_line_count(P17[:9]) == (0, 0, not last)
    assert fast_line_count(P17[:9] + "\n") == (0, 0, False)
    assert fast_line_count(P17 + "\n" + P17[:80]) == (1, 82, not last)
    assert fast_line_count(P17 + " " + "a" * 5000) == (0, 0, False)
