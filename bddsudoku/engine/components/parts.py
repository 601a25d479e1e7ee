"""One search in parts: split by choices, worked on side by side, put together again."""

from __future__ import annotations

from collections.abc import Sequence
from queue import SimpleQueue

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
_PARTS = 16
"""Parts for each thread: their sizes differ much."""
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
        limits: memory (of the diagram and of the components that are remembered) and time.
        progress: called with (candidates tried, twice as many): the end cannot be told.
        literals: False leaves out what is true, for a count.
        threads: by default one for every core. Each remembers components for itself.
        alone: candidates tried by one thread before the others join.

    Raises:
        LimitReached: a limit ended the search.
    """
    threads = available_threads() if threads is None else threads
    trees = [Tree(prepared, literals=literals)]

    def pause() -> None:
        tried = sum(tree.tried for tree in trees)
        told = f"by components after {tried:,} candidates tried"
        limits.check(told)
        if limits.memory is not None and sum(tree.nbytes for tree in trees) > limits.memory:
            raise limits.reached(told, limit="memory")

    first = trees[0]
    first.begin()
    while not first.done and (threads == 1 or first.tried < alone):
        first.advance()
        pause()
        if progress is not None:
            progress(first.tried, 2 * first.tried)
    if not first.done:
        parts = _parts(first, threads * _PARTS)
        trees += [Tree(prepared, literals=literals) for _ in range(threads - 1)]
        idle: SimpleQueue[Tree] = SimpleQueue()
        for tree in trees:
            idle.put(tree)

        def work(begin: int, end: int, stopped: Pause) -> None:
            tree = idle.get()
            for part in parts[begin:end]:
                tree.begin(part)
                while not tree.done:
                    tree.advance()
                    stopped()
                    pause()
            idle.put(tree)

        each_piece(len(parts), work, most=1, jobs=threads, limits=limits, progress=progress)
    return _together([tree.found for tree in trees], prepared.candidates)


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
