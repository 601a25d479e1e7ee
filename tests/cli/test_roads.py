"""One table of inputs down every road: path, pipe, string, open file, list, several processes."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from figures import FIGURE_1, SEVENTEEN

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import Puzzle
from bddsudoku.puzzle.sudoku.text import read_puzzles
from bddsudoku.solver import read_records
from bddsudoku.solver.bulk_solving import count_many, solve_many, true_candidates_many

ROWS = "\n".join(SEVENTEEN[i : i + 9] for i in range(0, 81, 9))
LATIN = "\n".join(" ".join(str((5 * r + c) % 12) for c in range(12)) for r in range(12))
SHIFTED = SEVENTEEN.translate(str.maketrans("0123456789", "_012345678"))
FRAME = "," + ",".join(map(str, range(8))) + "\n"
FRAME += "".join(f"{i},{'1' if i == 3 else '0'}" + ",0" * 7 + "\n" for i in range(8))
MINUS_ONES = "\n".join(
    " ".join(c.replace("_", "-1") for c in SHIFTED[i : i + 9]) for i in range(0, 81, 9)
)
NO_CLUE = "1" + "." * 15

COUNTS: dict[str, tuple[str, list[int]]] = {
    # name: (text, what is counted, at most 300 each)
    "a line": (f"{SEVENTEEN}\n", [1]),
    "a grid": (f"{ROWS}\n", [1]),
    "names": (
        f"{SEVENTEEN} easy 3\n{SEVENTEEN}#17 hints\n{SEVENTEEN},digits are from 1\n",
        [1, 1, 1],
    ),
    "comments": (f"# digits are from 1\n{SEVENTEEN}\n% shapes\n# layout of mine\n{ROWS}\n", [1, 1]),
    "titles": (f"Grid 01\n{ROWS}\nGrid 02\n{ROWS}\n", [1, 1]),
    "blank lines": (f"\n\n{SEVENTEEN}\n \t\n{SEVENTEEN}\n\n", [1, 1]),
    "mixed sizes": (f"{NO_CLUE}\n{SEVENTEEN}\n{NO_CLUE}\n\n{FIGURE_1}\n", [72, 1, 72, 1]),
    "digits": ("# digits: 0-3\n# shape 4x4\n0...\n....\n....\n....\n", [72]),
    "digits of a list": (f"# digits 0-8\n{SHIFTED}\n{SHIFTED}\n", [1, 1]),
    "auto": (f"# digits: 0..3\n0{NO_CLUE[1:]}\n# digits auto\n{SEVENTEEN}\n", [72, 1]),
    "layout first": ("# layout: 1x2\n# shape: 2x4\n1.......\n", [54]),
    "layout last": ("# shape: 2x4\n# layout: 1x2\n1...\n....\n", [54]),
    "one cell": ("# shape: 1x1\n.\n", [1]),
    "numbers": ("# digits: 1-12\n# shape: 1x3\n12 . .\nregions none\n", [110]),
    "two numbers": ("# digits: 1-12\n# shape: 1x2\n12 .\n", [11]),
    "a grid of numbers": (f"# digits: 0-11\n{LATIN}\nregions none\n", [1]),
    "rules": (f"{NO_CLUE}\ndiagonals\n\n{SEVENTEEN}\n{NO_CLUE}\n", [12, 1, 72]),
    "regions": (f"{'.' * 25}\nregions 11111 22222 33333 44444 55555\n", [300]),
    "constraints a line": (
        f".Shape~4x4\n.~R1C1_1\n.Diagonal~1\n.Diagonal~-1\n{NO_CLUE[::-1]}\n",
        [12, 72],
    ),
    "labels": (FRAME, [300]),
    "labels 3": (",0,1,2,3\n0,1,0,0,0\n1,0,0,0,0\n2,0,0,0,0\n3,0,0,0,0\n", [72]),
    "a table": (f'id,puzzle,rating\n7,{SEVENTEEN},1.5\n8,"{SEVENTEEN}",\n', [1, 1]),
    "a long table": ("quizzes,solutions\n" + f"{SEVENTEEN},{SEVENTEEN}\n" * 40, [1] * 40),
    "a list that becomes another": (
        f"{SEVENTEEN}\n" * 5000 + f"{ROWS}\n\n" * 20 + f"{NO_CLUE}\ndiagonals\n",
        [1] * 5020 + [12],
    ),
    "HoDoKu": (f":0000:x:{SEVENTEEN}:::\n:0300:4:{SEVENTEEN}:111 112::a name\n", [1, 1]),
}

REFUSED = {
    # text: words of the message
    "# digits: x\n" + NO_CLUE: "line 1: expected '# digits: 0-8'.* found 'x'",
    "# digits: 3\n" + NO_CLUE: "line 1: expected '# digits: 0-8'.* found '3'",
    "# digits 3 of 4\n" + NO_CLUE: "line 1: expected '# digits: 0-8'.* found '3 of 4'",
    "# shape: 8x\n" + SEVENTEEN: "line 1: expected '# shape: 8x9'.* found '8x'",
    "# shape: -8x9\n" + SEVENTEEN: "line 1: expected '# shape: 8x9'.* found '-8x9'",
    "# shape 9 by 9\n" + SEVENTEEN: "line 1: expected '# shape: 8x9'.* found '9 by 9'",
    "% layout: 3\n" + SEVENTEEN: "line 1: expected '# layout: 3x2'.* found '3'",
    "# shape: 3x5\n# layout: 2x2\n" + "." * 15: "line 2: blocks of 2x2 cells do not fill",
    f"{SEVENTEEN}\n{SEVENTEEN} antiknight\n": "line 2: antiknight: a rule stands on a line of its",
    f"{SEVENTEEN} regions {'123456789' * 9}": "line 1: regions: a rule stands on a line of its own",
    f"{SEVENTEEN}\n{SEVENTEEN} # digits: 0-8\n": "line 2: digits: a header stands on a line of its",
    f"{SEVENTEEN} r1c1<>3\n": "line 1: r1c1<>3: hints and candidates of cells are not read",
    f"{SEVENTEEN} " + "1........" * 81: "hints and candidates of cells are not read",
    f":0000:x:{SEVENTEEN}:4x7::": "line 1: expected a line of HoDoKu's library",
    f":0000:x:{SEVENTEEN[1:]}:::": "line 1: expected a line of HoDoKu's library",
    "# digits: 1-12\n# shape: 1x3\n13 . .\n": "cell r1c1: expected a digit 1-12, found '13'",
    MINUS_ONES: "both 0 and . occur on this 9x9 board, 9 does not",
    "." * 25: "line 1: a 5x5 board has no usual blocks",
    ",0,1,2,3\n4,1,0,0,0\n7,0,0,0,0\n9,0,0,0,0\n5,0,0,0,0\n": "the columns seem to have labels",
    "https://sudokupad.app/classicABC": "line 1: expected the code of 81 cells",
}  # fmt: skip


def counts_of_records(found: Any) -> list[int]:
    return count_many([record.puzzle for record in found], 300).tolist()


def pipe(text: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    return counts_of_records(read_records("-"))


def opened(text: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    with file.open(encoding="utf-8-sig") as stream:
        return count_many(stream, 300, jobs=2).tolist()


def opened_bytes(text: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    with file.open("rb") as stream:
        return count_many(stream, 300, jobs=1).tolist()


ROADS: dict[str, Callable[[str, Path, pytest.MonkeyPatch], list[int]]] = {
    "path": lambda text, file, _: counts_of_records(read_puzzles(file)),
    "command's path": lambda text, file, _: counts_of_records(read_records(str(file))),
    "pipe": pipe,
    "string": lambda text, file, _: counts_of_records(read_records(f"\n{text}")),
    "open file": opened,
    "open binary file": opened_bytes,
}
ENDS = {"lines": str, "CRLF": lambda t: t.replace("\n", "\r\n"), "BOM": "\ufeff{}".format}


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("name", COUNTS)
def test_every_road_counts_the_same(
    name: str, road: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, counts = COUNTS[name]
    for change in ENDS.values():
        file = tmp_path / "boards.txt"
        file.write_bytes(change(text).encode())
        assert ROADS[road](change(text), file, monkeypatch) == counts


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:30])
def test_every_road_refuses_the_same(
    text: str, road: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "boards.txt"
    file.write_text(text, encoding="utf-8")
    words = REFUSED[text]
    if road == "string":
        words = words.replace("line 1", "line 2").replace("line 2: antik", "line 3: antik")
        words = words.replace("line 2: digits: a", "line 3: digits: a")
        words = words.replace("line 2: blocks", "line 3: blocks")
    with pytest.raises(PuzzleFormatError, match=words):
        ROADS[road](text, file, monkeypatch)


@pytest.mark.parametrize("name", COUNTS)
def test_processes_count_the_same(name: str, tmp_path: Path, run: Callable[..., Any]) -> None:
    text, counts = COUNTS[name]
    file = tmp_path / "boards.txt"
    file.write_text(text)
    lists = [run("count", str(file), "--limit", "300", "--jobs", jobs).stdout for jobs in "12"]
    assert lists[0] == lists[1]
    shown = [line.split()[-3 if "or more" in line else -1] for line in lists[0].splitlines()]
    assert [int(count.replace(",", "")) for count in shown] == counts


@pytest.mark.parametrize("text", ["{0}\n" * 20, "id,puzzle\n" + "1,{0}\n" * 20, '"{0}"\n' * 20])
def test_rules_hold_on_every_list(text: str, tmp_path: Path, run: Callable[..., Any]) -> None:
    listed, rules = tmp_path / "list.txt", tmp_path / "rules.txt"
    listed.write_text(text.format("5" + "." * 9 + "5" + "." * 70))
    rules.write_text("antiking\n")
    for argument, more in ((str(listed), {}), ("-", {"stdin": listed.read_text()})):
        found = run("count", "--rules", str(rules), "--limit", "2", argument, **more)
        assert found.stdout.splitlines() == ["0"] * 20
    rules.write_text("\n")
    refused = run("count", "--rules", str(rules), str(listed), code=1)
    assert "expected a rule a line" in refused.stderr


def test_open_files_of_other_questions() -> None:
    text = f"# digits: 1-9\n{SEVENTEEN}\n\n{ROWS}\n"
    assert solve_many(io.StringIO(text)).counts.tolist() == [1, 1]
    assert true_candidates_many(io.StringIO(text)).shape == (2, 81)
    with pytest.raises(PuzzleFormatError, match="line 2: expected a classic 9x9 board, found 4x4"):
        solve_many(io.StringIO("# digits: 0-3\n" + "." * 16))


def test_an_eliminated_candidate_is_no_name() -> None:
    text = ":0000:x:{}:{}::"
    cells = "+349618572782359...651742389273895...195476238864231957527164893918523764436987125"
    found = [Puzzle.parse(text.format(cells, out)) for out in ("", "427", "427 627")]
    assert count_many(found).tolist() == [2, 1, 0]


def test_comments_are_not_kept_without_end() -> None:
    text = "".join(f"# {i}\n" for i in range(100_000)) + NO_CLUE
    (record,) = read_puzzles(io.StringIO(text))
    assert len(record.comments) < 1000
    assert record.comments[-1] == "99999"


BROKEN = "\n".join(
    [
        SEVENTEEN,
        SEVENTEEN[1:],
        "nan1",
        SEVENTEEN[:-1] + "&",
        f"{SEVENTEEN} a name",
        "no puzzle at all",
        *[SEVENTEEN] * 20,
        "",
        ROWS.replace("1", "&", 1),
        "antiking",
        "",
        ROWS,
        "oops",  # may be a rule of the board above, which is not answered either
    ]
)
WANTED = ["1", "?", "?", "?", "1", "?", *["1"] * 20, "?", "?"]


class TestGoingOn:
    """A puzzle that is not read has a line of its own, on every road."""

    @pytest.fixture
    def broken(self, tmp_path: Path) -> Path:
        file = tmp_path / "broken.txt"
        file.write_text(BROKEN)
        return file

    def test_commands(self, broken: Path, run: Callable[..., Any]) -> None:
        for argument, stdin in ((str(broken), None), ("-", BROKEN), (f"{BROKEN}\n", None)):
            more = {} if stdin is None else {"stdin": stdin}
            found = run("count", argument, "--keep-going", code=1, **more)
            assert found.stdout.splitlines() == WANTED
            assert "cell r9c9: expected 1-9 or an open cell" in found.stderr
            assert found.stderr.endswith("of the list 6 were not read\n")
            found = run("count", argument, "--keep-going", "--json", code=1, **more)
            rows = [json.loads(row) for row in found.stdout.splitlines()]
            assert [row.get("count", "?") for row in rows] == WANTED
            assert [row["line"] for row in rows if "error" in row] == [2, 3, 4, 6, 28, 48]
        assert run("count", str(broken), code=1).stdout.splitlines() == ["1"]

    @pytest.mark.parametrize("more", [[], ["--jobs", "2"]])
    def test_hints(self, more: list[str], broken: Path, run: Callable[..., Any]) -> None:
        broken.write_text(f"{SEVENTEEN}\n12\n{SEVENTEEN}\n{SEVENTEEN[2:]}\n")
        found = run("hints", str(broken), "--json", "--keep-going", *more, code=1)
        rows = [json.loads(row) for row in found.stdout.splitlines()]
        assert [row.get("line") for row in rows] == [None, 2, None, 4]

    @pytest.mark.parametrize(
        "words",
        ["enumerate", "check --engine dlx --engine search", "compile", "build",
         "unavoidable --boxes 1 --first 0"],
    )  # fmt: skip
    def test_other_commands(self, words: str, broken: Path, run: Callable[..., Any]) -> None:
        broken.write_text(f"{FIGURE_1}\n12\n{FIGURE_1}\n")
        call = [*words.split(), str(broken), "--keep-going"]
        assert "?" in run(*call, code=1).stdout.splitlines()
        rows = [json.loads(row) for row in run(*call, "--json", code=1).stdout.splitlines()]
        assert [row.get("line") for row in rows] == [None, 2, None]

    def test_output(self, broken: Path, tmp_path: Path, run: Callable[..., Any]) -> None:
        broken.write_text(f"{SEVENTEEN}\n12\n{SEVENTEEN}\n")
        file = tmp_path / "solutions.csv"
        found = run("enumerate", str(broken), "--keep-going", "-o", str(file), code=1)
        assert (found.stdout, len(file.read_text().splitlines())) == ("", 3)
        assert "line 2" in found.stderr
        broken.write_text("12\n")
        for name in ("none.npy", "none.parquet"):
            found = run(
                "enumerate", str(broken), "--keep-going", "-o", str(tmp_path / name), code=1
            )
            assert "no table" in found.stderr
            assert not (tmp_path / name).exists()

    def test_python(self, broken: Path) -> None:
        errors: list[PuzzleFormatError] = []
        with broken.open() as file:
            counts = count_many(file, on_error=errors.append)
        assert ["?" if count is None else str(count) for count in counts.tolist()] == WANTED
        assert [error.line for error in errors] == [2, 3, 4, 6, 28, 48]
        lines = [SEVENTEEN, "12", *[SEVENTEEN] * 30]
        errors.clear()
        counts, solutions = solve_many(lines, on_error=errors.append)
        assert counts.tolist() == [1, None, *[1] * 30]
        assert solutions.any(axis=1).tolist() == [count is not None for count in counts]
        assert [str(error)[:10] for error in errors] == ["puzzle 1: "]
        found = true_candidates_many(lines, on_error=errors.append)
        assert np.flatnonzero(~found.any(axis=1)).tolist() == [1]
