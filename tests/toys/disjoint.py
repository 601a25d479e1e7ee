"""A toy engine: constraints that share no variable are independent, so their choices multiply."""

from __future__ import annotations

from math import prod
from typing import ClassVar

from bddsudoku.context import Context
from bddsudoku.engine.protocol import Engine, ProbeResult
from bddsudoku.model import Model


class Disjoint(Engine):
    name: ClassVar[str] = "disjoint"

    def refuses(self, model: Model) -> str | None:
        seen: set[int] = set()
        for c in model.constraints:
            if not seen.isdisjoint(c.variables):
                return f"{c.family} {c.label} shares a variable with another constraint"
            seen.update(c.variables)
        return None

    def count(self, model: Model, context: Context) -> int:
        if model.is_contradictory:
            return 0
        return prod(len(c.variables) + c.at_most if c.total else 1 for c in model.constraints)

    def probe(self, model: Model, context: Context) -> ProbeResult | None:
        return ProbeResult(self.count(model, context), "its constraints are independent")


ENGINE = Disjoint()
