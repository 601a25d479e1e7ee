"""Which engine fits a puzzle, by predicted cost; it says which and why.

* *Singles alone*: when the simplest deduction leaves no open cell there is nothing to search.
* *Bands* (9×9 only) count whatever there is; their own estimate of the work tells the seconds.
* *Frontier* builds a diagram; its cost is the predicted number of states of the best item order.
* *DLX* (other boards, and 9×9 with many hints): tried for a small budget of search nodes, because
  searches that end at all, with few solutions, end early.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bddsudoku.model.onehot import Model
from bddsudoku.puzzle.sudoku.allocation import Allocation, allocate
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.solver.compile import best_order, grid_set, searched_set
from bddsudoku.solver.engines import Limits, is_ordinary, masks_of

__all__ = ["Choice", "choose_counter", "choose_set"]

SEARCH_NODES = 200_000
"""Search nodes for which DLX is tried (some 0.1 s)."""
SEARCH_HINTS = 20
"""From so many hints on a search is tried on 9×9, too: it ends in milliseconds on most."""
SEARCH_NODES_9X9 = 20_000
"""Search nodes for that (some 5 ms)."""
SEARCH_SOLUTIONS = 100_000
"""Solutions that the trial may hand over to a diagram."""
STATES_A_SECOND = 3e6
"""Frontier states made in a second on the usual machine, both passes."""
DIAGRAM_SECONDS = 5.0
"""A predicted frontier run up to here is preferred to bands: a diagram answers more questions."""
DIAGRAM_SOLUTIONS = 20_000_000
"""Beyond so many solutions a diagram is not even predicted while bands can answer."""


@dataclass(frozen=True)
class Choice:
    """An engine and why it.

    Attributes:
        engine: ``singles``, ``bands``, ``frontier`` or ``dlx``.
        why: half a sentence for people.
        count: the answer, where choosing already found it.
        solutions: the set, where choosing already found it.
        order: item order for the frontier, where one was picked.
    """

    engine: str
    why: str
    count: int | None = None
    solutions: Any = None
    order: str = ""


def _settled(puzzle: Puzzle, model: Model) -> Choice | None:
    """The answer when singles leave no variable, or a contradiction."""
    if model.is_contradictory:
        return Choice("singles", "singles run into a contradiction", count=0)
    if not model.variables:
        return Choice("singles", "singles settle every cell", count=1)
    return None


def choose_counter(puzzle: Puzzle, limits: Limits) -> Choice:
    """Who counts a puzzle's solutions fastest."""
    model = allocate(puzzle, Allocation.SINGLES)
    if (choice := _settled(puzzle, model)) is not None:
        return choice
    if is_ordinary(puzzle):
        many = puzzle.hint_count >= SEARCH_HINTS
        if many and (choice := _searched(model, limits, SEARCH_NODES_9X9)) is not None:
            return choice
        from bddsudoku.engine import bands

        seconds = bands.predicted_cost(masks_of(puzzle))
        return Choice("bands", f"a 9x9 board, predicted {_shown(seconds)}")
    if (choice := _searched(model, limits)) is not None:
        return choice
    order, states = best_order(puzzle, model)
    why = f"{len(model.variables)} variables, predicted {states:,.0f} states in order {order}"
    return Choice("frontier", why, order=order)


def choose_set(puzzle: Puzzle, limits: Limits, order: str = "auto") -> Choice:
    """What holds a puzzle's set of solutions best: a diagram while it is small, else bands."""
    model = allocate(puzzle, Allocation.SINGLES)
    if (choice := _settled(puzzle, model)) is not None:
        from bddsudoku.solutions.diagram import Diagram

        diagram = Diagram.unit() if choice.count else Diagram.empty()
        found = grid_set(puzzle, model, diagram, order="rows")
        return Choice(choice.engine, choice.why, choice.count, found)
    if order != "auto":
        return Choice("frontier", f"the order {order} was named", order=order)
    if not is_ordinary(puzzle):
        search = _searched(model, limits)
        if search is not None and (search.count or 0) <= SEARCH_SOLUTIONS:
            found = searched_set(puzzle, model, limits)
            return Choice("dlx", search.why, search.count, found)
        best, states = best_order(puzzle, model)
        return Choice("frontier", f"predicted {states:,.0f} states in order {best}", order=best)
    from bddsudoku.engine import bands

    memory = {} if limits.memory is None else {"memory_limit": limits.memory}
    number = bands.count(masks_of(puzzle), progress=limits.progress, **memory)
    if number <= DIAGRAM_SOLUTIONS:
        best, states = best_order(puzzle, model)
        seconds = states / STATES_A_SECOND
        if seconds <= DIAGRAM_SECONDS:
            why = f"{number:,} solutions, predicted {states:,.0f} states in order {best}"
            return Choice("frontier", why, count=number, order=best)
        why = f"a diagram would take {states:,.0f} states or more"
    else:
        why = f"{number:,} solutions are too many for a diagram in seconds"
    return Choice("bands", why, count=number)


def _searched(model: Model, limits: Limits, nodes: int = SEARCH_NODES) -> Choice | None:
    """The count, if dancing links find it within their small budget."""
    from bddsudoku.engine import dlx

    result = dlx.count(model, node_limit=nodes, time_limit=limits.left)
    if not result.exact:
        return None
    why = f"the search ended after {result.nodes:,} nodes"
    return Choice("dlx", why, count=result.count)


def _shown(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.01 else "under 0.01 s"
