"""The search with components as an engine of the protocol: any one-hot constraints."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bddsudoku.engine.components.parts import decomposed
from bddsudoku.engine.protocol import Decomposes
from bddsudoku.engine.search.prepare import prepare
from bddsudoku.errors import ModelError
from bddsudoku.limits import Limits, Progress
from bddsudoku.model.model import Model
from bddsudoku.model.propagation import candidates
from bddsudoku.solutions.decoder import GridDecoder
from bddsudoku.solutions.decomposed import Decomposed, Totals
from bddsudoku.solutions.decomposedset import DecomposedSet

if TYPE_CHECKING:
    from bddsudoku.solutions.decoder import Decoder

__all__ = ["Components"]

FEW, MANY = 600, 4_000
"""Variables from which a diagram takes longer than an attempt, and up to which that is cheap: the
conflicts are a table of all pairs."""


class Components(Decomposes):
    """What falls apart is counted apart and multiplied; what was met before is remembered."""

    name: ClassVar[str] = "components"

    def refuses(self, model: Model) -> str | None:
        """Anything but one-hot constraints: a machine would hold together what falls apart."""
        for _, c in model.demands:
            return f"{c.family} {c.label} is no one-hot constraint"
        return None

    def suits(self, model: Model) -> bool:
        """Boards of 12x12 and more that are not nearly full; tilings are better in order."""
        board = model.origin is not None and model.origin.settles
        return board and FEW <= len(candidates(model).variables) <= MANY

    def count(self, model: Model, limits: Limits, progress: Progress | None = None) -> int:
        """Without writing down what is true on the way; free variables double the count."""
        model = candidates(model)
        if model.is_contradictory:
            return 0
        prepared = prepare(len(model.variables), model.constraints, check=limits.account())
        diagram = decomposed(prepared, limits, progress, literals=False)
        return Totals(diagram).total << len(prepared.free)

    def family(
        self,
        model: Model,
        limits: Limits,
        progress: Progress | None = None,
        *,
        decoder: Decoder | None = None,
    ) -> DecomposedSet:
        """The decomposable diagram of all solutions, made at once.

        Raises:
            LimitReached: a limit ended the search.
            ModelError: the solutions are no grids.
        """
        if not isinstance(decoder, GridDecoder):
            raise ModelError("the engine components holds sets of grids; take frontier")
        model = candidates(model)
        if model.is_contradictory:
            return DecomposedSet(Decomposed.empty(), decoder)
        prepared = prepare(len(model.variables), model.constraints, check=limits.account())
        if prepared.free:
            raise ModelError("a variable in no constraint stands in no grid; take frontier")
        diagram = decomposed(prepared, limits, progress)
        keys = np.array([v.key for v in model.variables], dtype=np.int64)
        fixed = tuple(v.key for v in model.fixed) if diagram.root else ()
        return DecomposedSet(
            replace(diagram, labels=keys, literal=prepared.order[diagram.literal]),
            decoder,
            fixed=fixed,
        )
