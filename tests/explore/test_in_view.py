"""Nothing of one task is off the screen: every state of the live board in a real Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from chrome import Chrome, Page
from live_page import paste
from test_setting_in_browser import GRID, HINTS, LISTED, RULES, SAYS, cell

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

PUZZLE = "\n".join(["".join(GRID[i] if i in HINTS else "." for i in range(81)), *RULES])
CLASH = PUZZLE.replace(".", "7", 1)
"""A 7 in the cage of 11 that leaves no solution."""
# What can be seen lies within the window, and only lists and fields of text scroll inside.
OUTSIDE = """(() => {
  const lists = ".bx-rules, .bx-tools, .bx-parts, textarea";
  return [...document.querySelectorAll(".bx, .bx *")].filter((e) => {
    if (!e.checkVisibility() || e.closest(".bx-hidden, option, .bx-cell")) return false;
    const { width, right, bottom } = e.getBoundingClientRect();
    if (!width || e.parentElement.closest(lists)) return false;
    const scrolls = getComputedStyle(e).overflowY !== "visible" && e.clientHeight;
    return right > innerWidth + 1 || bottom > innerHeight + 1
      || e.clientWidth && e.scrollWidth > e.clientWidth + 2
      || scrolls && !e.matches(lists) && e.scrollHeight > e.clientHeight + 2;
  }).map((e) => `${e.tagName} ${e.className} ${e.textContent.slice(0, 30)}`);
})()"""


def states(page: Page) -> Iterator[str]:
    """Go to every tab, section, tool and answer, and name it."""

    def tabs() -> Iterator[str]:
        for tab in ("rules", "solve", "analyse", "file"):
            page.click(f".bx-tabs [data-key='{tab}']")
            yield tab
        for part in ("words", "open", "publish"):
            if page.value("document.querySelector('.bx-parts-of-file').checkVisibility()"):
                page.click(f".bx-parts-of-file [data-key='{part}']")
                yield part

    yield from tabs()
    page.click(".bx-cell")
    paste(page, PUZZLE)
    page.wait(f"{LISTED} === {len(RULES)}")
    page.wait(f"!document.querySelector('.bx-stale') && {SAYS}", 60)
    yield from tabs()
    page.click(".bx-tabs [data-key='analyse']")
    page.click(".bx-tab-analyse section:nth-child(2) button")
    page.wait(f"document.querySelectorAll('.bx-rule em').length === {len(RULES)}", 60)
    for view in ("heat", "none", "marginals"):
        page.click(f".bx-views [data-key='{view}']")
        yield view
    page.click(".bx-tab-analyse section:nth-child(3) button")
    page.wait("document.querySelectorAll('.bx-cell .bx-big').length === 81")
    yield "a solution"
    page.click(".bx-tabs [data-key='rules']")
    for group in ("line", "cells", "border", "margin", "board", "listed"):
        if page.value(f"document.querySelector('[data-key={group}]').checkVisibility()"):
            page.click(f".bx-groups [data-key='{group}']")
            yield group
    page.click("ul.bx-rules li:nth-child(2) .bx-rule")
    yield "a rule is picked"
    page.key("Escape")
    for group, name in (("line", "arrow"), ("cells", "cage"), ("margin", "littlekiller")):
        page.click(f".bx-groups [data-key='{group}']")
        page.click(f"[data-tool='{name}']")
        page.click(cell(2, 1))
        yield name
        page.key("Escape")
    paste(page, CLASH)
    page.wait("document.querySelector('.bx-cell.why')", 60)
    yield "no solution"
    page.click("[data-do='why']")
    page.wait("document.querySelectorAll('.bx-why li').length")
    for _ in range(page.value("document.querySelectorAll('.bx-why li').length")):
        page.click(".bx-why .bx-set button:nth-of-type(2)")
        yield "a part of the reason"


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 844)])
def test_a_task_needs_no_scrolling(
    chrome: Chrome, url: str, width: int, height: int, lang: str
) -> None:
    page = chrome.page(url, width, height)
    if width < 500:
        page.do("Emulation.setTouchEmulationEnabled", enabled=True)
        page.do("Emulation.setEmulatedMedia", features=[{"name": "pointer", "value": "coarse"}])
    page.wait("document.querySelector('.bx-cell')")
    page.value(
        "(() => { const s = document.querySelector('.bx-head select');"
        f" s.value = '{lang}'; s.dispatchEvent(new Event('change')); }})()"
    )
    paste(page, "." * 81)
    page.wait("document.querySelectorAll('.bx-cell').length === 81")
    page.wait(SAYS)
    found = {state: outside for state in states(page) if (outside := page.value(OUTSIDE))}
    assert found == {}
    assert page.complaints() == []
