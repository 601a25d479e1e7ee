"""A setter's puzzle drawn on the live board: by mouse, by keys, by fingers; and published."""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable

import pytest
from chrome import Chrome, Page
from live_page import COUNT, SHIFT, VARIANT, begun, new_board, paste, press, settled

from bddsudoku import Puzzle, count
from bddsudoku.solver.sources import as_puzzle

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

GRID = "571234896423986175698715324214369587785142639936857412867521943152493768349678251"
HINTS = (3, 12, 26, 48, 62)
"""Cells of the grid that are typed; with the rules there are 2,464 solutions."""
RULES = """thermo r5c4 r5c5 r6c5 r6c6 r7c7
arrow r8c1 r8c2 > r8c3 r8c4 r8c5
cage 11 r1c1 r2c1 r2c2
whispers r1c2 r1c3 r2c4 r2c3 r3c3
difference r1c4 r1c5
littlekiller 29 dr r0c4
sandwich 15 r3c0
diagonal""".splitlines()
GROUPS = {"cage": "cells", "difference": "border", "diagonal": "board"} | dict.fromkeys(
    ("sandwich", "littlekiller"), "margin"
)
SAYS = f"!document.querySelector('.bx-count.waiting') && {COUNT}"
LISTED = "document.querySelectorAll('ul.bx-rules li').length"

Use = Callable[[Page, str], None]


def puzzle_so_far(hints: int, rules: int) -> Puzzle:
    board = "".join(GRID[i] if i in HINTS[:hints] else "." for i in range(81))
    return Puzzle.parse("\n".join([board, *RULES[:rules]]))


class Setter:
    """Draws the puzzle, and waits after each edit until the head says something about it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.seconds: list[float] = []

    def says(self, hints: int, rules: int) -> str:
        """What the head says of the board so far; it must be true."""
        begun = time.monotonic()
        self.page.wait(f"{LISTED} === {rules}", 20)
        self.page.wait(SAYS, 20)
        self.seconds.append(time.monotonic() - begun)
        said = str(self.page.value(COUNT))
        words = re.fullmatch(r"(exactly|more than|at least) ([\d,]+) solutions?", said)
        assert words, said
        kind, number = words.groups()
        puzzle, said_count = puzzle_so_far(hints, rules), int(number.replace(",", ""))
        if kind == "exactly":
            assert count(puzzle) == said_count
        else:
            assert said_count < 10_000_000  # searched, not guessed: there is time for no more
        return said

    def check_times(self) -> None:
        print("seconds:", " ".join(f"{s:.2f}" for s in self.seconds))
        assert statistics.median(self.seconds) < 3


def cell(row: int, column: int, rim: int = 0) -> str:
    return f".bx-row:nth-child({row + rim}) .bx-cell:nth-child({column + rim})"


def places(line: str) -> list[tuple[int, int]]:
    return [(int(r), int(c)) for r, c in re.findall(r"r(\d+)c(\d+)", line)]


def number_of(line: str) -> str:
    return "".join(word for word in line.split() if word.isdigit())


def made(page: Page, line: str) -> None:
    """Wait until the list's last rule is the one of a line."""
    last = "document.querySelector('ul.bx-rules li:last-child .bx-rule')?.title ?? ''"
    rule = line.replace("difference", "difference 1")
    page.wait(f"({last}).startsWith({rule!r})", 20)


def draw_by_pointer(page: Page, line: str, click: Use, drag: Callable[..., None]) -> None:
    """Choose the tool, put the number in by the pad, and press or drag over the places."""
    name = line.split()[0]
    click(page, f"[data-key='{GROUPS.get(name, 'line')}']")
    click(page, f"[data-tool='{name}']")
    if name == "diagonal":
        return
    rim = int(GROUPS.get(name) == "margin")
    if name == "arrow":
        press(page, "2", click)  # the circle's cells
    drag([cell(r, c, rim) for r, c in places(line)])
    for sign in number_of(line):
        click(page, ".bx-zero" if sign == "0" else f".bx-pad button:nth-child({sign})")
    made(page, line)
    press(page, "Done", click)


def draw_by_keys(page: Page, line: str, at: tuple[int, int]) -> tuple[int, int]:
    """Search the tool, go to its places with the arrows; return where the cursor is then."""
    name = line.split()[0]
    tab_to(page, "input[type='search']")
    page.do("Input.insertText", text=name)
    tab_to(page, f"[data-tool='{name}']", press=True)
    if name == "diagonal":
        return at
    for place in places(line):
        walk(page, at, place)
        page.key(" ")
        at = place
    if name == "arrow":
        page.key("p")
    page.key("Enter")
    for sign in number_of(line):
        page.key(sign)
    made(page, line)
    page.key("Escape")
    return min(max(at[0], 1), 9), min(max(at[1], 1), 9)


def tab_to(page: Page, selector: str, *, press: bool = False) -> None:
    """Go on or back with Tab until an element has the focus, and press it."""
    for modifiers in (0, SHIFT):
        for _ in range(60):
            if page.value(f"document.activeElement.matches({selector!r})"):
                if press:
                    page.key("Enter")
                return
            page.key("Tab", modifiers)
    raise AssertionError(selector)


def walk(page: Page, here: tuple[int, int], there: tuple[int, int]) -> None:
    """The arrows from one place to another."""
    down, right = there[0] - here[0], there[1] - here[1]
    for _ in range(abs(down)):
        page.key("ArrowDown" if down > 0 else "ArrowUp")
    for _ in range(abs(right)):
        page.key("ArrowRight" if right > 0 else "ArrowLeft")


def exported(page: Page) -> list[str]:
    """What the tab of files writes: text, f-puzzles and ISS, and the links to all programs."""
    page.value(
        "(() => { window.kept = []; URL.createObjectURL = (blob) => {"
        " blob.text().then((t) => window.kept.push(t)); return '#'; };"
        " HTMLAnchorElement.prototype.click = () => {};"
        " Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (t) => {"
        " window.kept.push(t); }}}); })()"
    )
    press(page, "File")
    names = ["Text", "f-puzzles (JSON)", "ISS (text)"]
    buttons = [f"button[aria-label='Download: {name}']" for name in names]
    buttons += [f"[data-form='{form}']" for form in ("f-puzzles-link", "iss-link", "link")]
    for k, button in enumerate(buttons, 1):
        page.click(button)
        page.wait(f"window.kept.length === {k}", 20)
    return list(page.value("window.kept"))


def touch(page: Page, selector: str) -> None:
    """A tap, when the one before is no half of a double one, and when nothing scrolls any more."""
    page.wait(f"document.querySelector({selector!r})?.getClientRects().length", 20)
    page.middle(selector)
    time.sleep(0.4)
    page.touch([selector])
    time.sleep(0.1)


def test_what_is_published_is_the_puzzle(chrome: Chrome, url: str) -> None:
    """Files and links hold the puzzle, its title and its rules, and no address or token."""
    page = begun(chrome, url)
    page.click(".bx-cell")
    paste(page, VARIANT)
    page.wait(f"{LISTED} === 2")
    settled(page)
    assert page.value(COUNT) == "exactly 1 solution"
    press(page, "File")
    page.value("document.querySelector('.bx-field input').focus()")
    page.do("Input.insertText", text="Two diagonals")
    texts = exported(page)
    for text in texts:
        assert count(as_puzzle(text)) == 1
        assert "127.0.0.1" not in text
        assert url.split("/")[3] not in text
    assert "Two diagonals" in texts[0]
    assert "Normal Sudoku rules apply" in texts[1]
    assert page.complaints() == []


@pytest.mark.slow
def test_drawn_and_published_with_the_mouse(chrome: Chrome, url: str) -> None:
    """The whole way once; the exported forms all have the head's number of solutions."""
    page = chrome.page(url, 1280, 900)
    new_board(page, 9)
    setter = Setter(page)
    press(page, "Solve")
    for k, at in enumerate(HINTS, 1):
        page.click(cell(at // 9 + 1, at % 9 + 1))
        page.click(f".bx-pad button:nth-child({GRID[at]})")
        setter.says(k, 0)
    press(page, "Rules")
    for k, line in enumerate(RULES, 1):
        draw_by_pointer(page, line, Page.click, page.drag)
        said = setter.says(len(HINTS), k)
        in_view = page.value("document.documentElement.scrollHeight <= innerHeight")
        assert in_view, "the board and its tools are on the screen"
    setter.check_times()
    page.wait(f"{COUNT} === 'exactly 2,464 solutions'", 20)
    assert said
    assert [count(as_puzzle(text)) for text in exported(page)] == [2464] * 6
    assert page.complaints() == []


@pytest.mark.slow
def test_drawn_with_the_keyboard_alone(chrome: Chrome, url: str) -> None:
    page = chrome.page(url, 1280, 900)
    page.wait("document.querySelector('.bx-cell')")
    tab_to(page, "[role='gridcell']")
    new_board(page, 9)
    setter, at = Setter(page), (1, 1)
    tab_to(page, "[role='tab'][aria-selected='true']")
    while page.value("document.activeElement.textContent") != "Rules":
        page.key("ArrowLeft")
    tab_to(page, "[role='gridcell']")
    for k, cell_ in enumerate(HINTS, 1):
        there = (cell_ // 9 + 1, cell_ % 9 + 1)
        walk(page, at, there)
        page.key(GRID[cell_])
        setter.says(k, 0)
        at = there
    for k, line in enumerate(RULES, 1):
        at = draw_by_keys(page, line, at)
        setter.says(len(HINTS), k)
    setter.check_times()
    page.wait(f"{COUNT} === 'exactly 2,464 solutions'", 20)
    assert page.complaints() == []


@pytest.mark.slow
def test_drawn_by_touch_on_a_phone(chrome: Chrome, url: str) -> None:
    page = chrome.page(url, 390, 844)
    page.do("Emulation.setTouchEmulationEnabled", enabled=True)
    page.do("Emulation.setEmulatedMedia", features=[{"name": "pointer", "value": "coarse"}])
    page.wait("document.querySelector('.bx-cell')")
    press(page, "File", touch)
    press(page, "Open or begin", touch)
    press(page, "New board", touch)
    new_board(page, 9)
    setter = Setter(page)
    press(page, "Solve", touch)
    for k, at in enumerate(HINTS, 1):
        touch(page, cell(at // 9 + 1, at % 9 + 1))
        touch(page, f".bx-pad button:nth-child({GRID[at]})")
        setter.says(k, 0)
    press(page, "Rules", touch)
    for k, line in enumerate(RULES, 1):
        draw_by_pointer(page, line, touch, page.touch)
        setter.says(len(HINTS), k)
        assert page.value("document.documentElement.scrollHeight <= innerHeight")
    setter.check_times()
    page.wait(f"{COUNT} === 'exactly 2,464 solutions'", 20)
    assert page.complaints() == []
