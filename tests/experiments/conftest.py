"""Experiments are imported as scripts beside each other; their children may run in this process."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
NAMES = [path.stem for path in EXPERIMENTS.glob("*.py")]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Import an experiment afresh."""
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    for name in NAMES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module
    for name in NAMES:
        sys.modules.pop(name, None)


@pytest.fixture
def here(load: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The same; its measurements are taken in this process, without limits."""

    def measured(task: str, case: Any, options: Any, **isolated: Any) -> dict[str, Any]:
        module, _, function = task.partition(":")
        result = getattr(importlib.import_module(module), function)(case, lambda message: None)
        json.dumps(result)
        return {**result, "wall_seconds": 1.0}

    monkeypatch.setattr(load("harness"), "measured", measured)
    return load
