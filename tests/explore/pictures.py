"""The pictures of the live board in docs/assets, taken in a headless Chromium.

Run by hand when the page has changed, from the top of a checkout that is installed:
``python tests/explore/pictures.py``. Building the documentation needs no browser.
"""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).parents[2]
sys.path.insert(0, str(TOP / "tests"))

from chrome import Chrome, Page, program  # noqa: E402
from live_page import COUNT, SMALL, paste, press, serving, settled  # noqa: E402
from test_setting_in_browser import GRID, HINTS, RULES, cell  # noqa: E402

ASSETS = TOP / "docs" / "assets"
LINES = (TOP / "data" / "variants" / "knight_and_lines.txt").read_text(encoding="utf-8")
CLASH = "\n".join([*LINES.splitlines()[:7], "| 9 . . | . . . | . . . |", *LINES.splitlines()[8:]])
"""A 9 in the bulb of a thermometer."""
SETTING = "\n".join(["".join(GRID[i] if i in HINTS else "." for i in range(81)), *RULES])


def opened(chrome: Chrome, url: str, puzzle: str, width: int, height: int) -> Page:
    """The page with a puzzle, when its solutions are counted."""
    page = chrome.page(url, width, height)
    settled(page)
    page.click(".bx-cell")
    paste(page, puzzle)
    page.wait("document.querySelectorAll('.bx-cell').length === 81")
    settled(page)
    return page


def keep(page: Page, name: str) -> None:
    """What is seen in the window, as a PNG of the assets."""
    found = page.do("Page.captureScreenshot")
    (ASSETS / f"{name}.png").write_bytes(base64.b64decode(found["data"]))


def main() -> None:
    """Take the four pictures."""
    with tempfile.TemporaryDirectory() as profile, serving(SMALL) as (url, _):
        chrome = Chrome(program() or "chromium", Path(profile))
        try:
            page = opened(chrome, url, SETTING, 1280, 880)
            page.wait(f"{COUNT} === 'exactly 2,464 solutions'")
            page.wait("document.querySelector('.bx-mark[style*=ink-part]')")
            press(page, "Rules")
            page.click("[data-tool='renban']")
            page.drag([cell(3, 6), cell(3, 7), cell(4, 8), cell(5, 8)], release=False)
            page.wait("!document.querySelector('.bx-message').textContent")
            keep(page, "explore_drawing")

            page = opened(chrome, url, SETTING, 1280, 880)
            page.wait("document.querySelector('.bx-mark[style*=ink-part]')")
            press(page, "File")
            page.value("document.querySelector('.bx-field input').focus()")
            page.do("Input.insertText", text="Eight rules")
            keep(page, "explore_publish")

            page = opened(chrome, url, CLASH, 1280, 880)
            press(page, "Why?")
            page.wait("document.querySelectorAll('.bx-why li').length")
            keep(page, "explore_clash")

            page = opened(chrome, url, SETTING, 390, 844)
            page.do("Emulation.setTouchEmulationEnabled", enabled=True)
            page.do("Emulation.setEmulatedMedia", features=[{"name": "pointer", "value": "coarse"}])
            press(page, "Rules")
            keep(page, "explore_phone")
        finally:
            chrome.close()


if __name__ == "__main__":
    main()
