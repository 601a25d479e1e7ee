"""The engines that there are, found by name or by what they do not refuse.

The engines of this package are imported when somebody looks at them; others join by
:func:`register` and are then found by ``auto``, ``check``, ``count`` and the conformance suite.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TypeVar

from bddsudoku.engine.protocol import Decomposes, Engine, Holds, Lists
from bddsudoku.errors import BddSudokuError
from bddsudoku.model.model import Model

__all__ = [
    "decomposer_for",
    "engine",
    "engine_names",
    "engines",
    "engines_for",
    "refusals",
    "register",
    "searcher_for",
    "unregister",
]

E = TypeVar("E", bound=Engine)

_BUILT_IN = {
    "singles": "bddsudoku.engine.singles:Singles",
    "quick": "bddsudoku.engine.quick.engine:Quick",
    "bands": "bddsudoku.engine.bands.engine:Bands",
    "frontier": "bddsudoku.engine.topdown:Frontier",
    "bdd": "bddsudoku.engine.conjunction.engine:Bdd",
    "dlx": "bddsudoku.engine.dlx:Dlx",
    "components": "bddsudoku.engine.components.engine:Components",
    "search": "bddsudoku.engine.search.engine:SearchEngine",
    "backtrack": "bddsudoku.engine.backtrack:Backtrack",
}
"""Name → where its class is; the order is that of tables, the fastest first."""

_known: dict[str, Engine] = {}
"""Engines that were asked for or registered, each made once; every access is a single step."""


def engine_names() -> tuple[str, ...]:
    """All names, without importing any engine."""
    return tuple(dict.fromkeys((*_BUILT_IN, *_known)))


def engine(name: str) -> Engine:
    """The engine of a name.

    Raises:
        BddSudokuError: there is none.
    """
    if name not in _known:
        if name not in _BUILT_IN:
            raise BddSudokuError(f"no engine is called {name!r}; there are {engine_names()}")
        module, _, attribute = _BUILT_IN[name].partition(":")
        made = getattr(import_module(module), attribute)()
        assert isinstance(made, Engine)
        _known.setdefault(name, made)
    return _known[name]


def engines() -> Iterator[Engine]:
    """All engines."""
    return map(engine, engine_names())


def engines_for(model: Model, kind: type[E], *, voting: bool = True) -> tuple[E, ...]:
    """The engines of a kind that do not refuse a model, the fastest first.

    Args:
        model: what is to be counted, compiled, listed.
        kind: :class:`Engine` for all, or one of its children in :mod:`bddsudoku.engine.protocol`.
        voting: leave out those that only settle trivial models.
    """
    return tuple(
        e
        for e in engines()
        if isinstance(e, kind) and (e.votes or not voting) and e.refuses(model) is None
    )


def searcher_for(model: Model) -> Lists:
    """Who lists the solutions of a model best."""
    found = engines_for(model, Lists)
    return next((e for e in found if e.suits(model)), found[0])


def decomposer_for(model: Model) -> Decomposes | None:
    """Who may hold what falls apart; None where another engine holds any set of this kind."""
    if engines_for(model, Holds):
        return None
    return next((e for e in engines_for(model, Decomposes) if e.suits(model)), None)


def refusals(model: Model) -> dict[str, str]:
    """Which engines refuse a model, and why."""
    return {e.name: why for e in engines() if (why := e.refuses(model)) is not None}


def register(new: Engine) -> None:
    """Add an engine; from now on it is asked like the others.

    Raises:
        BddSudokuError: its name is taken.
    """
    if new.name in engine_names():
        raise BddSudokuError(f"an engine is already called {new.name!r}")
    _known[new.name] = new


def unregister(name: str) -> None:
    """Take an engine away that was added by :func:`register`."""
    if name in _BUILT_IN:
        raise BddSudokuError(f"{name!r} is an engine of this package")
    _known.pop(name, None)
