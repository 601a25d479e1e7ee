"""Exact covers from text and JSON; the examples of the two articles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bddsudoku.context import Context
from bddsudoku.engine import dlx
from bddsudoku.engine.brute_force import BruteForceEngine
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.exact_cover import ExactCover

SIX_SETS = ExactCover("1234567", ["147", "14", "457", "356", "2367", "27"], names="ABCDEF")
TWO_COVERS = ExactCover("12345", ["12", "23", "34", "15", "5", "2"], names="ABCDEF")
KNUTH = """\
| the example of TAOCP 7.2.2.1, with an optional item of ours
a b c d e f | g
\\ another comment

c e
a d g
b c f
a d f
b g
d e g
"""


def covers(problem: ExactCover) -> set[frozenset[str]]:
    model = problem.model()
    found = [
        frozenset(problem.name(model.variables[int(v)].key) for v in cover)
        for cover in dlx.covers(model)
    ]
    assert len(found) == len(set(found))
    return set(found)


def test_the_covers_of_the_articles_by_search_and_brute_force() -> None:
    assert covers(SIX_SETS) == {frozenset("BDF")}
    assert covers(TWO_COVERS) == {frozenset("CAE"), frozenset("CDF")}
    for problem in (SIX_SETS, TWO_COVERS, ExactCover.parse(KNUTH)):
        found = {
            frozenset(problem.name(key) for key in keys.tolist())
            for keys in BruteForceEngine().solutions(problem.model(), Context())
        }
        assert found == covers(problem)


def test_knuths_format() -> None:
    problem = ExactCover.parse(KNUTH)
    assert problem.primary == tuple("abcdef")
    assert problem.secondary == ("g",)
    assert problem.options[1] == ("a", "d", "g")
    # without the option b g the optional item plays no part: {c e, a d f, b g}
    assert covers(problem) == {frozenset({"c e", "a d f", "b g"})}
    assert ExactCover.parse(problem.to_text()) == problem
    assert ExactCover.parse("\ufeff" + KNUTH.replace("\n", "\r\n")) == problem


def test_an_optional_item_is_covered_at_most_once() -> None:
    problem = ExactCover(["a", "b"], [["a", "x"], ["b", "x"], ["a"], ["b"]], ["x"])
    assert covers(problem) == {
        frozenset({"a x", "b"}),
        frozenset({"a", "b x"}),
        frozenset({"a", "b"}),
    }


def test_options_without_a_primary_item_are_ignored_and_named() -> None:
    problem = ExactCover.parse("a | x y\na\nx\nx y\na y\n")
    assert problem.ignored_options == (1, 2)
    assert [v.key for v in problem.model().variables] == [0, 3]
    assert covers(problem) == {frozenset({"a"}), frozenset({"a y"})}


def test_options_are_counted_as_they_stand() -> None:
    assert dlx.count(ExactCover.parse("a b\na\na\nb\n").model()).count == 2
    assert dlx.count(ExactCover.parse("a b\na\n").model()).count == 0
    assert dlx.count(ExactCover.parse("a b\n").model()).count == 0
    assert dlx.count(ExactCover.parse("a | b\na\n").model()).count == 1


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", None, "expected a line of items"),
        ("| only\n\\ comments\n", None, "expected a line of items"),
        ("a b a\n", 1, "'a' twice"),
        ("a | a\n", 1, "'a' twice"),
        ("a | b | c\n", 1, "several"),
        ("a b\n\n| x\na c\n", 4, "expected one of the items, found 'c'"),
        ("a b\na a\n", 2, "'a' twice"),
        ("a b\na b:1\n", 2, "colours are not supported"),
        ("a:0 b\n", 1, "colours are not supported"),
        ("a b|c\n", 1, "found 'b|c'"),
        ("a b\na | b\n", 2, "found '|'"),
    ],
)
def test_bad_text_is_refused_with_its_line(text: str, line: int | None, message: str) -> None:
    with pytest.raises(PuzzleFormatError) as caught:
        ExactCover.parse(text, source="f.dlx")
    assert message in str(caught.value)
    assert caught.value.line == line
    assert str(caught.value).startswith("f.dlx")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["null", "[1,2]", ' [{"items": ["a"]}]', "\ufeffnull"],
)
def test_json_of_another_shape_is_refused(text: str) -> None:
    with pytest.raises(PuzzleFormatError, match=r'^x: expected a JSON object with "items" and'):
        ExactCover.parse(text, source="x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"items": ["a"]', "expected JSON"),
        ('{"items": ["a"], "options": [["a"]], "colour": 1}', "found 'colour'"),
        ('{"items": ["a"], "options": [{"name": "A", "item": ["a"]}]}', "found 'item'"),
        ('{"items": ["a"], "options": [["b"]]}', "option 1: expected one of the items"),
        ('{"items": ["a"], "options": [["a", "a"]]}', "'a' twice"),
        ('{"items": ' + "[" * 200_000, "expected JSON: it is nested too deep"),
    ],
)
def test_bad_json_is_refused(text: str, message: str) -> None:
    with pytest.raises(PuzzleFormatError) as caught:
        ExactCover.parse(text, source="f.json")
    assert message in str(caught.value)
    assert str(caught.value).startswith("f.json")


def test_json_keeps_names() -> None:
    again = ExactCover.parse(json.dumps(SIX_SETS.to_dict()))
    assert again == SIX_SETS
    assert again.name(1) == "B"
    mixed = ExactCover.parse(
        '{"items": [1, 2], "options": [{"name": "A", "items": [1]}, [2], {"items": [1, 2]}]}'
    )
    assert mixed.names == ("A", "2", "1 2")


def test_reading_files(tmp_path: Path) -> None:
    text, js = tmp_path / "a.dlx", tmp_path / "a.json"
    text.write_text(KNUTH)
    js.write_text(json.dumps(ExactCover.parse(KNUTH).to_dict()))
    assert ExactCover.read(text) == ExactCover.read(js)
    text.write_bytes(b"a b\n\xff\n")
    with pytest.raises(PuzzleFormatError, match=r"line 2.*0xff"):
        ExactCover.read(text)


def test_names_that_the_text_format_cannot_hold() -> None:
    for name in ("a b", "", "a:b", "\\a", "a|"):
        problem = ExactCover([name], [[name]])
        assert ExactCover.parse(json.dumps(problem.to_dict())) == problem
        with pytest.raises(PuzzleFormatError):
            problem.to_text()


_NAMES = st.text(st.characters(categories=("Lu", "Ll", "Nd")), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_both_formats_read_back(data: st.DataObject) -> None:
    items = data.draw(st.lists(_NAMES, min_size=1, max_size=6, unique=True))
    bar = data.draw(st.integers(1, len(items)))
    options = data.draw(
        st.lists(st.lists(st.sampled_from(items), min_size=1, unique=True), max_size=6)
    )
    problem = ExactCover(items[:bar], options, items[bar:])
    assert ExactCover.parse(problem.to_text()) == problem
    assert ExactCover.parse(json.dumps(problem.to_dict())) == problem
