"""A BDD with complement edges as flat arrays, and its way into the frozen ZDD.

Reading DDDMP, the text format in which CUDD and OxiDD hand out their nodes.

One line a node, children first: number, variable, (CUDD: its index,) then-child, else-child, a
negative child being a complemented edge (Cabodi & Quer, "DDDMP: Decision diagram dump package").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bddsudoku.errors import DamagedFileError

if TYPE_CHECKING:
    from bddsudoku.diagrams.zdd import Diagram


@dataclass(frozen=True)
class BddArrays:
    """The nodes of one function, children before parents.

    An edge is ``2 * node + negated``; node 0 is the terminal ⊥, so edge 0 is ⊥ and edge 1 is ⊤.

    Attributes:
        levels: number of variables of the function's universe.
        level: int32, shape (nodes + 1,); the level (position of the variable) of every node;
            ``levels`` for the terminal.
        low: int64, shape (nodes + 1,); edges.
        high: int64, shape (nodes + 1,); edges.
        root: edge.
    """

    levels: int
    level: NDArray[np.int32]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    root: int

    @classmethod
    def constant(cls, value: bool, levels: int) -> BddArrays:
        """⊤ or ⊥ over ``levels`` variables."""
        nothing = np.zeros(1, dtype=np.int64)
        return cls(levels, np.full(1, levels, dtype=np.int32), nothing, nothing, int(value))

    @property
    def node_count(self) -> int:
        """Nodes without the terminal."""
        return len(self.level) - 1

    def model_count(self) -> int:
        """Number of satisfying assignments, exact for any size; a plain pass in Python."""
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
        """The set of satisfying assignments as the canonical frozen ZDD. Linear.

        Complement edges are taken apart: a node and its negation become two.

        Args:
            labels: the key of each level's variable, top level first.
        """
        from bddsudoku.diagrams.canonical import Nodes
        from bddsudoku.diagrams.transform import diagram_of_bdd

        low, high = (_both_polarities(edges) for edges in (self.low, self.high))
        nodes = Nodes(np.repeat(self.level.astype(np.uint16), 2), low, high, int(self.root))
        return diagram_of_bdd(np.array(labels, dtype=np.int64), nodes)


def _both_polarities(edges: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Children of every node and of its negation."""
    both = np.repeat(edges, 2).astype(np.uint32)
    both[1::2] ^= 1
    return both


_CHUNK = 1 << 26
_BY_NAME = 3


def read_dddmp(path: str, levels: int) -> BddArrays:
    """The single root of a text-mode DDDMP file as arrays; some 3 million nodes a second.

    Variables must be named by their level (CUDD) or stand in the order of their numbers (OxiDD).

    Raises:
        DamagedFileError: the file is not complete, or has no single root.
    """
    with open(path, "rb") as file:
        header = _header(file, path)
        file.readline()  # the terminal, number 1
        nodes = int(header["nnodes"][0]) - 1
        by_name = int(header["varinfo"][0]) == _BY_NAME
        table = _table(file, nodes, 5 if by_name else 4, path)
    level = np.empty(nodes + 1, dtype=np.int32)
    level[0] = levels
    if by_name:
        level[1:] = table[:, 1]
    else:
        level[1:] = np.array(header["ids"], dtype=np.int32)[table[:, 1]]
    high, low = (_edges(table[:, column]) for column in (-2, -1))
    roots = header["rootids"]
    if len(roots) != 1:
        raise DamagedFileError(f"{path}: expected one root, found {len(roots)}")
    return BddArrays(levels, level, low, high, int(_edges(np.array(roots, dtype=np.int64))[1]))


def _header(file: IO[bytes], path: str) -> dict[str, list[str]]:
    """The dotted lines up to ``.nodes``."""
    found: dict[str, list[str]] = {}
    for raw in file:
        words = raw.decode().split()
        if words and words[0] == ".nodes":
            return found
        if words:
            found[words[0][1:]] = words[1:]
    raise DamagedFileError(f"{path}: no nodes in this DDDMP file")


def _table(
    file: IO[bytes], nodes: int, columns: int, path: str
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """The node lines as numbers, read in pieces."""
    table = np.empty(nodes * columns, dtype=np.int64)
    filled = 0
    while filled < len(table):
        text = file.read(_CHUNK) + file.readline()
        text = text.partition(b".end")[0]
        if not text.strip():
            raise DamagedFileError(f"{path}: {filled // columns} of {nodes} nodes found")
        numbers = np.fromstring(text, dtype=np.int64, sep=" ")
        table[filled : filled + len(numbers)] = numbers
        filled += len(numbers)
    return table.reshape(nodes, columns)


def _edges(
    signed: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Signed node numbers from 1 as edges ``2 * (number - 1) + negated``, after a leading 0.

    Number 1 is the terminal true, while node 0 is the terminal false.
    """
    edges = np.zeros(len(signed) + 1, dtype=np.int64)
    edges[1:] = 2 * (np.abs(signed) - 1) + (signed < 0)
    edges[1:] ^= edges[1:] < 2
    return edges
