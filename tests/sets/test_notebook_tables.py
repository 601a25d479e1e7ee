"""Tables that objects show in notebooks: what they are, how many, what they cost."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import html5lib
import numpy as np

from bddsudoku import Model, Problem, Puzzle, allocate, solve
from bddsudoku.engine.bands.band_set import BandSet
from bddsudoku.notebook_html import facts_html
from bddsudoku.puzzle import ExactCover
from bddsudoku.sets.listedset import ListedSet
from bddsudoku.solver import solve_detailed

ROOT = Path(__file__).parents[2]
EMPTY = Puzzle([0] * 16)


def facts(shown: Any) -> dict[str, str]:
    """The rows of an object's table; the HTML must be free of errors."""
    text = shown._repr_html_()
    html5lib.HTMLParser(strict=True).parse(f"<!DOCTYPE html><title>x</title>{text}")
    return dict(re.findall(r"<th[^>]*>(.*?)</th><td[^>]*>(.*?)</td>", text))


def cover() -> ExactCover:
    return ExactCover(["a", "b"], [["a"], ["b"], ["a", "b"], ["s"]], secondary=["s"])


def queens() -> Problem:
    return Problem.parse("symbol a b c\ninteger n in 1..3\na + b + c == n")


def test_a_solution_set() -> None:
    found = facts(solve(cover()))
    assert found["solutions"] == "2"
    assert found["variables"] == "3"
    assert found["nodes"] == "3"
    assert found["memory"].endswith("B")
    assert "order" in found


def test_a_problem() -> None:
    found = facts(queens())
    assert found["Boolean variables"] == "3"
    assert found["integer variables"] == "1"
    assert found["statements"] == "1"
    assert "1 integer" in found["families"]
    assert "counted variables" not in found
    assert facts(queens().project("a"))["counted variables"] == "1 (a projection)"


def test_an_exact_cover() -> None:
    found = facts(cover())
    assert (found["items"], found["optional items"], found["options"]) == ("2", "1", "4")
    assert found["ignored options"] == "1"


def test_a_model() -> None:
    model = allocate(EMPTY)
    assert isinstance(model, Model)
    found = facts(model)
    assert found["variables"] == "64"
    assert found["kinds"] == "64 OneHot"
    assert set(found["families"].split(", ")) == {"16 cell", "16 row", "16 column", "16 block"}


def test_a_band_set_shows_itself_without_counting() -> None:
    bands = BandSet(np.full(81, 511))
    found = facts(bands)
    assert found["solutions"] == "not counted yet"
    assert found["fixed cells"] == "0"
    assert found["board"] == "9×9 cells, 9 symbols"
    assert "_count" not in vars(bands)
    one = solve(Puzzle.parse((ROOT / "data/paper/24.txt").read_text(encoding="utf-8")), "bands")
    assert one.count() == 1
    assert facts(one)["solutions"] == "1"


def test_a_set_without_a_diagram() -> None:
    assert facts(ListedSet(np.ones((3, 16), dtype=np.uint8)))["memory"] == "48 B"


def test_a_result_says_what_it_cost() -> None:
    found = facts(solve_detailed(EMPTY, "frontier"))
    assert found["engine"] == "frontier"
    assert found["because"] == "named"
    assert found["time"].endswith("s")
    assert int(found["states"].replace(",", "")) > int(found["widest level"].replace(",", ""))
    assert "states" not in facts(solve_detailed(EMPTY, "components"))


def test_text_is_escaped_and_numbers_have_commas() -> None:
    shown = facts_html("<set>", [("a&b", "<b>"), ("n", 1234567), ("none", None)])
    assert "&lt;set&gt;" in shown
    assert "<b>" not in shown
    assert "1,234,567" in shown
    assert "none" not in shown
    assert "about 2**4000" in facts_html("set", [("solutions", 1 << 4000)])
