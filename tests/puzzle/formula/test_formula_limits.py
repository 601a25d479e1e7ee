"""Large inputs: read, or refused, in seconds."""

from __future__ import annotations

import time

import pytest

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.formula import Problem

MB = 10_000_000
READ = {
    "brackets": "symbol a\n" + "(1 + " * 99 + "a" + ")" * 99 + " == 100",
    "nots": "symbol a\n" + "!" * 101 + "a",
    "signs": "symbol a\n" + "- " * 101 + "a == -1",
    "choices": "symbol a b\n" + "a ? 1 : " * 20_000 + "b",
    "implications": "symbol a b\n" + "a -> " * 20_000 + "b",
    "a long sum": "symbol a b\n" + "a - " * 50_000 + "b == -49998",
    "a long comment": "symbol a\n#" + "x" * MB + "\na",
    "many lines": "symbol x[0..99]\n"
    + "\n".join(f"x[{i % 100}] + x[{i * 7 % 100}] <= 1" for i in range(20_000)),
}
REFUSED = {
    "a sum": ("symbol a\n", "a + "),
    "brackets": ("", "("),
    "a name": ("", "a"),
    "digits": ("", "9"),
    "quotes": ("", '"'),
    "blanks": ("", " "),
    "NUL": ("", "\0"),
    "minus": ("", "-"),
    "'for'": ("a ", "for "),
}


@pytest.mark.parametrize("name", READ)
def test_long_statements_are_read(name: str) -> None:
    started = time.process_time()
    problem = Problem.parse(READ[name], ending=".formula")
    assert time.process_time() - started < 30
    assert problem.constraints or name == "many lines"


@pytest.mark.parametrize("size", [MB // 100, pytest.param(MB, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", REFUSED)
def test_megabytes_on_one_line_are_refused(name: str, size: int) -> None:
    begin, again = REFUSED[name]
    started = time.process_time()
    with pytest.raises(PuzzleFormatError) as caught:
        Problem.parse(begin + again * (size // len(again)), "f", ending=".formula")
    assert time.process_time() - started < 30
    assert caught.value.line is not None
    assert caught.value.column is not None
    assert len(str(caught.value)) < 300
