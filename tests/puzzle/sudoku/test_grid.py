"""Layout and Puzzle: shapes, houses, immutability, errors."""

from __future__ import annotations

import pytest
from hypothesis import given
from strategies import puzzles, solved_puzzles

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.layout import cell_name


def test_cells_by_number_and_by_place() -> None:
    puzzle = Puzzle([0] * 30 + [7] + [0] * 50)
    assert puzzle[30] == puzzle[3, 3] == 7
    assert puzzle.hints == {30: 7}
    assert puzzle.hint_count == 1
    assert puzzle.open_cells == tuple(c for c in range(81) if c != 30)
    assert cell_name(30, 9) == "r4c4"
    for place in (-1, 81, (9, 0), (0, 9), (-1, 0)):
        with pytest.raises(IndexError):
            puzzle[place]  # type: ignore[index]


@given(solved_puzzles())
def test_with_and_without(pair: tuple[Puzzle, Puzzle]) -> None:
    puzzle, solution = pair
    filled = puzzle.with_hints({c: solution[c] for c in puzzle.open_cells})
    assert filled == solution
    assert filled.is_complete
    assert filled.is_solution
    assert filled.without(*puzzle.open_cells) == puzzle
    assert hash(filled.without(*puzzle.open_cells)) == hash(puzzle)
    assert list(puzzle.clashes()) == []
    assert puzzle.hint_count + len(puzzle.open_cells) == puzzle.layout.cell_count
    if puzzle.open_cells:
        cell = puzzle.open_cells[0]
        place = divmod(cell, puzzle.n)
        assert puzzle.with_hint(place, solution[cell]) == puzzle.with_hint(cell, solution[place])
        assert not puzzle.is_complete
        with pytest.raises(ValueError, match=cell_name(cell, puzzle.n)):
            puzzle.without(cell)
        for digit in (0, -1, puzzle.n + 1):
            with pytest.raises(PuzzleFormatError, match=cell_name(cell, puzzle.n)):
                puzzle.with_hint(cell, digit)


def test_immutable() -> None:
    puzzle = Puzzle([0] * 81)
    with pytest.raises(AttributeError):
        puzzle.cells = (1,) * 81
    with pytest.raises(AttributeError):
        del puzzle.layout
    with pytest.raises(AttributeError):
        puzzle.colour = "red"  # type: ignore[attr-defined]
    puzzle.with_hint(0, 1)
    assert puzzle.hint_count == 0


def test_equality_is_by_cells_and_layout() -> None:
    two, three = Puzzle([0] * 36, Layout(2, 3)), Puzzle([0] * 36, Layout(3, 2))
    assert two == Puzzle([0] * 36)
    assert two != three
    assert len({two, three, Puzzle([[0] * 6] * 6)}) == 2
    assert two != "." * 36
    assert Puzzle.trusted((0,) * 36, Layout(2, 3)) == two
    assert hash(Puzzle.trusted((0,) * 36, Layout(2, 3))) == hash(two)


@pytest.mark.parametrize("cells", [[], [0] * 80, [0] * 82, [0] * 25, [[0] * 9] * 8, [0] * 4])
def test_wrong_numbers_of_cells(cells: list[int]) -> None:
    with pytest.raises(PuzzleFormatError):
        Puzzle(cells)


def test_wrong_digits() -> None:
    for digit in (10, -1, 300):
        with pytest.raises(PuzzleFormatError, match="r2c2") as caught:
            Puzzle([0] * 10 + [digit] + [0] * 70)
        assert caught.value.cell == "r2c2"
        assert str(digit) in str(caught.value)
    with pytest.raises(PuzzleFormatError):
        Puzzle([5] + [0] * 15)
    with pytest.raises(PuzzleFormatError, match="36 cells"):
        Puzzle([0] * 81, Layout(2, 3))


@given(puzzles())
def test_clashes(puzzle: Puzzle) -> None:
    n, layout = puzzle.n, puzzle.layout
    expected = {
        (a, b)
        for a, da in puzzle.hints.items()
        for b, db in puzzle.hints.items()
        if a < b
        and da == db
        and (a // n == b // n or a % n == b % n or layout.block_index(a) == layout.block_index(b))
    }
    found = list(puzzle.clashes())
    assert len(found) == len(expected)
    assert {(a, b) for a, b, _ in found} == expected
    assert all({a, b} <= set(house.cells) for a, b, house in found)
    assert puzzle.is_solution == (puzzle.is_complete and not expected)


def test_str_of_figure_1() -> None:
    line = "4.3.1...2.7..2..3.5...3.8...5..42.6.69.157.43.4.96..1...2.7...5.6..8..9.8...9.1.7"
    assert str(Puzzle.parse(line)).splitlines()[:3] == [
        "+-------+-------+-------+",
        "| 4 . 3 | . 1 . | . . 2 |",
        "| . 7 . | . 2 . | . 3 . |",
    ]
    assert repr(Puzzle.parse(line)) == f"Puzzle.parse('{line}')"
    assert repr(Puzzle([0] * 36, Layout(3, 2))) == f"Puzzle.parse('{'.' * 36}', Layout(3, 2))"
