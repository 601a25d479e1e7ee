"""Model → answer. Engines know no puzzle.

The names with which an engine of one's own is written and made known are found here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bddsudoku.lazy import lazy_names

if TYPE_CHECKING:
    from bddsudoku.engine.protocol import Compiled as Compiled
    from bddsudoku.engine.protocol import Compiles as Compiles
    from bddsudoku.engine.protocol import Decomposes as Decomposes
    from bddsudoku.engine.protocol import Engine as Engine
    from bddsudoku.engine.protocol import Forecast as Forecast
    from bddsudoku.engine.protocol import Found as Found
    from bddsudoku.engine.protocol import Holds as Holds
    from bddsudoku.engine.protocol import Lists as Lists
    from bddsudoku.engine.registry import engine_names as engine_names
    from bddsudoku.engine.registry import register as register
    from bddsudoku.engine.registry import unregister as unregister
else:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "bddsudoku.engine.protocol": [
                "Compiled",
                "Compiles",
                "Decomposes",
                "Engine",
                "Forecast",
                "Found",
                "Holds",
                "Lists",
            ],
            "bddsudoku.engine.registry": ["engine_names", "register", "unregister"],
        },
    )
