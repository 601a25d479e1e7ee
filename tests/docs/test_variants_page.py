"""The pages about variants: every rule with its meaning, lines and examples that are read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from bddsudoku import Puzzle, count
from bddsudoku.cli import main
from bddsudoku.puzzle import known_rules, rule_from_line
from bddsudoku.puzzle.sudoku import Layout

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs" / "reference" / name for name in ("variants.md", "variants.ja.md")]
ROW = re.compile(r"^\| `([a-z]+)` \| `([^`]+)` \| (.+) \|$", re.M)


def rows(page: Path) -> list[tuple[str, str, str]]:
    return ROW.findall(page.read_text(encoding="utf-8"))


def blocks(page: Path, kind: str) -> list[str]:
    return re.findall(
        rf"^```{kind}\b[^\n]*\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_rule_of_the_package_is_listed(page: Path) -> None:
    listed = [name for name, _, _ in rows(page)]
    own = [n for n, rule in known_rules().items() if rule.__module__.startswith("bddsudoku.")]
    assert listed == sorted(own)
    for name, line, _ in rows(page):
        rule = rule_from_line(line)
        assert rule.name == name
        # The number that a rule has by default is written out.
        assert rule.text == line


def test_the_catalogue_is_the_page() -> None:
    printed = CliRunner().invoke(main, ["rules", "--catalogue"])
    assert printed.exit_code == 0
    records = {record["name"]: record for record in map(json.loads, printed.output.splitlines())}
    assert records.keys() == known_rules().keys()
    for name, line, about in rows(PAGES[0]):
        record = records[name]
        assert (line, about) == (record["example"], record["about"])
        assert record["fields"].keys() == rule_from_line(line).to_dict().keys() - {"rule"} | {
            key for key, kind in record["fields"].items() if kind == "MAYBE"
        }
    japanese = {name: (line, about) for name, line, about in rows(PAGES[1])}
    assert japanese == {n: (r["example"], r["about_ja"]) for n, r in records.items()}
    titles = [r["titles"][language] for r in records.values() for language in ("en", "ja")]
    assert len({*titles}) == len(titles) - 1  # XV is XV
    assert records["whispers"] == {
        "name": "whispers",
        "aliases": ["whisper", "germanwhispers"],
        "titles": {"en": "German whispers", "ja": "ジャーマンウィスパー"},
        "search": records["whispers"]["search"],
        "about": records["whispers"]["about"],
        "about_ja": records["whispers"]["about_ja"],
        "example": "whispers r1c1 r2c2 r3c3",
        "parts": [1, 1],
        "drawn_on": "line",
        "fields": {"cells": "PLACES", "difference": "MAYBE"},
        "words": [],
        "range": [1, 8],
        "cells": [2, None],
        "iss": ["Whisper"],
        "fpuzzles": "whispers",
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_boards_are_read(page: Path) -> None:
    whole, jigsaw, shaped, worded = blocks(page, "text")
    path = ROOT / "data" / "variants" / "knight_and_lines.txt"
    assert whole == path.read_text(encoding="utf-8")
    board = Puzzle.parse(jigsaw)
    assert len(board.layout.blocks) == 4
    assert len(board.layout.extra) == 1
    assert count(board) == 1
    other = Puzzle.parse(shaped)
    assert other.layout == Layout(3, 3, shape=(6, 6), digits=(0, 8))
    assert (other[0, 0], other[2, 2]) == (0, 8)
    assert [rule.name for rule in other.rules] == ["thermo", "cage"]
    own = Puzzle.parse(worded)
    assert [rule.name for rule in own.rules] == ["regex", "pair", "sum", "formula", "anyof"]
    assert count(own) == count(own, "brute-force") > 0
    block = next(block for block in blocks(page, "console") if "bddsudoku rules" in block)
    for rule in Puzzle.parse(whole).rules:
        assert f"\n{rule.text} " in block


def test_the_picture_is_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "experiments"))
    import variants

    assert (ROOT / "docs" / "variant.svg").read_text(encoding="utf-8") == variants.picture()


def test_the_gallery_draws_every_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "machinery"))
    import rule_gallery

    for page in rule_gallery.pages().values():
        cards = page.split("<figure")[1:]
        assert all("<div><svg" in card for card in cards)
        named = [re.findall(r"<code>([a-z]+)</code>", card)[0] for card in cards]
        assert sorted(named) == sorted(known_rules())
