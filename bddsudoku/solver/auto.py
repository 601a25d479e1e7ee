"""Which engine fits a puzzle, by predicted cost; it says which and why.

What is compared is the predicted time on the usual machine, in seconds:

* *singles alone*: when the simplest deduction leaves no open cell, there is nothing to search;
* *bands* (9×9 only): its own estimate of multiply-adds;
* *frontier*: the predicted number of states of the best item order;
* *DLX* (boards other than 9×9): tried for a fixed small budget of search nodes, because the
  searches that end at all end early.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from bddsudoku.puzzle.sudoku.grid import Puzzle

__all__ = ["Choice", "masks_of"]


@dataclass(frozen=True)
class Choice:
    """An engine, why it, and what was predicted.

    Attributes:
        engine: ``singles``, ``bands``, ``frontier`` or ``dlx``.
        why: half a sentence for people.
        predicted: seconds by engine, for those that were considered.
    """

    engine: str
    why: str
    predicted: dict[str, float] = field(default_factory=dict)


def masks_of(puzzle: Puzzle) -> list[int]:
    """Candidate masks of a puzzle's cells, bit ``d - 1`` for digit ``d``."""
    everything = (1 << puzzle.n) - 1
    return [1 << d - 1 if d else everything for d in puzzle.cells]
