"""Rules drawn on the live board in a real Chromium, by mouse, keys and fingers; what is seen."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from chrome import Chrome, Page
from live_page import (
    COUNT,
    CTRL,
    SHIFT,
    SMALL,
    VARIANT,
    begun,
    cell,
    paste,
    press,
    serving,
    settled,
)

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

LINES = Path("data/variants/knight_and_lines.txt").read_text(encoding="utf-8").splitlines()[13:]
"""Rules of the puzzle that is built on the board; its only hint is r9c1=2."""
COUNTED = 7
"""Rules with which the count is known in seconds; with fewer of them it takes too long."""
GROUP = {"antiknight": "Whole board", "cage": "Cells", "difference": "Dots"} | dict.fromkeys(
    ("sandwich", "littlekiller"), "Margin"
)


def places(line: str) -> list[list[tuple[int, int]]]:
    """The lists of (row, column) from 1 in a rule's line."""
    return [
        [(int(r), int(c)) for r, c in re.findall(r"r(\d+)c(\d+)", part)] for part in line.split(">")
    ]


def open_tool(page: Page, name: str, use: Callable[[str], None]) -> None:
    """Choose the tool of a rule; ``use`` presses the button with a selector."""
    group = {
        "Whole board": "board",
        "Cells": "cells",
        "Dots": "neighbours",
        "Margin": "margin",
    }.get(GROUP.get(name, ""), "line")
    use(f"[data-key='{group}']")
    use(f"[data-tool='{name}']")


def check_count(page: Page, rules: list[str]) -> None:
    """What the page shows is what ``bddsudoku count`` prints."""
    page.wait(f"document.querySelectorAll('.bx-rules li').length === {len(rules)}", 20)
    if 0 < len(rules) < COUNTED:
        page.wait(f"/counting|not counted/.test({COUNT})", 20)
        return
    text = "." * 72 + "2" + "." * 8 + "\n" + "\n".join(rules)
    words = [sys.executable, "-m", "bddsudoku", "count", "-"]
    found = subprocess.run(words, input=text, check=True, capture_output=True, text=True)
    number = int(found.stdout)
    page.wait(f"{COUNT} === '{number:,} solution{'s' * (number != 1)}'", 240)


def test_a_puzzle_is_built_with_the_mouse_alone(chrome: Chrome, url: str) -> None:
    page = begun(chrome, url)
    press(page, "New board")
    page.wait("document.querySelectorAll('.bx-cell').length === 81")
    page.click(".bx-row:nth-child(9) .bx-cell:nth-child(1)")
    page.click(".bx-pad button:nth-child(2)")
    check_count(page, [])
    for k, line in enumerate(LINES, 1):
        name, lists = line.split()[0], places(line)
        open_tool(page, name, page.click)
        rim = 1 if GROUP.get(name) == "Margin" else 0
        numbers = re.findall(r" (\d+) ", line)
        if name in ("cage", "sandwich", "littlekiller"):
            for sign in numbers[0]:  # the pad types the number
                page.click(".bx-zero" if sign == "0" else f".bx-pad button:nth-child({sign})")
        if name != "antiknight":
            page.drag([
                f".bx-row:nth-child({r + rim}) .bx-cell:nth-child({c + rim})"
                for some in lists for r, c in some
            ])  # fmt: skip
        if name == "cage":
            press(page, "Make the rule")
        check_count(page, LINES[:k])
        if name != "antiknight":
            press(page, "Put the tool away")
    assert page.value("document.querySelector('.bx-rules').innerText").count("littlekiller") == 1
    assert page.complaints() == []


def test_a_puzzle_is_built_with_the_keyboard_alone(chrome: Chrome, url: str) -> None:
    page = begun(chrome, url)

    def tab_to(selector: str) -> None:
        """Go back or on with Tab until an element has the focus, then press it."""
        for modifiers in (0, SHIFT):
            for _ in range(90):
                if page.value(f"document.activeElement.matches({selector!r})"):
                    page.key("Enter")
                    return
                page.key("Tab", modifiers)
        raise AssertionError(selector)

    def walk(here: tuple[int, int], there: tuple[int, int], modifiers: int = 0) -> None:
        for a, b, back, on in zip(
            here, there, ("ArrowUp", "ArrowLeft"), ("ArrowDown", "ArrowRight"), strict=True
        ):
            for _ in range(abs(b - a)):
                page.key(on if b > a else back, modifiers)

    tab_to("[data-do='new']")
    page.wait("document.querySelectorAll('.bx-cell').length === 81")
    page.wait("document.activeElement.getAttribute('role') === 'gridcell'")
    at = (1, 1)
    walk(at, (9, 1))
    page.key("2")
    at = (9, 1)
    check_count(page, [])
    for k, line in enumerate(LINES, 1):
        name, lists = line.split()[0], places(line)
        open_tool(page, name, tab_to)
        for sign in (
            re.findall(r" (\d+) ", line)[0]
            if name != "antiknight" and re.search(r" \d+ ", line)
            else ""
        ):
            page.key(sign)
        for place in (place for some in lists for place in some):
            near = max(abs(place[0] - at[0]), abs(place[1] - at[1])) == 1 and 0 in (
                place[0] - at[0], place[1] - at[1]
            )  # fmt: skip
            first = place == lists[0][0]
            walk(at, place, SHIFT if near and not first else 0)
            if first or not near:
                page.key(" ")
            at = place
        if name != "antiknight":
            page.key("Enter")
        check_count(page, LINES[:k])
        page.key("Escape")
        at = (min(max(at[0], 1), 9), min(max(at[1], 1), 9))
    assert page.complaints() == []


# Contrast of what is drawn over the rules' picture, which an automatic check leaves undecided: the
# colour of each sign against its cell's background, the marks below it not counted.
CONTRAST = """(() => {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const paper = getComputedStyle(document.querySelector(".bx")).getPropertyValue("--paper");
  const mix = (...colours) => {
    for (const colour of [paper, ...colours]) {
      paint.fillStyle = colour;
      paint.fillRect(0, 0, 1, 1);
    }
    return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => rgb.map((v) => v / 255).map((v) =>
    v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const bad = new Set();
  for (const sign of document.querySelectorAll(".bx-cell [data-sign]")) {
    const style = getComputedStyle(sign);
    const ground = getComputedStyle(sign.closest(".bx-cell")).backgroundColor;
    const [a, b] = [light(mix(ground, style.color)), light(mix(ground))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) bad.add(`${sign.className} ${ratio.toFixed(2)} ${ground}`);
  }
  return [...bad];
})()"""
FEW = "000000010400000000020000000000050400008000300001090000000400200050100000000806000"


@pytest.mark.parametrize("dark", [False, True])
def test_signs_stand_out_from_their_cells(chrome: Chrome, url: str, dark: bool) -> None:
    page = begun(chrome, url, 1280, dark=dark)
    page.click(".bx-cell")
    paste(page, FEW + "\nthermo r1c1 r2c1 r3c1\n")
    page.wait("document.querySelectorAll('.bx-cell').length === 81")
    settled(page)
    page.click(".bx-row:nth-child(5) .bx-cell:nth-child(5)")
    page.key("7", SHIFT)
    settled(page)
    page.key("7")
    settled(page)
    page.click(".bx-rules .bx-rule")
    assert page.value("document.querySelectorAll('.bx-cell.lit').length") == 3
    assert page.value(CONTRAST) == []
    press(page, "How many digits")
    assert page.value("document.querySelectorAll('.bx-big.heat').length") > 40
    assert page.value(CONTRAST) == []
    press(page, "Nothing")
    for mode, number in (("Corners", "4"), ("Colours", "3")):
        press(page, mode)
        page.click(".bx-row:nth-child(2) .bx-cell:nth-child(2)")
        page.key(number)
    assert page.value("document.querySelectorAll('.bx-corner').length") == 1
    assert "colour 3" in cell(page, 2, 2)
    assert page.value(CONTRAST) == []
    assert page.complaints() == []


def test_fingers_on_a_phone(chrome: Chrome, tmp_path: Path) -> None:
    """With a server of its own: large boards keep it busy."""
    with serving(SMALL) as (address, _):
        use_fingers(chrome.page(address, 390, 844), tmp_path)


def use_fingers(page: Page, tmp_path: Path) -> None:
    page.do("Emulation.setTouchEmulationEnabled", enabled=True)
    page.do("Emulation.setEmulatedMedia", features=[{"name": "pointer", "value": "coarse"}])
    settled(page)
    cells = ".bx-row:nth-child({}) .bx-cell:nth-child({})".format
    page.touch([cells(2, 2)])
    page.touch([".bx-pad button:nth-child(3)"])
    page.wait("document.querySelector('.bx-cell .bx-big.added')")
    assert cell(page, 2, 2) == "r2c2 digit 3"
    settled(page)
    page.touch(["[data-key='line']"])
    page.touch(["[data-tool='thermo']"])
    page.touch([cells(3, 1), cells(3, 2), cells(4, 3)])
    page.wait("document.querySelector('.bx-rules').textContent.includes('r3c1 r3c2 r4c3')")
    settled(page)
    page.click("[data-tool='thermo']")
    paste(page, "." * 81)
    page.wait("document.querySelectorAll('.bx-cell').length === 81")
    for label, side in (("", 9), ("16", 16), ("25", 25)):
        if label:
            page.value(f"document.querySelector('fieldset select').value = '{label}'")
            press(page, "New board")
            page.wait(f"document.querySelectorAll('.bx-cell').length === {side * side}")
        small = page.value(
            "[...document.querySelectorAll('.bx-pad button')].filter((b) => !b.hidden &&"
            " Math.min(b.getBoundingClientRect().width, b.getBoundingClientRect().height) < 44)"
            ".length"
        )
        assert small == 0
        wide = "document.querySelector('.bx-grid').getBoundingClientRect().width"
        assert page.value(f"{wide} <= innerWidth && {wide} > innerWidth - 40")
        gap = page.value(
            "document.querySelector('.bx-pad').getBoundingClientRect().top"
            " - document.querySelector('.bx-board').getBoundingClientRect().bottom"
        )
        assert label or gap < 120
        page.shot(tmp_path / f"{side}.png")
    assert page.value("document.documentElement.scrollWidth <= innerWidth")
    assert page.value("document.querySelector('p.bx-for-fingers').getClientRects().length") > 0
    assert page.complaints() == []


def test_rules_are_lit_moved_deleted_and_taken_back(chrome: Chrome, url: str) -> None:
    page = begun(chrome, url)
    page.click(".bx-cell")
    paste(page, VARIANT)
    page.wait("document.querySelectorAll('.bx-rules li').length === 2")
    settled(page)
    page.click(".bx-cell:nth-child(2)")
    assert page.value("[...document.querySelectorAll('.bx-rules li.here b')].map((b) => "
                      "b.textContent).join()") == "cage"  # fmt: skip
    page.click(".bx-rules li:nth-child(2) .bx-rule")
    assert page.value("document.querySelectorAll('.bx-cell.lit').length") == 2
    rules = "document.querySelector('.bx-rules').textContent"
    page.key("ArrowDown", 1)
    page.wait(f"{rules}.includes('5 r2c1 r2c2')")
    settled(page)
    press(page, "Move")
    page.drag([".bx-row:nth-child(2) .bx-cell:nth-child(1)",
               ".bx-row:nth-child(3) .bx-cell:nth-child(2)"])  # fmt: skip
    page.wait(f"{rules}.includes('5 r3c2 r3c3')")
    settled(page)
    press(page, "Delete")
    page.wait("document.querySelectorAll('.bx-rules li').length === 1")
    settled(page)
    page.click(".bx-row:nth-child(4) .bx-cell:nth-child(4)")  # nothing is moved any more
    assert page.value("document.querySelector('.bx-cell.chosen').innerText").startswith("r4c4")
    for text in ("5 r3c2 r3c3", "5 r2c1 r2c2", "5 r1c1 r1c2"):
        press(page, "Undo")
        page.wait(f"{rules}.includes({text!r})")
    assert page.value("document.activeElement.getAttribute('role')") == "gridcell"
    settled(page)
    page.value("document.querySelector('.bx-wide').focus()")
    page.do("Input.insertText", text="cage 99 r4c1 r4c2")
    page.key("Enter")
    page.wait("document.querySelector('.bx-message').textContent.includes('from 3 to 7')")
    assert page.value("document.querySelectorAll('.bx-rules li').length") == 2
    assert page.complaints() == []


def test_several_cells_own_digits_and_the_check(chrome: Chrome, url: str) -> None:
    page = begun(chrome, url)
    page.drag([f".bx-row:nth-child(2) .bx-cell:nth-child({c})" for c in (1, 2, 3)])
    page.key("1", SHIFT)
    settled(page)
    assert all("1: struck by you" in cell(page, 2, c) for c in (2, 3))
    page.key("Backspace")
    settled(page)
    assert "struck" not in cell(page, 2, 3)
    page.click(".bx-cell:nth-child(2)")
    page.key("1")  # beside the hint 1
    page.wait(f"{COUNT} === 'no solution'")
    press(page, "Check")
    page.wait("document.querySelector('.bx-cell.wrong')")
    assert cell(page, 1, 2).startswith("r1c2 digit 1, in no solution of the hints")
    press(page, "Fix as hints")
    assert cell(page, 1, 2).startswith("r1c2 hint 1")
    page.key("z", CTRL)
    assert cell(page, 1, 2).startswith("r1c2 digit 1")
    assert page.complaints() == []


AXE = os.environ.get("BDDSUDOKU_AXE", "")
"""Path of axe-core's ``axe.min.js``; ``npm install axe-core`` fetches it."""
AUDIT = """axe.run(document, { rules: { "label-content-name-mismatch": { enabled: false } } })
  .then(({ violations, incomplete }) => [...violations, ...incomplete].map((found) =>
    `${found.id}: ${found.nodes[0].html.slice(0, 120)}`))"""


@pytest.mark.skipif(not AXE, reason="BDDSUDOKU_AXE names no axe-core")
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(chrome: Chrome, url: str, width: int, dark: bool) -> None:
    """No violation and nothing undecided, in every state of the page."""
    page = begun(chrome, url, width, dark=dark)
    page.value(Path(AXE).read_text(encoding="utf-8") + ";0")
    assert page.value(AUDIT) == []
    page.click(".bx-cell")
    paste(page, VARIANT)
    page.wait("document.querySelectorAll('.bx-rules li').length === 2")
    settled(page)
    for text in ("How many digits", "Nothing", "Marginals", "Count without each"):
        press(page, text)
        assert page.value(AUDIT) == []
    page.wait("document.querySelectorAll('.bx-rules em').length === 2")
    page.click(".bx-rules li:nth-child(2) .bx-rule")
    assert page.value(AUDIT) == []
    for group, name in (("line", "arrow"), ("margin", "littlekiller"), ("cells", "cage")):
        page.click(f"[data-key='{group}']")
        page.click(f"[data-tool='{name}']")
        page.click(".bx-row:nth-child(2) .bx-cell:nth-child(1)")
        assert page.value(AUDIT) == []
    page.key("Escape")
    press(page, "Random solution")
    page.wait("document.querySelector('.bx-message').textContent.includes('solution number')")
    assert page.value(AUDIT) == []
    paste(page, "11..\n....\n....\n..4.\n")
    page.wait("document.querySelector('.bx-give-up').children.length === 3")
    assert page.value(AUDIT) == []
    assert page.complaints() == []
