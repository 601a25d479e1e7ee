"""Proposed item orders: permutations, names, and equal counts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import layouts, solved_puzzles

from bddsudoku.errors import ModelError
from bddsudoku.model.ordering import item_orders
from bddsudoku.puzzle.sudoku import Layout, Puzzle, allocate, empty_board_model
from bddsudoku.puzzle.sudoku.sudoku_orders import cell_order

LAYOUT = Layout()


@settings(max_examples=15, deadline=None)
@given(solved_puzzles(hints=(0, 30)))
def test_all_proposals_are_permutations(case: tuple[Puzzle, Puzzle]) -> None:
    board, _ = case
    model = allocate(board, "candidates")
    cover = model.cover()
    orders = item_orders(model)
    assert next(iter(orders)) == "rows"
    open_cells = len(board.open_cells)
    for name, order in orders.items():
        assert sorted(order) == list(range(cover.items)), name
        assert model.origin.item_order(model, name) == order
        families = [model.constraints[cover.constraint_of[i]].family for i in order]
        assert families[:open_cells] == ["cell"] * open_cells


@settings(max_examples=15, deadline=None)
@given(layouts(12), st.sampled_from(["rows", "columns", "blocks", "snake-columns"]))
def test_variants_are_permutations(layout: Layout, kind: str) -> None:
    model = empty_board_model(layout)
    for name, order in model.origin.order_variants(model, kind).items():
        assert sorted(order) == list(range(4 * layout.cell_count)), name
        assert sorted(cell_order(name, layout)) == list(range(layout.cell_count))


def test_cells_of_named_orders() -> None:
    assert cell_order("rows", LAYOUT) == tuple(range(81))
    assert cell_order("columns", LAYOUT)[:3] == (0, 9, 18)
    assert cell_order("rows:231", LAYOUT)[:2] == (27, 28)
    assert cell_order("rows:912345678", LAYOUT)[:10] == (*range(72, 81), 0)
    assert cell_order("rows::312", LAYOUT)[:4] == (6, 7, 8, 0)
    assert cell_order("snake-rows", LAYOUT)[8:11] == (8, 17, 16)
    assert cell_order("blocks", LAYOUT)[:6] == (0, 1, 2, 9, 10, 11)
    assert cell_order("column-blocks", LAYOUT)[:6] == (0, 9, 18, 1, 10, 19)
    # 2 x 3 blocks: three bands of two rows, two stacks of three columns
    six = Layout(2, 3)
    assert cell_order("rows:312", six)[0] == 24
    assert cell_order("columns:21", six)[:2] == (3, 9)
    assert cell_order("blocks", six)[:7] == (0, 1, 2, 6, 7, 8, 3)


@pytest.mark.parametrize(
    "name", ["", "row", "rows:1", "rows:1233", "rows:99", "rows:123:12", "greedy:1", "rows:1:2:3"]
)
def test_other_names_are_refused_in_one_line(name: str) -> None:
    with pytest.raises(ModelError) as caught:
        cell_order(name, LAYOUT)
    assert "\n" not in str(caught.value)


def test_greedy_needs_a_model() -> None:
    with pytest.raises(ModelError, match="model"):
        cell_order("greedy", LAYOUT)
