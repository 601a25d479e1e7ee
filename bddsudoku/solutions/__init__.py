"""The answer as a set. Knows no engine and no puzzle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bddsudoku.lazy import lazy_names

if TYPE_CHECKING:
    from bddsudoku.solutions.decoder import KeyDecoder as KeyDecoder
    from bddsudoku.solutions.diagram import Diagram as Diagram
    from bddsudoku.solutions.gridset import GridSet as GridSet
    from bddsudoku.solutions.interchange import from_dd as from_dd
    from bddsudoku.solutions.interchange import from_oxidd as from_oxidd
    from bddsudoku.solutions.interchange import to_dd as to_dd
    from bddsudoku.solutions.interchange import to_oxidd as to_oxidd
    from bddsudoku.solutions.solutionset import SolutionSet as SolutionSet
else:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "bddsudoku.solutions.decoder": ["KeyDecoder"],
            "bddsudoku.solutions.diagram": ["Diagram"],
            "bddsudoku.solutions.gridset": ["GridSet"],
            "bddsudoku.solutions.interchange": ["from_dd", "from_oxidd", "to_dd", "to_oxidd"],
            "bddsudoku.solutions.solutionset": ["SolutionSet"],
        },
    )
