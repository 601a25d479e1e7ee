"""What a build leaves behind: one step after another, and the whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bddsudoku.diagrams.zdd import Diagram
    from bddsudoku.engine.conjunction.arrays import BddArrays

_COUNTED_HERE = 100_000


@dataclass(frozen=True, slots=True)
class Step:
    """One constraint conjoined.

    Attributes:
        position: of the constraint in ``Model.constraints``.
        family: of the constraint.
        label: of the constraint.
        nodes: of the product after this step, without terminals.
        seconds: for making the constraint's BDD, conjoining it and letting go of the product
            before it; counting the nodes is not part of it.
    """

    position: int
    family: str
    label: str
    nodes: int
    seconds: float


@dataclass(frozen=True)
class BuildResult:
    """A model's BDD and how it came about.

    Attributes:
        backend: its name.
        backend_version: of the package behind it.
        schedule: name of the schedule.
        variables: number of variables.
        steps: the trace.
        nodes: of the final BDD, without terminals (and with complement edges, as in CUDD).
        seconds: sum over the steps.
        cpu_seconds: processor time of the same, which other work on the machine disturbs less.
        wall_seconds: with the manager's start and the counting of nodes between steps.
        memory: bytes in use by the manager at the end, as the backend tells them.
        peak_rss: largest resident set of the building process in bytes, where the system tells.
    """

    backend: str
    backend_version: str
    schedule: str
    variables: int
    steps: tuple[Step, ...]
    nodes: int
    seconds: float
    cpu_seconds: float
    wall_seconds: float
    memory: int
    peak_rss: int | None
    keys: tuple[int, ...] = field(repr=False)
    _export: Callable[[], BddArrays] | None = field(default=None, repr=False, compare=False)

    @property
    def peak_nodes(self) -> int:
        """The largest product on the way, in nodes without terminals."""
        return max((s.nodes for s in self.steps), default=0)

    @cached_property
    def arrays(self) -> BddArrays:
        """The final BDD's nodes.

        Raises:
            ValueError: the build was asked not to keep them.
        """
        if self._export is None:
            raise ValueError("this build was asked not to keep its nodes")
        return self._export()

    @cached_property
    def _diagram(self) -> Diagram:
        return self.arrays.diagram(self.keys)

    def diagram(self) -> Diagram:
        """The solutions as the frozen ZDD, over the model's variables in their order."""
        return self._diagram

    @cached_property
    def _count(self) -> int:
        if self.nodes < _COUNTED_HERE:
            return self.arrays.model_count()
        from bddsudoku.diagrams.counting import Counts

        return Counts(self.diagram()).total

    def count(self) -> int:
        """Number of solutions, exact for any size.

        Small BDDs are counted node by node, large ones on their frozen diagram, whose compiled
        passes take half a second to load.
        """
        return self._count

    def to_json(self) -> dict[str, Any]:
        """Everything but the nodes, for ``json.dumps``."""
        return {
            "backend": self.backend,
            "backend_version": self.backend_version,
            "schedule": self.schedule,
            "variables": self.variables,
            "nodes": self.nodes,
            "peak_nodes": self.peak_nodes,
            "seconds": round(self.seconds, 6),
            "cpu_seconds": round(self.cpu_seconds, 6),
            "wall_seconds": round(self.wall_seconds, 6),
            "memory": self.memory,
            "peak_rss": self.peak_rss,
            "steps": steps_to_json(self.steps),
        }


def steps_to_json(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """A trace for ``json.dumps``."""
    return [
        {"constraint": f"{s.family} {s.label}"} | asdict(s) | {"seconds": round(s.seconds, 6)}
        for s in steps
    ]
