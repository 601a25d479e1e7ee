"""Errors can be pickled and copied with all their attributes."""

from __future__ import annotations

import copy
import pickle
import pkgutil
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context

import pytest

import bddsudoku
from bddsudoku.errors import (
    BackendUnavailable,
    BddSudokuError,
    DamagedFileError,
    LimitReached,
    ModelError,
    PlugInError,
    PuzzleFormatError,
    ScheduleError,
)
from bddsudoku.puzzle.sudoku.rules.rule import NumberOutOfReach
from bddsudoku.puzzle.sudoku.text.rule_lines import RuleLineError
from bddsudoku.work.processes import ProcessEndedError

ERRORS: list[BddSudokuError] = [
    BddSudokuError("something else"),
    PuzzleFormatError("expected a digit, found 'x'"),
    PuzzleFormatError("expected 9 rows", source="a.txt", line=3, cell="r4c7"),
    ModelError("no such key: 7"),
    PlugInError("package my-rules 1.0: the plug-in cannot be used"),
    ScheduleError("constraint 3 stands twice"),
    DamagedFileError("a.set: truncated"),
    BackendUnavailable("the backend oxidd is not installed", name="oxidd", path="/nowhere"),
    LimitReached("no more room", limit="memory"),
    LimitReached("too slow", limit="time", trace=(1, 2), details={"level": 5, "bytes": 1 << 40}),
    ProcessEndedError("the process ended with SIGSEGV", -11),
    RuleLineError("no rule is named diagonal", source="a.txt", line=10),
    NumberOutOfReach("cage 46: expected a total from 1 to 45", source="a.txt", line=11),
]


def below(cls: type[BaseException]) -> Iterator[type[BaseException]]:
    for child in cls.__subclasses__():
        yield child
        yield from below(child)


def carried(error: BaseException) -> object:
    extra = (error.name, error.path) if isinstance(error, ImportError) else ()
    return type(error), str(error), error.args, vars(error), extra


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
def test_an_error_survives_pickling_and_copying(error: BddSudokuError) -> None:
    error.add_note("while counting")
    copies = [pickle.loads(pickle.dumps(error, p)) for p in range(pickle.HIGHEST_PROTOCOL + 1)]
    for other in (*copies, copy.copy(error), copy.deepcopy(error)):
        assert other is not error
        assert carried(other) == carried(error)
        assert other.__notes__ == ["while counting"]


def test_every_error_of_the_package_is_tried() -> None:
    for module in pkgutil.walk_packages(bddsudoku.__path__, "bddsudoku."):
        if not module.name.endswith(("__main__", "explore.widget", "cpmpy_solver")):
            import_module(module.name)
    own = {c for c in below(BddSudokuError) if c.__module__.startswith("bddsudoku.")}
    assert own <= {type(error) for error in ERRORS}


def raise_number(number: int) -> None:
    raise ERRORS[number]


def test_a_pool_hands_every_error_on() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        tried = [(error, pool.submit(raise_number, i)) for i, error in enumerate(ERRORS)]
        for error, future in tried:
            found = future.exception(timeout=60)
            assert found is not None
            assert carried(found)[:3] == carried(error)[:3]  # type: ignore[index]
