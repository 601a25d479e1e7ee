"""Reasons against all subsets of hints and rules, tried on all grids or by another engine."""

from __future__ import annotations

import time
from itertools import combinations

import numpy as np
import pytest
from click.testing import CliRunner
from figures import FIGURE_1, SEVENTEEN
from oracles import four_by_four
from worlds import grid, seeds, thinned

from bddsudoku import Layout, Puzzle, PuzzleFormatError, count
from bddsudoku.authoring import (
    Claim,
    Reasons,
    reason_answers,
    reasons,
    smallest_reason,
    solution_grid,
    sufficient_subsets,
)
from bddsudoku.authoring.small_reason import small_reason
from bddsudoku.cli import main
from bddsudoku.puzzle.sudoku.rules import Rule, rule_from_line
from bddsudoku.solver.dispatch import count_detailed

SMALL = Layout(2, 2)
RULES = [
    "diagonals", "antiknight", "thermo r1c1 r2c2", "cage 5 r1c1 r1c2", "arrow r4c4 > r3c3 r2c2",
    "difference 1 r2c2 r2c3", "odd r3c2", "even r1c3", "renban r1c4 r2c4 r2c3", "xv v r4c1 r4c2",
    "minimum r3c4", "littlekiller dr 7 r0c1", "palindrome r1c1 r2c1 r2c2", "negative ratio",
]  # fmt: skip

Elements = frozenset[str]


def elements(puzzle: Puzzle) -> list[str]:
    n = puzzle.n
    return [f"r{c // n + 1}c{c % n + 1}={d}" for c, d in puzzle.hints.items()] + [
        rule.text for rule in puzzle.rules
    ]


def violated(puzzle: Puzzle, filled: tuple[int, ...]) -> Elements:
    """The hints and rules that a filled board violates."""
    whole = Puzzle(filled, puzzle.layout)
    broken = [filled[c] != d for c, d in puzzle.hints.items()]
    broken += [not rule.in_company(puzzle.rules).holds(whole) for rule in puzzle.rules]
    return frozenset(e for e, bad in zip(elements(puzzle), broken, strict=True) if bad)


def is_against(claim: Claim | None, filled: tuple[int, ...]) -> bool:
    return claim is None or (filled[claim.cell] == claim.digit) != claim.holds


def by_all_grids(puzzle: Puzzle, claim: Claim | None) -> set[Elements]:
    """Minimal sets of hints and rules that rule out every grid against the claim."""
    sets = [violated(puzzle, g) for g in four_by_four() if is_against(claim, g)]
    found: set[Elements] = set()
    for size in range(len(elements(puzzle)) + 1):
        for some in map(frozenset, combinations(elements(puzzle), size)):
            if not any(r <= some for r in found) and all(some & s for s in sets):
                found.add(some)
    return found


def family_of(found: Reasons) -> set[Elements]:
    return {frozenset(found.texts(reason)) for reason in found.family}


def check(puzzle: Puzzle, claim: Claim | None, expected: set[Elements]) -> None:
    found = reasons(puzzle, claim)
    assert found.exact
    assert family_of(found) == expected
    assert len(found.texts(found.smallest)) == min(map(len, expected))
    assert frozenset(found.texts(found.smallest)) in expected
    assert set(found.in_all) == frozenset.intersection(*expected)
    assert set(found.in_none) == {*elements(puzzle)} - frozenset.union(*expected)


def small_board(seed: int) -> tuple[Puzzle, list[Claim | None]]:
    """A 4×4 board with some hints and rules, and what is true of its solutions."""
    rng = np.random.default_rng(seed)
    lines = rng.permutation(RULES)[: rng.integers(0, 4)].tolist()
    rules: list[Rule] = [rule_from_line(line) for line in lines]
    whole = grid(SMALL, int(rng.integers(0, 30)))
    kept = rng.permutation(16)[: rng.integers(2, 7)].tolist()
    puzzle = Puzzle([whole[c] if c in kept else 0 for c in range(16)], SMALL, rules=rules)
    left = [g for g in four_by_four() if not violated(puzzle, g)]
    if not left:
        return puzzle, [None]
    claims: list[Claim | None] = []
    for cell in (c for c in range(16) if not puzzle[c]):
        digits = {g[cell] for g in left}
        claims += [Claim(cell, d, len(digits) == 1) for d in (1, 2, 3, 4)
                   if (len(digits) == 1) == (d in digits)]  # fmt: skip
    rng.shuffle(claims)  # type: ignore[arg-type]  # a list is a sequence that can be shuffled
    return puzzle, claims[:2]


@pytest.mark.parametrize("seed", seeds(12, 300))
def test_boards_of_side_four_with_rules(seed: int) -> None:
    puzzle, claims = small_board(seed)
    for claim in claims:
        check(puzzle, claim, by_all_grids(puzzle, claim))


def has_solution(puzzle: Puzzle) -> bool:
    return bool(count_detailed(puzzle, "dlx", limit=1).count)


def removable(against: Puzzle) -> list[int]:
    return [c for c in against.hints if not has_solution(against.without(c))]


def by_counting(puzzle: Puzzle, claim: Claim) -> set[Elements]:
    """The same by dancing links, for hints only: all subsets of those that can go."""
    against = claim.opposite(puzzle)
    can_go = removable(against)
    found: set[Elements] = set()
    for size in range(len(can_go), -1, -1):
        for gone in combinations(can_go, size):
            kept = frozenset(elements(puzzle.without(*gone)))
            if not any(r <= kept for r in found) and not has_solution(against.without(*gone)):
                found.add(kept)
    return found


@pytest.mark.parametrize("seed", seeds(1, 5))
def test_classic_boards(seed: int) -> None:
    whole = grid(Layout(3, 3), seed)
    puzzle = thinned(whole, 7, seed)
    free = {
        claim: len(removable(claim.opposite(puzzle)))
        for claim in (Claim(c, whole[c]) for c in range(81) if not puzzle[c])
    }
    claim = min(free, key=lambda c: abs(free[c] - 8))
    check(puzzle, claim, by_counting(puzzle, claim))


@pytest.mark.parametrize("seed", seeds(1, 12))
def test_boards_of_side_six(seed: int) -> None:
    puzzle = thinned(grid(Layout(2, 3), seed), 0, seed)
    cell = next(c for c in range(36) if not puzzle[c])
    claim = Claim(cell, grid(Layout(2, 3), seed)[cell])
    check(puzzle, claim, by_counting(puzzle, claim))


def test_the_smallest_reason_on_the_classic_board() -> None:
    """Exact by all reasons; in a second for 17 hints."""
    puzzle = Puzzle.parse(SEVENTEEN)
    smallest_reason(puzzle, Claim(0, 6))
    begin = time.perf_counter()
    found = reasons(puzzle, Claim(0, 6))
    assert time.perf_counter() - begin < 5
    assert found.smallest.hint_count == min(p.hint_count for p in found.family)
    against = Claim(0, 6).opposite(found.smallest)
    assert count(against, "dlx") == 0
    for cell in found.smallest.hints:
        assert count_detailed(against.without(cell), "dlx", limit=1).count == 1


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("r1c1", "expected a claim such as"),
        ("r9c1=3", "not on a board of side 4"),
        ("r1c1=1", "is a hint"),
        ("r1c2=3", "another digit in some solution"),
        ("r1c2!=2", "this digit in some solution"),
        ("contradiction", "the puzzle has a solution"),
    ],
)
def test_claims_that_are_none_or_not_true(claim: str, message: str) -> None:
    puzzle = Puzzle.parse("1...............")
    with pytest.raises(PuzzleFormatError, match=message):
        reasons(puzzle, Claim.parse(claim, 4))


def test_after_a_limit_the_smallest_reason_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sufficient_subsets, "FAMILY_NODES", 3_000)
    puzzle = Puzzle.parse(FIGURE_1)
    found = reasons(puzzle, Claim(1, solution_grid(puzzle)[1]))
    answers = reason_answers(found)
    assert not answers.exact
    assert answers.count is None
    assert answers.smallest
    assert "nodes" in answers.stopped


def test_the_command() -> None:
    runner = CliRunner()
    done = runner.invoke(main, ["minimal", "-", "--for", "r2c1!=1"], input="1...............\n")
    assert done.exit_code == 0, done.output
    assert "r1c1=1" in done.output
    done = runner.invoke(
        main, ["minimal", "-", "--for", "contradiction", "--json"], input="11.1............\n"
    )
    assert done.exit_code == 0, done.output
    assert '"count": "3"' in done.output


@pytest.mark.parametrize("seconds", [None, 1e-9])
def test_without_time_for_the_smallest_one_that_is_minimal_is_given(seconds: float | None) -> None:
    puzzle = Puzzle.parse("1...\n..3.\n.4..\n...2\n")
    claim = Claim(1, next(g for g in four_by_four() if not violated(puzzle, g))[1])
    found = small_reason(puzzle, claim, seconds=seconds)
    ways = by_all_grids(puzzle, claim)
    assert frozenset(elements(found.reason)) in ways
    assert found.is_smallest == (seconds is None)
    least = min(map(len, ways))
    every = elements(puzzle)
    smaller = [s for k in range(least) for s in combinations(every, k)]
    assert found.ruled_out == len(smaller) if found.is_smallest else found.ruled_out <= len(smaller)
