"""What the conjunction engine asks of a BDD package."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from bddsudoku.engine.conjunction.result import BddArrays
from bddsudoku.model.constraints import OneHot

Function: TypeAlias = Any
"""A backend's own handle of a Boolean function; opaque to everyone else."""


class Backend(Protocol):
    """A BDD manager with complement edges and a fixed variable order.

    All backends count alike (one node stands for a function and its negation), so that their
    traces agree number by number. Every operation raises
    :class:`~bddsudoku.errors.LimitReached` when the manager's memory is exhausted; after that the
    manager must not be used any more.

    Attributes:
        name: as in :data:`~bddsudoku.engine.conjunction.backends.BACKENDS`.
        version: of the package behind it.
    """

    name: str
    version: str

    def constant(self, value: bool) -> Function:
        """⊤ or ⊥."""

    def node(self, variable: int, low: Function, high: Function) -> Function:
        """``high`` where the variable holds, else ``low`` (both below that variable)."""

    def conjoin(self, f: Function, g: Function) -> Function:
        """The logical product; O(|f| |g|) at worst."""

    def node_count(self, f: Function) -> int:
        """Nodes without terminals; O(|f|)."""

    def tidy(self) -> None:
        """Between two steps: collect garbage where the package does not do so by itself."""

    def abandon(self) -> None:
        """After a limit, when no function is left: drop the manager without further ado."""

    def memory(self) -> int:
        """Bytes in use by the manager (as the package states or allots them)."""

    def export(self, f: Function) -> BddArrays:
        """The nodes of ``f`` as arrays; O(|f|)."""


def one_hot(backend: Backend, constraint: OneHot) -> Function:
    """The BDD of one constraint, bottom-up over its variables.

    Two functions walk up the variables together: "none so far" (the remaining variables still
    owe the one) and "exactly one so far" (the remaining ones must all be 0). 2k - 2 nodes for k
    variables from two on (the lowest two share one, complemented).
    """
    if constraint.total < 0:
        return backend.constant(False)
    one = backend.constant(True)
    none = backend.constant(constraint.at_most)
    false = backend.constant(False)
    for variable in reversed(constraint.variables):
        none = backend.node(variable, none, one)
        one = backend.node(variable, one, false)
    return none if constraint.total == 1 else one
