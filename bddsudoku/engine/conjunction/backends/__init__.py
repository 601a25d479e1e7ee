"""The BDD packages that can do the multiplying, behind one small protocol.

A backend is named by the caller, or chosen by one rule: the first of :data:`BACKENDS` that is
installed. Which one it was stands in every result, and :func:`passed_over` says what comes before.
"""

from __future__ import annotations

import os
from importlib import import_module, util
from types import ModuleType

from bddsudoku.engine.conjunction.backends.protocol import Backend
from bddsudoku.errors import BackendUnavailable

__all__ = [
    "BACKENDS",
    "Backend",
    "available_backends",
    "load",
    "make_backend",
    "passed_over",
    "resolve_backend",
]

BACKENDS = {
    "cudd": ("dd.cudd", "dd wheels with CUDD exist for Linux x86-64, CPython 3.11 to 3.13"),
    "oxidd": ("oxidd.bcdd", "install the extra: pip install 'bddsudoku[oxidd]'"),
    "autoref": ("dd.autoref", "it comes with the package dd"),
}
"""Backend → (module that must be there, what to know when it is not); fastest first."""


def available_backends() -> list[str]:
    """The installed backends, fastest first."""
    return [name for name in BACKENDS if _is_installed(name)]


def resolve_backend(name: str | None = None) -> str:
    """The name of the backend to use: the one asked for, else the first that is installed.

    Raises:
        BackendUnavailable: it is unknown, or not installed here.
    """
    if name is None or name == "auto":
        found = available_backends()
        if not found:
            raise BackendUnavailable("no BDD backend is installed; pip install dd brings one")
        return found[0]
    if name not in BACKENDS:
        raise BackendUnavailable(f"unknown BDD backend {name!r}; there are {', '.join(BACKENDS)}")
    if not _is_installed(name):
        module, advice = BACKENDS[name]
        raise BackendUnavailable(f"BDD backend {name!r} needs {module}, not installed: {advice}")
    return name


def passed_over(name: str) -> str:
    """Which backends before this one are not installed and how to get them; empty for the first."""
    before = list(BACKENDS)[: list(BACKENDS).index(name)]
    told = [f"no {other}: {BACKENDS[other][1]}" for other in before if not _is_installed(other)]
    return f" ({'; '.join(told)})" if told else ""


def make_backend(name: str, variables: int, memory: int) -> Backend:
    """A fresh manager with ``variables`` variables, in order, within ``memory`` bytes.

    More memory than the machine has is as much as it has.

    Raises:
        BackendUnavailable: the backend is not installed, or its library does not load.
        LimitReached: the memory does not even suffice for an empty manager.
    """
    module = load(resolve_backend(name))
    if hasattr(os, "sysconf"):
        # dd refuses to be promised all there is
        memory = min(memory, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") - 1)
    backend: Backend = module.open_manager(variables, memory)
    return backend


def load(name: str) -> ModuleType:
    """The module of a backend that is installed.

    Raises:
        BackendUnavailable: its library does not load.
    """
    try:
        return import_module(f"bddsudoku.engine.conjunction.backends.{name}_backend")
    except ImportError as error:
        raise BackendUnavailable(f"BDD backend {name!r} does not load: {error}") from error


def _is_installed(name: str) -> bool:
    module = BACKENDS[name][0]
    try:
        return util.find_spec(module) is not None
    except ModuleNotFoundError:  # the parent package is missing
        return False
