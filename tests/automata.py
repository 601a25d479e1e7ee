"""Automaton constraints made from a start state, a step and a test, as rules make theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bddsudoku.model.mdd import mdd_from_automaton
from bddsudoku.model.word_constraints import FALSE, Automaton


def automaton(
    family: str,
    label: str,
    groups: Sequence[Sequence[int]],
    start: Any,
    step: Callable[[Any, int], Any],
    accepts: Callable[[Any], bool],
    *,
    commutative: bool = False,
) -> Automaton:
    """The constraint on groups of variables; those that are shorter lack the last symbols."""
    wide = max((len(g) for g in groups), default=0)
    filled = tuple((*g, *[FALSE] * (wide - len(g))) for g in groups)
    mdd = mdd_from_automaton(len(filled), range(1 + wide), start, step, accepts)
    return Automaton(family, label, filled, mdd, commutative)
