"""The live board in a real Chromium; ``make browser`` installs one."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from chrome import Chrome
from live_page import (
    CHECK,
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


def test_with_the_keyboard_alone(chrome: Chrome, url: str) -> None:
    page = begun(chrome, url)
    # 1 and 2 in opposite corners of 4x4
    first = page.value(COUNT)
    for _ in range(12):
        if (
            page.value("document.activeElement.role ?? document.activeElement.getAttribute('role')")
            == "gridcell"
        ):
            break
        page.key("Tab")
    assert cell(page, 1, 1) == "r1c1 hint 1"
    for key in ("ArrowRight", "ArrowDown", "End", "Home", "ArrowRight"):
        page.key(key)
    assert page.value("document.activeElement.innerText").startswith("r2c2 open")
    page.key("3")
    settled(page)
    assert cell(page, 2, 2) == "r2c2 digit 3"
    assert page.value(COUNT) != first
    page.key("z", CTRL)
    page.wait(f"{COUNT} === {first!r}")
    page.key("y", CTRL)
    page.wait(f"{COUNT} !== {first!r}")
    page.key("Backspace")
    page.wait(f"{COUNT} === {first!r}")
    settled(page)
    page.key("3", SHIFT)
    page.wait(f"{COUNT} !== {first!r}")
    settled(page)
    assert "3: struck by you" in cell(page, 2, 2)
    page.key("z", CTRL)
    page.wait(f"{COUNT} === {first!r}")
    assert page.complaints() == []


def test_keys_are_answered_at_once(chrome: Chrome, url: str) -> None:
    page = begun(chrome, url)
    page.value("document.querySelectorAll('.bx-cell')[5].focus()")
    page.click(".bx-cell:nth-child(2)")
    drawn = page.value(
        "(() => { document.activeElement.dispatchEvent("
        "new KeyboardEvent('keydown', {key: '3', code: 'Digit3', bubbles: true}));"
        " return document.querySelector('.bx-cell:nth-child(2) .bx-big.added') !== null; })()"
    )
    assert drawn, "the hint is not drawn before the server has answered"


def test_paste_rules_impact_and_solutions(chrome: Chrome, url: str) -> None:
    page = begun(chrome, url)
    page.click(".bx-cell")
    paste(page, VARIANT)
    page.wait("document.querySelectorAll('.bx-rules input').length === 2")
    settled(page)
    press(page, "Rules")
    with_rules = page.value(COUNT)
    page.click(".bx-rules li:first-child input")
    page.wait(f"{COUNT} !== {with_rules!r}")
    settled(page)
    page.click(".bx-rules li:first-child input")
    page.wait(f"{COUNT} === {with_rules!r}")
    settled(page)
    press(page, "Analyse")
    press(page, "Count without each")
    page.wait("document.querySelectorAll('.bx-cell .bx-impact').length === 2")
    page.wait("document.querySelector('.bx-rules').textContent.includes('without it')")
    press(page, "Random solution")
    page.wait("document.querySelectorAll('.bx-cell .bx-big').length === 16")
    page.wait("document.querySelector('.bx-message').textContent.includes('solution number')")
    page.click("button[aria-label='Next solution']")
    page.wait("!document.querySelector('.bx-count.waiting')")
    paste(page, "this is no puzzle")
    page.wait("!/solution number/.test(document.querySelector('.bx-message').textContent)")
    paste(page, "." * 10_000_000)
    page.wait("/more than a puzzle/.test(document.querySelector('.bx-message').textContent)")
    assert page.complaints() == []


def test_why(chrome: Chrome, url: str, tmp_path: Path) -> None:
    """The parts of a cell's smallest reason are shown one by one, or what clashes."""
    lit = "[...document.querySelectorAll('.bx-cell.why')].length"
    head = "document.querySelector('.bx-why h2')?.textContent ?? ''"
    page = begun(chrome, url)
    first = page.value(COUNT)
    page.click(".bx-cell")
    paste(page, "1.34\n34..\n....\n....\n")
    page.wait(f"{COUNT} !== {first!r}")
    settled(page)
    page.click(".bx-row:nth-child(1) .bx-cell:nth-child(2)")
    page.key("?")
    page.wait(f"{lit} > 0", 20)
    assert page.value(head) == "r1c2 is 2 because of these: 3 hints"
    assert page.value("document.querySelectorAll('.bx-why li').length") == 3
    assert page.value("document.querySelectorAll('.bx-cell.lit').length") == 1
    press(page, "Next part")
    assert "2 / 3" in page.value("document.querySelector('.bx-why').textContent")
    page.key("Escape")
    page.wait(f"{lit} === 3")  # the focus was in the list: there, Escape does nothing
    press(page, "Close")
    page.wait(f"{lit} === 0")
    page.click(".bx-cell")
    paste(page, "11..\n....\n....\n..4.\n")
    page.wait(f"{COUNT} === 'no solution'")
    settled(page)
    page.wait(f"{lit} === 2", 20)
    assert page.value("document.activeElement.getAttribute('role')") == "gridcell"
    press(page, "Why?")
    page.shot(tmp_path / "why.png")
    assert page.value(head).startswith("These clash: 2 hints")
    assert page.value(CHECK) == []
    press(page, "Give up: r1c2 = 1")
    page.wait(f"{COUNT} !== 'no solution'")
    settled(page)
    assert page.value(f"{lit} + document.querySelectorAll('.bx-why button').length") == 0
    assert page.complaints() == []


def test_a_slow_question_is_overtaken_and_stopped(chrome: Chrome, url: str) -> None:
    page = begun(chrome, url)
    new_board(page, 16)
    page.wait("document.querySelector('.bx-busy button').getClientRects().length")
    page.click(".bx-busy button")
    page.wait("document.querySelector('.bx-busy progress').hidden")
    page.click(".bx-cell")
    page.key("G")
    page.wait("document.querySelector('.bx-cell .bx-big.added')?.dataset.sign === 'G'")
    paste(page, SMALL)
    page.wait("document.querySelectorAll('.bx-cell').length === 16")
    settled(page)
    assert page.complaints() == []


def test_reload_two_tabs_and_languages(chrome: Chrome, url: str) -> None:
    page, other = begun(chrome, url), begun(chrome, url)
    first = other.value(COUNT)
    page.click(".bx-row:nth-child(2) .bx-cell:nth-child(2)")
    page.key("3")
    page.wait(f"{COUNT} !== {first!r}")
    settled(page)
    assert other.value(COUNT) == first
    count = page.value(COUNT)
    page.do("Page.reload")
    page.wait(f"document.readyState === 'complete' && document.querySelector('.bx-count')"
              f" && {COUNT} === {count!r}")  # fmt: skip
    assert cell(page, 2, 2) == "r2c2 digit 3"
    page.value("(() => { const s = document.querySelector('.bx-head select');"
               " s.value = 'ja'; s.dispatchEvent(new Event('change')); })()")  # fmt: skip
    assert "解は" in page.value(COUNT)
    assert page.value("document.documentElement.lang") == "ja"
    assert page.value(CHECK) == []
    assert page.complaints() == other.complaints() == []


@pytest.mark.parametrize(("width", "dark"), [(1200, False), (600, False), (360, True)])
def test_everybody(chrome: Chrome, url: str, width: int, dark: bool, tmp_path: Path) -> None:
    """Wide, at 200 % zoom (half of the width), on a phone at night."""
    page = begun(chrome, url, width, dark=dark)
    assert page.value(CHECK) == []
    page.click(".bx-cell")
    style = "getComputedStyle(document.activeElement)"
    assert page.value(f"{style}.outlineStyle") == "solid"
    assert page.value(f"parseFloat({style}.outlineWidth)") >= 2
    page.shot(tmp_path / "page.png")
    assert page.complaints() == []


def test_the_server_is_killed_and_started_again(chrome: Chrome) -> None:
    with serving(SMALL) as (address, process):
        page = begun(chrome, address)
        process.send_signal(signal.SIGKILL)
        process.wait()
        page.click(".bx-row:nth-child(2) .bx-cell:nth-child(2)")
        page.key("3")
        page.wait("document.querySelector('.bx-message').textContent.includes('bddsudoku explore')")
        assert cell(page, 2, 2) == "r2c2 digit 3"
        old, fragment = page.value("location.href"), page.value("location.hash")
    with serving(SMALL) as (address, _):
        assert cell(begun(chrome, address + fragment), 2, 2) == "r2c2 digit 3"
        page = begun(chrome, address)
        paste(page, old)
        page.wait("document.querySelector('.bx-cell .bx-big.added')")
        assert cell(page, 2, 2) == "r2c2 digit 3"


def test_everything_can_be_kept(chrome: Chrome, url: str) -> None:
    page = begun(chrome, url)
    page.value(
        "(() => { window.kept = []; HTMLAnchorElement.prototype.click = function () {"
        " window.kept.push(this.download); }; })()"
    )
    press(page, "File")
    names = []
    for text, name in (
        ("Text", "puzzle.txt"),
        ("f-puzzles (JSON)", "puzzle.json"),
        ("SVG", "puzzle.svg"),
        ("PNG", "puzzle.png"),
        ("All solutions", "puzzle.set"),
    ):
        page.click(f"button[aria-label='Download: {text}']")
        names.append(name)
        page.wait(f"window.kept.join() === '{','.join(names)}'")
    assert page.complaints() == []
