"""Conjunction of one-hot constraints on a BDD package, step by step (the paper's engine)."""

from bddsudoku.engine.conjunction.backends import (
    BACKENDS,
    available_backends,
    passed_over,
    resolve_backend,
)
from bddsudoku.engine.conjunction.build import DEFAULT_MEMORY, build
from bddsudoku.engine.conjunction.result import BuildResult, Step

__all__ = [
    "BACKENDS",
    "DEFAULT_MEMORY",
    "BuildResult",
    "Step",
    "available_backends",
    "build",
    "passed_over",
    "resolve_backend",
]
