"""The engine ``bdd``: conjunction of the BDDs of all constraints with a BDD package."""

from bddsudoku.engine.conjunction.backends import (
    BACKENDS,
    available_backends,
    missing_backends_note,
    resolve_backend,
)
from bddsudoku.engine.conjunction.engine import DEFAULT_MEMORY, BuildResult, ConjunctionStep, build

__all__ = [
    "BACKENDS",
    "DEFAULT_MEMORY",
    "BuildResult",
    "ConjunctionStep",
    "available_backends",
    "build",
    "missing_backends_note",
    "resolve_backend",
]
