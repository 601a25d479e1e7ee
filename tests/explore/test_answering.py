"""Questions of the live board and their answers, without a server."""

from __future__ import annotations

import base64
import json
import math
import threading
import time
from typing import Any
from xml.etree import ElementTree

import pytest
from oracles import four_by_four

import bddsudoku
from bddsudoku import Puzzle
from bddsudoku.authoring import Claim, smallest_reason
from bddsudoku.context import Context
from bddsudoku.explore import board_questions
from bddsudoku.explore.board_questions import board_record, puzzle_from_record, rule_tools
from bddsudoku.explore.live_board import LiveBoard
from bddsudoku.explore.session import Session
from bddsudoku.puzzle.sudoku.grid import empty_board
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules import known_rules

FEW = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8...."
MANY = "000000010400000000020000000000050400008000300001090000000400200050100000000806007"
FOUR = {"box": [2, 2], "cells": [0] * 16}
SMALL = "1...\n....\n....\n...2\n"
VARIANT = (
    "\n".join([SMALL.strip(), "diagonals", "cage 5 r1c1 r1c2", "thermometer r2c1 r2c2"]) + "\n"
)


def events(question: dict[str, Any], live: LiveBoard | None = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    context = Context().with_progress(lambda *_: None)
    made = LiveBoard if live is None else lambda _: live
    board_questions.answer(question, context, found.append, made)
    return found


def answer(
    kind: str, board: object = None, live: LiveBoard | None = None, **more: Any
) -> list[dict[str, Any]]:
    found = events({"kind": kind, "board": board, **more}, live)
    assert found[-1] == {"kind": "end"}
    json.dumps(found)
    return found[:-1]


def one(kind: str, wanted: str, *args: Any, **more: Any) -> dict[str, Any]:
    (event,) = [e for e in answer(kind, *args, **more) if e["kind"] == wanted]
    return event


def known_board(puzzle: Puzzle) -> LiveBoard:
    """A board of which all is known."""
    live = LiveBoard(puzzle)
    answer("board", board_record(puzzle), live)
    return live


def record(text: str) -> dict[str, Any]:
    return board_record(Puzzle.parse(text))


def solutions(puzzle: Puzzle) -> list[tuple[int, ...]]:
    """All grids of 4x4 that are solutions."""
    return [
        g for g in four_by_four()
        if all(c in (0, d) for c, d in zip(puzzle.cells, g, strict=True))
        and Puzzle(g, puzzle.layout, None, puzzle.rules).is_solution
    ]  # fmt: skip


@pytest.mark.parametrize(
    "puzzle",
    [
        *(empty_board(Layout.of_size(n)) for n in (4, 6, 16)),
        Puzzle.parse(FEW),
        Puzzle.parse(VARIANT),
        Puzzle.from_masks([7] + [511] * 80, Layout()),
        Puzzle([0] * 25, Layout.latin(5)),
    ],
)
def test_a_board_comes_back_as_the_same_puzzle(puzzle: Puzzle) -> None:
    there = json.loads(json.dumps(board_record(puzzle)))
    assert puzzle_from_record(there) == puzzle


@pytest.mark.parametrize("text", [SMALL, VARIANT])
def test_small_boards_against_brute_force(text: str) -> None:
    puzzle = Puzzle.parse(text)
    grids = solutions(puzzle)
    found = {e["kind"]: e for e in answer("board", board_record(puzzle))}
    assert found["statement"].get("count", "0") == str(len(grids))
    assert tuple(found["statement"].get("example", grids[0])) in grids
    counts = [[str(sum(g[c] == d for g in grids)) for d in range(1, 5)] for c in range(16)]
    assert found["marginals"]["marginals"] == counts
    masks = [sum(1 << d for d in range(4) if counts[c][d] != "0") for c in range(16)]
    assert found["possible"]["masks"] == masks
    hints = one("hints", "hints", board_record(puzzle))
    without = [str(len(solutions(puzzle.without(c)))) for c in puzzle.hints]
    assert (hints["cells"], hints["without"]) == (list(puzzle.hints), without)
    rules = one("rules", "rules", board_record(puzzle))
    assert rules["without"] == [str(len(solutions(puzzle.without(r)))) for r in puzzle.rules]
    known = known_board(puzzle)
    drawn = {
        tuple(one("unrank", "solution", board_record(puzzle), known, index=str(i))["cells"])
        for i in range(len(grids))
    }
    assert drawn == set(grids)
    for live, has_index in ((known, True), (None, False)):
        sampled = one("sample", "solution", board_record(puzzle), live)
        assert tuple(sampled["cells"]) in drawn
        assert (sampled["index"] is not None) == has_index
    assert "once all of them are known" in one("unrank", "error", FOUR, index="0")["text"]


@pytest.mark.parametrize("text", [FEW, MANY])
def test_classic_boards_against_the_other_engines(text: str) -> None:
    family = bddsudoku.compile_set(Puzzle.parse(text))
    found = {e["kind"]: e for e in answer("board", record(text))}
    assert found["statement"]["count"] == str(family.count())
    counts = family.marginals().reshape(81, 9)
    assert found["marginals"]["marginals"] == [[str(k) for k in cell] for cell in counts.tolist()]
    masks = [sum(1 << d for d in range(9) if cell[d]) for cell in counts]
    assert found["possible"]["masks"] == masks


def test_clashes_are_reported() -> None:
    found = answer("board", record("11" + "." * 79))
    assert {"kind": "clashes", "pairs": [[0, 1]]} in found
    assert {"kind": "statement", "state": "none"} in found
    assert answer("sample", record("11" + "." * 79))[0]["kind"] == "error"


INFO = {"title": "Rings & <things>", "author": "誰か：A", "rules": "一行目\nline two: 3"}


@pytest.mark.parametrize(
    "form", ["text", "f-puzzles", "iss", "link", "f-puzzles-link", "sudokupad-link", "iss-link"]
)
def test_what_is_published_reads_back_with_title_author_and_rules(form: str) -> None:
    board = record(VARIANT) | {"info": INFO}
    event = one("export", "link" if "link" in form else "file", board, form=form)
    text = event["url"] if "link" in form else base64.b64decode(event["data"]).decode()
    assert "127.0.0.1" not in text
    back = one("read", "read", None, text=text)["board"]
    there = puzzle_from_record(back)
    assert bddsudoku.count(there) == len(solutions(Puzzle.parse(VARIANT)))
    has_words = "iss" not in form
    assert back["info"] == (INFO if has_words else dict.fromkeys(INFO, ""))
    assert bool(event["notes"]) != has_words


def test_pictures_show_what_was_asked_for() -> None:
    one_solution = Puzzle.parse("1...\n..3.\n.4..\n...2\n")
    (grid,) = solutions(one_solution)
    board, known = board_record(one_solution), known_board(one_solution)
    sizes = {}
    for content in ("puzzle", "solution", "marginals"):
        event = one("export", "file", board, known, form="svg", content=content)
        picture = base64.b64decode(event["data"]).decode()
        assert picture.startswith("<svg")
        sizes[content] = sum(picture.count(f">{d}</text>") for d in "1234")
    assert sizes == {"puzzle": 4, "solution": 16, "marginals": 16}
    for content in ("solution", "marginals", "all"):
        assert one("export", "error", board, form="svg", content=content)["text"]
    assert known.example == [*grid]


def test_what_a_form_cannot_say_is_named() -> None:
    board = record(SMALL) | {"rules": ["lookandsay 12 r1c1 r1c2"]}
    assert "lookandsay" in one("export", "error", board, form="f-puzzles-link")["text"]


def test_a_set_that_was_saved_is_the_set(tmp_path: Any) -> None:
    data = base64.b64decode(one("export", "file", record(FEW), form="set")["data"])
    (tmp_path / "x.set").write_bytes(data)
    assert bddsudoku.load(tmp_path / "x.set").count() == bddsudoku.count(Puzzle.parse(FEW))


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"kind": "read", "text": "what is this"},
        {"kind": "read", "side": 26},
        *(
            {"kind": "board", "board": {"box": [3, 3], "cells": [0] * 81} | change}
            for change in (
                {"cells": [0] * 80},
                {"box": [99, 99]},
                {"rules": ["x"]},
                {"masks": [512] * 81},
            )
        ),
        {"kind": "unrank", "board": FOUR, "index": "288"},
        {"kind": "export", "board": FOUR, "form": "exe"},
    ],
)
def test_nonsense_is_refused_in_one_line(asked: dict[str, Any]) -> None:
    found = events(asked)
    assert [e["kind"] for e in found] == ["error", "end"]
    assert found[0]["text"]
    assert "\n" not in found[0]["text"]


def test_a_rule_is_added_by_its_line() -> None:
    board = record(SMALL)
    found = one("rule", "rule", board, line="cage 5 r1c1 r1c2")
    assert (found["text"], found["lit"]) == ("cage 5 r1c1 r1c2", (0, 1))
    assert "5</text>" in found["ground"]
    for line, message in (
        ("cage 99 r1c1 r1c2", "from 3 to 7"),
        ("what r1c1", "no rule is called 'what'"),
    ):
        assert message in one("rule", "error", board, line=line)["text"]
    twice = one("rule", "error", record(VARIANT), line="killer 5 r1c1 r1c2")["text"]
    assert "on the board already" in twice


def test_digits_are_checked_against_the_hints() -> None:
    grids = solutions(Puzzle.parse(VARIANT))
    masks = one("check", "check", record(VARIANT))["masks"]
    assert masks == [sum({1 << g[c] - 1 for g in grids}) for c in range(16)]


def test_every_rule_that_can_be_drawn_has_a_tool() -> None:
    tools = {tool["name"]: tool for tool in rule_tools(Layout())}
    assert {"thermo", "cage", "xv", "quadruple", "littlekiller", "antiknight"} <= {*tools}
    kinds = {"cells", "line", "neighbours", "corner", "margin", "board"}
    for name, rule in known_rules().items():
        if name in tools:
            assert tools[name]["drawn_on"] in kinds
            assert len(tools[name]["fields"]) == len(rule.fields)
        else:  # it has a field of a kind that only its line can say
            assert rule.fields
    assert [*tools][:3] == ["thermo", "arrow", "cage"]
    parts = {name: tools[name]["parts"] for name in ("arrow", "cage", "diagonal", "sum")}
    assert parts == {"arrow": [2, 2], "cage": [1, 1], "diagonal": [0, 0], "sum": [1, 2]}
    assert {*tools["whispers"]["aliases"]} > {"germanwhispers", "ささやき"}
    for name, tool in tools.items():
        if name != "chaos":  # which is about cells outside the board
            assert ElementTree.fromstring(tool["icon"]).attrib["viewBox"]
    assert tools["cage"]["range"] == [1, 45]
    assert tools["skyscraper"]["range"] == [1, 9]
    assert tools["littlekiller"]["words"] == ["ur", "ul", "dr", "dl"]


class Listener:
    """Collects events; ``wait`` until the end."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.over = threading.Event()

    def __call__(self, event: dict[str, Any]) -> None:
        self.events.append(event)
        if event["kind"] == "end":
            self.over.set()

    def kinds(self) -> list[str]:
        assert self.over.wait(60)
        return [e["kind"] for e in self.events if e["kind"] != "progress"]


SLOW = {"kind": "board", "board": {"box": [4, 4], "cells": [0] * 256}}
SMALL_QUESTION = {"kind": "board", "board": {"box": [2, 2], "cells": [1] + [0] * 15}}


def test_a_newer_question_ends_the_older() -> None:
    session, slow, second = Session(1 << 30, 60), Listener(), Listener()
    session.ask(SLOW, slow)
    time.sleep(0.3)
    assert session.locks["count"].locked()
    begin = time.monotonic()
    session.ask({**SLOW, "kind": "sample", "lane": "quick"}, quick := Listener())
    assert quick.kinds() == ["solution", "end"]
    assert session.locks["count"].locked()
    session.ask(SMALL_QUESTION, second)
    assert {*second.kinds()} == {"statement", "possible", "marginals", "end"}
    assert time.monotonic() - begin < 5
    assert slow.kinds()[-2:] == ["limit", "end"]
    assert slow.events[-2]["limit"] == "stop"


def test_a_limit_is_reported() -> None:
    session, seen = Session(1 << 30, 0.3), Listener()
    session.ask(SLOW, seen)
    assert seen.kinds()[-2:] == ["limit", "end"]
    assert seen.events[-2]["limit"] in ("time", "memory")


def test_reasons() -> None:
    """What is shown are the hints and rules of the smallest reason."""
    puzzle = Puzzle.parse(VARIANT)
    grids = solutions(puzzle)
    cell = next(c for c in range(16) if not puzzle[c] and len({g[c] for g in grids}) == 1)
    found = one("reason", "reason", board_record(puzzle), cell=cell)
    wanted = smallest_reason(puzzle, Claim(cell, grids[0][cell]))
    elements = len(puzzle.hints) + len(puzzle.rules)
    size = len(found["cells"]) + len(found["rules"])
    assert size == len(wanted.hints) + len(wanted.rules)
    assert found["smallest"]
    assert int(found["smaller"]) == sum(math.comb(elements, k) for k in range(size))
    reason = puzzle.without(*set(puzzle.hints) - {*found["cells"]})
    reason = Puzzle(reason.cells, reason.layout, rules=found["rules"])
    assert {g[cell] for g in solutions(reason)} == {grids[0][cell]}
    clash = Puzzle.parse("11.1............")
    assert len(one("reason", "reason", board_record(clash), cell=5)["cells"]) == 2
    several = Puzzle.parse("1...............")
    assert "several digits" in one("reason", "error", board_record(several), cell=5)["text"]
