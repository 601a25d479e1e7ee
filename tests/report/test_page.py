from __future__ import annotations

import base64
import re
from copy import deepcopy
from html.parser import HTMLParser
from typing import Any

import pytest

from bddsudoku import Puzzle, solve
from bddsudoku.context import Context
from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
from bddsudoku.puzzle.sudoku.rules import Diagonals, Knight
from bddsudoku.report.html import page, page_pictures
from bddsudoku.solver import Budget, page_parts

html5lib = pytest.importorskip("html5lib", reason="the validating parser is not installed")

PUZZLES = {
    "many": "1....2.........4",
    "none": "11..............",
    "complete": "1234341221434321",
}
BUDGET = Budget(Context(2 << 30), 20)


@pytest.fixture(scope="module")
def made() -> dict[str, tuple[str, Any]]:
    out = {}
    for name, text in PUZZLES.items():
        puzzle = Puzzle.parse(text)
        parts = page_parts(PuzzleRecord(puzzle), BUDGET)
        pictures = page_pictures(puzzle, parts.sections, parts.marginals, parts.profiles)
        out[name] = page(puzzle, parts.sections, pictures, made=parts.made), parts
    return out


@pytest.mark.parametrize("name", PUZZLES)
def test_it_is_valid_html(made: dict[str, tuple[str, Any]], name: str) -> None:
    # Strict: the first parse error raises. The parser knows no ids and no nesting rules: below.
    html5lib.HTMLParser(strict=True).parse(made[name][0])


class Page(HTMLParser):
    """Ids, links, headings, names; and whether every element is closed."""

    VOID = frozenset({"meta", "link", "img", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.urls: list[str] = []
        self.headings: list[str] = []
        self.open: list[str] = []
        self.unnamed: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in self.VOID:
            self.open.append(tag)
        if given.get("id"):
            self.ids.append(str(given["id"]))
        for key in ("href", "src"):
            if key in given:
                self.urls.append(str(given[key]))
        if "aria-labelledby" in given:
            self.targets.append(str(given["aria-labelledby"]))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(tag)
        if tag == "img" and not given.get("alt"):
            self.unnamed.append(tag)
        if tag == "section" and not {"aria-label", "aria-labelledby"} & set(given):
            self.unnamed.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", PUZZLES)
def test_its_parts_fit_together(made: dict[str, tuple[str, Any]], name: str) -> None:
    found = Page(made[name][0])
    assert not found.open
    assert len(set(found.ids)) == len(found.ids)
    links = [url[1:] for url in found.urls if url.startswith("#")]
    assert set(links) | set(found.targets) <= set(found.ids)
    assert found.headings[0] == "h1"
    assert set(found.headings[1:]) == {"h2"}
    assert not found.unnamed


@pytest.mark.parametrize("name", PUZZLES)
def test_it_needs_no_network(made: dict[str, tuple[str, Any]], name: str) -> None:
    text = made[name][0]
    assert all(url.startswith(("#", "data:")) for url in Page(text).urls)
    assert "@import" not in text
    assert "<script" not in text
    assert len(text.encode()) < 3_000_000


def test_it_says_what_was_found(made: dict[str, tuple[str, Any]]) -> None:
    text, parts = made["many"]
    count = int(parts.sections["solutions"]["count"])
    assert count > 1
    assert f"{count} solutions." in text
    assert "the puzzle is minimal" in text
    for engine in ("frontier", "dlx", "bdd (procedure"):
        assert engine in text
    assert "engines agree" in text
    assert "No solution" in made["none"][0]
    assert "Hints clash:" in made["none"][0]
    assert "The only solution" in made["complete"][0]


def test_what_to_give_next(made: dict[str, tuple[str, Any]]) -> None:
    text, parts = made["many"]
    data = parts.sections["hints"]["next"]
    assert f"<p>Best next hint, {data['hints'][0]['count']} left: " in text
    assert f"<p>Best next cell: {data['expected']}, " in text
    assert "<p>Fewest hints to a single solution: " in text
    assert text.count("Solutions left if a cell is given") == 1
    first = data["cells"][0]
    row = f"{first['cell']}</th><td>{first['expected']}</td><td>{first['worst']}</td>"
    assert row in text
    assert "Best next" not in made["complete"][0]


def test_redundant_hints_are_marked(made: dict[str, tuple[str, Any]]) -> None:
    text, parts = made["complete"]
    redundant = parts.sections["hints"]["redundant"]
    assert redundant == 16
    assert text.count('<tr class="mark">') == 16


def test_plots_are_pngs_with_words(made: dict[str, tuple[str, Any]]) -> None:
    text = made["many"][0]
    images = re.findall(r'<img alt="([^"]+)"[^>]*src="data:image/png;base64,([^"]+)"', text)
    assert len(images) == 2
    assert all(base64.b64decode(data).startswith(b"\x89PNG") for _, data in images)
    assert text.count("<figcaption>") == 3


def test_boards_are_drawn(made: dict[str, tuple[str, Any]]) -> None:
    assert made["many"][0].count("<svg") == 2  # the puzzle, the shares of its solutions
    assert made["none"][0].count("<svg") == 1
    assert made["complete"][0].count("<svg") == 2  # the puzzle, its only solution
    counts = made["many"][1].marginals[0, 1]
    digit, k = next((d + 1, k) for d, k in enumerate(counts) if k)
    assert f">r1c2: {digit} in {k} of {sum(counts)} (" in made["many"][0]


def test_rules_are_drawn_and_told() -> None:
    puzzle = Puzzle.parse(PUZZLES["many"]).with_rule(Diagonals(), Knight())
    parts = page_parts(PuzzleRecord(puzzle), BUDGET)
    text = page(puzzle, {"puzzle": parts.sections["puzzle"]})
    assert "mid-line-blue" in text
    assert Knight.about.replace("'", "&#x27;") in text


def test_pencil_marks_in_no_solution_are_struck_out() -> None:
    puzzle = Puzzle.from_masks([1, 14, *[15] * 14])
    counts = solve(puzzle).marginals()
    (shown,) = page_pictures(puzzle, {}, counts, plots=False)
    assert isinstance(shown.drawn, str)
    struck = sum(
        int(mask >> d & 1 and not counts[c // 4, c % 4, d])
        for c, mask in enumerate(puzzle.masks)
        for d in range(4)
    )
    found = re.findall(r'class="struck"[^>]*>(.*?)</g>', shown.drawn)
    assert "".join(found).count("<text") == struck > 0


def test_limits_are_told(made: dict[str, tuple[str, Any]]) -> None:
    sections = deepcopy(made["many"][1].sections)
    sections["procedures"]["runs"][0] |= {"limit": "time", "nodes": None}
    sections["check"]["runs"][-1] |= {"limit": "memory", "count": None}
    sections["hints"]["without"][0] |= {"count": None, "redundant": None}
    text = page(Puzzle.parse(PUZZLES["many"]), sections)
    assert "Procedure 1 was stopped by the time limit." in text
    assert "was stopped: memory." in text
    assert "Not counted in time: the solutions without r1c1." in text


def test_what_comes_from_outside_is_escaped(made: dict[str, tuple[str, Any]]) -> None:
    sections = deepcopy(made["many"][1].sections)
    sections["solutions"]["why"] = "<b>&"
    text = page(Puzzle.parse(PUZZLES["many"]), sections, made=["<script>alert(1)</script>"])
    assert "&lt;b&gt;&amp;" in text
    assert "<script" not in text


def test_nothing_disagrees_in_a_saved_part() -> None:
    puzzle = Puzzle.parse("1....2.........4")
    part = solve(puzzle).given({(0, 1): 3})
    parts = page_parts(PuzzleRecord(puzzle, "part.zdd", saved=part), BUDGET)
    assert parts.sections["check"]["agree"] is True
    assert parts.sections["solutions"]["count"] == str(part.count())
