"""The HTML of a live board without a server; `test_in_browser` tests it in a browser."""

from __future__ import annotations

import re

import html5lib
import numpy as np

from bddsudoku import Puzzle, solve
from bddsudoku.explore.component import component_module
from bddsudoku.explore.embedded import live_board_html

MANY = "1...............\n"


def test_it_is_valid_html_and_nothing_ends_it() -> None:
    puzzle = Puzzle.parse(MANY + "cage 5 r1c1 r1c2\n")
    text = live_board_html(puzzle, solve(puzzle).marginals(), {0: "12"})
    assert text.count("</script") == 1
    parser = html5lib.HTMLParser(strict=True)
    parser.parse(f"<!DOCTYPE html><html lang=en><head><title>t</title></head><body>{text}")
    script = text.split('<script type="module">')[1].split("</script>")[0]
    assert "<" not in script
    assert '"without":["12"]' in script
    assert "cage 5 r1c1 r1c2" in script


def test_the_largest_boards_are_shown_too() -> None:
    puzzle = Puzzle([0] * 625)
    text = live_board_html(puzzle, np.ones((25, 25, 25), dtype=np.int64))
    assert '"n":25' in text


def test_the_modules_are_joined_to_one() -> None:
    """Each module is there once, without imports, and no name is declared twice."""
    text = component_module()
    assert re.findall(r"^import ", text, re.MULTILINE) == []
    assert re.findall(r"^export .*", text, re.MULTILINE) == [
        "export default {", "export { staticModel };",
    ]  # fmt: skip
    names = re.findall(r"^(?:async )?(?:const|let|class|function) (\w+)", text, re.MULTILINE)
    assert len(names) == len({*names})
    assert {"Board", "Drawing", "Hands", "Picture", "RuleList", "State", "TEXTS"} <= {*names}
