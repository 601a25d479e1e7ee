"""For people who make puzzles: puzzles to order, and how many there are.

:func:`generate` makes puzzles of any board and rules; :mod:`.estimate` tells how many minimal ones
there are. Hints are taken away by :mod:`bddsudoku.solver.reducing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bddsudoku.lazy import lazy_names

if TYPE_CHECKING:
    from bddsudoku.authoring.best_rules import next_rules as next_rules
    from bddsudoku.authoring.best_rules import whole_board_rules as whole_board_rules
    from bddsudoku.authoring.estimate import OrdinaryBoards as OrdinaryBoards
    from bddsudoku.authoring.estimate import favour as favour
    from bddsudoku.authoring.estimate import population as population
    from bddsudoku.authoring.estimate import populations as populations
    from bddsudoku.authoring.making import generate as generate
    from bddsudoku.authoring.minimal import minimal_subsets as minimal_subsets
    from bddsudoku.authoring.minimal_answers import Subsets as Subsets
    from bddsudoku.authoring.minimal_answers import subset_answers as subset_answers
    from bddsudoku.authoring.minimal_lists import subset_answers_many as subset_answers_many
    from bddsudoku.authoring.symmetry import SYMMETRIES as SYMMETRIES
    from bddsudoku.authoring.unavoidable import Unavoidable as Unavoidable
    from bddsudoku.authoring.unavoidable import grid_of as grid_of
    from bddsudoku.authoring.unavoidable import region_of as region_of
    from bddsudoku.authoring.unavoidable import unavoidable_answers as unavoidable_answers
    from bddsudoku.authoring.unavoidable import unavoidable_sets as unavoidable_sets
    from bddsudoku.authoring.unavoidable import written as written
    from bddsudoku.authoring.wanted import Made as Made
    from bddsudoku.authoring.wanted import Wanted as Wanted
    from bddsudoku.authoring.wanted import read_pattern as read_pattern
else:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "bddsudoku.authoring.estimate": [
                "OrdinaryBoards",
                "favour",
                "population",
                "populations",
            ],
            "bddsudoku.authoring.making": ["generate"],
            "bddsudoku.authoring.symmetry": ["SYMMETRIES"],
            "bddsudoku.authoring.wanted": ["Made", "Wanted", "read_pattern"],
            "bddsudoku.authoring.minimal": ["minimal_subsets"],
            "bddsudoku.authoring.minimal_answers": ["Subsets", "subset_answers"],
            "bddsudoku.authoring.minimal_lists": ["subset_answers_many"],
            "bddsudoku.authoring.best_rules": ["next_rules", "whole_board_rules"],
            "bddsudoku.authoring.unavoidable": [
                "Unavoidable",
                "grid_of",
                "region_of",
                "unavoidable_answers",
                "unavoidable_sets",
                "written",
            ],
        },
    )
