"""Conjunction as an engine of the protocol: counts by the paper's way, in a process of its own."""

from __future__ import annotations

from typing import ClassVar

from bddsudoku.engine.conjunction.apart import build_isolated
from bddsudoku.engine.conjunction.trace import BuildResult, Step
from bddsudoku.engine.protocol import Compiled, Compiles
from bddsudoku.limits import Limits, Progress
from bddsudoku.model.model import Model
from bddsudoku.model.origin import usual_schedule
from bddsudoku.model.propagation import candidates

__all__ = ["Bdd"]


class Bdd(Compiles):
    """Constraint after constraint, in the schedule that serves the puzzle best."""

    name: ClassVar[str] = "bdd"

    def count(self, model: Model, limits: Limits, progress: Progress | None = None) -> int:
        """Under ``candidates``."""
        # A contradiction is seen at once; a product would grow until its order reaches it.
        if model.is_contradictory:
            return 0
        return self._built(candidates(model), limits, progress).count()

    def diagram(
        self,
        model: Model,
        limits: Limits,
        progress: Progress | None = None,
        *,
        order: str = "auto",
    ) -> Compiled:
        """The BDD as a ZDD; variables in the order of the model, ``order`` names the schedule."""
        model = candidates(model)
        built = self._built(model, limits, progress, None if order == "auto" else order)
        diagram = built.diagram()
        return Compiled(
            diagram,
            () if diagram.is_empty else tuple(v.key for v in model.fixed),
            "model",
            len(model.variables),
            seconds=built.wall_seconds,
            peak_bytes=built.memory,
        )

    @staticmethod
    def _built(
        model: Model, limits: Limits, progress: Progress | None, order: str | None = None
    ) -> BuildResult:
        told = limits.watch(progress)
        plan = usual_schedule(model, order)
        done = 0

        def step(_: Step) -> None:
            nonlocal done
            done += 1
            told(done, len(plan))

        return build_isolated(model, plan, limits=limits, on_step=step)

    def warm_up(self) -> None:
        """Every build is a fresh process: there is nothing to keep warm."""
