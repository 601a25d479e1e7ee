"""The report in a real browser; ``make browser`` installs one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chrome import Chrome

from bddsudoku import Puzzle
from bddsudoku.context import Context
from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
from bddsudoku.report.html import page_figures, page_html
from bddsudoku.solver import Budget, page_contents

# The paper's Figure 1 without eleven of its hints: 733 solutions.
MANY = "..3.....2.7..2..3.5.....8...5..42.6.6..15.....4.9...1...2.7...5.6..8....8...9...."
SEEN = """(() => {
  document.querySelectorAll("details").forEach(d => { d.open = true; });
  const focusable = [...document.querySelectorAll("a[href], summary, [tabindex='0']")];
  const named = e => (e.textContent.trim() || e.getAttribute("aria-label") || "") !== "";
  const wide = [...document.querySelectorAll("body *")].filter(e =>
    !e.closest(".scroll") && !e.closest(".skip")
    && e.getBoundingClientRect().right > innerWidth + 1);
  return {
    overflow: Math.max(0, document.documentElement.scrollWidth - innerWidth),
    wide: wide.map(e => e.tagName),
    focusable: focusable.length,
    unnamed: focusable.filter(e => !named(e)).length,
    unreachable: focusable.filter(e => { e.focus(); return document.activeElement !== e; }).length,
    broken: [...document.images].filter(i => !(i.complete && i.naturalWidth > 0)).length,
  };
})()"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with every kind of section, wide tables and long lists."""
    puzzle = Puzzle.parse(MANY)
    parts = page_contents(PuzzleRecord(puzzle), Budget(Context(2 << 30), 1))
    pictures = page_figures(puzzle, parts.sections, parts.marginals, parts.profiles)
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(
        page_html(puzzle, parts.sections, pictures, provenance=parts.provenance), encoding="utf-8"
    )
    return path


def seen(chrome: Chrome, path: Path, width: int) -> tuple[dict[str, Any], list[str]]:
    """Load a page; return what a script inside it measures, and its errors."""
    shown = chrome.page(path.as_uri(), width)
    shown.wait("document.readyState === 'complete'")
    return shown.value(SEEN), [c for c in shown.complaints() if c != path.as_uri()]


@pytest.mark.parametrize("width", [360, 500, 1200])
def test_no_error_no_network_nothing_cut_off(chrome: Chrome, report: Path, width: int) -> None:
    found, complaints = seen(chrome, report, width)
    assert complaints == []
    assert found.pop("focusable") > 10
    assert not any(found.values()), found


def test_it_can_be_printed(chrome: Chrome, report: Path) -> None:
    shown = chrome.page(report.as_uri())
    shown.wait("document.readyState === 'complete' && location.protocol === 'file:'")
    assert shown.do("Page.printToPDF")["data"].startswith("JVBERi")  # %PDF


def test_the_probe_would_see_an_error(chrome: Chrome, tmp_path: Path) -> None:
    path = tmp_path / "bad.html"
    path.write_text(
        '<!DOCTYPE html><html lang="en"><head><title>bad</title></head><body>'
        '<img src="missing.png" alt="x"><p style="width: 5000px">x</p>'
        '<script>console.error("broken")</script></body></html>',
        encoding="utf-8",
    )
    found, complaints = seen(chrome, path, 800)
    assert any("broken" in line for line in complaints)
    assert found["broken"] == 1
    assert found["overflow"] > 0
    assert found["wide"]
