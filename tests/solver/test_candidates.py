"""Puzzles with candidates: every engine against every other and against brute force."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import four_by_four

from bddsudoku.engine.protocol import Engine, engines_that_take
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.solver import (
    count,
    hint_impact,
    make_question,
    solve,
)

FOUR = Layout(2, 2)


def allowed(masks: list[int]) -> list[tuple[int, ...]]:
    """The grids of the 4×4 board with these candidates."""
    return [
        tuple(g)
        for g in four_by_four()
        if all(m >> (d - 1) & 1 for m, d in zip(masks, g, strict=True))
    ]


def random_masks(rng: random.Random, n: int, density: float) -> list[int]:
    return [sum(1 << d for d in range(n) if rng.random() < density) for _ in range(n * n)]


@pytest.mark.parametrize("density", [0.4, 0.6, 0.8, 0.95])
def test_every_engine_counts_what_brute_force_finds(density: float) -> None:
    rng = random.Random(str(density))
    for number in range(10):
        masks = random_masks(rng, 4, density)
        puzzle = Puzzle.from_masks(masks, FOUR)
        wanted = len(allowed(masks))
        names = [e.name for e in engines_that_take(make_question(puzzle).model, Engine)]
        assert {"frontier", "bdd", "dlx", "brute-force"} <= set(names)
        for name in names:
            if name != "bdd" or number < 2:  # a process each
                assert count(puzzle, name) == wanted, (name, puzzle)
        assert count(puzzle) == wanted


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.sampled_from([0.5, 0.7, 0.9]))
def test_sets_hold_what_brute_force_finds(seed: int, density: float) -> None:
    rng = random.Random(seed)
    masks = random_masks(rng, 4, density)
    wanted = {*allowed(masks)}
    puzzle = Puzzle.from_masks(masks, FOUR)
    found = solve(puzzle)
    assert {tuple(row) for row in found.to_numpy().tolist()} == wanted
    assert found == solve(Puzzle([0] * 16)).given(puzzle)
    assert found <= solve(Puzzle(puzzle.cells, FOUR))


def test_what_hints_are_worth() -> None:
    masks = [0b1111] * 16
    masks[0], masks[1], masks[15], masks[6] = 0b0001, 0b0110, 0b1010, 0b1000
    puzzle = Puzzle.from_masks(masks, FOUR)
    answers = hint_impact(puzzle)
    assert answers.count == len(allowed(masks))
    for row in answers.without:
        cell = FOUR.cell(row.cell)
        assert row.count == len(allowed([15 if c == cell else m for c, m in enumerate(masks)]))
    assert {str(r.cell) for r in answers.without} == {"r1c1", "r2c3"}
    for dead in answers.dead:
        assert masks[FOUR.cell(dead.cell)] >> (dead.digit - 1) & 1
