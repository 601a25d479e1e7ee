"""Arguments of a wrong type, generated from the signatures: the package says what it expected."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bddsudoku
from bddsudoku import authoring, puzzle, solver
from bddsudoku.errors import BddSudokuError
from bddsudoku.puzzle import Puzzle

SMALL = Puzzle.parse("1234341221434321").without((0, 0), (1, 1))
SOLUTIONS = solver.solve(Puzzle([0] * 16))
CALLS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (solver.count, (SMALL,)),
    (solver.solve, (SMALL,)),
    (solver.compile_set, (SMALL,)),
    (solver.marginals, (SMALL,)),
    (solver.count_detailed, (SMALL,)),
    (solver.solve_detailed, (SMALL,)),
    (solver.count_many, ([SMALL],)),
    (solver.count_each, ([SMALL],)),
    (solver.solve_many, (["." * 81],)),
    (solver.true_candidates, (SMALL,)),
    (solver.true_candidates_many, (["." * 81],)),
    (solver.iterate_solution_keys, (SMALL,)),
    (solver.hint_impact, (SMALL,)),
    (solver.hint_impact_many, ([SMALL],)),
    (solver.rule_impact, (SMALL,)),
    (solver.clue_ablation, (SMALL, 1)),
    (solver.check, (SMALL,)),
    (solver.make_question, (SMALL,)),
    (solver.build_puzzle, (SMALL,)),
    (authoring.minimal_subsets, (SMALL,)),
    (authoring.smallest_reason, (SMALL, authoring.Claim(0, 1))),
    (authoring.solution_grid, (SMALL,)),
    (authoring.unavoidable_sets, (solver.solve(SMALL)[0],)),
    (puzzle.write_grid, (SMALL,)),
    (puzzle.rule_from_line, ("antiking",)),
    (Puzzle, ([0] * 16,)),
    (Puzzle.parse, ("." * 16,)),
    (Puzzle.from_masks, ([15] * 16,)),
    (SMALL.with_hint, ((0, 0), 1)),
    (SMALL.with_hints, ({(0, 0): 1},)),
    (SMALL.within, ([15] * 16,)),
    (puzzle.Layout.of_size, (9,)),
    (SOLUTIONS.given, ({(0, 0): 1},)),
    (SOLUTIONS.unrank, (0,)),
    (SOLUTIONS.unrank_many, ([0],)),
    (SOLUTIONS.rank, (SOLUTIONS[0],)),
    (SOLUTIONS.sample, (1,)),
    (SOLUTIONS.sample_rows, (1,)),
    (bddsudoku.allocate, (SMALL,)),
]
VALUES: dict[str, Any] = {"str": "x", "float": 1.5, "None": None, "list": [], "object": object()}
TAKEN = {
    "str": ("str",),
    "float": ("float",),
    "None": ("None",),
    "list": ("list", "Sequence", "Iterable", "Puzzles"),
    "object": (),
}
OTHERS = {"options", "shared", "limits", "progress", "places", "journal"}
ANY = {"Any", "Any | None", "object", "OnError", "bool", "GridFamily"}
"""Annotations of what is not checked: anything, and whatever is true or false."""
LIMITS = {
    "max_memory": "int | float | str | None",
    "time_limit": "float | str | None",
    "context": "Context",
}


def wrong_calls() -> Iterator[Any]:
    for function, arguments in CALLS:
        kinds = {n: str(p.annotation) for n, p in inspect.signature(function).parameters.items()}
        names = [*kinds]
        for kind in [*kinds.values()]:
            if kind.startswith("Unpack"):
                kinds |= LIMITS
        for name, kind in kinds.items():
            if kind in ANY or name in OTHERS:
                continue
            for value, words in TAKEN.items():
                if not any(word in kind for word in words):
                    given = dict(zip(names, arguments, strict=False)) | {name: VALUES[value]}
                    yield pytest.param(function, given, id=f"{function.__name__}-{name}-{value}")


@pytest.mark.parametrize(("function", "given"), [*wrong_calls()])
def test_a_wrong_call_is_refused_in_words(
    function: Callable[..., Any], given: dict[str, Any]
) -> None:
    with pytest.raises((BddSudokuError, TypeError, ValueError, LookupError)) as refusal:
        [*islice(answers, 1)] if isinstance(answers := function(**given), Iterator) else answers
    if not isinstance(refusal.value, BddSudokuError):
        last = traceback.extract_tb(refusal.value.__traceback__)[-1]
        assert Path(last.filename).is_relative_to(Path(bddsudoku.__file__).parent)
        assert (last.line or "").startswith("raise "), (
            f"{refusal.value} ({last.filename}:{last.lineno})"
        )
    assert "\n" not in str(refusal.value)


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
        (lambda: solver.count(SMALL, client="host:1"), r"Processes\(4\), found 'host:1'"),
        (lambda: solver.count(SMALL, jobs="two"), r"expected int \| None as jobs, found 'two'"),
        (lambda: Puzzle.parse([[1]]), r"expected text .*, found \[\[1\]\]"),
    ],
)
def test_what_was_expected(ask: Callable[[], Any], words: str) -> None:
    with pytest.raises((BddSudokuError, TypeError, ValueError, IndexError), match=words):
        ask()
