"""Puzzles to order are what was ordered, by engines that made none of them."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from bddsudoku import Layout, LimitReached, Puzzle
from bddsudoku.authoring import GeneratedPuzzle, PuzzleRequest, generate
from bddsudoku.authoring import rule_placement as placing
from bddsudoku.authoring.puzzle_request import SYMMETRIES, cell_orbits
from bddsudoku.authoring.rule_placement import place_rules, sketch_of
from bddsudoku.context import Context
from bddsudoku.errors import BddSudokuError
from bddsudoku.puzzle.sudoku.rules import known_rules, rule_from_line
from bddsudoku.solver import count

GRID = "123456789456789123789123456231564897564897231897231564312645978645978312978312645"


def some(
    number: int, wanted: PuzzleRequest, seed: int = 1, **options: object
) -> list[GeneratedPuzzle]:
    made = list(islice(generate(wanted, seed, **options), number))  # type: ignore[arg-type]
    for m in made:
        assert {**m.grid.hints, **m.puzzle.hints} == m.grid.hints
        assert m.grid.is_solution
        assert m.solutions == wanted.solutions
        assert m.second not in ("", m.engine)
        assert all(rule.holds(m.grid) for rule in m.puzzle.rules)
    return made


def is_minimal(puzzle: Puzzle, engine: str = "dlx") -> bool:
    number = count(puzzle, engine)
    return all(count(puzzle.without(cell), "bitboard") > number for cell in puzzle.hints)


def test_minimal_puzzles() -> None:
    made = some(8, PuzzleRequest())
    assert len({m.puzzle for m in made}) == 8
    for m in made:
        assert m.minimal
        assert m.uniform
        assert count(m.puzzle, "dlx") == 1
        assert is_minimal(m.puzzle)


def test_the_seed_says_everything() -> None:
    one = some(25, PuzzleRequest(), 7, jobs=1)
    assert some(25, PuzzleRequest(), 7, jobs=2) == one
    assert some(5, PuzzleRequest(), 7) == one[:5]
    assert not {m.puzzle for m in some(5, PuzzleRequest(), 8)} & {m.puzzle for m in one}


@pytest.mark.parametrize("solutions", [2, 9])
def test_so_many_solutions(solutions: int) -> None:
    for m in some(4, PuzzleRequest(solutions=solutions)):
        assert count(m.puzzle, "dlx") == solutions
        assert is_minimal(m.puzzle)


def test_so_many_hints() -> None:
    for m in some(5, PuzzleRequest(hints=(33, 33))):
        assert m.puzzle.hint_count == 33
        assert not m.minimal
    found = [m.puzzle.hint_count for m in some(30, PuzzleRequest(hints=(28, 31)))]
    assert {*found} == {28, 29, 30, 31}
    assert all(m.puzzle.hint_count == 22 for m in some(2, PuzzleRequest(hints=(22, 22))))


@pytest.mark.parametrize("name", sorted(SYMMETRIES))
def test_symmetric_patterns(name: str) -> None:
    for m in some(2, PuzzleRequest(symmetry=name)):
        for orbit in cell_orbits(9, name):
            assert len({m.puzzle[cell] == 0 for cell in orbit}) == 1
            if m.puzzle[orbit[0]]:
                assert count(m.puzzle.without(*orbit), "bitboard") > 1


def test_a_pattern_is_filled_or_not_left() -> None:
    cells = frozenset(c for c in range(81) if (c // 9 + c % 9) % 2 or c % 5 == 0)
    for m in some(3, PuzzleRequest(pattern=cells)):
        assert {*m.puzzle.hints} == cells
    for m in some(3, PuzzleRequest(pattern=cells, inside=True)):
        assert {*m.puzzle.hints} < cells
        assert is_minimal(m.puzzle)


@pytest.mark.parametrize(
    "wanted",
    [
        PuzzleRequest(hints=(16, 16)),
        PuzzleRequest(pattern=frozenset(range(27))),
        PuzzleRequest(Layout(2, 2), hints=(3, 3)),
        PuzzleRequest(Layout(2, 2), pattern=frozenset({0})),
    ],
)
def test_what_is_not_found(wanted: PuzzleRequest) -> None:
    with pytest.raises(LimitReached, match="found after 9 tries") as stop:
        next(generate(wanted, 1, tries=9))
    assert stop.value.limit == "tries"


@pytest.mark.parametrize("layout", [Layout(2, 2), Layout(2, 4)], ids=str)
def test_other_boards(layout: Layout) -> None:
    for m in some(1, PuzzleRequest(layout)):
        assert m.uniform == (layout.n <= 6)
        assert m.minimal
        assert count(m.puzzle, "brute-force" if layout.n <= 6 else "search") == 1
        assert all(count(m.puzzle.without(cell), "dlx") > 1 for cell in m.puzzle.hints)


@pytest.mark.parametrize(
    "wanted",
    [
        PuzzleRequest(Layout(2, 2), symmetry="rotate180"),
        PuzzleRequest(Layout(2, 2), hints=(6, 8)),
        PuzzleRequest(rules=(rule_from_line("diagonals"),), symmetry="left-right"),
    ],
    ids=["symmetry", "hints", "diagonals"],
)
def test_whether_it_is_minimal_is_always_known(wanted: PuzzleRequest) -> None:
    for m in some(3, wanted):
        needed = [count(m.puzzle.without(cell), "search") > 1 for cell in m.puzzle.hints]
        assert m.minimal is all(needed)


def test_rules_are_placed_and_needed() -> None:
    kinds = (("cage", 3), ("thermo", 1))
    for m in some(2, PuzzleRequest(Layout(2, 2), place=kinds)):
        assert count(m.puzzle, "brute-force") == 1
        for rule in m.puzzle.rules:
            assert count(m.puzzle.without(rule), "search") > 1
        for cell in m.puzzle.hints:
            assert count(m.puzzle.without(cell), "search") > 1


def test_rules_of_every_puzzle() -> None:
    both = (rule_from_line("diagonals"),)
    for m in some(1, PuzzleRequest(Layout(2, 3), rules=both)):
        assert m.puzzle.rules == both
        assert count(m.puzzle, "brute-force") == 1
    none = (rule_from_line("antiknight"), rule_from_line("nonconsecutive"))
    with pytest.raises(BddSudokuError, match="no grid obeys the rules"):
        next(generate(PuzzleRequest(Layout(2, 2), rules=none), 1))


@pytest.mark.parametrize("name", [k for k, rule in known_rules().items() if sketch_of(rule)])
@pytest.mark.parametrize("size", [4, 6, 9])
def test_every_kind_is_placed_where_it_holds(
    name: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(placing, "ATTEMPTS", 300)
    lines = {4: "1234341221434321", 6: "123456456123231564564231312645645312", 9: GRID}
    grid = Puzzle.parse(lines[size], Layout.of_size(size))
    rules = None
    for seed in range(8):
        rules = rules or place_rules(grid, [(name, 1)], np.random.default_rng(seed), Context())
    if rules is None:  # too small a board for this kind
        assert size < 9
        return
    assert [rule.name for rule in rules] == [name]
    assert rules[0].holds(grid)
    assert rule_from_line(rules[0].text) == rules[0]
