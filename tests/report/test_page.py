from __future__ import annotations

import base64
import re
from copy import deepcopy
from typing import Any

import pytest

from bddsudoku import Puzzle, solve
from bddsudoku.context import Context
from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
from bddsudoku.puzzle.sudoku.rules import Diagonals, Knight
from bddsudoku.report.html import page_figures, page_html
from bddsudoku.report.sections import section_text
from bddsudoku.solver import Analysis, Budget, page_contents

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
        parts = page_contents(PuzzleRecord(puzzle), BUDGET)
        pictures = page_figures(puzzle, parts.sections, parts.marginals, parts.profiles)
        out[name] = page_html(puzzle, parts.sections, pictures, provenance=parts.provenance), parts
    return out


@pytest.mark.parametrize("name", PUZZLES)
def test_it_is_valid_html_whose_parts_fit_together(made: dict[str, Any], name: str) -> None:
    # Strict: the first parse error raises.
    root = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(made[name][0])
    elements = [e for e in root.iter() if isinstance(e.tag, str)]
    ids = [e.get("id") for e in elements if e.get("id")]
    assert len(set(ids)) == len(ids)
    urls = [e.get(key) for e in elements for key in ("href", "src") if e.get(key)]
    assert all(url.startswith(("#", "data:")) for url in urls)
    named = [e.get("aria-labelledby") for e in elements if e.get("aria-labelledby")]
    assert {url[1:] for url in urls if url.startswith("#")} | set(named) <= set(ids)
    headings = [e.tag for e in elements if re.fullmatch("h[1-6]", e.tag)]
    assert headings == ["h1"] + ["h2"] * (len(headings) - 1)
    assert all(e.get("alt") for e in elements if e.tag == "img")
    sections = [e for e in elements if e.tag == "section"]
    assert all(e.get("aria-label") or e.get("aria-labelledby") for e in sections)


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


def test_plots_are_pngs_with_words_and_boards_are_drawn(made: dict[str, tuple[str, Any]]) -> None:
    text = made["many"][0]
    images = re.findall(r'<img alt="([^"]+)"[^>]*src="data:image/png;base64,([^"]+)"', text)
    assert len(images) == 2
    assert all(base64.b64decode(data).startswith(b"\x89PNG") for _, data in images)
    assert text.count("<figcaption>") == 3
    assert [page.count("<svg") for page, _ in made.values()] == [2, 1, 2]
    counts = made["many"][1].marginals[0, 1]
    digit, k = next((d + 1, k) for d, k in enumerate(counts) if k)
    assert f">r1c2: {digit} in {k} of {sum(counts)} (" in text


def test_rules_are_drawn_and_described(made: dict[str, tuple[str, Any]]) -> None:
    puzzle = Puzzle.parse(PUZZLES["many"]).with_rule(Diagonals(), Knight())
    text = page_html(puzzle, {"puzzle": made["many"][1].sections["puzzle"]})
    assert "mid-line-blue" in text
    assert Knight.about.replace("'", "&#x27;") in text


def test_pencil_marks_in_no_solution_are_struck_out() -> None:
    puzzle = Puzzle.from_masks([1, 14, *[15] * 14])
    counts = solve(puzzle).marginals()
    (shown,) = page_figures(puzzle, {}, counts, plots=False)
    assert isinstance(shown.image, str)
    struck = sum(
        int(mask >> d & 1 and not counts[c // 4, c % 4, d])
        for c, mask in enumerate(puzzle.masks)
        for d in range(4)
    )
    found = re.findall(r'class="struck"[^>]*>(.*?)</g>', shown.image)
    assert "".join(found).count("<text") == struck > 0


def test_limits_are_reported(made: dict[str, tuple[str, Any]]) -> None:
    sections = deepcopy(made["many"][1].sections)
    sections["procedures"]["runs"][0] |= {"limit": "time", "nodes": None}
    sections["check"]["runs"][-1] |= {"limit": "memory", "count": None}
    sections["hints"]["without"][0] |= {"count": None, "redundant": None}
    text = page_html(Puzzle.parse(PUZZLES["many"]), sections)
    cells = [re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", row) for row in text.split("<tr")]
    assert [row for row in cells if row[:2] == ["1", "×"] and row[-1] == "time"]
    assert [row for row in cells if row[-1:] == ["memory"] and row[1] == "×"]
    assert ["r1c1", "×", ""] in [[row[0], *row[2:]] for row in cells if len(row) == 4]


def test_what_is_known_of_a_count_that_gave_up() -> None:
    puzzle = Puzzle.parse("." * 36 + "\nantiking")
    analysis = Analysis(PuzzleRecord(puzzle), Budget(Context(max_memory=1 << 16)))
    section = analysis.solutions_section()
    assert section["count"] is None
    found = re.match(r"about ([\d,]+) \(95 %: ", section["known"])
    assert found is not None
    assert abs(int(found[1].replace(",", "")) / 74_160 - 1) < 0.05
    assert f"Solutions: ×, {section['known']} (memory" in section_text("solutions", section, puzzle)


def test_what_comes_from_outside_is_escaped(made: dict[str, tuple[str, Any]]) -> None:
    sections = deepcopy(made["many"][1].sections)
    sections["solutions"]["why"] = "<b>&"
    text = page_html(
        Puzzle.parse(PUZZLES["many"]), sections, provenance=["<script>alert(1)</script>"]
    )
    assert "&lt;b&gt;&amp;" in text
    assert "<script" not in text
