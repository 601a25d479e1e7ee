"""The simplest deduction alone: an engine for what it settles, the first thing that is tried."""

from __future__ import annotations

from typing import ClassVar

from bddsudoku.engine.protocol import Engine, Found
from bddsudoku.limits import Limits, Progress
from bddsudoku.model.model import Model
from bddsudoku.model.propagation import singles

__all__ = ["Singles"]


class Singles(Engine):
    """Counts models that naked and hidden singles settle: one solution, or a contradiction."""

    name: ClassVar[str] = "singles"
    votes: ClassVar[bool] = False

    def refuses(self, model: Model) -> str | None:
        """Whatever is open after the fixpoint."""
        settled = singles(model)
        if settled.is_contradictory or not settled.variables:
            return None
        return "singles alone do not settle this puzzle; another engine must count it"

    def count(self, model: Model, limits: Limits, progress: Progress | None = None) -> int:
        """0 or 1."""
        return 0 if singles(model).is_contradictory else 1

    def trial(self, model: Model, limits: Limits) -> Found | None:
        """The answer where there is nothing to search."""
        settled = singles(model)
        if settled.is_contradictory:
            return Found(0, "singles run into a contradiction")
        if not settled.variables:
            return Found(1, "singles settle every cell")
        return None

    def warm_up(self) -> None:
        """Nothing is compiled."""
