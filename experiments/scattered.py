"""Classic boards with few random hints: seconds of a count and of all marginals.

Boards: 4 to 10 cells of grids drawn uniformly; as many pencil marks, that is, boards with 9 to 12
hints of which 30 more cells have lost candidates; and 17 to 22 hints. Each is counted in this
process, after a warm-up, with a new set of the bands engine. CPU seconds are those of all threads;
on a machine with other work they are more reliable.

With --check, marginals must add up to the count in every cell, an equivalent board (transposed,
lines and bands permuted, digits relabelled) must have the same count, and so must the boards with
each of the digits that one cell may have, added up.

    python experiments/scattered.py --boards 200 --check
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import harness
import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands import BandSet

ALL = 511
Masks = NDArray[np.uint16]
WORST = "...8..9........................2.............5.............6.......3............."


def scattered(
    grids: NDArray[np.uint8], held: tuple[int, int], cut: int, rng: np.random.Generator
) -> Iterator[Masks]:
    """Boards of some hints; `cut` more cells have lost half of their other candidates."""
    for grid in grids:
        right = (1 << (grid.astype(np.int64) - 1)).astype(np.uint16)
        masks = np.full(81, ALL, dtype=np.uint16)
        order = rng.permutation(81)
        hints = int(rng.integers(held[0], held[1] + 1))
        masks[order[:hints]] = right[order[:hints]]
        where = order[hints : hints + cut]
        masks[where] = rng.integers(0, 512, cut).astype(np.uint16) | right[where]
        yield masks


def moved(masks: Masks, rng: np.random.Generator) -> Masks:
    """The same board transposed, with lines and bands permuted, digits relabelled."""
    square = masks.reshape(9, 9).T
    lines = [np.concatenate([3 * b + rng.permutation(3) for b in rng.permutation(3)]) for _ in "rc"]
    bits = (square[np.ix_(*lines)][:, :, None] >> np.arange(9)) & 1
    return (bits << rng.permutation(9)).sum(axis=2).reshape(81).astype(np.uint16)


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """Result of some work, its wall seconds, and the CPU seconds of all threads."""
    cpu, begin = time.process_time(), time.perf_counter()
    found = work()
    return found, time.perf_counter() - begin, time.process_time() - cpu


def agree(masks: Masks, count: int, rng: np.random.Generator) -> bool:
    """Whether other plans of the engine find the same count."""
    open_cells = np.flatnonzero(masks & (masks - 1))
    cell = int(rng.choice(open_cells))
    children = 0
    for digit in range(9):
        if int(masks[cell]) >> digit & 1:
            child = masks.copy()
            child[cell] = 1 << digit
            children += BandSet(child).count()
    return BandSet(moved(masks, rng)).count() == count == children


def row(
    name: str, boards: list[Masks], checks: harness.Checks, rng: np.random.Generator, check: bool
) -> list[str]:
    """Median and worst times of one kind of board."""
    measured = []
    for n, masks in enumerate(boards):
        count, seconds, cpu = timed(BandSet(masks).count)
        marginals, longer, more = timed(BandSet(masks).marginals)
        measured.append((seconds, cpu, longer, more, longer / seconds))
        if check:
            title = f"{name}, board {n}: {masks.tolist()}"
            fit = bool((marginals.sum(axis=2) == count).all())
            checks.expect(fit, f"{title}: marginals add up")
            checks.expect(agree(masks, count, rng), f"{title}: counts agree")
    columns = list(zip(*measured, strict=True))
    out = [name, str(len(boards))]
    for column in columns:
        out += [f"{statistics.median(column):.3f}", f"{max(column):.3f}"]
    return out


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--boards", type=int, default=60, help="number of each kind (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of random choices (%(default)s)")
    parser.add_argument("--only", default="", help="only kinds whose name contains this")
    parser.add_argument("--check", action="store_true", help="compare counts of several plans")
    options = parser.parse_args(arguments)
    rng = np.random.default_rng(options.seed)
    checks = harness.Checks()
    empty = BandSet([ALL] * 81)
    worst = np.array([ALL if c == "." else 1 << int(c) - 1 for c in WORST], dtype=np.uint16)
    kinds = [("4 to 10 hints", (4, 10), 0), ("pencil marks", (9, 12), 30)]
    kinds.append(("17 to 22 hints", (17, 22), 0))
    for warm in (worst, next(scattered(empty.sample(1, rng), (17, 17), 0, rng))):
        BandSet(warm).marginals()  # compiles, or loads what was compiled
    rows = []
    for name, held, cut in kinds:
        boards = list(scattered(empty.sample(options.boards, rng), held, cut, rng))
        if options.only in name:
            rows.append(row(name, boards, checks, rng, options.check))
            harness.note("  ".join(rows[-1]))
    if options.only in "once the worst":
        rows.append(row("once the worst", [worst], checks, rng, options.check))
    head = ["boards", "number"]
    for what in ("count s", "count CPU", "marginals s", "marginals CPU", "marginals / count"):
        head += [what, "worst"]
    print(harness.table(head, rows))
    return checks.finish() if options.check else 0


if __name__ == "__main__":
    harness.run(main)
