"""A BDD with complement edges as flat arrays, its conversion to a ZDD, and the result of a build.

Packages export their nodes in DDDMP, a text format with one line per node, children first: number,
variable, (CUDD: its index,) then-child, else-child; a negative child is a complemented edge (Cabodi
& Quer, "DDDMP: Decision diagram dump package").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from bddsudoku.errors import DamagedFileError

if TYPE_CHECKING:
    from bddsudoku.diagrams.zdd import Diagram
    from bddsudoku.jit.decorators import I32, I64, U32


@dataclass(frozen=True)
class BddArrays:
    """The nodes of one function as arrays, children before parents.

    An edge is ``2 * node + negated``; node 0 is the terminal ⊥, so edge 0 is ⊥ and edge 1 is ⊤.

    Attributes:
        levels: number of variables of the function.
        level: int32, shape (nodes + 1,); the level (position of the variable) of every node;
            ``levels`` for the terminal.
        low: int64, shape (nodes + 1,); edges to the low children.
        high: int64, shape (nodes + 1,); edges to the high children.
        root: the edge that is the function.
    """

    levels: int
    level: I32
    low: I64
    high: I64
    root: int

    @classmethod
    def constant(cls, value: bool, levels: int) -> BddArrays:
        """The constant function true or false over ``levels`` variables."""
        nothing = np.zeros(1, dtype=np.int64)
        return cls(levels, np.full(1, levels, dtype=np.int32), nothing, nothing, int(value))

    @property
    def node_count(self) -> int:
        """Number of nodes without the terminal."""
        return len(self.level) - 1

    def model_count(self) -> int:
        """Number of satisfying assignments, exact for any size; one pass in pure Python."""
        counts = [0]  # models over the variables from the node's own level down
        level: list[int] = self.level.tolist()

        def below(edge: int, start: int) -> int:
            node, negated = edge >> 1, edge & 1
            count = counts[node]
            if negated:
                count = (1 << (self.levels - level[node])) - count
            return int(count << (level[node] - start))

        for own, low, high in zip(
            level[1:], self.low[1:].tolist(), self.high[1:].tolist(), strict=True
        ):
            counts.append(below(low, own + 1) + below(high, own + 1))
        return below(self.root, 0)

    def diagram(self, labels: Sequence[int]) -> Diagram:
        """Convert to the canonical ZDD of the satisfying assignments, in linear time.

        Complement edges are resolved: a node and its negation become two nodes.

        Args:
            labels: the key of each level's variable, top level first.
        """
        from bddsudoku.diagrams.canonical import Nodes
        from bddsudoku.diagrams.transform import diagram_of_bdd

        low, high = (_edges_with_complements(edges) for edges in (self.low, self.high))
        nodes = Nodes(np.repeat(self.level.astype(np.uint16), 2), low, high, int(self.root))
        return diagram_of_bdd(np.array(labels, dtype=np.int64), nodes)


def _edges_with_complements(edges: I64) -> U32:
    """List each edge of a BDD followed by its complement."""
    both = np.repeat(edges, 2).astype(np.uint32)
    both[1::2] ^= 1
    return both


_LINES_PER_READ = 1 << 26
_VARINFO_NAMES = 3


def read_dddmp(path: str, levels: int) -> BddArrays:
    """Read a text-mode DDDMP file with a single root, at some 3 million nodes a second.

    Variables must be named by their level (CUDD) or be in the order of their numbers (OxiDD).

    Raises:
        DamagedFileError: the file is not complete, or has no single root.
    """
    with open(path, "rb") as file:
        header = _read_header(file, path)
        file.readline()  # the terminal, number 1
        nodes = int(header["nnodes"][0]) - 1
        by_name = int(header["varinfo"][0]) == _VARINFO_NAMES
        table = _read_node_table(file, nodes, 5 if by_name else 4, path)
    named = table[:, 1] if by_name else np.array(header["ids"], np.int32)[table[:, 1]]
    level = np.append(levels, named).astype(np.int32)
    high, low = (_edges_from_dddmp(table[:, column]) for column in (-2, -1))
    roots = header["rootids"]
    if len(roots) != 1:
        raise DamagedFileError(f"{path}: expected one root, found {len(roots)}")
    return BddArrays(
        levels, level, low, high, int(_edges_from_dddmp(np.array(roots, dtype=np.int64))[1])
    )


def _read_header(file: IO[bytes], path: str) -> dict[str, list[str]]:
    """Read the header of a DDDMP file as a dictionary from keyword to words."""
    found: dict[str, list[str]] = {}
    for raw in file:
        words = raw.decode().split()
        if words and words[0] == ".nodes":
            return found
        if words:
            found[words[0][1:]] = words[1:]
    raise DamagedFileError(f"{path}: no nodes in this DDDMP file")


def _read_node_table(
    file: IO[bytes], nodes: int, columns: int, path: str
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Read the node lines of a DDDMP file as a table of numbers."""
    table = np.empty(nodes * columns, dtype=np.int64)
    filled = 0
    while filled < len(table):
        text = file.read(_LINES_PER_READ) + file.readline()
        text = text.partition(b".end")[0]
        if not text.strip():
            raise DamagedFileError(f"{path}: {filled // columns} of {nodes} nodes found")
        numbers = np.fromstring(text, dtype=np.int64, sep=" ")
        table[filled : filled + len(numbers)] = numbers
        filled += len(numbers)
    return table.reshape(nodes, columns)


def _edges_from_dddmp(
    signed_numbers: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Convert DDDMP's signed node numbers to edges, after an entry 0 for the terminal.

    Number 1 is the terminal true, while node 0 of the arrays is the terminal false.
    """
    edges = np.zeros(len(signed_numbers) + 1, dtype=np.int64)
    edges[1:] = 2 * (np.abs(signed_numbers) - 1) + (signed_numbers < 0)
    edges[1:] ^= edges[1:] < 2
    return edges


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
