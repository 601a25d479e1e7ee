"""The live board in a browser as tests see it: a server, pages, keys and what is shown."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from chrome import Chrome, Page

SMALL = "1...\n....\n....\n...2\n"
VARIANT = SMALL + "diagonals\ncage 5 r1c1 r1c2\n"
COUNT = "document.querySelector('.bx-count').textContent"
CTRL, SHIFT = 2, 8

# What an automatic check would look for: names, roles, one way in, nothing twice, nothing cut off.
CHECK = """(() => {
  const out = [];
  const seen = (e) => e.getClientRects().length > 0;
  const name = (e) => e.getAttribute("aria-label") || e.textContent.trim()
    || e.labels?.[0]?.textContent.trim();
  for (const e of document.querySelectorAll("button, select, input, textarea, [role=gridcell]")) {
    if (seen(e) && !name(e)) out.push("no name: " + e.outerHTML.slice(0, 80));
  }
  for (const e of document.querySelectorAll("img")) if (!e.hasAttribute("alt")) out.push("alt");
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  if (new Set(ids).size < ids.length) out.push("ids");
  const stops = [...document.querySelectorAll("[role=gridcell]")].filter((e) => e.tabIndex === 0);
  if (stops.length !== 1) out.push("tab stops in the grid: " + stops.length);
  for (const row of document.querySelectorAll("[role=grid] > *")) {
    if (row.getAttribute("role") !== "row") out.push("a child of the grid is no row");
  }
  if (!document.documentElement.lang || !document.title) out.push("lang or title");
  if (document.querySelectorAll("h1").length !== 1 || !document.querySelector("main")) {
    out.push("h1 or main");
  }
  if (document.documentElement.scrollWidth > innerWidth) out.push("too wide");
  const small = [...document.querySelectorAll("button")].filter((e) => seen(e)
    && (e.getBoundingClientRect().height < 24 || e.getBoundingClientRect().width < 24));
  if (small.length) out.push("small buttons: " + small.map(name));
  return out;
})()"""


@contextmanager
def serving(puzzle: str, *more: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "bddsudoku", "explore", puzzle, "--no-browser", *more],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip(), process
    finally:
        process.kill()
        process.communicate()


def begun(chrome: Chrome, url: str, width: int = 1200, *, dark: bool = False) -> Page:
    page = chrome.page(url, width, dark=dark)
    settled(page)
    return page


def settled(page: Page, text: str = "solution") -> None:
    """Wait until the page shows the count and the marginals."""
    page.wait(
        f"document.querySelector('.bx-count')?.textContent.includes({text!r})"
        " && !document.querySelector('.bx-count.waiting, .bx-stale')"
    )


def cell(page: Page, row: int, column: int) -> str:
    """Return the text of a cell for screen readers."""
    cell_texts = "[...document.querySelectorAll('.bx-cell .bx-hidden')].map((e) => e.textContent)"
    return str(page.value(f"{cell_texts}.find((text) => text.startsWith('r{row}c{column} '))"))


def press(page: Page, text: str, use: Callable[[Page, str], None] | None = None) -> None:
    """The mouse (or what ``use`` does) on the button with a text or a name that is seen."""
    page.value(
        "(() => { document.querySelector('#pressed')?.removeAttribute('id');"
        " [...document.querySelectorAll('button')].find((b) => b.getClientRects().length &&"
        f" [b.textContent, b.getAttribute('aria-label')].includes({text!r})).id = 'pressed'; }})()"
    )
    (use or Page.click)(page, "#pressed")


def new_board(page: Page, side: int) -> None:
    """An empty board, by the tab of files."""
    page.wait("document.querySelector('.bx-cell')")
    press(page, "File")
    page.value(f"document.querySelector('.bx-size').value = '{side}'")
    page.click("[data-do='sized']")
    page.wait(f"document.querySelectorAll('.bx-cell:not(.bx-margin)').length === {side * side}")


def paste(page: Page, text: str) -> None:
    page.value(
        "(() => { const data = new DataTransfer(); data.setData('text/plain', "
        f"{text!r}); document.activeElement.dispatchEvent(new ClipboardEvent('paste', "
        "{clipboardData: data, bubbles: true, cancelable: true})); })()"
    )
