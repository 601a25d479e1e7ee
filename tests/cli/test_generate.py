"""``bddsudoku generate``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from bddsudoku import Puzzle, solve
from bddsudoku.solver import count

Run = Callable[..., Result]


def test_lines(run: Run) -> None:
    output = run("generate", "-n", "3", "--seed", "1").stdout
    puzzles = [Puzzle.parse(line) for line in output.splitlines()]
    assert len(puzzles) == 3
    assert all(count(p, "dlx") == 1 for p in puzzles)
    assert run("generate", "-n", "3", "--seed", "1", "--jobs", "1").stdout == output
    assert output.startswith(run("generate", "--seed", "1").stdout)
    assert run("generate", "-n", "0").stdout == ""


def test_json_says_how(json_of: Callable[..., list[dict[str, Any]]]) -> None:
    (output,) = json_of("generate", "--hints", "30", "--solutions", "2", "--seed", "4")
    puzzle = Puzzle.parse(output["puzzle"])
    assert output["hints"] == puzzle.hint_count == 30
    assert output["count"] == str(count(puzzle)) == "2"
    assert Puzzle.parse(output["solution"]).is_solution
    assert (output["uniform"], output["second"], output["seed"]) == (True, "search", 4)
    (plain,) = json_of("generate", "--layout", "3x2")
    assert json_of("generate", "--layout", "3x2", "--seed", str(plain["seed"])) == [plain]


def test_grids_read_back(run: Run, tmp_path: Path) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("# two kinds\ndiagonals\nplace 2 Cage # small ones\n")
    output = run(
        "generate", "--layout", "3x2", "--rules", str(rules), "--format", "grid", "--seed", "1"
    ).stdout
    puzzle = Puzzle.parse(output)
    assert puzzle.layout.box_rows == 3
    assert puzzle.rules[0].name == "diagonals"
    assert count(puzzle, "brute-force") == 1


def test_all_puzzles_on_a_pattern(run: Run, tmp_path: Path) -> None:
    """The digits of the 288 grids on the pattern that only one grid has."""
    grids = [grid.cells for grid in solve("." * 16)]
    some = [(0, 2, 6, 12, 13), (0, 1, 9, 10), (0, 1, 4, 5), (1, 6, 12), (0, 6, 7, 8, 14, 15)]
    for cells in some:
        seen = Counter(tuple(grid[cell] for cell in cells) for grid in grids)
        one = [
            Puzzle([0] * 16).with_hints(dict(zip(cells, digits, strict=True)))
            for digits, number in seen.items()
            if number == 1
        ]
        signs = "".join("#" if cell in cells else "." for cell in range(16))
        file = tmp_path / "pattern.txt"
        file.write_text("\n".join(signs[i : i + 4] for i in range(0, 16, 4)))
        every = ("generate", "--layout", "2x2", "--pattern", str(file), "--all")
        done = run(*every)
        found = [Puzzle.parse(line) for line in done.stdout.splitlines()[1:]]
        assert {puzzle.canonical() for puzzle in found} == {puzzle.canonical() for puzzle in one}
        assert len(found) == len({puzzle.canonical() for puzzle in found})
        assert ("no puzzle on this pattern" in done.stderr) == (not found)
        assert len(run(*every, "-n", "1", "--json").stdout.splitlines()) == min(len(found), 1)
        run(*every, "--seed", "1", code=2)
        run(*every, "--inside", code=2)
    run("generate", "--all", code=2)


def test_every_class_once(run: Run) -> None:
    output = run("generate", "--layout", "2x2", "-n", "37", "--distinct", "--seed", "1", code=3)
    assert "1,000 puzzles in a row differ" in output.stderr
    found = [Puzzle.parse(line) for line in output.stdout.splitlines()[1:]]
    assert len({puzzle.canonical() for puzzle in found}) == len(found) == 36  # of 4×4 cells


def test_patterns(run: Run, tmp_path: Path) -> None:
    signs = "##.##.##.\n" * 9
    file = tmp_path / "pattern.txt"
    file.write_text(signs)
    output = run("generate", "--pattern", str(file), "--seed", "1").stdout.strip()
    assert [sign != "." for sign in output] == [sign == "#" for sign in signs.replace("\n", "")]
    less = run("generate", "--pattern", "-", "--inside", stdin=signs).stdout.strip()
    assert all(a == "." or b == "#" for a, b in zip(less, signs.replace("\n", ""), strict=True))


def test_a_puzzle_that_is_not_found_is_reported(run: Run) -> None:
    output = run("generate", "--hints", "16", "--tries", "20", "--seed", "1", code=3)
    assert output.stderr.strip() == "bddsudoku: no such puzzle was found after 20 tries"
    output = run("generate", "--hints", "16", "--time-limit", "1", code=3)
    assert "time limit of 1 s reached" in output.stderr


@pytest.mark.parametrize(
    "options",
    [
        ("--hints", "x"),
        ("--hints", "30-20"),
        ("--inside",),
        ("--json", "--format", "grid"),
        ("--pattern", "p", "--hints", "30"),
        ("--pattern", "-", "--rules", "-"),
        ("--symmetry", "round"),
        ("--solutions", "0"),
    ],
)
def test_wrong_usage(run: Run, options: tuple[str, ...]) -> None:
    run("generate", *options, code=2)


def test_a_name_that_means_opposite_things_is_refused(run: Run) -> None:
    """Programs that call a mirroring by its axis mean by "vertical" what others call horizontal."""
    output = run("generate", "--symmetry", "vertical", code=2).stderr
    assert "left-right, top-bottom" in output


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("place five cage", "line 1: expected a line such as 'place 5 cage'"),
        ("place 5 antiknight", "cannot be placed"),
        ("\n# blocks\nregions 112", "line 3: regions: expected 81 symbols"),
        ("antiknight\n# layout: 2x3\n", "line 2: expected a rule, found '# layout'"),
    ],
)
def test_bad_rules(run: Run, tmp_path: Path, lines: str, message: str) -> None:
    file = tmp_path / "rules.txt"
    file.write_text(lines)
    output = run("generate", "--rules", str(file), code=1).stderr
    assert message in output
    assert output.count("\n") == 1


def test_bad_files_and_numbers(run: Run, tmp_path: Path) -> None:
    assert "82" in run("generate", "--hints", "82", code=1).stderr
    file = tmp_path / "pattern.txt"
    file.write_text("#\n")
    assert "9 lines, found 1" in run("generate", "--pattern", str(file), code=1).stderr
    assert (
        "r1c1 without r9c9"
        in run(
            "generate", "--pattern", "-", "--symmetry", "rotate180", stdin="#\n" + ".\n" * 8, code=1
        ).stderr
    )
    run("generate", "--pattern", str(tmp_path / "none"), code=1)
