"""Every form of puzzle text, by the examples of forms/read.txt."""

from __future__ import annotations

import io
from math import isqrt
from pathlib import Path

import pytest

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.layout import SYMBOLS
from bddsudoku.puzzle.sudoku.text import looks_like_puzzle, parse_one, read_puzzles

FIGURE = "4.3.1...2.7..2..3.5...3.8...5..42.6.69.157.43.4.96..1...2.7...5.6..8..9.8...9.1.7"
PUZZLE = Puzzle([0 if c == "." else int(c) for c in FIGURE])
ROWS = [FIGURE[i : i + 9] for i in range(0, 81, 9)]
GRID = "\n".join(ROWS)
OTHER = Puzzle.parse(
    "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
)


def examples() -> dict[str, tuple[Puzzle, str]]:
    """What each form of the file says, and its text.

    ``@@@ LINE`` begins the forms of a puzzle, ``@@ NAME`` each of them.
    """
    found = {}
    text = (Path(__file__).parent / "forms" / "read.txt").read_text(encoding="utf-8")
    for part in text.split("@@@ ")[1:]:
        line, *forms = part.split("\n@@ ")
        digits = [0 if c == "." else int(c) for c in line]
        cells = [digits[i : i + 9] for i in range(0, 729, 9)]
        masks = [sum(1 << (d - 1) for d in cell if d) for cell in cells]
        puzzle = Puzzle(digits) if len(digits) == 81 else Puzzle.from_masks(masks)
        for form in forms:
            name, _, body = form.partition("\n")
            found[f"{name}, {len(found)}"] = puzzle, body
    return found


READ = examples()


@pytest.mark.parametrize("form", READ)
def test_forms_that_are_read(form: str) -> None:
    puzzle, text = READ[form]
    end = ("\n", "\r\n", "\r")[len(form) % 3]
    text = text.replace("\n", end)
    assert parse_one(text + end) == puzzle
    assert [r.puzzle for r in read_puzzles(io.BytesIO(f"\ufeff{text}".encode()))] == [puzzle]
    assert looks_like_puzzle(text)


@pytest.mark.parametrize("form", READ)
def test_a_puzzle_after_it_is_read_as_well(form: str) -> None:
    """Except after sections and tables, which extend to the end of the text."""
    if any(word in form for word in ("sdk", "table of", "table with")):
        pytest.skip("this form ends with the text")
    puzzle, text = READ[form]
    if puzzle.candidates is not None:
        pytest.skip("a grid may go on")
    more = puzzle == PUZZLE
    for gap in ("\n\n", "\n# next\n")[: 1 + more]:
        for after in (FIGURE, GRID, str(PUZZLE), "\n\n".join(ROWS))[: 3 + more]:
            found = [r.puzzle for r in read_puzzles(io.StringIO(f"{text}{gap}{after}\n"))]
            assert found == [puzzle, PUZZLE], after


@pytest.mark.parametrize("blank", [*".0_*-?xX・·□．０－＊⬜"])
def test_blanks_on_one_line_and_in_a_grid(blank: str) -> None:
    spaced = "\n".join(map(" ".join, ROWS))
    for text in (FIGURE, GRID, spaced, str(PUZZLE), GRID.replace("\n", "\n\n")):
        assert parse_one(text.replace(".", blank)) == PUZZLE


def test_open_cells_that_touch_are_no_regions() -> None:
    assert parse_one("xx1x\nxxxx\nx2xx\nxxxx").hint_count == 2


def test_grids_without_anything_between() -> None:
    other = "\n".join(OTHER.line[i : i + 9] for i in range(0, 81, 9))
    for grid in (GRID, "\n".join(map(" ".join, ROWS)), str(PUZZLE), f"Grid 1\n{GRID}"):
        text = f"{grid}\n{other}\n{grid}\n{PUZZLE.line}\n{other}\n"
        found = [r.puzzle for r in read_puzzles(io.StringIO(text))]
        assert found == [PUZZLE, OTHER, PUZZLE, PUZZLE, OTHER]


@pytest.mark.parametrize(("join", "at"), [("", 0), ("", 4), ("", 8), ("|", 4)])
def test_dashes_that_may_be_a_border_or_a_row(join: str, at: int) -> None:
    rows = [join.join(row) for row in ROWS]
    rows[at] = join.join("---------")
    text = "\n".join(rows).replace(".", "-")
    if join:
        assert parse_one(text).hint_count == 28
        return
    for again in (text, f"{text}\n" * 9):
        with pytest.raises(PuzzleFormatError, match=r"8 of 9 rows|9 dashes may be a border"):
            parse_one(again)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"{FIGURE} easy", "easy"),
        (f"{FIGURE}\teasy one", "easy one"),
        (f"{FIGURE},easy", "easy"),
        (f"{FIGURE}, easy , 2", "easy , 2"),
        (f"{FIGURE};1;2.5", "1;2.5"),
        (f"{FIGURE} # easy", "easy"),
        (f"{FIGURE}:1:{OTHER.line}", f"1:{OTHER.line}"),
        (f"{FIGURE} 名前", "名前"),
        (f"{FIGURE}", ""),
        (f"{FIGURE} 12345", "12345"),
    ],
)
def test_names(text: str, name: str) -> None:
    (record,) = read_puzzles(io.StringIO(text))
    assert (record.puzzle, record.name, record.line) == (PUZZLE, name, 1)


def test_records_know_their_place() -> None:
    text = f"# first\n#second\n{FIGURE} a\n\n{GRID}\n\n# third\nGrid 7\n{GRID}\n"
    one, two, three = read_puzzles(io.StringIO(text))
    assert (one.line, one.name, one.comments) == (3, "a", ("first", "second"))
    assert (two.line, two.name, two.comments) == (5, "", ())
    assert (three.line, three.name, three.comments) == (17, "Grid 7", ("third",))
    assert one.source == "<stream>"


SMALL = ["1...............", "12.34...........", "1234341221434321"]


@pytest.mark.parametrize("join", ["\n", "\n\n"])
def test_lines_of_sixteen_symbols_are_four_by_four(join: str) -> None:
    found = [r.puzzle for r in read_puzzles(io.StringIO(join.join(SMALL * 5)))]
    assert [p.line for p in found] == SMALL * 5
    text = "# layout: 2x2\n" + join.join(SMALL * 11)
    assert [r.puzzle.line for r in read_puzzles(io.StringIO(text))] == SMALL * 11


def test_sixteen_symbols_are_a_row_of_sixteen() -> None:
    large = ["123456789ABCDEFG"] + ["." * 16] * 15
    assert parse_one("\n".join(large)).n == 16
    assert parse_one("\n\n".join("\n".join(large[i : i + 4]) for i in (0, 4, 8, 12))).n == 16
    first = "\n".join([SMALL[0], *large[1:]])
    assert parse_one(first, Layout(4, 4)).n == parse_one("# layout: 4x4\n" + first).n == 16
    assert parse_one("\n".join(["1...|....|....|...."] + ["....|" * 3 + "...."] * 15)).n == 16
    for text in ("1234 3412 2143 4321", " ".join(SMALL[2]), "12 34\n34 12\n21 43\n43 21"):
        assert parse_one(text).n == 4


TWO = Puzzle([1, 2, 3, 4, 5, 6] + [0] * 30, Layout(2, 3))
THREE = Puzzle(TWO.cells, Layout(3, 2))
SIX = [TWO.line[i : i + 6] for i in range(0, 36, 6)]


@pytest.mark.parametrize(
    ("text", "puzzle"),
    [
        (TWO.line, TWO),
        ("# layout: 3x2\n" + TWO.line, THREE),
        ("# Layout = 3 × 2\n" + TWO.line, THREE),
        (str(THREE), THREE),
        (str(TWO), TWO),
        ("\n".join(f"{r[:2]}|{r[2:4]}|{r[4:]}" for r in SIX), THREE),
        ("\n".join(f"{r[:2]} {r[2:4]} {r[4:]}" for r in SIX), THREE),
        ("\n".join(f"{r[:3]} {r[3:]}" for r in SIX), TWO),
        ("\n".join([*SIX[:3], "------", *SIX[3:]]), THREE),
        ("\n".join([*SIX[:3], "", *SIX[3:]]), THREE),
        ("\n".join([*SIX[:2], "", *SIX[2:4], "", *SIX[4:]]), TWO),
    ],
)
def test_shape_from_borders_and_directives(text: str, puzzle: Puzzle) -> None:
    assert parse_one(text) == parse_one(text, puzzle.layout) == puzzle


def test_a_directive_holds_for_what_follows() -> None:
    assert parse_one(TWO.line, Layout(3, 2)) == THREE
    line = TWO.line
    mixed = f"{line}\n# layout: 3x2\n{line}\n# layout: auto\n{line}\n{FIGURE}\n"
    assert [r.puzzle for r in read_puzzles(io.StringIO(mixed))] == [TWO, THREE, TWO, PUZZLE]


@pytest.mark.parametrize("between", ["\n", "\n\n", "\n# its regions\n", "\nantiknight\n"])
@pytest.mark.parametrize("join", ["", " ", ",", " | "])
@pytest.mark.parametrize("n", [5, 7, 11, 13])
def test_sides_without_usual_blocks(n: int, join: str, between: str) -> None:
    """Lines below the board say the blocks; rows that begin with 1, 2, ... bear no labels."""
    slanted = " ".join(SYMBOLS[r:n] + SYMBOLS[:r] for r in range(n))
    full = [(2 * (c % n) + c // n) % n + 1 for c in range(n * n)]
    for regions_text, regions in (("none", ""), (slanted, slanted.replace(" ", ""))):
        layout = Layout.of_side_or_rows(n).with_regions(map(ord, regions))
        for cells in (full, [d * (i % 3 == 0) for i, d in enumerate(full)], [0] * (n * n)):
            signs = ["." if d == 0 else str(d) if join else SYMBOLS[d - 1] for d in cells]
            board = "\n".join(join.join(signs[i : i + n]) for i in range(0, n * n, n))
            text = f"{board}{between}regions {regions_text}\n"
            found = [record.puzzle for record in read_puzzles(io.StringIO(2 * text))]
            assert [(p.cells, p.layout) for p in found] == [(tuple(cells), layout)] * 2


def test_sides_without_usual_blocks_that_nobody_names() -> None:
    rows = [SYMBOLS[r:5] + SYMBOLS[:r] for r in range(5)]
    for text in ("\n".join(rows), "\n".join(map(" ".join, rows))):
        for more in ("", "\nantiknight", "\n\n" + FIGURE, "\n" + text):
            with pytest.raises(PuzzleFormatError, match="line 1: a 5x5 board has no usual blocks"):
                list(read_puzzles(io.StringIO(text + more), name="x"))
        with pytest.raises(PuzzleFormatError, match="line 6: the region of r3c4 has 6 cells"):
            parse_one(f"{text}\nregions 11122 11222 33344 33444 55554\n")
        assert parse_one(f"# layout: 1x5\n{text}") == parse_one(
            f"{text}\nregions {' '.join(r[0] * 5 for r in rows)}"
        )


NUMBERS = [[str((4 * r + r // 3 + c) % 12 + 1) for c in range(12)] for r in range(12)]


@pytest.mark.parametrize(("cell", "row"), [(" ", "\n"), (" ", " "), (",", ","), (",", "\n")])
def test_numbers_with_two_digits(cell: str, row: str) -> None:
    assert parse_one(row.join(map(cell.join, NUMBERS))).is_solution


def test_numbers_from_zero_are_stated() -> None:
    text = "\n".join(" ".join(str(int(t) - 1) for t in row) for row in NUMBERS)
    assert parse_one(f"# symbols: 0-B\n{text}").is_solution
    assert parse_one(f"# symbols: 1-C\n{text}").hint_count == 132


@pytest.mark.parametrize(("blank", "digits"), [(".", 1), ("..", 2)])
def test_open_cells_among_numbers(blank: str, digits: int) -> None:
    rows = [" ".join(blank if t == "3" else t.zfill(digits) for t in r) for r in NUMBERS]
    assert parse_one("\n".join(rows)).hint_count == 132


@pytest.mark.parametrize("wide", [3, 4])
def test_blocks_of_numbers(wide: int) -> None:
    starts = range(0, 12, wide)
    rows = [" | ".join(" ".join(r[i : i + wide]) for i in starts) for r in NUMBERS]
    assert parse_one("\n".join(rows)).layout == Layout(12 // wide, wide)


@pytest.mark.parametrize(
    ("n", "symbols", "convention"),
    [
        (16, "ABCDEFGHIJKLMNOP", "A-P"),
        (16, "abcdefghijklmnop", "A-P"),
        (16, "123456789abcdefg", None),
        (16, "0123456789ABCDEF", "0-F"),
        (16, "0123456789ABCDEF", "0123456789abcdef"),
        (25, "ABCDEFGHIJKLMNOPQRSTUVWXY", "A-Y"),
    ],
)
def test_other_conventions(n: int, symbols: str, convention: str | None) -> None:
    side = isqrt(n)
    cells = [(side * r + r // side + c) % n + 1 for r in range(n) for c in range(n)]
    puzzle = Puzzle(cells).without(0, 30, 77)
    text = puzzle.line.translate(str.maketrans(SYMBOLS[:n], symbols))
    (record,) = read_puzzles(io.StringIO(text), symbols=convention)
    assert record.puzzle == puzzle
    assert convention is None or parse_one(f"# symbols: {convention}\n{text}") == puzzle


def test_an_empty_table_has_no_labels() -> None:
    for text in (str([["."] * 9] * 9), str([[None] * 9] * 9), "\n".join([",,,,,,,,"] * 9)):
        assert parse_one(text) == Puzzle([0] * 81)


def test_the_last_digit_tells_zeros_from_open_cells() -> None:
    assert parse_one("G" + "0" * 100 + "." * 155).hints == {0: 16}
