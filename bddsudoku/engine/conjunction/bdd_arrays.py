"""A BDD as flat arrays, its count and its conversion to a ZDD, and the result of a build."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from bddsudoku.diagrams.zdd import Diagram
    from bddsudoku.jit.decorators import U16, U32


class BddArrays(NamedTuple):
    """The nodes of one function as arrays, in any order; nodes 0 and 1 are ⊥ and ⊤.

    A node and its negation, which share one with complement edges, are two nodes here.

    Attributes:
        level: uint16; the level (position of the variable) of every node; of the terminals the
            number of variables.
        low, high: uint32; the children.
        root: the node that is the function.
    """

    level: U16
    low: U32
    high: U32
    root: int

    def model_count(self) -> int:
        """Number of satisfying assignments, exact for any size; one pass in pure Python."""
        level: list[int] = self.level.tolist()
        low, high = self.low.tolist(), self.high.tolist()
        counts = [0, 1] + [0] * (len(level) - 2)  # over the variables from the node's level down
        for i in sorted(range(2, len(level)), key=level.__getitem__, reverse=True):
            counts[i] = sum(counts[c] << (level[c] - level[i] - 1) for c in (low[i], high[i]))
        return counts[self.root] << level[self.root]

    def diagram(self, labels: Sequence[int]) -> Diagram:
        """Convert to the canonical ZDD of the satisfying assignments, in linear time.

        Args:
            labels: the key of each level's variable, top level first.
        """
        from bddsudoku.diagrams.canonical import Nodes
        from bddsudoku.diagrams.transform import diagram_of_bdd

        return diagram_of_bdd(np.array(labels, dtype=np.int64), Nodes(*self))


_COUNTED_IN_PYTHON = 100_000


@dataclass(frozen=True, slots=True)
class ConjunctionStep:
    """One step of a build, in which a constraint is conjoined with the BDD of those before it.

    Attributes:
        position: position of the constraint in ``Model.constraints``.
        family: family of the constraint.
        label: label of the constraint.
        nodes: nodes of the product after this step, without terminals.
        seconds: time to make the constraint's BDD, conjoin it and free the previous product,
            without counting the nodes.
    """

    position: int
    family: str
    label: str
    nodes: int
    seconds: float


@dataclass(frozen=True)
class BuildResult:
    """The BDD of a model, with the trace and the cost of its construction.

    Attributes:
        backend: name of the backend.
        backend_version: version of the package.
        schedule: name of the schedule.
        variables: number of variables.
        steps: the trace.
        nodes: nodes of the final BDD, without terminals (and with complement edges, as in CUDD).
        seconds: sum over the steps.
        cpu_seconds: processor time of the steps, less disturbed by other work on the host.
        wall_seconds: time with the manager's start and the counting of nodes between steps.
        memory: bytes in use by the manager at the end, as the backend reports them.
        peak_rss: largest resident set of the building process in bytes; None where unknown.
        keys: the key of each level's variable.
    """

    backend: str
    backend_version: str
    schedule: str
    variables: int
    steps: tuple[ConjunctionStep, ...]
    nodes: int
    seconds: float
    cpu_seconds: float
    wall_seconds: float
    memory: int
    peak_rss: int | None
    keys: tuple[int, ...] = field(repr=False)
    _nodes: BddArrays | Callable[[], BddArrays] | None = field(
        default=None, repr=False, compare=False
    )

    @property
    def peak_nodes(self) -> int:
        """Number of nodes of the largest BDD after any step, without terminals."""
        return max((s.nodes for s in self.steps), default=0)

    @cached_property
    def arrays(self) -> BddArrays:
        """The nodes of the final BDD.

        Raises:
            ValueError: the build was called with ``keep=False``.
        """
        if self._nodes is None:
            raise ValueError("this build was asked not to keep its nodes")
        return self._nodes() if callable(self._nodes) else self._nodes

    @cached_property
    def _diagram(self) -> Diagram:
        """The canonical ZDD of the solutions, converted once."""
        return self.arrays.diagram(self.keys)

    def diagram(self) -> Diagram:
        """The solutions as a canonical ZDD over the model's variables in their order."""
        return self._diagram

    def count(self) -> int:
        """Number of solutions, exact for any size.

        Small BDDs are counted in Python, large ones on their ZDD, whose compiled functions take
        half a second to load.
        """
        if self.nodes < _COUNTED_IN_PYTHON:
            return self.arrays.model_count()
        from bddsudoku.diagrams.counting import Counts

        return Counts(self.diagram()).total


def steps_to_json(steps: Sequence[ConjunctionStep]) -> list[dict[str, Any]]:
    """The trace of a build as a list of dictionaries for JSON."""
    return [
        {"constraint": f"{s.family} {s.label}"} | asdict(s) | {"seconds": round(s.seconds, 6)}
        for s in steps
    ]
