"""A census of small boards: all puzzles with one solution, and all minimal ones, by hints.

A grid's puzzles are the subsets of its cells that meet every unavoidable set. Grids that differ by
names of digits, by exchanges of rows and columns that keep the blocks and, where these are square,
by a reflection have equally many, so one grid of each class is counted, and weighted with the size
of its class: 49 classes of the 28,200,960 grids of 6×6 (OEIS A291188), 2 of the 288 of 4×4. Minimal
puzzles of Latin squares are called critical sets; OEIS A063437 has the sizes of the largest ones.

Checked: the sizes of the classes add up; 4×4 against all 2^16 subsets of a grid of each class and
against A109252; 6×6 against random subsets whose uniqueness the search decides, for every number of
hints; two classes against a list of all minimal sets, made by another algorithm (MMCS: K. Murakami,
T. Uno, Discrete Applied Mathematics 170, 2014); Latin squares against A063437 and, for the cyclic
one of order 5, against the published distribution.

    python experiments/census.py --jobs 2 --plot census.png
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product
from pathlib import Path
from typing import Any

import harness
import numpy as np
from numba import njit
from numpy.typing import NDArray
from variant_effects import first_grids

from bddsudoku import Puzzle
from bddsudoku.authoring.hint_set_families import minimal_unavoidable_sets
from bddsudoku.authoring.sufficient_subsets import subset_answers_many
from bddsudoku.context import UNLIMITED
from bddsudoku.puzzle.sudoku import Layout
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver.bulk_solving import count_many

Grid = tuple[int, ...]
BOARDS: dict[str, tuple[Layout, int, int]] = {
    "4x4": (Layout(2, 2), 2, 288),
    "6x6": (Layout(2, 3), 49, 28_200_960),
    **{
        f"Latin {n}": (Layout.latin(n), classes, grids)
        for n, (classes, grids) in enumerate(((1, 2), (1, 12), (2, 576), (2, 161_280)), 2)
    },
}
"""Name → layout, number of classes, number of grids."""
PROPER_4X4 = {4: 25_728, 5: 284_160}
"""The first numbers of A109252: puzzles with one solution by hints."""
LARGEST_CRITICAL = {2: 1, 3: 3, 4: 7, 5: 11}
CYCLIC_5 = {6: 50, 7: 1_000, 8: 30_900, 9: 18_800, 10: 2_500}
ACCEPT = 1e-6
"""Least probability of an observed share; some thousand shares are tested."""


# Classes


def line_orders(blocks: int, lines: int) -> list[tuple[int, ...]]:
    """The orders of rows (or columns) that keep blocks of so many lines."""
    found = []
    for outer in permutations(range(blocks)):
        for inner in product(permutations(range(lines)), repeat=blocks):
            found += [tuple(lines * b + i for b in outer for i in inner[b])]
    return found


def classes(layout: Layout) -> Iterator[tuple[Grid, int]]:
    """Yield a grid of each class, the least with the first row 1 to n, and the class's size."""
    n = layout.n
    latin = not layout.blocks
    square = latin or layout.box_rows == layout.box_columns
    rows = line_orders(1, n) if latin else line_orders(n // layout.box_rows, layout.box_rows)
    columns = rows if latin else line_orders(n // layout.box_columns, layout.box_columns)
    of_rows, of_columns = np.array(rows), np.array(columns)
    left = {*first_grids(layout)}
    for grid in sorted(left):
        if grid not in left:
            continue
        board = np.array(grid).reshape(n, n)
        images = np.concatenate(
            [
                side[of_rows][:, :, of_columns].transpose(0, 2, 1, 3).reshape(-1, n * n)
                for side in ((board, board.T) if square else (board,))
            ]
        )
        digit = np.empty((len(images), n + 1), dtype=np.int64)
        np.put_along_axis(digit, images[:, :n], np.arange(1, n + 1)[None], axis=1)
        orbit = {tuple(image) for image in np.take_along_axis(digit, images, axis=1).tolist()}
        left -= orbit
        yield grid, len(orbit) * math.factorial(n)


# Second ways


def sizes_by_all_subsets(grid: Grid, others: Sequence[Grid]) -> dict[int, int]:
    """Numbers of puzzles by hints, by looking at all subsets of a grid's cells."""
    cells = len(grid)
    every = np.arange(1 << cells)
    enough = np.ones(1 << cells, dtype=np.bool_)
    for other in others:
        if other != grid:
            same = sum(1 << i for i in range(cells) if grid[i] == other[i])
            enough &= every & ~same != 0  # some hint tells them apart
    hints = np.array([n.bit_count() for n in every[enough].tolist()])
    return dict(sorted(Counter(hints.tolist()).items()))


def minimal_by_listing(grid: Grid, layout: Layout) -> dict[int, int]:
    """Numbers of minimal puzzles by hints, each found by a hitting-set search."""
    keys = np.array([layout.n * i + d - 1 for i, d in enumerate(grid)])
    family = minimal_unavoidable_sets(Puzzle([0] * len(grid), layout), keys, (), 0, UNLIMITED)
    assert family is not None
    members = SolutionSet(family)
    bits = np.uint64(1) << (members.keys // layout.n).astype(np.uint64)
    number = np.zeros(65, dtype=np.int64)
    _list_hitting_sets((members.to_numpy() * bits).sum(axis=1, dtype=np.uint64), number)
    return {k: int(count) for k, count in enumerate(number) if count}


@njit
def _list_hitting_sets(sets: NDArray[np.uint64], number: NDArray[np.int64]) -> None:
    """Visit every minimal hitting set once, and count by size; depth first, by MMCS's rule."""
    one, none = np.uint64(1), np.uint64(0)
    chosen = np.zeros(65, np.uint64)
    allowed = np.zeros(65, np.uint64)
    branch = np.zeros(65, np.uint64)
    allowed[0] = ~none
    depth = 0
    enter = True
    while depth >= 0:
        if enter:
            least = 65
            for s in sets:
                if s & chosen[depth] == none:
                    some = s & allowed[depth]
                    size = 0
                    while some != none:
                        some &= some - one
                        size += 1
                    if size < least:
                        least = size
                        branch[depth] = s & allowed[depth]
            if least == 65:
                number[depth] += 1
                branch[depth] = none
            allowed[depth] &= ~branch[depth]
            enter = False
        if branch[depth] == none:
            depth -= 1
            continue
        bit = branch[depth] & ~(branch[depth] - one)
        branch[depth] ^= bit
        more = chosen[depth] | bit
        needed = none  # those that are the only one in some set
        for s in sets:
            met = s & more
            if met & (met - one) == none:
                needed |= met
        allowed[depth + 1] = allowed[depth]
        allowed[depth] |= bit
        if needed == more:
            depth += 1
            chosen[depth] = more
            enter = True


def binomial_tail(successes: int, draws: int, share: float) -> float:
    """The probability of a number of successes at least as far from the expected one."""
    if share in (0.0, 1.0):
        return float(successes == draws * share)
    log = [
        math.lgamma(draws + 1)
        - math.lgamma(k + 1)
        - math.lgamma(draws - k + 1)
        + k * math.log(share)
        + (draws - k) * math.log1p(-share)
        for k in range(draws + 1)
    ]
    return sum(math.exp(x) for x in log if x <= log[successes] + 1e-9)


def check_shares(
    grid: Grid, sizes: Mapping[int, int], draws: int, seed: int, checks: harness.Checks, name: str
) -> None:
    """Compare exact shares of puzzles with one solution with those of random subsets."""
    rng = np.random.default_rng(seed)
    cells = len(grid)
    whole = Puzzle(grid, Layout(2, 3))
    for k in range(cells + 1):
        share = sizes.get(k, 0) / math.comb(cells, k)
        boards = [whole.without(*rng.permutation(cells)[k:].tolist()) for _ in range(draws)]
        unique = int((count_many(boards, 2) == 1).sum())
        tail = binomial_tail(unique, draws, share)
        checks.expect(tail > ACCEPT, f"{name}, {k} hints: {unique} of {draws}, exact {share:.4f}")


# The run


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, "census")
    parser.add_argument("--jobs", type=int, default=None, help="processes (one for each core: 2)")
    parser.add_argument("--scheduler", help="address of a Dask cluster, to share the classes out")
    parser.add_argument("--draws", type=int, default=40, help="random subsets of a size and class")
    parser.add_argument("--plot", type=Path, default=None, help="write a picture: png, svg or pdf")
    options = parser.parse_args(arguments)
    journal = harness.Journal(options)
    checks = harness.Checks()
    found: dict[str, list[dict[str, Any]]] = {}
    for board, (layout, number, grids) in BOARDS.items():
        if options.quick and grids > 1_000:
            continue
        cases = [
            {"board": board, "grid": "".join(map(str, grid)), "grids": size}
            for grid, size in classes(layout)
        ]
        checks.expect(len(cases) == number, f"{board}: {len(cases)} classes, not {number}")
        total = sum(case["grids"] for case in cases)
        checks.expect(total == grids, f"{board}: {total:,} grids, not {grids:,}")
        run(cases, layout, options, journal)
        found[board] = [case | (journal.get(case) or {}) for case in cases]
    check_small(found, checks)
    if "6x6" in found:
        check_six(found["6x6"], options, checks)
    tables = [totals(board, found[board]) for board in ("4x4", "6x6") if board in found]
    tables += [by_class(found["6x6"])] if "6x6" in found else []
    tables.append(latin(found))
    harness.show(options, journal, tables)
    if options.plot is not None and "6x6" in found:
        plot(found["6x6"], options.plot)
    return checks.finish()


def run(
    cases: Sequence[dict[str, Any]], layout: Layout, options: Any, journal: harness.Journal
) -> None:
    """Count the classes that the journal does not have, shared out."""
    pending = [*journal.pending(cases)]
    puzzles = [Puzzle(map(int, case["grid"]), layout) for case in pending]
    client = None
    if options.scheduler and pending:
        from distributed import Client

        client = Client(options.scheduler, timeout="10s")
    answers = subset_answers_many(puzzles, jobs=options.jobs, client=client)
    for case, answer in zip(pending, answers, strict=True):
        journal.add(
            case,
            {
                "unavoidable": answer.unavoidable,
                "proper": answer.subsets.to_dict()["sizes"],
                "minimal": answer.minimal.to_dict()["sizes"],
            },
        )
        harness.note(f"{case['board']} {case['grid']}: {answer.minimal.count} minimal")


def sizes_of(result: Mapping[str, Any], kind: str) -> dict[int, int]:
    """The numbers of a class's puzzles by hints."""
    return {int(k): int(count) for k, count in result[kind].items()}


def weighted(results: Sequence[Mapping[str, Any]], kind: str) -> dict[int, int]:
    """The numbers of all grids' puzzles by hints."""
    total: Counter[int] = Counter()
    for result in results:
        for k, count in sizes_of(result, kind).items():
            total[k] += count * result["grids"]
    return dict(sorted(total.items()))


def check_small(found: Mapping[str, Any], checks: harness.Checks) -> None:
    """Check 4×4 boards and Latin squares."""
    layout = Layout(2, 2)
    every = [
        tuple(names[d - 1] for d in grid)
        for grid in first_grids(layout)
        for names in permutations((1, 2, 3, 4))
    ]
    for result in found["4x4"]:
        grid = tuple(map(int, result["grid"]))
        by_looking = sizes_by_all_subsets(grid, every)
        checks.expect(by_looking == sizes_of(result, "proper"), f"4x4 {result['grid']}: subsets")
        listed = minimal_by_listing(grid, layout)
        checks.expect(listed == sizes_of(result, "minimal"), f"4x4 {result['grid']}: minimal")
    proper = weighted(found["4x4"], "proper")
    checks.expect(all(proper[k] == count for k, count in PROPER_4X4.items()), "4x4: A109252")
    for n, largest in LARGEST_CRITICAL.items():
        if f"Latin {n}" in found:
            most = max(max(sizes_of(r, "minimal")) for r in found[f"Latin {n}"])
            checks.expect(most == largest, f"Latin {n}: largest critical set {most}, A063437")
    if "Latin 5" in found:
        same = any(sizes_of(r, "minimal") == CYCLIC_5 for r in found["Latin 5"])
        checks.expect(same, "Latin 5: critical sets of the cyclic square")


def check_six(results: Sequence[dict[str, Any]], options: Any, checks: harness.Checks) -> None:
    """Check 6×6 grids by random subsets, and two classes by listing."""
    for number, result in enumerate(results, 1):
        harness.note(f"class {number}: random subsets")
        grid = tuple(map(int, result["grid"]))
        sizes = sizes_of(result, "proper")
        check_shares(grid, sizes, options.draws, options.seed, checks, f"class {number}")
    ordered = sorted(results, key=lambda r: sum(sizes_of(r, "minimal").values()))
    for result in (ordered[0], ordered[len(ordered) // 2]):
        harness.note(f"{result['grid']}: minimal sets are listed")
        listed = minimal_by_listing(tuple(map(int, result["grid"])), Layout(2, 3))
        checks.expect(listed == sizes_of(result, "minimal"), f"{result['grid']}: listed")


def totals(board: str, results: Sequence[Mapping[str, Any]]) -> harness.Table:
    """Puzzles of all grids by number of hints."""
    proper, minimal = (weighted(results, kind) for kind in ("proper", "minimal"))
    rows = [[k, f"{count:,}", f"{minimal.get(k, 0):,}"] for k, count in proper.items()]
    rows.append(["all", f"{sum(proper.values()):,}", f"{sum(minimal.values()):,}"])
    return (f"Puzzles with one solution, all grids of {board}", ["hints", "all", "minimal"], rows)


def by_class(results: Sequence[Mapping[str, Any]]) -> harness.Table:
    """Puzzles of one grid of each class."""
    rows = []
    for number, result in enumerate(results, 1):
        proper, minimal = (sizes_of(result, kind) for kind in ("proper", "minimal"))
        row = [number, result["grid"], f"{result['grids']:,}", f"{result['unavoidable']:,}"]
        row += [f"{sum(sizes.values()):,}" for sizes in (proper, minimal)]
        rows.append([*row, min(minimal), max(minimal)])
    headers = ["class", "grid", "grids", "unavoidable sets", "puzzles", "minimal"]
    return ("Classes of 6x6 grids", [*headers, "fewest hints", "most of a minimal one"], rows)


def latin(found: Mapping[str, Any]) -> harness.Table:
    """Critical sets of Latin squares."""
    rows = []
    for board in found:
        if board.startswith("Latin"):
            for result in found[board]:
                sizes = sizes_of(result, "minimal")
                listed = ", ".join(f"{k}: {count:,}" for k, count in sizes.items())
                rows.append([board[6:], result["grid"], f"{result['grids']:,}", listed])
    headers = ["order", "square", "squares of its class", "critical sets by size"]
    return ("Critical sets of Latin squares", headers, rows)


def plot(results: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Plot how many of a class's minimal puzzles have so many hints, one line for each class."""
    from bddsudoku.report.plots import PALETTE, new_figure, save_figure

    figure = new_figure(8, 4.5)
    axes = figure.add_subplot()
    weight = max(result["grids"] for result in results)
    for result in results:
        sizes = sizes_of(result, "minimal")
        whole = sum(sizes.values())
        axes.plot(
            [*sizes],
            [count / whole for count in sizes.values()],
            color=PALETTE[0],
            alpha=0.15 + 0.5 * result["grids"] / weight,
            lw=1.2,
        )
    total = weighted(results, "minimal")
    whole = sum(total.values())
    shares = [count / whole for count in total.values()]
    axes.plot([*total], shares, "o-", color=PALETTE[1], lw=2, ms=4, label="all grids")
    axes.plot([], [], color=PALETTE[0], label="one class each (darker: more grids)")
    axes.set_xlabel("hints")
    axes.set_ylabel("share of the minimal puzzles")
    axes.legend(frameon=False)
    save_figure(figure, path)


if __name__ == "__main__":
    harness.run(main)
