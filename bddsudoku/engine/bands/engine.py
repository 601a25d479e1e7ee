"""Bands as an engine of the protocol: models of the ordinary 9×9 board, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bddsudoku.context import Context
from bddsudoku.engine.bands.bandset import BandSet
from bddsudoku.engine.bands.plan import predicted_cost
from bddsudoku.engine.classic import masks_of, strange_to_ordinary
from bddsudoku.engine.protocol import Forecast, Holds
from bddsudoku.model.model import Model

if TYPE_CHECKING:
    from bddsudoku.sets.decoder import Decoder


class Bands(Holds):
    """Sums over column partitions: any hints, any candidates taken away."""

    name: ClassVar[str] = "bands"

    def refuses(self, model: Model) -> str | None:
        """Every board but the ordinary one; one more or one fewer constraint is another board."""
        return strange_to_ordinary(model)

    def count(self, model: Model, context: Context, *, threads: int | None = None) -> int:
        """Less than a second, mostly, for hints; ``threads`` by default all cores."""
        return self.family(model, context, threads=threads).count()

    def family(
        self,
        model: Model,
        context: Context,
        *,
        decoder: Decoder | None = None,
        threads: int | None = None,
    ) -> BandSet:
        """The set of grids that fit the model's candidates."""
        return BandSet(
            masks_of(model),
            memory_limit=context.memory,
            threads=threads,
            progress=context.report,
            decoder=decoder,
        )

    def forecast(self, model: Model, context: Context) -> Forecast | None:
        """By the engine's own estimate of the work."""
        seconds = predicted_cost(masks_of(model))
        shown = f"{seconds:.2f} s" if seconds >= 0.01 else "under 0.01 s"
        return Forecast(seconds, f"a 9x9 board, predicted {shown}")

    def warm_up(self) -> None:
        """Count a puzzle with a few million solutions."""
        BandSet(_WARM).count()


_WARM = np.array(
    [
        1 << int(c) - 1 if c != "0" else 511
        for c in "000000010400000000020000000000050407008000300001090000000400200050100000000806000"
    ],
    dtype=np.uint16,
)
