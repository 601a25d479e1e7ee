"""Pictures of the page on the frontier: a state, widths of levels, sorted digits."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from _drawing import BLUE, GREY, PALE, RED, arrow, canvas, chart, grid
from _drawing import save as keep

from bddsudoku import Context, Puzzle, solve
from bddsudoku.engine.frontier.forward import ForwardPass
from bddsudoku.engine.frontier.state_table import ResourceAccounts
from bddsudoku.engine.order_choice import make_count_plan, make_plan_without_symmetry
from bddsudoku.model.allocation import propagate_for_diagram
from bddsudoku.solver import make_question, solve_detailed


def state(folder: Path) -> None:
    """Two beginnings of a 4×4 board with the same future."""
    rows = sorted(grid_.line for grid_ in solve(Puzzle.parse("1" + "." * 15)))
    length = 8
    futures: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        futures[row[:length]].add(row[length:])
    same: dict[frozenset[str], list[str]] = defaultdict(list)
    for begin, ends in futures.items():
        same[frozenset(ends)].append(begin)
    shared, (one, other, *_) = max(same.items(), key=lambda item: (len(item[1]) > 1, len(item[0])))
    figure, axes = canvas(6.6, 3.0, 13.2, 6.0)
    shade = {(n // 4, n % 4): PALE[BLUE] for n in range(length)}
    for left, begin in ((0.2, one), (5.0, other)):
        board = begin + "." * (16 - length)
        grid(
            axes, left, 0.6, [board[4 * r : 4 * r + 4] for r in range(4)], box=(2, 2),
            grounds=shade, size=14,
        )  # fmt: skip
    for column in range(4):
        used = sorted({one[n] for n in range(length) if n % 4 == column})
        assert used == sorted({other[n] for n in range(length) if n % 4 == column})
        for left in (0.2, 5.0):
            axes.text(left + column + 0.5, 5.2, "".join(used), ha="center", color=BLUE, fontsize=11)
    axes.text(11.2, 0.9, "may follow both:", ha="center", fontsize=11)
    for n, end in enumerate(sorted(shared)[:4]):
        axes.text(11.2, 1.9 + n, f"{end[:4]}  {end[4:]}", ha="center", fontsize=13)
    arrow(axes, (9.2, 2.6), (9.9, 2.6))
    axes.text(4.6, 5.85, "digits used in each column", ha="center", fontsize=10, color=GREY)
    keep(figure, folder, "frontier_state")


def widths(folder: Path) -> None:
    """States of each level of a puzzle with 15 hints, in two orders."""
    line = "000000010400000000020000000000050400008000300001090000000400200050100000000806000"
    with chart(
        folder,
        "frontier_widths",
        6.6,
        3.5,
        "part of the levels (%)",
        "states of the level",
        loc="lower center",
    ) as axes:
        for order, colour, dash in (("rows", RED, "--"), ("auto", BLUE, "-")):
            cost = solve_detailed(Puzzle.parse(line), "frontier", order).cost
            assert cost is not None
            name = f"{cost.order}: {cost.states:,} states"
            xs = [100 * level.level / level.levels for level in cost.levels]
            axes.plot(
                xs, [level.states for level in cost.levels], color=colour, ls=dash, label=name
            )
        axes.set(yscale="log")


def sorting(folder: Path) -> None:
    """States of the empty 6×6 board, as they are and with digits and lines sorted."""
    model = propagate_for_diagram(make_question(Puzzle.parse("." * 36)).model)
    with chart(
        folder, "frontier_sorted", 6.6, 3.5, "cells filled", "states", loc="upper left"
    ) as axes:
        for name, make, colour, dash in (
            ("as they are", make_plan_without_symmetry, RED, "--"),
            ("digits and lines sorted", make_count_plan, BLUE, "-"),
        ):
            forward = ForwardPass(
                make(model, Context()).spec(), ResourceAccounts(Context()), threads=1
            )
            forward.expand_all_levels(lambda run, waiting: None)
            levels = forward.trace
            whole = sum(level.states for level in levels)
            axes.plot(
                [level.level + 1 for level in levels], [level.states for level in levels],
                color=colour, ls=dash, label=f"{name}: {whole:,} states",
            )  # fmt: skip
        axes.set(yscale="log")
        axes.set_ylim(top=1e7)


def draw(folder: Path) -> None:
    """All pictures of the page."""
    state(folder)
    widths(folder)
    sorting(folder)
