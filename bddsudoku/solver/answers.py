"""Answers: a count or a set, who gave it, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from bddsudoku.decimals import to_decimal

if TYPE_CHECKING:
    from bddsudoku.engine.protocol import Compiled


@dataclass(frozen=True)
class Counted:
    """A count and where it came from.

    Attributes:
        count: number of solutions; where counting was to end there, there may be more.
        engine: who counted.
        why: why this engine.
        seconds: wall-clock time, choosing included.
        exact: whether these are all.
    """

    count: int
    engine: str
    why: str
    seconds: float
    exact: bool = True


@dataclass(frozen=True)
class Solved:
    """A solution set and where it came from.

    Attributes:
        solutions: a SolutionSet (of a Sudoku: a GridSet) or what an engine holds itself.
        engine: what made or holds it.
        why: why this engine.
        seconds: wall-clock time, choosing included.
        cost: of the diagram, where one was made: order, states, width, trace.
    """

    solutions: Any
    engine: str
    why: str
    seconds: float
    cost: Compiled | None = field(default=None, repr=False)

    @property
    def order(self) -> str:
        """Name of the diagram's order; empty where there is no diagram."""
        return "" if self.cost is None else self.cost.order


class Run(TypedDict):
    """One engine's say, JSON-able: ``count`` is a decimal string, None where a limit ended it."""

    engine: str
    count: str | None
    limit: str | None
    seconds: float


def said(engine: str, count: int | str, seconds: float) -> Run:
    """The run of an engine that has counted."""
    count = count if isinstance(count, str) else to_decimal(count)
    return {"engine": engine, "count": count, "limit": None, "seconds": seconds}


class Agreement(TypedDict):
    """All runs; how many counted; whether they agree (None for fewer than two)."""

    runs: list[Run]
    finished: int
    agree: bool | None


def agreement(runs: list[Run]) -> Agreement:
    """The one verdict on counts of the same question."""
    counts = [run["count"] for run in runs if run["count"] is not None]
    agree = len(set(counts)) == 1 if len(counts) > 1 else None
    return {"runs": runs, "finished": len(counts), "agree": agree}
