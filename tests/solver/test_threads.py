"""Questions from several threads: every answer is the one that a single thread gets."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from bddsudoku import Problem, Puzzle, count, count_many, solve, true_candidates
from bddsudoku.authoring import PuzzleRequest, generate
from bddsudoku.puzzle import ExactCover
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.solver import hint_impact, rule_impact

DATA = Path(__file__).parents[2] / "data"
THREADS = 4

Question = Callable[[], Any]
Asked = tuple[str, Question, Any]


@pytest.fixture(autouse=True)
def restless() -> Iterator[None]:
    """Threads take turns some thousand times as often as usual."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def ask_for(seconds: float, asked: Sequence[Asked], *, own: bool = False) -> int:
    """Ask questions from several threads; how many were answered, all of them right.

    Args:
        seconds: so long.
        asked: what, and the right answers.
        own: each thread has a share of the questions; otherwise each may ask all of them.
    """
    end = time.monotonic() + seconds
    wrong: list[str] = []
    answered = [0] * THREADS

    def ask(thread: int) -> None:
        random = Random(thread)
        mine = asked[thread % len(asked) :: THREADS] if own else asked
        while time.monotonic() < end and not wrong:
            name, question, expected = random.choice(mine)
            try:
                found = question()
            except Exception as error:
                wrong.append(f"{name}: {error!r}")
                return
            if found != expected:
                wrong.append(f"{name}: {found} instead of {expected}")
            answered[thread] += 1

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong[0]
    return sum(answered)


def boards_of(name: str) -> list[Puzzle]:
    """The boards of a file of lines."""
    lines = (DATA / name).read_text().splitlines()
    return [Puzzle.parse(line.split()[0]) for line in lines if not line.startswith("#")]


SMALL = Puzzle.parse("1.......4.......", Layout(2, 2))
SIX = Puzzle.parse("1..2....5.3...6.........2.......6..4", Layout(2, 3))
VARIANT = Puzzle.parse("12..............\ndiagonals\n")
KNIGHT = Puzzle.parse((DATA / "variants" / "knight_and_lines.txt").read_text())
QUEENS = Problem.parse((DATA / "formula" / "queens_8.formula").read_text())
LOAD = Problem.parse((DATA / "formula" / "knapsack_20.formula").read_text())
COVER = ExactCover.parse((DATA / "cover" / "five_items.dlx").read_text())


def samples(found: Any) -> Any:
    """Some solutions of a set, where there are any."""
    return found.sample(4, 3).tolist() if found else []


@cache
def mixed() -> list[Asked]:
    """Questions of every kind, with the answers that one thread gets."""
    classic = boards_of("seventeen.txt")[:4] + boards_of("collection.sdm")[:6]
    wider = boards_of("few_hints.txt")[:2]
    boards = [SMALL, SIX, VARIANT, KNIGHT, *classic]
    twelve = Puzzle.parse((DATA / "sizes" / "12x12.txt").read_text())
    lists = np.array([p.cells for p in classic], dtype=np.uint8)
    huge = solve(wider[0], "bands")
    sets = [solve(p, "frontier") for p in (SIX, VARIANT, classic[1])]
    numbers = [n % huge.count() for n in (0, 12345, 10**6 + 7)]
    asked: dict[str, Question] = {
        "queens": lambda: count(QUEENS.model()),
        "load": lambda: count(LOAD.model()),
        "queens as a set": lambda: solve(QUEENS).marginals().tolist(),
        "covers": lambda: sorted(solve(COVER.model())),
        "twelve": lambda: count(twelve),
        "generated": lambda: next(generate(PuzzleRequest(), 5)).puzzle.line,
        "unrank": lambda: [huge.unrank(n).line for n in numbers],
        "rank": lambda: [huge.rank(huge.unrank(n)) for n in numbers],
        "huge samples": lambda: huge.sample(3, 7).tolist(),
        "huge marginals": lambda: huge.marginals().tolist(),
        "lists as arrays": lambda: count_many(lists).tolist(),
    }
    for p in boards:
        asked |= {
            f"count {p.line}": lambda p=p: count(p),
            f"solve {p.line}": lambda p=p: samples(solve(p)),
            f"marginals {p.line}": lambda p=p: solve(p).marginals().tolist(),
            f"candidates {p.line}": lambda p=p: true_candidates(p).tolist(),
        }
    for p in (SIX, classic[0], classic[-1]):
        asked[f"hints {p.line}"] = lambda p=p: hint_impact(p).without
    asked["rules"] = lambda: rule_impact(VARIANT).rules
    asked["wide"] = lambda: count(wider[1])
    for s in sets:
        asked[f"set {s!r}"] = lambda s=s: ([g.line for g in s[:5]], samples(s))
    return [(name, question, question()) for name, question in asked.items()]


@pytest.mark.parametrize("seconds", [2, pytest.param(600, marks=pytest.mark.slow)])
def test_mixed_questions(seconds: int) -> None:
    assert ask_for(seconds, mixed()) >= THREADS
