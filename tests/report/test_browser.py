"""The page in a real browser. ``make browser`` installs one where the system knows how."""

from __future__ import annotations

from pathlib import Path

import browser
import pytest

from bddsudoku import Puzzle
from bddsudoku.context import Context
from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
from bddsudoku.report.html import page, page_pictures
from bddsudoku.solver import Budget, page_parts

PROGRAM = browser.find()
pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="no Chromium here: `make browser` installs one"
)
# The paper's Figure 1 without eleven of its hints: 733 solutions.
MANY = "..3.....2.7..2..3.5.....8...5..42.6.6..15.....4.9...1...2.7...5.6..8....8...9...."


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with every kind of section, wide tables and long lists."""
    puzzle = Puzzle.parse(MANY)
    parts = page_parts(PuzzleRecord(puzzle), Budget(Context(2 << 30), 1))
    pictures = page_pictures(puzzle, parts.sections, parts.marginals, parts.profiles)
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page(puzzle, parts.sections, pictures, made=parts.made), encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [500, 1200])
def test_no_error_no_network_nothing_cut_off(report: Path, tmp_path: Path, width: int) -> None:
    assert PROGRAM is not None
    seen, console = browser.look(PROGRAM, report, tmp_path, width)
    assert console == []
    assert seen["requests"] == []
    assert seen["overflow"] <= 0
    assert seen["wide"] == []
    assert set(seen["images"]) == {True}  # procedures have theirs if a second is enough for a step
    assert seen["focusable"] > 10
    assert seen["unnamed"] == seen["unreachable"] == 0


def test_a_phone(report: Path, tmp_path: Path) -> None:
    """A frame of 360 pixels, the narrowest of today's phones."""
    assert PROGRAM is not None
    inner = report.read_text(encoding="utf-8").replace("</body>", browser.PROBE + "</body>")
    (tmp_path / "inner.html").write_text(inner, encoding="utf-8")
    outer = tmp_path / "outer.html"
    outer.write_text(
        '<!DOCTYPE html><html lang="en"><head><title>phone</title></head><body>'
        '<iframe id="f" width="360" height="700" src="inner.html"></iframe><script>'
        'addEventListener("load", () => setTimeout(() => { const out = '
        'document.createElement("pre"); out.id = "seen"; out.textContent = '
        'document.getElementById("f").contentDocument.getElementById("seen").textContent;'
        "document.body.append(out); }, 200));</script></body></html>",
        encoding="utf-8",
    )
    seen = browser.dumped(PROGRAM, outer, tmp_path, "--allow-file-access-from-files")[0]
    assert seen["width"] <= 360
    assert seen["overflow"] <= 0
    assert seen["wide"] == []


def test_it_can_be_printed(report: Path, tmp_path: Path) -> None:
    assert PROGRAM is not None
    target = tmp_path / "report.pdf"
    browser.run(PROGRAM, report.as_uri(), f"--user-data-dir={tmp_path}", f"--print-to-pdf={target}")
    assert target.read_bytes().startswith(b"%PDF")


def test_the_probe_would_see_an_error(tmp_path: Path) -> None:
    assert PROGRAM is not None
    page = tmp_path / "bad.html"
    page.write_text(
        '<!DOCTYPE html><html lang="en"><head><title>bad</title></head><body>'
        '<img src="missing.png" alt="x"><p style="width: 5000px">x</p>'
        '<script>console.error("broken")</script></body></html>',
        encoding="utf-8",
    )
    seen, console = browser.look(PROGRAM, page, tmp_path, 800)
    assert any("broken" in line for line in console)
    assert seen["images"] == [False]
    assert seen["overflow"] > 0
    assert seen["wide"]
