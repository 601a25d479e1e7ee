"""What is kept of a level once it has been left, and what is told of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Chunk", "Level", "LevelTrace"]


@dataclass(frozen=True, slots=True)
class LevelTrace:
    """What one level cost.

    Attributes:
        level: number of the level.
        levels: how many levels there are, those that no state reaches included.
        states: states that stood there.
        edges: children that were not dead at once.
        seconds: time spent on it; on a narrow one its share, by states and edges, of the time
            that it took to leave several.
        bytes: memory held when it was done.
    """

    level: int
    levels: int
    states: int
    edges: int
    seconds: float
    bytes: int


@dataclass(slots=True)
class Chunk:
    """The edges of consecutive states of a level.

    Attributes:
        degree: edges of a state.
        rank: consumption rank of an edge's choice.
        target: name of the child in its level.
        jump: child level - level; empty if it is always 1.
    """

    degree: NDArray[Any]
    rank: NDArray[Any]
    target: NDArray[np.uint32]
    jump: NDArray[np.uint16]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.degree.nbytes + self.rank.nbytes + self.target.nbytes + self.jump.nbytes


@dataclass(slots=True)
class Level:
    """A wide level that has been left: what the backward pass needs of it."""

    states: int
    chunks: list[Chunk] = field(default_factory=list)
