"""Rules as lines, dictionaries and pickles, and the errors of malformed ones."""

from __future__ import annotations

import json
import pickle
import random
import re
from dataclasses import replace
from time import process_time

import pytest
from agreement import constraints_hold
from grids import random_grids
from hypothesis import given
from hypothesis import strategies as st
from recipes import names, random_rule, random_rules, rules

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import Layout, Puzzle, empty_board_model
from bddsudoku.puzzle.sudoku.rules import (
    FieldKind,
    Place,
    known_rules,
    rule_from_dict,
    rule_from_line,
)
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
from bddsudoku.puzzle.sudoku.svg import board_svg

NINE = Layout()
TALL = Layout(3, 2).with_regions((0, 0, 0, 1, 1, 1) * 2 + (2, 2, 3, 3, 4, 4) * 3 + (5,) * 6)


def shouted(line: str) -> str:
    """A rule's line in capitals and with commas, but for what stands in quotes."""
    parts = line.split('"')
    return '"'.join(p if i % 2 else p.upper().replace(" ", ", ") for i, p in enumerate(parts))


@pytest.mark.parametrize("name", names())
def test_written_and_read_back(name: str) -> None:
    for rule in random_rules(name, NINE, 20, random_grids(NINE, 5)):
        assert rule.text.split()[0] == rule.name == name
        assert rule_from_line(rule.text) == rule
        assert rule_from_line(shouted(rule.text)) == rule
        assert rule_from_dict(json.loads(json.dumps(rule.to_dict()))) == rule
        assert pickle.loads(pickle.dumps(rule)) == rule
        assert hash(rule_from_line(rule.text)) == hash(rule)


@pytest.mark.parametrize(
    ("alias", "name"),
    [(alias, name) for name, kind in known_rules().items() for alias in kind.aliases],
)
def test_other_names(alias: str, name: str) -> None:
    rule = random_rule(name, NINE, random.Random(alias))
    assert rule is not None
    assert rule_from_line(f"{alias}{rule.text.removeprefix(name)}") == rule
    assert rule_from_dict({**rule.to_dict(), "rule": alias}) == rule
    assert alias not in known_rules()


@given(st.sampled_from([NINE, Layout(2, 3), Layout.latin(5), TALL]), st.data())
def test_puzzles_with_rules_read_back(layout: Layout, data: st.DataObject) -> None:
    rule = data.draw(rules(layout))
    puzzle = Puzzle([layout.blank] * layout.cell_count, layout, rules=[rule])
    assert Puzzle.parse(puzzle.text) == Puzzle.parse(str(puzzle)) == puzzle
    assert eval(repr(puzzle), {"Puzzle": Puzzle, "Layout": Layout}) == puzzle
    assert pickle.loads(pickle.dumps(puzzle)) == puzzle
    encoded = json.loads(json.dumps(SudokuDecoder(puzzle).to_dict()))
    assert SudokuDecoder.from_dict(encoded).puzzle == puzzle


@pytest.mark.parametrize("name", names())
def test_names_sentences_and_labels(name: str) -> None:
    kind = known_rules()[name]
    assert kind.about
    assert kind.about[0].islower()
    assert not kind.about.endswith(".")
    for rule in random_rules(name, NINE, 6, []):
        constraints = rule.constraints(NINE)
        assert {c.family for c in constraints} <= {name}
        assert len({c.label for c in constraints}) == len(constraints)
        if rule.fields:
            assert all(c.label.startswith(rule.label) for c in constraints), rule.text


@pytest.mark.parametrize("name", names())
def test_marks_are_near_the_board(name: str) -> None:
    for rule in random_rules(name, NINE, 6, []):
        found = re.search('viewBox="(.*?)"', board_svg(Puzzle([0] * 81, rules=[rule])))
        assert found is not None
        left, top, wide, high = map(float, found[1].split())
        assert min(left, top) > -110
        assert max(left + wide, top + high) < 1010


@pytest.mark.parametrize("name", names())
def test_cells_off_the_board(name: str) -> None:
    rng = random.Random(name)
    rule = random_rule(name, NINE, rng)
    if rule is None and name == "chaos":
        pytest.skip("it needs cells outside the grid")
    assert rule is not None
    for key, kind in rule.fields.items():
        value = getattr(rule, key)
        if kind is FieldKind.PLACES and value:
            for place in (Place(11, 4), Place(-2, 0), Place(3, 12)):
                with pytest.raises(PuzzleFormatError):
                    Puzzle([0] * 81, rules=[replace(rule, **{key: (place, *value[1:])})])


@pytest.mark.parametrize("name", [n for n in names() if known_rules()[n].fields])
def test_fields_of_another_kind(name: str) -> None:
    rule = random_rule(name, NINE, random.Random(name))
    if rule is None and name == "chaos":
        pytest.skip("it needs cells outside the grid")
    assert rule is not None
    good = rule.to_dict()
    wrong: dict[FieldKind, list[object]] = {
        FieldKind.PLACES: ["r1c1", 3, ["x"], [7], [None]],
        FieldKind.NUMBER: ["7", True, 1.5, [1]],
        FieldKind.MAYBE: ["7", False, [1]],
        FieldKind.DIGITS: [7, "7", ["7"], [None]],
        FieldKind.WORD: [7, ["x"]],
        FieldKind.QUOTED: [7, ["x"], 'a "b"', "a\nb"],
        FieldKind.RULES: [7, "x", ["x"], [{"rule": "nothing"}], [["even"]]],
    }
    for key, kind in rule.fields.items():
        for value in wrong[kind]:
            with pytest.raises(PuzzleFormatError):
                rule_from_dict({**good, key: value})
    with pytest.raises(PuzzleFormatError, match="has no"):
        rule_from_dict({**good, "colour": "red"})


WIDE = " ".join(f"r1c{column}" for column in range(1, 9))


REFUSED = """
littlekiller 20 dr r3c3  # on the board
littlekiller 20 dr r0c9  # leads past the board
littlekiller 20 ur r0c3  # leads away
littlekiller 20 up r0c3
littlekiller 20 dr r0c3 r0c4
littlekiller 20 dr
littlekiller 64 dr r0c2  # seven cells
littlekiller 6 dr r0c2
sandwich 36 r0c1
sandwich -1 r0c1
sandwich 7 r1c1
sandwich 7 r0c0
sandwich 7 r0c1 r0c2
sandwich 7
xsum 46 r0c1
xsum 0 r0c1
xsum 7 r12c4
skyscraper 10 r0c1
skyscraper 0 r0c1
quadruple 1 2 3 4 5 r1c1 r1c2 r2c1 r2c2
quadruple r1c1 r1c2 r2c1 r2c2
quadruple 10 r1c1 r1c2 r2c1 r2c2
quadruple 1 r1c1 r1c2 r2c1 r3c2
quadruple 1 r1c1 r1c2 r1c1 r2c2
quadruple 1 r1c1 r1c2 r2c1
clone r1c1 r1c2 > r2c1
clone r1c1 r1c2 > r2c1 r1c2
clone r1c1 r1c1 > r2c1 r2c2
clone r1c1 r1c2
clone
rowindexer
columnindexer r1c1 r1c1
boxindexer r10c1
cage 1 r1c1 r1c2
cage 18 r1c1 r1c2
cage 10 r1c1 r1c1
extraregion
even
even r1c1 r1c1
odd r0c1
minimum r1c10
difference r1c1 r2c2
difference r1c1 r1c2 r1c3
difference 9 r1c1 r1c2
difference 0 r1c1 r1c2
ratio 1 r1c1 r1c2
ratio 10 r1c1 r1c2
xv r1c1 r1c2
xv w r1c1 r1c2
xv x r1c1 r3c1
negative
negative king
negative ratio 0
negative ratio r1c1
negative ratio r1c1 r2c2
thermo r1c1
thermo r1c1 r1c1
thermo r1c1 r1c2 r1c1
slowthermo r1c1
palindrome r1c1
renban r1c1
whispers r1c1
whispers 9 r1c1 r1c2
nabner r1c1
modular 1 r1c1 r1c2
modular 10 r1c1 r1c2
between r1c1 r1c2
doublearrow r1c1 r1c2
zipper r1c1 r1c2
regionsum r1c1
arrow r1c1
arrow > r1c1
arrow r1c1 > r1c1 r1c2
renban r1c1 r1c2 r1c2
whispers r1c1 r1c1
arrow r1c1 r2c2 > r2c3
arrow r1c1 r1c2 r2c2 > r2c3
arrow r1c1 r1c2 r1c3 r1c4 > r2c3
negative kropki 1
greaterthan r1c1 r2c2
lockout r1c1
lockout 9 r1c1 r1c2
sumline 0 r1c1 r1c2
sumline 19 r1c1 r1c2
sumline 13 r1c1 r1c2 r2c2 r2c1 r1c1
equalsums r1c1 r1c2
equalsums r1c1 > r1c2 r1c2
lunchbox 0 r1c1
lunchbox 9 r1c1 r1c2 r1c3
rellik 46 r1c1 r1c2
equalitycage r1c1 r1c2 r1c3
hiddenskyscraper 9 r1c0
numberedroom 10 r1c0
contains r1c1
contains 1 2 r1c1
containsexactly 10 r1c1
connected
connected 10
connected 1 1
connected 1 size
connected 1 size 0
connected 1 size r1c1
connected 1 width 3
lookandsay r1c1
lookandsay 1 r1c1
lookandsay 2 1 r1c1
lookandsay 1 1 0 1 r1c1
lookandsay 1 10 r1c1
samevalues 2 r1c1 r1c2 r1c3
samevalues 1 r1c1 r1c2
countingcircles
countdistinct r1c1
countdistinct r1c1 r1c2 > r1c3
valueindexing r1c1 r1c2
"""


@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
def test_what_rules_refuse(line: str) -> None:
    line = line.partition("  #")[0]
    with pytest.raises(PuzzleFormatError, match=line.split()[0]):
        Puzzle([0] * 81, rules=[rule_from_line(line)])


DEEP = ".?"
for _ in range(18):
    DEEP = f"({DEEP}){{2}}"
ROWS = " ".join(f"r{row}c{column}" for row in (1, 2) for column in range(1, 10))


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (DEEP, "more than 4,000 states"),
        # the layer after these 20,000 states has some 60,000, which are not made
        (".*(1.*2.*3|2.*3.*1|3.{5}1|4.{4}2|5.{3}3|6.{6}4|7.{2}9|8.{5}7).*", "20,0.. states"),
    ],
)
def test_patterns_whose_automaton_is_too_wide(pattern: str, message: str) -> None:
    with pytest.raises(PuzzleFormatError, match=message):
        empty_board_model(NINE, rules=(rule_from_line(f'regex "{pattern}" {ROWS}'),))


@pytest.mark.parametrize(
    "pattern",
    ["1**", "1*?", "1{2}{3}", "1{,}", "1{1000}", "{2}", "|*", "(1", "1)", "[]", "[1-]", "[5-2]",
     "1{3,2}", "(?:1)", "^1", "1$", "x", "(" * 51 + "1" + ")" * 51],
)  # fmt: skip
def test_patterns_that_are_no_regular_expressions_over_digits(pattern: str) -> None:
    with pytest.raises(PuzzleFormatError, match=r"pattern|brackets"):
        rule_from_line(f'regex "{pattern}" r1c1').check(NINE)


def test_many_optional_digits_take_no_minute() -> None:
    """Some 0.2 s; sets of what may follow took 56."""
    cells = " ".join(f"r{row}c{column}" for row in range(1, 10) for column in range(1, 10))
    before = process_time()
    assert empty_board_model(NINE, rules=(rule_from_line(f'regex "{".?" * 240}" {cells}'),))
    assert process_time() - before < 10


def test_small_letters_in_patterns() -> None:
    """The range from 2 to b ends at the digit B, as it does in capital letters."""
    layout = Layout(4, 4)
    for grid in random_grids(layout, 2):
        for pattern in ("[2-b]", "[2-B]", "[^2-b]"):
            rules = [rule_from_line(f'regex "{pattern}" r1c{c}') for c in range(1, 17)]
            inside = [constraints_hold(rule, grid) for rule in rules]
            assert inside == [rule.holds(grid) for rule in rules]
            assert sum(inside) == (6 if "^" in pattern else 10)


def test_what_rules_refuse_on_other_boards() -> None:
    for board, text in (
        (Layout.latin(5), "boxindexer r1c1, disjointgroups, windoku, regionsum r1c1 r1c2"),
        (Layout.latin(1), "sandwich 0 r0c1"),
        (Layout(2, 2), "entropic r1c1 r1c2 r1c3, xv x r1c1 r1c2, globalentropy"),
        (Layout.latin(2), "globalmod, dutchflatmates"),
        (Layout(4, 4), f"countdistinct r2c1 > {WIDE}"),
    ):
        for line in text.split(", "):
            with pytest.raises(PuzzleFormatError):
                rule_from_line(line).check(board)


@pytest.mark.parametrize("line", ["foo", "cage x r1c1", "sandwich 1 2 r0c1", "even 3 r1c1", ""])
def test_lines_that_are_no_rules(line: str) -> None:
    with pytest.raises(PuzzleFormatError):
        rule_from_line(line)


@pytest.mark.parametrize("name", names())
def test_numbers_that_mean_nothing(name: str) -> None:
    """One-line errors for numbers of any length (Python refuses 5,000 digits)."""
    rule = random_rule(name, NINE, random.Random(name))
    if rule is None and name == "chaos":
        pytest.skip("it needs cells outside the grid")
    assert rule is not None
    for key, kind in rule.fields.items():
        if kind not in (FieldKind.NUMBER, FieldKind.MAYBE, FieldKind.DIGITS):
            continue
        for huge in (10**9, -(10**9), 10**5000):
            value = (huge,) if kind is FieldKind.DIGITS else huge
            with pytest.raises(PuzzleFormatError) as caught:
                Puzzle([0] * 81, rules=[rule_from_dict({**rule.to_dict(), key: value})])
            assert len(str(caught.value)) < 200
        for digits in ("1" * 10, "-" + "1" * 5000, "0" * 5000):
            with pytest.raises(PuzzleFormatError, match="at most 9 digits") as caught:
                Puzzle.parse(f"{'.' * 81}\n{rule.text.replace(name, f'{name} {digits}', 1)}\n")
            assert caught.value.line == 2
            assert len(str(caught.value)) < 200
    for word in ("--5", "5-", "+5", "-"):
        with pytest.raises(PuzzleFormatError):
            rule_from_line(f"{rule.text} {word}").check(NINE)


GRID = Puzzle.parse("""
417 369 825   632 158 947   958 724 316
825 437 169   791 586 432   346 912 758
289 643 571   573 291 684   164 875 293
""".replace(" ", "").replace("\n", ""))  # fmt: skip


DEFINED = """
littlekiller 45 dr r0c0 | littlekiller 44 dr r0c0
littlekiller 45 ul r10c10 | littlekiller 40 dl r0c10
littlekiller 7 ur r3c0 | littlekiller 7 dr r3c0
littlekiller 19 dl r0c4 | littlekiller 19 dr r0c4
sandwich 16 r1c0 | sandwich 15 r1c0
sandwich 16 r1c10 | sandwich 16 r2c10
sandwich 25 r0c1 | sandwich 35 r10c1
xsum 15 r1c0 | xsum 14 r1c0
xsum 30 r1c10 | xsum 15 r1c10
xsum 1 r10c1 | xsum 1 r0c1
xsum 38 r0c3 | xsum 38 r10c3
skyscraper 3 r1c0 | skyscraper 2 r1c0
skyscraper 3 r0c1 | skyscraper 3 r10c1
skyscraper 5 r10c1 | skyscraper 5 r0c1
quadruple 6 1 r1c1 r1c2 r2c1 r2c2 | quadruple 1 1 r1c1 r1c2 r2c1 r2c2
quadruple 5 5 r3c2 r3c3 r4c2 r4c3 | quadruple 5 5 8 8 r3c2 r3c3 r4c2 r4c3
clone r1c1 r1c2 > r2c8 r2c4 | clone r1c1 r1c2 > r2c4 r2c8
columnindexer r2c2 r2c3 r2c5 r2c7 r2c9 | columnindexer r2c2 r2c1
rowindexer r2c3 r3c3 r8c3 r6c3 | rowindexer r2c2
boxindexer r2c5 r3c4 r4c8 r5c9 | boxindexer r1c4
greaterthan r1c1 r1c2 | greaterthan r1c2 r1c1
lockout 4 r1c5 r1c6 r1c7 r1c8 | lockout 5 r1c5 r1c6 r1c7 r1c8
lockout r1c5 r1c6 r1c8 | lockout r1c7 r1c9 r1c8
sumline 5 r1c1 r1c2 r1c9 | sumline 5 r1c9 r1c2 r1c8
sumline 10 r1c8 r1c9 r2c5 r1c7 r1c8 | sumline 10 r1c8 r1c9 r2c5 r1c7
lunchbox 4 r1c2 r1c1 r1c3 | lunchbox 4 r1c1 r1c2 r1c3
hiddenskyscraper 1 r1c0 | hiddenskyscraper 3 r1c0
hiddenskyscraper 2 r1c10 | hiddenskyscraper 3 r10c1
numberedroom 3 r1c0 | numberedroom 4 r1c0
numberedroom 1 r10c1 | numberedroom 1 r0c1
contains 4 1 r1c1 r1c2 r1c3 | contains 4 4 r1c1 r1c2 r1c3
containsexactly 4 r1c1 r2c5 r2c6 | containsexactly 4 r1c1 r5c7
samevalues 2 r1c1 r1c3 r2c8 r2c9 | samevalues 2 r1c1 r1c2 r2c8 r2c9
equalsums r1c1 r1c2 > r1c9 | equalsums r1c1 r1c2 > r1c8
equalsums r1c1 r1c2 > r3c8 r1c1 | equalsums r1c1 r1c2 > r1c1
countingcircles r1c2 r1c8 r2c3 | countingcircles r1c2 r3c8
countdistinct r1c8 > r1c1 r1c2 r2c8 | countdistinct r1c1 > r1c1 r1c2 r2c8
connected 1 2 3 4 5 6 7 size 63 | connected 1 2 3 4 5 6 7 size 62
lookandsay 2 4 0 5 r1c1 r5c7 r1c2 | lookandsay 1 4 r1c1 r5c7
rellik 6 r1c1 r1c2 r1c3 | rellik 11 r1c1 r1c2 r1c3
equalitycage r1c1 r1c3 | equalitycage r1c1 r1c2
valueindexing r1c2 r1c8 r1c1 r3c8 | valueindexing r1c2 r1c8 r3c8 r1c1
"""
"""Rules that hold in ``GRID``, each beside one that does not."""


@pytest.mark.parametrize("pair", DEFINED.strip().splitlines())
def test_definitions_by_hand(pair: str) -> None:
    true, false = pair.split(" | ")
    assert rule_from_line(true).holds(GRID)
    assert not rule_from_line(false).holds(GRID)
    assert constraints_hold(rule_from_line(true), GRID)
    assert not constraints_hold(rule_from_line(false), GRID)
