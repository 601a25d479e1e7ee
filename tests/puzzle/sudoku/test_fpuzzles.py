"""f-puzzles: accepted files, error messages, and that written puzzles read back."""

from __future__ import annotations

import io
import json
import re
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import SHAPES

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.fpuzzles import read_fpuzzles, write_fpuzzles, write_link
from bddsudoku.puzzle.sudoku.fpuzzles.compressed_links import (
    MAX_BYTES,
    compress_to_base64,
    decompress_from_base64,
)
from bddsudoku.puzzle.sudoku.rules import Place, known_rules
from bddsudoku.puzzle.sudoku.rules import rule_from_line as rule
from bddsudoku.puzzle.sudoku.text import (
    looks_like_puzzle,
    parse_one,
    read_puzzles,
    write_puzzles,
)
from bddsudoku.solver import read_records

HINTS = "4.3.1...2.7..2..3.5...3.8...5..42.6.69.157.43.4.96..1...2.7...5.6..8..9.8...9.1.7"


def board(n: int = 9, **keys: Any) -> dict[str, Any]:
    """The JSON of an open board with other members."""
    return {"size": n, "grid": [[{} for _ in range(n)] for _ in range(n)], **keys}


def with_cell(cell: Any, n: int = 9, **keys: Any) -> dict[str, Any]:
    """The JSON of a board with the given cell in row 3, column 2."""
    made = board(n, **keys)
    made["grid"][2][1] = cell
    return made


def read(data: Any) -> Puzzle:
    return read_fpuzzles(json.dumps(data)).puzzle


def read_back(puzzle: Puzzle) -> Puzzle:
    """The puzzle written and read again."""
    return read(json.loads(write_fpuzzles(puzzle)))


# The compression

VECTORS = {
    "": "Q===",
    "hello world": "BYUwNmD2AEDukCcwBMg=",
    '{"x":3}': "N4IgHiBcDMC+Q===",
    "Žluťoučký kůň úpěl ďábelské ódy!": (
        "r6ABsK6KaAD2aLCADWBfgBPQ9oCAlAZAvgDobEARlB4QAEOAjAUxAGd4BL5AZ4BMBPAQiA=="
    ),
}


@pytest.mark.parametrize("text", VECTORS)
def test_what_the_original_writes(text: str) -> None:
    assert compress_to_base64(text) == VECTORS[text]
    assert decompress_from_base64(VECTORS[text]) == text
    assert decompress_from_base64(VECTORS[text].rstrip("=")) == text


@given(st.text(st.characters(), max_size=200) | st.text("ab{}\u3042\U0001f600", max_size=300))
def test_what_is_compressed_comes_back(text: str) -> None:
    assert decompress_from_base64(compress_to_base64(text)) == text


def test_a_cut_is_noticed() -> None:
    whole = compress_to_base64(json.dumps(board())).rstrip("=")
    for length in range(len(whole) - 2):
        with pytest.raises(PuzzleFormatError, match="cut off"):
            decompress_from_base64(whole[:length])


def test_decompression_is_limited() -> None:
    bits = ["00", f"{ord('a'):08b}"[::-1]]
    # each names the word that it makes, one letter longer than the last
    bits += [f"{code:0{code.bit_length()}b}"[::-1] for code in range(4, 4004)]
    stream = "".join(bits) + "00000"
    symbols = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    packed = "".join(symbols[int(stream[i : i + 6], 2)] for i in range(0, len(stream) - 5, 6))
    with pytest.raises(PuzzleFormatError, match=f"more than {MAX_BYTES:,}"):
        decompress_from_base64(packed)


# Each kind

NAMED = {
    "LINE": ["R1C1", "R1C2", "R2C3", "R3C3"],
    "TWO": ["R4C4", "R4C5"],
    "SQUARE": ["R2C2", "R2C3", "R3C2", "R3C3"],
    "DOWN": ["R1C7", "R2C8", "R3C9"],
    "TEN": [*(f"R{i}C1" for i in range(1, 10)), "R1C2"],
}
"""Lists of cells that the tables below name."""
LINE, TWO, SQUARE = NAMED["LINE"], NAMED["TWO"], NAMED["SQUARE"]
PAIR = ("r4c4", "r4c5")


def table(text: str) -> list[tuple[str, Any, str]]:
    """Rows ``key JSON => words``."""
    for name, cells in NAMED.items():
        text = re.sub(rf"\b{name}\b", json.dumps(cells), text)
    rows = [re.fullmatch(r"(\S*) (.*) => (.*)", row) for row in text.strip().split("\n")]
    return [(row[1], json.loads(row[2]), row[3]) for row in rows if row]


READ = table("""
diagonal+ true => antidiagonal
diagonal- true => diagonal
antiknight true => antiknight
antiking true => antiking
disjointgroups true => disjointgroups
nonconsecutive true => nonconsecutive
odd [{"cell": "R1C1"}, {"cell": "R2C2"}] => odd r1c1 r2c2
even {"cell": "R1C1"} => even r1c1
minimum [{"cell": "R1C1"}, {"cell": "R1C2"}] => minimum r1c1 r1c2
maximum {"cell": "R9C9"} => maximum r9c9
sandwichsum {"cell": "R0C6", "value": "10"} => sandwich 10 r0c6
xsum {"cell": "R4C10", "value": "20"} => xsum 20 r4c10
skyscraper {"cell": "R10C2", "value": "3"} => skyscraper 3 r10c2
littlekillersum {"cell":"R0C6","direction":"DR","cells":DOWN,"value":7} => littlekiller 7 dr r0c6
littlekillersum {"cell": "R10C3", "direction": "UL", "value": 9} => littlekiller 9 ul r10c3
killercage {"cells": TWO, "value": "10"} => cage 10 r4c4 r4c5
killercage {"cells": TWO, "value": 10} => cage 10 r4c4 r4c5
killercage {"cells": TWO} => cage r4c4 r4c5
killercage {"cells": TWO, "value": ""} => cage r4c4 r4c5
killercage {"cells": TWO, "value": null} => cage r4c4 r4c5
extraregion {"cells": LINE} => extraregion r1c1 r1c2 r2c3 r3c3
difference {"cells": TWO} => difference 1 r4c4 r4c5
difference {"cells": TWO, "value": "3"} => difference 3 r4c4 r4c5
ratio {"cells": TWO, "value": ""} => ratio 2 r4c4 r4c5
ratio {"cells": TWO, "value": "3"} => ratio 3 r4c4 r4c5
xv {"cells": TWO, "value": "X"} => xv x r4c4 r4c5
xv {"cells": TWO, "value": "v"} => xv v r4c4 r4c5
rowindexer {"cells": TWO} => rowindexer r4c4 r4c5
columnindexer {"cells": TWO} => columnindexer r4c4 r4c5
boxindexer {"cells": TWO} => boxindexer r4c4 r4c5
thermometer {"lines": [LINE]} => thermo r1c1 r1c2 r2c3 r3c3
slowthermometer {"lines": [LINE]} => slowthermo r1c1 r1c2 r2c3 r3c3
palindrome {"lines": [LINE]} => palindrome r1c1 r1c2 r2c3 r3c3
renban {"lines": [LINE]} => renban r1c1 r1c2 r2c3 r3c3
whispers {"lines": [LINE]} => whispers r1c1 r1c2 r2c3 r3c3
whispers {"lines": [LINE], "value": "4"} => whispers 4 r1c1 r1c2 r2c3 r3c3
regionsumline {"lines":[["R1C1","R1C2","R2C3","R3C3","R4C3"]]} => regionsum r1c1 r1c2 r2c3 r3c3 r4c3
betweenline {"lines": [LINE]} => between r1c1 r1c2 r2c3 r3c3
entropicline {"lines": [LINE]} => entropic r1c1 r1c2 r2c3 r3c3
modularline {"lines": [LINE]} => modular 3 r1c1 r1c2 r2c3 r3c3
modularline {"lines": [LINE], "value": "4"} => modular 4 r1c1 r1c2 r2c3 r3c3
nabner {"lines": [LINE]} => nabner r1c1 r1c2 r2c3 r3c3
doublearrow {"lines": [LINE]} => doublearrow r1c1 r1c2 r2c3 r3c3
zipperline {"lines": [LINE]} => zipper r1c1 r1c2 r2c3 r3c3
arrow {"cells": ["R1C1"], "lines": [LINE]} => arrow r1c1 > r1c2 r2c3 r3c3
arrow {"cells":["R1C1","R1C2"],"lines":[["R1C2","R2C3","R3C3"]]} => arrow r1c1 r1c2 > r2c3 r3c3
clone {"cells": TWO, "cloneCells": ["R8C8", "R8C9"]} => clone r4c4 r4c5 > r8c8 r8c9
quadruple {"cells": SQUARE, "values": [1, 1, 9]} => quadruple 1 1 9 r2c2 r2c3 r3c2 r3c3
""")


@pytest.mark.parametrize(("key", "value", "expected"), READ)
def test_a_rule_is_read_and_written(key: str, value: Any, expected: str) -> None:
    puzzle = read(board(**{key: [value] if isinstance(value, dict) else value}))
    assert puzzle == Puzzle([0] * 81, rules=[rule(expected)])
    written = json.loads(write_fpuzzles(puzzle))
    assert [*written] == ["size", "grid", key]
    assert read(written) == puzzle
    assert read_fpuzzles(write_link(puzzle)).puzzle == puzzle


def test_every_kind_is_tried() -> None:
    assert {key for key, _, _ in READ} == {r.fpuzzles for r in known_rules().values()} - {""}


def every_kind() -> dict[str, Any]:
    """One rule of each kind."""
    return {key: [v] if isinstance(v, dict) else v for key, v, _ in reversed(READ)}


# Traps


def test_two_diagonals_are_one_rule() -> None:
    puzzle = read(board(**{"diagonal+": True, "diagonal-": True}))
    assert [r.name for r in puzzle.rules] == ["diagonals"]
    apart = Puzzle([0] * 81, rules=[rule("diagonal"), rule("antidiagonal")])
    assert read_back(apart) == puzzle


def pairs(puzzle: Puzzle, kind: str) -> tuple[set[int], set[frozenset[str]]]:
    """Values and spared pairs of the negative rule of a kind."""
    (found,) = (r.in_company(puzzle.rules).to_dict() for r in puzzle.rules if r.name == "negative")
    assert found["kind"] == kind
    spared = found.get("spared", [])
    pairs = {frozenset(spared[i : i + 2]) for i in range(0, len(spared), 2)}
    return {*found["values"]}, pairs


def test_negative_ratio() -> None:
    """It excludes every ratio that occurs, except on pairs with a white dot."""
    plain = read(board(negative=["ratio"]))
    assert pairs(plain, "ratio") == ({2}, set())
    dots = read(
        board(
            negative=["ratio"],
            ratio=[{"cells": ["R1C1", "R1C2"], "value": "3"}, {"cells": ["R1C3", "R1C4"]}],
            difference=[{"cells": ["R5C5", "R5C6"]}],
        )
    )
    wanted = {frozenset(p) for p in (("r1c1", "r1c2"), ("r1c3", "r1c4"), ("r5c5", "r5c6"))}
    assert pairs(dots, "ratio") == ({2, 3}, wanted)
    for puzzle in (plain, dots):
        assert read_back(puzzle) == puzzle


def test_signs_along_a_path_are_pairs() -> None:
    path = ["R1C1", "R1C2", "R2C2"]
    for key, value, line in (("xv", "X", "xv x"), ("difference", 2, "difference 2")):
        assert read(board(**{key: [{"cells": path, "value": value}]})).rules == (
            rule(f"{line} r1c1 r1c2"),
            rule(f"{line} r1c2 r2c2"),
        )
        with pytest.raises(PuzzleFormatError, match="do not share a side"):
            read(board(**{key: [{"cells": ["R1C1", "R1C2", "R3C3"], "value": value}]}))


def test_thermometers_of_one_cell_say_nothing() -> None:
    for key in ("thermometer", "slowthermometer"):
        found = read_fpuzzles(json.dumps(board(**{key: [{"lines": [["R2C3"], LINE]}]})))
        assert len(found.puzzle.rules) == 1
        assert found.notes == (f"passed over: {key} of one cell at r2c3",)


def test_pills_are_read_in_reading_order() -> None:
    shaft = {"lines": [["R1C2", "R2C2", "R2C3"]]}
    for cells in (["R1C2", "R1C3"], ["R1C3", "R1C2"]):
        puzzle = read(board(arrow=[{"cells": cells, **shaft}]))
        (arrow,) = puzzle.rules
        grid = {Place(0, 1): 1, Place(0, 2): 4, Place(1, 1): 5, Place(1, 2): 9}
        assert arrow.holds(grid)  # type: ignore[arg-type]
        assert not arrow.holds({**grid, Place(0, 1): 4, Place(0, 2): 1})  # type: ignore[arg-type]
        assert read_back(puzzle) == puzzle


def test_negative_signs() -> None:
    """It excludes both sums, whichever sign occurs."""
    puzzle = read(board(negative=["xv"], xv=[{"cells": TWO, "value": "X"}]))
    assert pairs(puzzle, "xv") == (set(), {frozenset(PAIR)})
    assert read_back(puzzle) == puzzle
    small = read(board(4, negative=["xv"]))
    assert small == Puzzle([0] * 16, rules=[rule("negative xv")])
    assert small == Puzzle.parse(small.text) == read_back(small)
    expected = Puzzle([0] * 81, rules=[rule("negative xv 5 10")])
    assert read_back(expected).rules == (rule("negative xv"),)


def test_nonconsecutive_does_not_apply_to_pairs_with_dots() -> None:
    """Otherwise a puzzle with a dot on all consecutive pairs would have no solution."""
    puzzle = read(board(nonconsecutive=True, difference=[{"cells": TWO}]))
    assert pairs(puzzle, "difference") == ({1}, {frozenset(PAIR)})
    assert read_back(puzzle) == puzzle
    strict = Puzzle([0] * 81, rules=[rule("nonconsecutive"), rule("difference 1 r4c4 r4c5")])
    with pytest.raises(PuzzleFormatError, match="nonconsecutive"):
        write_fpuzzles(strict)


def test_clues_without_values() -> None:
    data = board(
        sandwichsum=[{"cell": "R0C6", "value": ""}],
        littlekillersum=[{"cell": "R0C1", "direction": "DR"}],
        quadruple=[{"cells": SQUARE, "values": []}],
    )
    found = read_fpuzzles(json.dumps(data))
    assert not found.puzzle.rules
    (note,) = found.notes
    assert all(word in note for word in ("sandwichsum", "littlekillersum", "quadruple", "r0c6"))


def test_values_that_are_not_given() -> None:
    data = board()
    data["grid"][0][0] = {"value": 5, "given": True}
    data["grid"][0][1] = {"value": 6}
    data["grid"][0][2] = {"value": 7, "given": False, "centerPencilMarks": [1, 2]}
    found = read_fpuzzles(json.dumps(data))
    assert found.puzzle.hints == {0: 5}
    assert "2 values that are not given" in found.notes[0]
    assert "centerPencilMarks" in found.notes[0]


def test_ignored_members_are_named_in_one_line() -> None:
    prose = {"title": "A", "author": "B", "ruleset": "cage 3 r1c1\nno", "solution": [1] * 81}
    drawn = {"line": [{"lines": [["R1C1"]]}], "text": [{"value": "x"}], "cage": [{}], "circle": []}
    found = read_fpuzzles(json.dumps(board(**prose, **drawn, successMessage="")))
    (note,) = found.notes
    assert all(word in note for word in ["ruleset", "solution", "line", "text", "cage"])
    assert found.info == ("A", "B", prose["ruleset"])
    assert "circle" not in note
    assert "successMessage" not in note
    assert not found.puzzle.rules
    assert not read_fpuzzles(json.dumps(board(title="", author="", ruleset=""))).notes
    dressed = [{"cells": TWO, "value": "9", "outlineC": "#000", "fontC": "#000"}]
    assert "killercage.outlineC" in read_fpuzzles(json.dumps(board(killercage=dressed))).notes[0]


# The grid


def test_candidates_that_are_given() -> None:
    assert read(with_cell({"givenPencilMarks": [1, 5]})).masks[19] == 0b10001
    assert read(with_cell({"givenPencilMarks": [5]})).hints == {19: 5}
    assert read(with_cell({"givenPencilMarks": []})) == read(board())
    assert read(with_cell({"givenPencilMarks": None})) == read(board())
    assert read(with_cell({"givenPencilMarks": [1], "value": 5, "given": True})).hints == {19: 5}
    assert read(with_cell({"givenPencilMarks": [1], "value": 5})).hints == {19: 1}


def test_regions() -> None:
    jigsaw = [0, 0, 0, 0, 1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 3, 3]
    data = board(4)
    for cell, region in enumerate(jigsaw):
        data["grid"][cell // 4][cell % 4]["region"] = region + 5
    assert read(data).layout == Layout.jigsaw(jigsaw)
    for row in data["grid"]:
        for cell in row:
            cell["region"] = None
    assert read(data).layout == Layout.latin(4)
    for cell in (0, 1, 4, 5):
        del data["grid"][cell // 4][cell % 4]["region"]
    assert [block.cells for block in read(data).layout.blocks] == [(0, 1, 4, 5)]


@pytest.mark.parametrize("shape", [*SHAPES, (1, 5), (1, 7), (4, 4), (5, 5)])
def test_oblong_blocks_come_back(shape: tuple[int, int]) -> None:
    puzzle = Puzzle([0] * (shape[0] * shape[1]) ** 2, Layout(*shape))
    assert read_back(puzzle) == puzzle


def test_a_layout_that_was_asked_for() -> None:
    text = json.dumps(board(6))
    assert parse_one(text, Layout(3, 2)).layout == Layout(3, 2)
    json_text = write_fpuzzles(
        Puzzle([0] * 36, Layout(2, 3).with_regions([i // 6 for i in range(36)]))
    )
    assert parse_one(json_text).layout == Layout(1, 6)
    for wrong, layout in ((text, Layout(3, 3)), (json_text, Layout(3, 2))):
        with pytest.raises(PuzzleFormatError, match="asked for"):
            parse_one(wrong, layout)


# What cannot be written


def test_equivalent_rules() -> None:
    house = (0, 10, 20, 30, 40, 50, 60, 70, 80)
    puzzle = Puzzle([0] * 81, Layout(extra=(house,)), rules=[rule("windoku")])
    assert [r.name for r in read_back(puzzle).rules] == ["extraregion"] * 5
    several = Puzzle([0] * 81, rules=[rule(f"even {c}") for c in ("r1c1", "r1c2")])
    assert read_back(several).rules == (rule("even r1c1 r1c2"),)


def refused(puzzle: Puzzle) -> str:
    with pytest.raises(PuzzleFormatError) as caught:
        write_fpuzzles(puzzle)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_rules_that_f_puzzles_cannot_express() -> None:
    board = Puzzle([0] * 81)
    assert refused(board.with_rule(rule("sum 5 r1c1"))) == "sum 5 r1c1: f-puzzles has no such rule"
    ratio = rule("ratio 2 r4c4 r4c5")
    for more in (
        rule("negative ratio 3"),
        rule("negative xv 10"),
        rule("negative difference 2"),
        rule("negative ratio 2 r1c1 r1c2"),
    ):
        assert "negative" in refused(board.with_rule(more))
    marked = board.with_rule(ratio, rule("negative ratio 2"))
    assert read_back(marked).rules[1] == rule("negative ratio")
    neighbours = [rule(f"minimum {c}") for c in ("r1c1", "r1c2")]
    (both,) = read_back(board.with_rule(*neighbours)).rules
    assert both == rule("minimum r1c1 r1c2")
    more = rule("minimum r1c1 > r1c2")
    assert "minimum" in refused(board.with_rule(more))
    assert read_back(board.with_rule(more, neighbours[1])).rules == (both,)
    dead = Puzzle([0] * 81, candidates=[0] + [511] * 80)
    assert "r1c1" in refused(dead)
    with pytest.raises(PuzzleFormatError):
        write_link(dead)


# What is refused

BAD_RULES = table("""
clock [] => 'clock'
colour "red" => 'colour'
killercage [{"cells": TWO, "sum": 3}] => 'sum'
odd [{"cell": "A1"}] => 'A1'
odd [{"cell": "R-1C1"}] => 'R-1C1'
odd [{"cell": "R01C1"}] => 'R01C1'
odd [{"cell": "R１C1"}] => expected a cell
odd [{"cell": ["R1C1"]}] => odd
odd [{}] => found null
odd [{"cell": "R10C1"}] => r10c1
killercage [{"cells": ["R99C1"]}] => r99c1
killercage [{"cells": "R1C1"}] => killercage
killercage [{"cells": []}] => killercage
killercage [{"value": "5"}] => killercage
killercage [{"cells": ["R1C1", "R1C1"]}] => twice
killercage [{"cells": ["R5C1", "R5C1"], "value": "4"}] => r5c1
killercage [{"cells": TEN}] => cage
killercage [{"cells": TWO, "value": "18"}] => 3 to 17
killercage [{"cells": TWO, "value": "0"}] => 3 to 17
killercage [{"cells": TWO, "value": "ten"}] => 'ten'
killercage [{"cells": TWO, "value": -3}] => found -3
killercage [{"cells": TWO, "value": "3.5"}] => '3.5'
killercage [{"cells": TWO, "value": true}] => true
killercage [{"cells": TWO, "value": "١٠"}] => killercage
killercage {"cells": TWO} => killercage
killercage true => killercage
killercage [TWO] => killercage
antiknight 1 => antiknight
diagonal+ "true" => diagonal+
antiking [] => antiking
negative "ratio" => negative
negative ["killercage"] => 'killercage'
negative [["ratio"]] => negative
rowindexer [{"cells": TWO, "value": "3"}] => no value
odd [{"cell": "R1C1", "value": "3"}] => no value
xv [{"cells": TWO}] => X or V
xv [{"cells": TWO, "value": "I"}] => X or V
xv [{"cells": TWO, "value": 10}] => X or V
thermometer [{}] => lines
thermometer [{"lines": []}] => lines
thermometer [{"lines": [[]]}] => thermometer
thermometer [{"lines": LINE}] => thermometer
thermometer [{"lines": [["R0C1", "R1C1"]]}] => r0c1
thermometer [{"cells": LINE}] => 'cells'
renban [{"lines": [["R1C1", null, "R1C3"]]}] => null
arrow [{"cells": ["R1C1"], "lines": []}] => r1c1
arrow [{"cells": ["R1C1"]}] => r1c1
arrow [{"cells": ["R1C1"], "lines": [["R1C1"]]}] => no shaft
arrow [{"cells": ["R1C1"], "lines": [TWO]}] => its circle
arrow [{"lines": [TWO]}] => arrow
clone [{"cells": TWO}] => cloneCells
quadruple [{"cells": SQUARE, "values": [10]}] => r2c2
quadruple [{"cells": SQUARE, "values": ["1"]}] => '1'
sandwichsum [{"cell": "R1C1", "value": "3"}] => r1c1
xsum [{"cell": "R11C1", "value": "3"}] => r11c1
skyscraper [{"cell": "R0C1", "value": "many"}] => 'many'
littlekillersum [{"cell": "R0C1", "value": "9"}] => UR, UL, DR
littlekillersum [{"cell": "R0C1", "direction": "D", "value": "9"}] => 'D'
littlekillersum [{"cell": "R0C1", "direction": "DR", "cells": TWO, "value": "9"}] => r0c1
""")
BAD_CELLS = table(
    "\n".join(
        f"cell {row}"
        for row in """
{"digit": 5} => r3c2
5 => r3c2
null => r3c2
{"value": 10, "given": true} => digit 0 to 9
{"value": -1, "given": true} => found -1
{"value": "5", "given": true} => '5'
{"value": true, "given": true} => true
{"value": 1.5, "given": true} => 1.5
{"given": true} => without a value
{"value": 5, "given": "yes"} => 'yes'
{"givenPencilMarks": [0]} => givenPencilMarks
{"givenPencilMarks": "12"} => givenPencilMarks
{"region": "1"} => region
{"region": -1} => found -1
{"region": null} => 8 cells
{"region": 4} => cells, a region has 9
""".strip().split("\n")
    )
)
WHOLE = json.dumps(board())
BAD: dict[str, str] = {
    # text: words in the message
    **{json.dumps(board(**{key: v}), ensure_ascii=False): words for key, v, words in BAD_RULES},
    **{json.dumps(with_cell(cell)): words for _, cell, words in BAD_CELLS},
    **{WHOLE.replace("9", size, 1): "size" for size in ('"9"', "3", "26", "9.0")},
    WHOLE.replace("9", "8", 1): "expected 8 rows",
    '{"size": 9, "grid": {"a": 1}}': "grid",
    '{"size": 9, "grid": 17}': "grid",
    json.dumps({"size": 9, "grid": [{}] * 9}): "row 1",
    WHOLE.replace("{}, ", "", 1): "row 1 has 8 cells",
    json.dumps(board(killercage=[{"cells": TWO, "value": "9" * 5000}])): "killercage: expected a",
    '{"size": 9, "grid": [[{"value": 1, "value": 2}]]}': "twice",
    WHOLE.replace("{}", '{"value": NaN}', 1): "found nan",
    WHOLE.replace("{}", f'{{"value": 1{"0" * 4000}}}', 1): "expected a digit 0 to 9",
    f'{{"size": 9, "grid": [[{{"value": 1{"0" * 5000}}}]]}}': "more than 4,300 digits",
    '{"size": 9, "grid": [[{"value": 1e999}]]}': "expected 9 rows",
    f'{{"size": 9, "grid": [[{{"a": {"[" * 100_000}{"]" * 100_000}}}]]}}': "deep",
    f'{{"size": 9, "grid": [[{{"a": {"[" * 100_000}': "deep",
    WHOLE[:200]: "expected JSON",
    '{"size": 9, "grid": [[{"value": 5}]], "title": "a': "expected JSON",
    WHOLE + " ]": "expected JSON",
    WHOLE[:-1] + ",}": "expected JSON",
    WHOLE.replace("{}", "{'given': true}", 1): "expected JSON",
    "https://www.f-puzzles.com/?id=yxhc5yp3": "short link",
    "https://www.f-puzzles.com/?load=": "no puzzle",
    "https://www.f-puzzles.com/": "f-puzzles",
    "https://sudokupad.app/abcdef12345": "SudokuPad",
    "sclN4IgzglgXgpiBcA2ANCALhNAbO8QBUYwAnAAgFoBVAWQFE": "drawing",
    "https://sudokupad.app/sclN4IgzglgXgpiBcA2ANCALhN": "drawing",
    write_link(Puzzle.parse(HINTS))[:-9]: "cut off",
    "https://www.f-puzzles.com/?load=N4Ig!!!!": "base64",
    "https://www.f-puzzles.com/?load=BYUwNmD2AEDukCcwBMg=": "expected JSON",
    "fpuzN4Igzzzzzzzzzzzzzzzzzzzzzzzzzzz": "f-puzzles",
    "N4IgHiBcDMC+Q===": "'size' is missing",
    "f-puzzles.com/?load=" + compress_to_base64("[1, 2]"): "a list of 2",
    "fpuz" + compress_to_base64('{"size":9}'): "'grid'",
}


@pytest.mark.parametrize("text", BAD, ids=lambda text: text[-40:])
def test_bad_files(text: str) -> None:
    with pytest.raises(PuzzleFormatError) as caught:
        Puzzle.parse(text)
    message = str(caught.value)
    assert BAD[text] in message
    assert message.isprintable()
    assert len(message) < 300
    assert caught.value.line == 1


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_damage_is_reported_in_one_line(data: st.DataObject) -> None:
    """Any JSON value at any place results in a puzzle or an error of one line."""
    tree: Any = json.loads(json.dumps(board(**every_kind())))
    junk = st.sampled_from([None, True, -1, 0, 7, 1.5, "", "R1C1", "R9C9", "x", [], {}, [[]], [{}]])
    for _ in range(data.draw(st.integers(1, 3))):
        at: Any = tree
        while True:
            step = data.draw(st.sampled_from([*at] if isinstance(at, dict) else range(len(at))))
            if not isinstance(at[step], (dict, list)) or not at[step] or data.draw(st.booleans()):
                at[step] = deepcopy(data.draw(junk))
                break
            at = at[step]
    with suppress(PuzzleFormatError):
        Puzzle.parse(json.dumps(tree))


# Where it is read

HINTED = Puzzle.parse(HINTS + "\nantiknight\ncage 15 r1c1 r1c2 r2c1")


def packed(puzzle: Puzzle = HINTED) -> str:
    return write_link(puzzle).partition("load=")[2]


LINKS = {
    "link": write_link(HINTED),
    "without a scheme": "f-puzzles.com/?load=" + packed(),
    "URL-encoded": "https://www.f-puzzles.com/?load=" + quote(packed(), safe=""),
    "more after it": write_link(HINTED) + "&theme=dark#top",
    "compressed part": packed(),
    "without padding": packed().rstrip("="),
    "fpuz": "fpuz" + packed(),
    "fpuzzles": "fpuzzles" + packed(),
    "SudokuPad": "https://sudokupad.app/fpuz" + packed(),
    "SudokuPad, long": "https://beta.sudokupad.app/fpuzzles" + packed() + "?setting-nogrid=1",
    "SudokuPad, puzzleid": "https://sudokupad.app/?puzzleid=fpuz" + quote(packed(), safe=""),
    "margins": f"\n  {write_link(HINTED)}  \n\n",
}


@pytest.mark.parametrize("form", LINKS)
def test_links(form: str) -> None:
    assert Puzzle.parse(LINKS[form]) == HINTED
    assert looks_like_puzzle(LINKS[form])
    (record,) = read_records(LINKS[form])
    assert record.puzzle == HINTED


def test_a_plus_that_became_a_space() -> None:
    assert "+" in packed()
    assert (
        read_fpuzzles("https://www.f-puzzles.com/?load=" + packed().replace("+", " ")).puzzle
        == HINTED
    )


DRESSES = {
    "one line": json.dumps,
    "CRLF": lambda data: json.dumps(data, indent=1).replace("\n", "\r\n"),
    "byte-order mark": lambda data: "\ufeff" + json.dumps(data),
    "comment above": lambda data: "# from a friend\n\n" + json.dumps(data),
    "prose with quotes": lambda data: json.dumps(
        data | {"ruleset": 'the “magic” square, 3 {braces [ ( and "quotes\\" // # it\'s'},
        ensure_ascii=False,
        indent=2,
    ),
    "other digits in prose": lambda data: json.dumps(
        data | {"title": "５７＋（"}, ensure_ascii=False
    ),
}


@pytest.mark.parametrize("dress", DRESSES)
def test_json_in_files_arguments_and_streams(dress: str, tmp_path: Path) -> None:
    text = DRESSES[dress](json.loads(write_fpuzzles(HINTED)))
    path = tmp_path / "puzzle.json"
    path.write_bytes(text.encode())
    assert Puzzle.parse(text) == HINTED
    for found in (read_records(text), read_puzzles(path), read_puzzles(io.BytesIO(text.encode()))):
        assert [record.puzzle for record in found] == [HINTED]


@pytest.mark.parametrize("style", ["fpuzzles", "link"])
def test_many_in_one_file(style: Any, tmp_path: Path) -> None:
    others = [HINTED, Puzzle.parse(HINTS), HINTED.with_rule(rule("antiking"))]
    path = tmp_path / "many.txt"
    assert write_puzzles(others, path, style) == 3
    assert [r.puzzle for r in read_puzzles(path)] == others
    assert [r.line for r in read_puzzles(path)] == [1, 2, 3]
    path.write_text(f"{HINTS}\n{path.read_text()}{HINTS} last\n")
    assert [r.line for r in read_puzzles(path)] == [1, 2, 3, 4, 5]


def test_rules_below_it() -> None:
    text = write_fpuzzles(Puzzle.parse(HINTS)) + "\nantiknight\ncage 15 r1c1 r1c2 r2c1\n"
    assert Puzzle.parse(text) == HINTED
