"""Arguments of a wrong type, generated from the signatures: the package says what it expected."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bddsudoku
from bddsudoku import authoring, numberlink, puzzle, sets, solver, work
from bddsudoku.errors import BddSudokuError
from bddsudoku.number_text import short_repr
from bddsudoku.puzzle import Puzzle

PACKAGE = Path(bddsudoku.__file__).parent
SMALL = Puzzle.parse("1234341221434321").without((0, 0), (1, 1))
SOLUTIONS = solver.compile_set(Puzzle([0] * 16))
PROBLEM = bddsudoku.Problem.parse("symbol a b c\na | b")
COVER = puzzle.ExactCover(["a", "b"], [["a"], ["b"]])
LINKS = numberlink.parse_board("1.1\n...\n2.2")
BOARD = puzzle.Board.rectangle(2, 2)
CLAIM = authoring.Claim(0, 1)
REQUEST = authoring.PuzzleRequest()
CONTEXT = bddsudoku.Context()
RIGHT: dict[str, Any] = {
    "int": 1,
    "float": 1.0,
    "str": "no such folder/file",
    "CellLike": 0,
    "Mapping": {},
    "SectionData": {},
    "PuzzleLike": SMALL,
    "QuestionLike": SMALL,
    "Puzzles": [SMALL],
    "PuzzleRecord": puzzle.PuzzleRecord(SMALL),
    "Model": PROBLEM.model(),
    "Constraint": PROBLEM.model().constraints[0],
    "GridFamily": SOLUTIONS,
    "SolutionSet": SOLUTIONS,
    "GridDecoder": SOLUTIONS.decoder,
    "Diagram": SOLUTIONS.diagram,
    "NDArray": np.zeros((4, 4, 4)),
    "Budget": solver.Budget(CONTEXT),
    "BuildResult": solver.build_puzzle(SMALL, isolated=False),
    "Unavoidable": authoring.unavoidable_sets(solver.solve(SMALL)[0]),
}
"""A right argument by its annotation, besides OBJECTS; where there is none: an empty list."""
VALUES: dict[str, Any] = {
    "str": "text",
    "float": 1.5,
    "None": None,
    "list": [],
    "object": object(),
}
COLLECTIONS = ("list", "Sequence", "Iterable", "Collection", "tuple", "frozenset")
PUZZLES = ("PuzzleLike", "QuestionLike", "Puzzles")
TAKEN = {
    "str": ("str",),
    "float": ("float",),
    "None": ("None",),
    "list": COLLECTIONS + PUZZLES,
    "object": (),
}
OTHERS = {"options", "shared", "limits", "progress", "journal", "once"}
ANY = {"Any", "Any | None", "object", "OnError", "bool", "GridFamily", "ArrayLike"}
"""Annotations of what is not checked: anything, and whatever is true or false."""
LIMITS = {
    "max_memory": "float | str | None",
    "time_limit": "float | str | None",
    "context": "Context",
}
CLASSES = [
    *(bddsudoku.Context, bddsudoku.Layout, bddsudoku.Model, bddsudoku.Puzzle),
    *(bddsudoku.Formula, bddsudoku.Linear, bddsudoku.Variable),
    *(puzzle.ExactCover, puzzle.Board, puzzle.Tiling, numberlink.Board, authoring.PuzzleRequest),
    *(sets.SolutionSet, sets.GridSet, sets.KeyDecoder),
    *(work.DaskRunner, work.Journal, work.Processes, work.Task),
]
OBJECTS = [CONTEXT, SMALL, SMALL.layout, SOLUTIONS, PROBLEM, COVER, BOARD, LINKS, CLAIM, REQUEST]
INSIDE = {"trusted", "check", "check_and_report", "limit_error", "report_progress"}
INSIDE |= {"decode_row", "format_lines", "from_stored", "from_dict"}
"""What engines call a million times or files hold, and what is promised without a check."""


def public_functions() -> dict[str, Callable[..., Any]]:
    """The public functions, and the public methods of some objects, by their names."""
    found: dict[str, Callable[..., Any]] = {one.__name__: one for one in CLASSES}
    for name in (PACKAGE.parent / "tests" / "public_names.txt").read_text("utf-8").split():
        module, _, last = name.rpartition(".")
        one = getattr(importlib.import_module(module), last)
        if inspect.isfunction(one):
            found[last] = one
    for one in OBJECTS:
        for name, method in inspect.getmembers(one, inspect.ismethod):
            is_inside = name in INSIDE or method.__qualname__.startswith("Draft.")
            if not name.startswith("_") and not is_inside:
                found[f"{type(one).__name__}.{name}"] = method
    return found


def wrong_calls(function: Callable[..., Any]) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """A parameter's name, a value that it does not take, and a call with it, one by one."""
    kinds, right = dict[str, str](), dict[str, Any]()
    for name, parameter in inspect.signature(function).parameters.items():
        kind = parameter.annotation
        kind = getattr(kind, "__forward_arg__", kind)
        if parameter.kind is parameter.VAR_KEYWORD:
            kinds |= LIMITS if kind.startswith("Unpack") else {}
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            kinds[name] = kind
            if parameter.default is parameter.empty:
                word = re.split(r"\W", kind)[0]
                known = vars(sys.modules[function.__module__]).get(word)
                same = (one for one in OBJECTS if type(one) is known)
                right[name] = next(same, RIGHT.get(word, []))
    for name, kind in kinds.items():
        if kind not in ANY and name not in OTHERS:
            for value, words in TAKEN.items():
                if not any(word in kind for word in words):
                    yield name, VALUES[value], right | {name: VALUES[value]}


def refusal_of(call: Callable[[], Any]) -> Exception | None:
    try:
        answers = call()
        if isinstance(answers, Iterator):
            next(answers)
        elif isinstance(answers, AbstractContextManager):
            answers.__enter__()
    except (BddSudokuError, TypeError, ValueError, LookupError) as refusal:
        return refusal
    return None


FUNCTIONS = public_functions()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_wrong_call_is_refused_in_words(function: str) -> None:
    if function == "board_widget":
        pytest.importorskip("anywidget")
    for name, value, arguments in wrong_calls(FUNCTIONS[function]):
        refusal = refusal_of(partial(FUNCTIONS[function], **arguments))
        assert refusal is not None, f"{name}={value!r} is taken"
        message = str(refusal)
        assert "\n" not in message
        assert any(word in message for word in (name, str(value), short_repr(value))), message
        last = traceback.extract_tb(refusal.__traceback__)[-1]
        assert Path(last.filename).is_relative_to(PACKAGE), f"{name}={value!r}: {message}"
        assert (last.line or "").startswith("raise "), f"{name}={value!r}: {message} ({last})"


def test_limits_are_refused_in_the_name_of_the_function() -> None:
    with pytest.raises(TypeError, match=r"^count: expected .* as progress, found 5"):
        solver.count(SMALL, progress=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^count.* unexpected keyword argument 'limits'"):
        solver.count(SMALL, limits=5)  # type: ignore[call-arg]


def test_values_of_an_integer_are_whole_numbers() -> None:
    with pytest.raises(TypeError, match="whole numbers as values of v, found 1"):
        puzzle.Problem().integer("v", [1.5])  # type: ignore[list-item]


def test_arrays_are_sequences() -> None:
    masks = np.array(SMALL.masks)
    assert Puzzle.from_masks(masks) == Puzzle([0] * 16).within(masks) == SMALL
    grid = solver.solve(SMALL)[0]
    assert authoring.unavoidable_sets(grid, np.arange(16)).region == tuple(range(16))
    assert solver.count(SMALL, limit=np.int64(2)) == 1


def test_texts_and_names_are_understood() -> None:
    wide = Puzzle([0] * 81).with_rule("antiknight")
    assert wide.rules[0].text == "antiknight"
    assert wide == Puzzle([0] * 81, rules=["antiknight"])
    assert wide.with_hint("r1c3", 4) == wide.with_hint((0, 2), 4) == wide.with_hint(2, 4)
    assert wide.with_hint("r1c3", 4)["r1c3"] == 4
    assert SOLUTIONS.given({"r1c1": 3}).count() == 72


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: SMALL.with_rule("antiknigt"), "antiknight"),
        (lambda: SMALL.with_rule(5), "expected a rule, or its text, found 5"),
        (lambda: SMALL.with_hint("r9c9", 1), "there is no cell 'r9c9' on a board of 4x4"),
        (lambda: SMALL.with_hint("r1c1", "one"), "r1c1: expected a digit 1 to 4, found 'one'"),
        (lambda: SOLUTIONS.given({"r1c1": 6}), "expected a digit 1 to 4 in cell 'r1c1', found 6"),
        (lambda: SOLUTIONS.given({"c1": 1}), "there is no cell 'c1'"),
        (lambda: SOLUTIONS["r1c1"], "expected a whole number, found 'r1c1'"),
        (lambda: solver.count(SMALL, limit=-1), "expected 0 or more as limit, found -1"),
        (lambda: solver.count(SMALL, time_limit=-1), "0 or more as time_limit, found -1"),
        (
            lambda: solver.solve(SMALL, time_limit=float("nan")),
            "0 or more as time_limit, found nan",
        ),
        (lambda: solver.count(SMALL, max_memory=-5), "0 or more as max_memory, found -5"),
        (lambda: solver.count(SMALL, jobs=0), "expected 1 or more as jobs, found 0"),
        (lambda: next(solver.iterate_solution_keys(SMALL, limit=-1)), "0 or more as limit"),
        (lambda: solver.solve_detailed(SMALL, limit=-1), "0 or more as limit, found -1"),
        (lambda: next(SOLUTIONS.batches(0)), "expected 1 or more as size, found 0"),
        (lambda: bddsudoku.Problem().add(3), "expected a statement, found 3"),
        (lambda: solver.count(SMALL, client="host:1"), r"Processes\(4\), found 'host:1'"),
        (lambda: solver.count(SMALL, jobs="two"), r"expected int \| None as jobs, found 'two'"),
        (lambda: Puzzle.parse([[1]]), r"expected str as text, found \[\[1\]\]"),
    ],
)
def test_what_was_expected(ask: Callable[[], Any], words: str) -> None:
    with pytest.raises((BddSudokuError, TypeError, ValueError, IndexError), match=words):
        ask()
