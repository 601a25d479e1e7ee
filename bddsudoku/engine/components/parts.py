"""One search in parts: split by choices, worked on side by side, put together again.

Each part remembers components for itself, so that what comes out, and what it costs in steps, does
not depend on how many threads there are and which is the first. What parts have in common is little
where a search is long enough to be split.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bddsudoku.engine.components.search import Tree
from bddsudoku.engine.components.tables import Made
from bddsudoku.engine.search.prepare import Prepared
from bddsudoku.limits import Limits, Progress
from bddsudoku.solutions.arrays import I32
from bddsudoku.solutions.decomposed import Decomposed
from bddsudoku.work.cores import available_threads
from bddsudoku.work.pieces import Pause, each_piece

__all__ = ["decomposed"]

_ALONE = 100_000
"""Candidates tried before the search is split: some 0.4 s."""
_PARTS = 64
"""Parts at least, while there is something to choose: their sizes differ much."""
_ZERO = np.zeros(1, np.int64)


def decomposed(
    prepared: Prepared,
    limits: Limits,
    progress: Progress | None = None,
    *,
    literals: bool = True,
    threads: int | None = None,
    alone: int = _ALONE,
) -> Decomposed:
    """All solutions of a problem, as a diagram over its candidates.

    Args:
        prepared: the problem, without machines.
        limits: memory (of the diagram and of the components that are remembered), time and work.
        progress: called with (candidates tried, twice as many): the end cannot be told.
        literals: False leaves out what is true, for a count.
        threads: by default one for every core; what comes out is the same.
        alone: candidates tried by one thread before the search is split.

    Raises:
        LimitReached: a limit ended the search.
    """
    threads = available_threads() if threads is None else threads
    first = Tree(prepared, literals=literals)
    found: dict[int, tuple[Made, list[int]]] = {}
    tried, work, made, most = [0], [0], [0], [0]  # of each part, and of the search before them

    def pause() -> None:
        told = f"by components after {sum(tried):,} candidates tried"
        limits.check(told, sum(work))
        # As if every thread had the largest part: the same whoever is at which.
        if limits.memory is not None and sum(made) + threads * max(most) > limits.memory:
            raise limits.reached(told, limit="memory")

    def advance(tree: Tree, part: int) -> None:
        tree.advance()
        tried[part], work[part], most[part] = tree.tried, tree.work, tree.nbytes

    first.begin()
    while not first.done and first.tried < alone:
        advance(first, 0)
        pause()
        if progress is not None:
            progress(first.tried, 2 * first.tried)
    if first.done:
        return _together([first.found], prepared.candidates)
    parts = _parts(first, _PARTS)
    for each in (tried, work, made, most):
        each += [0] * len(parts)

    def search(begin: int, end: int, stopped: Pause) -> None:
        for part in range(begin, end):
            tree = Tree(prepared, literals=literals)
            tree.begin(parts[part])
            while not tree.done:
                advance(tree, part + 1)
                stopped()
                pause()
            whole, roots = tree.found
            found[part] = Made._make(array.copy() for array in whole), roots
            made[part + 1] = sum(array.nbytes for array in found[part][0])

    each_piece(len(parts), search, most=1, jobs=threads, limits=limits, progress=progress)
    pause()  # whoever came last has not looked at what all have done
    return _together([found[part] for part in range(len(parts))], prepared.candidates)


def _parts(tree: Tree, wanted: int) -> list[tuple[int, ...]]:
    """Choices that exclude each other and leave nothing out."""
    parts: list[tuple[int, ...]] = [()]
    whole: list[tuple[int, ...]] = []
    while parts and len(parts) + len(whole) < wanted:
        part = parts.pop(0)
        tree.begin(part)
        choices = tree.choices()
        if choices:
            parts += [(*part, u) for u in choices]
        elif not tree.done:
            whole.append(part)
    return parts + whole


def _together(found: Sequence[tuple[Made, list[int]]], levels: int) -> Decomposed:
    """Diagrams one after the other, under a new root that has the branches of their roots."""
    branch_at, child_at, literal_at = [np.zeros(2, np.int64)], [_ZERO], [_ZERO]
    child, literal = [], []
    root: list[tuple[I32, I32]] = []
    nodes = branches = children = literals = 0
    for made, roots in found:  # node 0 is the same for all
        for at in made.branch_at[roots].tolist():
            begin, end = made.child_at[at : at + 2].tolist()
            first, last = made.literal_at[at : at + 2].tolist()
            root.append((made.child[begin:end] + np.int32(nodes), made.literal[first:last]))
        branch_at.append(made.branch_at[2:] + branches)
        child_at.append(made.child_at[1:] + children)
        literal_at.append(made.literal_at[1:] + literals)
        child.append(made.child + np.int32(nodes))
        literal.append(made.literal)
        nodes += len(made.branch_at) - 2
        branches += len(made.child_at) - 1
        children += len(made.child)
        literals += len(made.literal)
    for some, more in root:
        children += len(some)
        literals += len(more)
        child.append(some)
        literal.append(more)
        child_at.append(np.array([children]))
        literal_at.append(np.array([literals]))
    if root:
        branch_at.append(np.array([branches + len(root)]))
    return Decomposed(
        np.arange(levels), np.concatenate(branch_at), np.concatenate(child_at),
        np.concatenate(literal_at), np.concatenate(child), np.concatenate(literal),
        nodes + 1 if root else 0,
    ).reachable()  # fmt: skip
