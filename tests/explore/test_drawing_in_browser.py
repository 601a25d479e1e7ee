"""Rules drawn on the live board in a real Chromium, by mouse, keys and fingers; what is seen."""

from __future__ import annotations

import os
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
    new_board,
    paste,
    press,
    serving,
    settled,
)

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

RULE = "(document.querySelector('ul.bx-rules li:last-child .bx-rule')?.title ?? '')"
"""The last rule of the list as a line, and what it demands."""

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
    press(page, "Rules")
    page.click(".bx-rules .bx-rule")
    assert page.value("document.querySelectorAll('.bx-cell.lit').length") == 3
    assert page.value(CONTRAST) == []
    press(page, "Analyse")
    press(page, "How many are left")
    assert page.value("document.querySelectorAll('.bx-big.heat').length") > 40
    assert page.value(CONTRAST) == []
    press(page, "Nothing")
    press(page, "Solve")
    for mode, number in (("Corner", "4"), ("Centre", "5"), ("Colour", "3")):
        press(page, mode)
        page.click(".bx-row:nth-child(2) .bx-cell:nth-child(2)")
        page.key(number)
    assert page.value("document.querySelectorAll('.bx-corner, .bx-centre').length") == 2
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
    page.touch(["[role='tab'][data-key='rules']"])
    page.touch(["[data-tool='thermo']"])
    page.touch([cells(3, 1), cells(3, 2), cells(4, 3)])
    page.wait(f"{RULE}.startsWith('thermo r3c1 r3c2 r4c3')")
    settled(page)
    press(page, "Done")
    page.touch(["[role='tab'][data-key='solve']"])
    paste(page, "." * 81)
    page.wait("document.querySelectorAll('.bx-cell').length === 81")
    for label, side in (("", 9), ("16", 16)):
        if label:
            press(page, "File")
            press(page, "Open or begin")
            new_board(page, side)
            press(page, "Solve")
        small = page.value(
            "[...document.querySelectorAll('.bx-pad button')].filter((b) => !b.hidden &&"
            " Math.min(b.getBoundingClientRect().width, b.getBoundingClientRect().height) < 44)"
            ".length"
        )
        assert small == 0
        wide = "document.querySelector('.bx-grid').getBoundingClientRect().width"
        assert page.value(f"{wide} <= innerWidth && {wide} > innerWidth - 40")
        in_view = (
            "document.querySelector('.bx-modes').getBoundingClientRect().bottom <= innerHeight"
        )
        assert label or page.value(in_view), "all that writes is on the screen"
        page.shot(tmp_path / f"{side}.png")
    assert page.value("document.documentElement.scrollWidth <= innerWidth")
    assert page.complaints() == []


def test_rules_are_picked_changed_moved_deleted_and_taken_back(chrome: Chrome, url: str) -> None:
    page = begun(chrome, url)
    page.click(".bx-cell")
    paste(page, VARIANT + "thermo r4c1 r4c2\n")
    page.wait("document.querySelectorAll('.bx-rules li').length === 3")
    settled(page)
    cells = ".bx-row:nth-child({}) .bx-cell:nth-child({})".format
    press(page, "Rules")
    page.click(cells(1, 2))
    assert page.value("[...document.querySelectorAll('.bx-rules li.here')].length") == 1
    assert page.value("document.querySelectorAll('.bx-cell.lit').length") == 2
    rules = "[...document.querySelectorAll('.bx-rule')].map((e) => e.title).join()"
    page.key("ArrowDown", 1)
    page.wait(f"{rules}.includes('cage 5 r2c1 r2c2')")
    settled(page)
    page.drag([cells(2, 1), cells(3, 2)])  # a picked rule is moved
    page.wait(f"{rules}.includes('cage 5 r3c2 r3c3')")
    settled(page)
    page.key("Backspace")
    page.key("7")
    page.wait(f"{rules}.includes('cage 7 r3c2 r3c3')", 20)
    page.drag([cells(3, 3), cells(3, 4)])  # its end is drawn out
    page.wait(f"{rules}.includes('cage 7 r3c2 r3c3 r3c4')", 20)
    settled(page)
    page.click(cells(4, 1))
    page.drag([cells(4, 2), cells(4, 3)])
    page.wait(f"{rules}.includes('thermo r4c1 r4c2 r4c3')")
    page.key("Delete")
    page.wait("document.querySelectorAll('.bx-rules li').length === 2")
    settled(page)
    page.click(cells(1, 4))  # nothing is moved any more
    page.key("2")
    assert cell(page, 1, 4).startswith("r1c4 digit 2")
    for _ in range(2):
        press(page, "Undo")
    page.wait(f"{rules}.includes('thermo r4c1 r4c2 r4c3')")
    for _ in range(5):
        press(page, "Undo")
    page.wait(f"{rules}.includes('cage 5 r2c1 r2c2')")
    assert page.value("document.activeElement.getAttribute('role')") == "gridcell"
    settled(page)
    page.value("document.querySelector('[type=search]').focus()")
    page.do("Input.insertText", text="cage 99 r4c1 r4c2")
    page.key("Enter")
    page.wait("document.querySelector('.bx-message').textContent.includes('from 3 to 7')")
    assert page.value("document.querySelectorAll('.bx-rules li').length") == 3
    assert page.complaints() == []


def test_only_rules_can_be_made(chrome: Chrome, url: str) -> None:
    """The button waits for a rule; directions lead over the board; the preview is drawn."""
    page = begun(chrome, url)
    board = "document.querySelector('.bx-board').getBoundingClientRect().width"
    grid = "document.querySelector('.bx-ground').getBoundingClientRect().width"
    make = "[...document.querySelectorAll('.bx-drawing .bx-main')].map((b) => b.disabled)[0]"
    note = "document.querySelector('.bx-note').textContent"
    cells = ".bx-row:nth-child({}) .bx-cell:nth-child({})".format
    press(page, "Rules")
    page.click("[data-tool='cage']")
    assert page.value(make) is True
    page.click(cells(2, 2))
    page.click(cells(2, 3))
    page.wait(f"{make} === false")
    page.key("9")
    page.wait(f"{note}.includes('from 3 to 7')")
    assert page.value(make) is True
    page.key("Backspace")
    page.key("6")
    page.wait(f"{make} === false && {note} === ''")
    page.wait("document.querySelector('.bx-board.bx-worded')")  # the total is at the corner
    press(page, "Make the rule")
    page.wait(f"{RULE}.startsWith('cage 6 r2c2 r2c3')")
    wide = page.value(f"[{board}, {grid}]")
    press(page, "Outside")
    page.click("[data-tool='littlekiller']")
    assert page.value(f"[{board}, {grid}]") == wide, "a margin tool leaves the board as large"
    page.click(cells(1, 3))
    page.key("7")
    page.wait(f"{RULE}.startsWith('littlekiller 7 dr r0c2')")
    ways = "[...document.querySelectorAll('.bx-drawing [data-key]')].map((b) => b.dataset.key)"
    assert {"dr", "dl"} <= {*page.value(ways)}
    assert not {"ur", "ul"} & {*page.value(ways)}
    press(page, "Lines")
    page.click("[data-tool='arrow']")
    page.drag([cells(3, 1), cells(3, 2), cells(3, 3)])
    page.wait(f"{RULE}.startsWith('arrow r3c1 > r3c2 r3c3')")
    page.key("p")
    page.wait(f"{RULE}.startsWith('arrow r3c1 r3c2 > r3c3')")
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
    press(page, "Make them hints")
    assert cell(page, 1, 2).startswith("r1c2 hint 1")
    page.key("z", CTRL)
    assert cell(page, 1, 2).startswith("r1c2 digit 1")
    assert page.complaints() == []


AXE = os.environ.get("BDDSUDOKU_AXE", "")
"""Path of axe-core's ``axe.min.js``; ``npm install axe-core`` fetches it."""
# the contrast of an empty field is undecided
AUDIT = """axe.run({ exclude: [".bx-open textarea"] },
  { rules: { "label-content-name-mismatch": { enabled: false } } })
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
    press(page, "Analyse")
    for text in ("How many are left", "Nothing", "Candidates", "Count without each"):
        press(page, text)
        assert page.value(AUDIT) == []
    press(page, "Random solution")
    page.wait("document.querySelector('.bx-message').textContent.includes('solution number')")
    assert page.value(AUDIT) == []
    press(page, "File")
    for part in ("Publish", "Title and words", "Open or begin") if width < 500 else ("File",):
        press(page, part)
        assert page.value(AUDIT) == []
    press(page, "Rules")
    page.wait("document.querySelectorAll('.bx-rules em').length === 2")
    if width < 500:
        page.click(".bx-groups [data-key='listed']")
    page.click(".bx-rules li:nth-child(2) .bx-rule")
    assert page.value(AUDIT) == []
    for group, name in (("line", "arrow"), ("margin", "littlekiller"), ("cells", "cage")):
        if page.value("document.querySelector('.bx-drawing').getClientRects().length"):
            press(page, "Done")
        page.click(f".bx-groups [data-key='{group}']")
        page.click(f"[data-tool='{name}']")
        page.click(".bx-row:nth-child(2) .bx-cell:nth-child(1)")
        assert page.value(AUDIT) == []
    page.key("Escape")
    paste(page, "11..\n....\n....\n..4.\n")
    page.wait("document.querySelectorAll('.bx-cell.why').length === 2")
    assert page.value(AUDIT) == []
    press(page, "Why?")
    page.wait("document.querySelectorAll('.bx-why li').length === 2")
    assert page.value(AUDIT) == []
    assert page.complaints() == []
