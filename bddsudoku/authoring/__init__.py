"""For people who make puzzles: puzzles to order, and how many there are.

:func:`generate` makes puzzles of any board and rules; :mod:`.estimate` tells how many minimal ones
there are. Hints are taken away by :mod:`bddsudoku.solver.reducing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bddsudoku.lazy import lazy_names

if TYPE_CHECKING:
    from bddsudoku.authoring.estimate import population as population
    from bddsudoku.authoring.generate import generate as generate
    from bddsudoku.authoring.symmetry import SYMMETRIES as SYMMETRIES
    from bddsudoku.authoring.wanted import Made as Made
    from bddsudoku.authoring.wanted import Wanted as Wanted
else:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "bddsudoku.authoring.estimate": ["population"],
            "bddsudoku.authoring.generate": ["generate"],
            "bddsudoku.authoring.symmetry": ["SYMMETRIES"],
            "bddsudoku.authoring.wanted": ["Made", "Wanted"],
        },
    )
