"""Notations that people paste: each is read as what it is, or refused by the name of its form."""

from __future__ import annotations

import io
import json
from collections.abc import Callable

import numpy as np
import pytest

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.text import looks_like_puzzle, parse_one, read_puzzles

LINE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLUTION = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
PUZZLE = Puzzle([0 if c == "." else int(c) for c in LINE])
DIGITS = [list(PUZZLE.cells[i : i + 9]) for i in range(0, 81, 9)]
ROWS = [LINE[i : i + 9] for i in range(0, 81, 9)]
REGIONS = ["111222333"] * 3 + ["444555666"] * 3 + ["777888999"] * 3
REGIONS[2] = "111222336"
REGIONS[3] = "444555366"
LETTERS = {ord(str(d)): "ABCDEFGHI"[d - 1] for d in range(1, 10)}
FROM_0 = {ord(str(d)): str(d - 1) for d in range(1, 10)}


def rows(cell: Callable[[int], str], join: str, left: str = "", right: str = "") -> list[str]:
    """Every row, its cells written by a function."""
    return [left + join.join(cell(d) for d in row) + right for row in DIGITS]


def shown(blank: str) -> Callable[[int], str]:
    return lambda d: str(d) if d else blank


def py_sudoku(board: Puzzle) -> str:
    """As the package py-sudoku prints a board."""
    n, lay = board.n, board.layout
    wide = len(str(n))
    rule = ("+-" + "-" * (wide + 1) * lay.box_columns) * lay.box_rows + "+"
    out = [rule]
    for r in range(n):
        cells = [f"{d:0{wide}}" if d else " " * wide for d in board.cells[r * n : r * n + n]]
        out.append((("| " + "{} " * lay.box_columns) * lay.box_rows + "|").format(*cells))
        if (r + 1) % lay.box_rows == 0:
            out.append(rule)
    dashes = "-" * 27
    head = f"{n}x{n} ({lay.box_columns}x{lay.box_rows}) SUDOKU PUZZLE\nDifficulty: 0.50"
    return f"\n{dashes}\n{head}\n{dashes}\n" + "\n".join(out) + "\n"


def blocks(row: str, bar: str, join: str = "") -> str:
    return bar.join(join.join(row[i : i + 3]) for i in (0, 3, 6))


def html(cell: Callable[[int], str]) -> str:
    trs = ["<tr>" + "".join(f"<td class=c>{cell(d)}</td>" for d in row) + "</tr>" for row in DIGITS]
    return (
        "<!DOCTYPE html>\n<html><head><style>td {}</style></head><body>\n<table>\n"
        + "\n".join(trs)
        + "\n</table></body></html>\n"
    )


BARRED = rows(shown(" "), " | ", "| ", " |")

READ = {
    # lists of programs
    "Python list": str(DIGITS),
    "Python list, a row a line": "[\n" + "".join(f"    {row},\n" for row in DIGITS) + "]",
    "Python list assigned": "board = [\n" + ",\n".join(map(str, DIGITS)) + "\n]\n",
    "Python list with None": str([[d or None for d in row] for row in DIGITS]),
    "Python list of strings": str([[str(d) if d else "." for d in row] for row in DIGITS]),
    "Python list with empty strings": str([[str(d) if d else "" for d in row] for row in DIGITS]),
    "Python list of rows as strings": str(ROWS),
    "Python list of strings with spaces": str([r.replace(".", " ") for r in ROWS]),
    "Python tuples": str(tuple(map(tuple, DIGITS))),
    "Python flat list": str([d for row in DIGITS for d in row]),
    "Python annotated": "grid: list[list[int]] = " + str(DIGITS),
    "Python string in triple quotes": 'puzzle = """\n' + "\n".join(ROWS) + '\n"""\n',
    "Python string": f"puzzle = '{LINE}'",
    "LeetCode": json.dumps([[str(d) if d else "." for d in row] for row in DIGITS]),
    "JSON with null": json.dumps([[d or None for d in row] for row in DIGITS]),
    "JSON object": json.dumps({"board": DIGITS, "difficulty": "easy"}),
    "JSON object, indented": json.dumps({"id": 7, "puzzle": LINE, "solution": SOLUTION}, indent=2),
    "JSON within JSON": json.dumps(
        {
            "newboard": {
                "grids": [{"value": DIGITS, "solution": [], "difficulty": "Easy"}],
                "results": 1,
            }
        }
    ),
    "JSON array of an object": json.dumps([{"mission": LINE, "level": 3}]),
    "JavaScript with holes": "const grid = [" + ",\n".join(rows(shown(""), ",", "[", "]")) + "];",
    "JavaScript const": "const board: number[][] = " + json.dumps(DIGITS) + "; // easy",
    "numpy print": str(np.array(DIGITS)),
    "numpy print of floats": str(np.array(DIGITS, dtype=float)),
    "numpy repr": repr(np.array(DIGITS, dtype=np.uint8)),
    "numpy call": f"grid = np.array({DIGITS}, dtype=int)",
    "numpy reshape": f"np.array({[d for row in DIGITS for d in row]}).reshape(9, 9)",
    "C array": "int grid[9][9] = {\n" + ",\n".join(rows(str, ", ", "  {", "}")) + "\n};",
    "C array, brace on the next line": "int grid[9][9] =\n{\n"
    + ",\n".join(rows(str, ", ", "  {", "}"))
    + "\n};",
    "Java array": "int[][] board = new int[][] { " + ", ".join(rows(str, ",", "{", "}")) + " };",
    "Java chars": "char[][] board = {"
    + ",".join(rows(lambda d: f"'{d or '.'}'", ",", "{", "}"))
    + "};",
    "C strings": "\n".join(f'    "{row}\\n"' for row in ROWS),
    "strings with commas": "\n".join(f'"{row}",' for row in ROWS),
    "MATLAB": "A = [" + "; ".join(rows(str, " ")) + "];",
    "MATLAB, lines": "A = [\n" + ";\n".join(rows(str, ",")) + "];",
    "Prolog": "P = [" + ",\n".join(rows(shown("_"), ",", "[", "]")) + "].",
    "Rust": "let g = [" + ", ".join(rows(str, ", ", "[", "]")) + "];",
    "Rust vec": "vec![" + ", ".join(rows(str, ", ", "vec![", "]")) + "]",
    "Lisp": "'(" + "\n".join(rows(shown("nil"), " ", "(", ")")) + ")",
    "Kotlin": "arrayOf(" + ", ".join(rows(str, ", ", "intArrayOf(", ")")) + ")",
    "Go": "[9][9]int{" + ", ".join(rows(str, ", ", "{", "}")) + "}",
    "YAML": "- " + str(DIGITS),
    # grids with open cells left blank
    "py-sudoku": py_sudoku(PUZZLE),
    "spaces as open cells": "\n".join(r.replace(".", " ") for r in ROWS),
    "spaces as open cells, cut off": "\n".join(r.replace(".", " ").rstrip() for r in ROWS),
    "spaced, spaces as open cells": "\n".join(" ".join(r).replace(".", " ") for r in ROWS),
    "spaces between bars": "\n---+---+---\n".join(
        "\n".join(blocks(r.replace(".", " "), "|") for r in ROWS[b : b + 3]) for b in (0, 3, 6)
    ),
    "spaces within a frame": "\n".join(
        ["+-----+-----+-----+", *(f"|{blocks(r.replace('.', ' '), '|', ' ')}|" for r in ROWS)]
    ),
    "Unicode frame, spaces": "╔═══╦═══╦═══╗\n"
    + "\n".join(f"║{blocks(r.replace('.', ' '), '║')}║" for r in ROWS)
    + "\n╚═══╩═══╩═══╝",
    "a bar around every cell": "\n".join(
        f"+{'---+' * 9}\n" + "".join(f"| {d or ' '} " for d in row) + "|" for row in DIGITS
    ),
    # tables
    "LaTeX table": "\\begin{tabular}{|c|c|c|c|c|c|c|c|c|}\n\\hline\n"
    + "\n".join(rows(shown(""), " & ", "", r" \\ \hline"))
    + "\n\\end{tabular}",
    "LaTeX's sudoku environment": "\\begin{sudoku}\n"
    + "\n".join(rows(shown(" "), "|", "|", "|."))
    + "\n\\end{sudoku}",
    "Markdown": "\n".join([BARRED[0], "|" + "---|" * 9, *BARRED[1:]]),
    "Markdown, empty header": "\n".join(
        ["|" + "   |" * 9, "|" + ":-:|" * 9, *rows(shown(""), " | ", "| ", " |")]
    ),
    "Markdown, named columns": "\n".join(
        ["| A | B | C | D | E | F | G | H | I |", "|" + " --- |" * 9, *BARRED]
    ),
    "CSV in quotes": "\n".join(rows(lambda d: f'"{d or ""}"', ",")),
    "CSV in quotes, some": "\r\n".join(rows(lambda d: f'"{d}"' if d else "", ",")),
    "CSV with semicolons in quotes": "\n".join(rows(lambda d: f'"{d or ""}"', ";")),
    "CSV with spaces": "\n".join(rows(shown(" "), ", ")),
    "table of puzzles": f"puzzle,solution\n{LINE},{SOLUTION}",
    "table of puzzles in quotes": f'"puzzle","solution"\n"{LINE}","{SOLUTION}"',
    "table with an id": f"id,puzzle,solution,clues,difficulty\n1,{LINE},{SOLUTION},30,0.0",
    "table with an id, no header": f"17;{LINE};{SOLUTION}",
    "hash, puzzle, rating": f"0000183b305c {LINE.replace('.', '0')} 1.2",
    "numbered": f"No. 12: {LINE}",
    "HTML": html(shown("")),
    "HTML with &nbsp;": html(shown("&nbsp;")),
    "HTML with fields": html(lambda d: f'<input maxlength=1 value="{d or ""}">'),
    "OpenSudoku": '<?xml version="1.0"?>\n<opensudoku version="2">\n<name>x</name>\n<game data="'
    + LINE.replace(".", "0")
    + '" />\n</opensudoku>',
    # other
    "link with the cells": f"https://www.sudokuwiki.org/sudoku.htm?bd={LINE.replace('.', '0')}",
    "listing": ", ".join(f"r{c // 9 + 1}c{c % 9 + 1}={d}" for c, d in PUZZLE.hints.items()),
    "listing, a hint a line": "\n".join(
        f"R{c // 9 + 1}C{c % 9 + 1} = {d}" for c, d in PUZZLE.hints.items()
    ),
    "Simple Sudoku .ss": "\n-----------\n".join(
        "\n".join(blocks(r, "|") for r in ROWS[b : b + 3]) for b in (0, 3, 6)
    ),
    "f-puzzles JSON": json.dumps(
        {"size": 9, "grid": [[{"value": d, "given": d > 0} for d in r] for r in DIGITS]}
    ),
    "SadMan .sdk": "#ASomebody\n#DEasy\n[Puzzle]\n" + "\n".join(ROWS) + "\n[State]\n" + SOLUTION,
    "SudoCue .sdm": LINE.replace(".", "0") + "\n",
    "emoji": "\n".join(r.replace(".", "⬜") for r in ROWS).translate(
        {ord(str(d)): f"{d}\ufe0f\u20e3" for d in range(1, 10)}
    ),
    "Arabic digits": "\n".join(ROWS).translate({ord(str(d)): chr(0x660 + d) for d in range(10)}),
    "letters A to I": LINE.translate({ord(str(d)): "ABCDEFGHI"[d - 1] for d in range(1, 10)}),
    "typographic quotes": "\n".join(f"“{r}”," for r in ROWS),
    "underscores": LINE.replace(".", "_"),
    "asterisks, framed": "*-----------*\n"
    + "\n".join(f"|{blocks(r.replace('.', '*'), '|')}|" for r in ROWS)
    + "\n*-----------*",
    "byte-order mark and CRLF": "\ufeff" + "\r\n".join(ROWS) + "\r\n",
}


REFUSED = {
    # text: words in the message
    "JSON with cages": (
        json.dumps({"grid": DIGITS, "killercage": [{"cells": ["R1C1"]}]}),
        "killercage",
    ),
    "JSON with regions": (json.dumps({"grid": DIGITS, "regions": DIGITS}), "'regions'"),
    "f-puzzles link": (
        "https://www.f-puzzles.com/?load=N4IgzglgXgpiBcBOANCALhNAbO8QBUYwAnAAgFoBVAWQFE",
        "f-puzzles",
    ),
    "SudokuPad link": ("https://sudokupad.app/abcdef12345", "SudokuPad"),
    "other link": ("https://example.org/puzzles/17", "a link"),
    "f-puzzles export": (
        "N4IgzglgXgpiBcBOANCALhNAbO8QBUYwAnAAgFoBVAWQFEA5AZQFoAGAFgA4BWAdgGYAnAEY",
        "f-puzzles",
    ),
    "SudokuPad export": ("sclN4IgzglgXgpiBcA2ANCALhNAbO8QBUYwAnAAgFoBVAWQFE", "SudokuPad"),
    "HTML without a table": ("<html><body><p>Sudoku of the day</p></body></html>", "HTML"),
    "HTML, tables within a table": ("<table><tr><td><table></table></td></tr></table>", "within"),
    "SVG": ('<svg xmlns="http://www.w3.org/2000/svg"><text>5</text></svg>', "HTML or XML"),
    "XML of others": ("<?xml version='1.0'?><sudoku><cell r='1' c='1'>5</cell></sudoku>", "XML"),
    "LaTeX program": ("\\documentclass{article}\n\\usepackage{sudoku}\n", "LaTeX"),
    "Fortran": ("grid = reshape((/5,3,0,6,0,0/), (/9,9/))", "Fortran"),
    "R": ("m <- matrix(c(5,3,0,0,7,0), nrow=9, byrow=TRUE)", "R, which"),
    "Python program": ("import numpy as np\nfrom sudoku import Sudoku\n", "program text"),
    "C program": ("#include <stdio.h>\nint main(void) { return 0; }\n", "program text"),
    "0-based digits with -1": (str([[d - 1 for d in row] for row in DIGITS]), "found '-1'"),
    "0-based digits with None": (
        str([[d - 1 if d else None for d in row] for row in DIGITS]),
        "0 may be",
    ),
    "0 to F": ("\n".join("0123456789ABCDEF"[i:] + "." * i for i in range(16)), "0 may be a digit"),
    "rows with labels": (
        "\n".join(f"{'ABCDEFGHI'[i]} {' '.join(r)}" for i, r in enumerate(ROWS)),
        "labels",
    ),
    "SumoCue": ("SumoCueV1=14J0=0J0=0J0=0J0=0J0=0J0", "SumoCue"),
    "killer code": ("3x3:k:5120:2049:5634:5120:2049", "killer"),
    "RTF": ("{\\rtf1\\ansi 53..7....}", "RTF"),
    "prose": (
        "Fill the grid so that every row, column and box holds every digit.",
        "'Fill the grid",
    ),
    "words": ("hello world, this is no puzzle", "'hello world"),
    "region map after a grid": ("\n".join([*ROWS, "", *REGIONS]), "map of 9 regions"),
    "region map in letters": (
        "\n".join([*ROWS, *(r.translate(LETTERS) for r in REGIONS)]),
        "map of 9",
    ),
    "region map from 0": (
        "\n".join([*ROWS, "", *(r.translate(FROM_0) for r in REGIONS)]),
        "map of 9",
    ),
    "region map on the same line": (f"{LINE} {''.join(REGIONS)}", "map of 9 regions"),
    "region map without a gap": (f"{LINE}{''.join(REGIONS)}", "map of 9 regions"),
    "two boards in a row": (LINE + SOLUTION, "two 9x9 boards"),
    "5x5": ("\n".join(["12345"] * 5), "has no usual blocks"),
    "7x7": ("\n".join(["1......"] * 7), "has no usual blocks"),
    "3x3": ("123\n4.6\n789", "boards are 4x4 to 25x25"),
    "2x2": ("12\n21", "boards are 4x4 to 25x25"),
    "1x1": ("5", "found 1 symbol '5'"),
    "27x27": ("\n".join(["." * 27] * 27), "27x27 cells: boards are 4x4 to 25x25"),
    "listing without its size": ("r1c1=1 r2c2=2 r3c3=3", "reach 3"),
    "listing with two digits in a cell": ("r1c1=9, r1c1=8", "found 9 and 8"),
    "pandas print": (
        "   "
        + "  ".join("012345678")
        + "\n"
        + "\n".join(f"{i}  " + "  ".join(r.replace(".", "0")) for i, r in enumerate(ROWS)),
        "",
    ),
    "empty lists of candidates": (
        str([[[] if d else [1, 2] for d in row] for row in DIGITS]),
        "all or none",
    ),
}


@pytest.mark.parametrize("form", READ)
def test_forms_that_are_read(form: str) -> None:
    text = READ[form]
    records = list(read_puzzles(io.StringIO(text)))
    assert [r.puzzle for r in records] == [PUZZLE]
    assert parse_one(text.replace("\r\n", "\n").replace("\n", "\r\n")) == PUZZLE
    assert looks_like_puzzle(text.replace("\ufeff", ""))


@pytest.mark.parametrize("form", READ)
def test_a_puzzle_after_it_is_read_as_well(form: str) -> None:
    """But for markup, which goes on to the end."""
    if "HTML" in form or form in ("OpenSudoku", "SadMan .sdk"):
        pytest.skip("this form ends with the text")
    for after in (LINE, "\n".join(ROWS), py_sudoku(PUZZLE)):
        text = f"{READ[form]}\n\n{after}\n"
        if form.startswith("table") and (after != LINE or "id" in form):
            continue  # a table goes on, too
        found = [r.puzzle for r in read_puzzles(io.StringIO(text))]
        assert found == [PUZZLE, PUZZLE], after


@pytest.mark.parametrize("layout", [Layout(2, 2), Layout(2, 3), Layout(2, 4), Layout()])
def test_prints_whose_first_rows_have_few_digits(layout: Layout) -> None:
    n = layout.n
    for hints in range(4):
        for below in (n - hints, n // 2, 1):
            cells = [0] * (n * n)
            for i in range(hints):
                cells[(n * i // 2 + i) % (2 * n)] = i + 1
            for row in range(2, n):
                for i in range(min(below + row, n)):
                    cells[row * n + (i + row) % n] = (i * 3 + row) % n + 1
            puzzle = Puzzle(cells, layout)
            assert parse_one(py_sudoku(puzzle)) == puzzle


@pytest.mark.parametrize("form", REFUSED)
def test_forms_that_are_refused(form: str) -> None:
    text, words = REFUSED[form]
    with pytest.raises(PuzzleFormatError) as caught:
        list(read_puzzles(io.StringIO(text)))
    message = str(caught.value)
    assert words in message
    assert message.isprintable()
    assert len(message) < 330
