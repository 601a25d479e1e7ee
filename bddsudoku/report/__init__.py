"""The answer to look at: tables, plots, pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bddsudoku.lazy import lazy_names

if TYPE_CHECKING:
    from bddsudoku.report.frames import frame as frame
    from bddsudoku.report.frames import marginals_frame as marginals_frame
    from bddsudoku.report.frames import steps_frame as steps_frame
    from bddsudoku.report.hint_tables import additions_text as additions_text
    from bddsudoku.report.hint_tables import hints_text as hints_text
    from bddsudoku.report.hint_tables import removals_text as removals_text
    from bddsudoku.report.plots import plot_marginals as plot_marginals
    from bddsudoku.report.plots import plot_panels as plot_panels
    from bddsudoku.report.plots import plot_profiles as plot_profiles
    from bddsudoku.report.plots import plot_removal as plot_removal
    from bddsudoku.report.plots import plot_steps as plot_steps
    from bddsudoku.report.subset_tables import subsets_text as subsets_text
    from bddsudoku.report.subset_tables import unavoidable_text as unavoidable_text
    from bddsudoku.report.tables import marginals_table as marginals_table
else:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "bddsudoku.report.frames": ["frame", "marginals_frame", "steps_frame"],
            "bddsudoku.report.hint_tables": ["additions_text", "hints_text", "removals_text"],
            "bddsudoku.report.plots": [
                "plot_marginals",
                "plot_panels",
                "plot_profiles",
                "plot_removal",
                "plot_steps",
            ],
            "bddsudoku.report.subset_tables": ["subsets_text", "unavoidable_text"],
            "bddsudoku.report.tables": ["marginals_table"],
        },
    )
