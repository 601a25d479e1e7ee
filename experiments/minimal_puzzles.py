"""Estimate of the number of minimal 9×9 puzzles, by number of hints.

Nobody can list them; whole populations of boards lose their hints one at a time, at random, and
give estimates without bias. ``minimal_puzzle_estimate.py`` has the derivation.

Here populations of 4,096 boards from 32 exactly uniform grids of their own are independent, and the
95 % intervals come from the spread between them (Student's t). Fractions by number of hints are
ratios of means; their intervals are those of the ratio's linear part.

Checked: the published number (3.1055e37 ± 0.065 %; D. Berthier, Unbiased Statistics of a CSP, 2009)
and fractions (25 hints: 13.42 %, 26: 31.91 %, 27: 32.71 %, 28: 15.48 %) are within two half
intervals of what is found; on 4×4 boards the exact numbers are known, and the same estimate is
made.

    python experiments/minimal_puzzles.py --jobs 2
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import harness
import numpy as np
from minimal_puzzle_estimate import (
    ClassicBoards,
    TableBoardTests,
    classic_weight,
    estimate_population,
)
from numpy.typing import NDArray
from variant_effects import all_grids

from bddsudoku.puzzle.sudoku import Layout

GRIDS = 6_670_903_752_021_072_936_960
PUBLISHED = 3.1055e37
FRACTIONS = {25: 0.1342, 26: 0.3191, 27: 0.3271, 28: 0.1548}
SMALL = {4: 25728, 5: 58368, 6: 1536}
"""Minimal puzzles with 4×4 cells by hints."""
BOARDS = 4096
"""Of a population."""
DRAWN = 32
"""Grids of a population."""
LEAP = 25
"""Hints that are deleted at once to begin with."""

F64 = NDArray[np.float64]


# -- the cases -------------------------------------------------------------------------------------


def work(given: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Run populations; for each the estimated number of minimal puzzles per grid, by hints."""
    from bddsudoku import Puzzle, solve

    begin = time.perf_counter()
    every = solve(Puzzle([0] * 81))
    found = []
    for number in range(given["populations"]):
        rng = np.random.default_rng([given["seed"], given["part"], number])
        drawn = every.sample(DRAWN, rng).reshape(DRAWN, 81)
        grids = np.arange(given["boards"]) % DRAWN
        found.append(
            estimate_population(
                ClassicBoards(drawn), grids, rng, systematic=LEAP, weight=classic_weight
            ).tolist()
        )
    return {"found": found, "seconds": time.perf_counter() - begin}


def small(given: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Count all minimal 4×4 puzzles, and estimate their number by the same method."""
    grids = np.array(sorted(all_grids(Layout(2, 2))), dtype=np.uint8)
    tables = unique_sets(grids)
    minimal = tables.copy()
    for cell in range(16):
        halves, of = (t.reshape(len(grids), -1, 2, 1 << cell) for t in (minimal, tables))
        halves[:, :, 1] &= ~of[:, :, 0]
    sizes = np.array([number.bit_count() for number in range(1 << 16)])
    exact = {int(k): int(minimal[:, sizes == k].sum()) for k in range(17)}
    boards = TableBoardTests(tables)
    found = []
    for number in range(given["populations"]):
        rng = np.random.default_rng([given["seed"], number])
        drawn = rng.integers(0, len(grids), 256)
        found.append((len(grids) * estimate_population(boards, drawn, rng, systematic=4)).tolist())
    return {"exact": {k: n for k, n in exact.items() if n}, "found": found}


def unique_sets(grids: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """For every grid and set of hints (as bits), whether no other grid has the same hints."""
    tables = np.ones((len(grids), 1 << 16), dtype=np.bool_)
    for number, grid in enumerate(grids):
        agree = (grids == grid) @ (1 << np.arange(16))
        tables[number, np.delete(agree, number)] = False
        for cell in range(16):
            halves = tables[number].reshape(-1, 2, 1 << cell)
            halves[:, 0] &= halves[:, 1]
    return tables


# -- the tables ------------------------------------------------------------------------------------


def student(degrees: int) -> float:
    """Student's t for 95 % on both sides, for 4 and more degrees of freedom (within 0.5 %).

    Cornish-Fisher: Abramowitz and Stegun 26.7.5.
    """
    z, v = 1.959964, max(degrees, 1)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / v ** (i + 1) for i, term in enumerate(terms))


def interval(values: F64) -> tuple[float, float]:
    """Mean of independent values and half of its 95 % interval."""
    spread = float(values.std(ddof=1)) / len(values) ** 0.5
    return float(values.mean()), student(len(values) - 1) * spread


def fraction(found: F64, hints: int) -> tuple[float, float]:
    """Fraction with one number of hints, and half of its 95 % interval."""
    total = found.sum(axis=1)
    ratio = float(found[:, hints].mean() / total.mean())
    _, half = interval((found[:, hints] - ratio * total) / float(total.mean()))
    return ratio, half


def whole_table(found: F64, seconds: float, jobs: int) -> harness.Table:
    mean, half = interval(GRIDS * found.sum(axis=1))
    away = (PUBLISHED - mean) / half
    row = [
        f"{len(found):,}", f"{seconds:,.0f}", jobs, f"{mean:.4g}", f"{100 * half / mean:.2f} %",
        f"{PUBLISHED:.5g}", f"{away:+.2f}",
    ]  # fmt: skip
    heads = ["populations", "core seconds", "processes", "minimal puzzles", "± (95 %)", "published"]
    return "Minimal 9×9 puzzles", [*heads, "away, in half intervals"], [row]


def fraction_table(found: F64) -> harness.Table:
    rows: list[list[Any]] = []
    for hints in np.flatnonzero(found.any(axis=0)).tolist():
        mean, half = interval(GRIDS * found[:, hints])
        part, error = fraction(found, hints)
        known = FRACTIONS.get(hints)
        rows.append(
            [
                hints,
                f"{mean:.3g}",
                f"{100 * half / mean:.1f} %",
                f"{100 * part:.3g} %",
                f"{100 * error:.2g} %",
                None if known is None else f"{100 * known:.2f} %",
            ]
        )
    heads = ["hints", "minimal puzzles", "± (95 %)", "share", "± (95 %)", "published"]
    return "By number of hints", heads, rows


def small_table(result: dict[str, Any]) -> harness.Table:
    found = np.array(result["found"])
    rows: list[list[Any]] = []
    for hints, exact in result["exact"].items():
        mean, half = interval(found[:, int(hints)])
        rows.append([hints, f"{exact:,}", f"{mean:,.0f}", f"{100 * half / mean:.1f} %"])
    return "Minimal 4×4 puzzles", ["hints", "exactly", "estimated", "± (95 %)"], rows


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, "minimal_puzzles", time_limit="600")
    parser.add_argument("--jobs", type=int, default=2, help="processes (%(default)s)")
    parser.add_argument("--parts", type=int, default=40, help="cases (%(default)s)")
    parser.add_argument(
        "--populations", type=int, default=20, help="independent ones of a case (%(default)s)"
    )
    options = parser.parse_args(arguments)
    boards = 256 if options.quick else BOARDS
    parts = 2 if options.quick else options.parts
    populations = 3 if options.quick else options.populations
    journal = harness.Journal(options, boards=boards, populations=populations, seed=options.seed)
    tiny = {"small": "4x4"}
    cases = [{"part": part} for part in range(parts)]
    given = {"seed": options.seed, "populations": populations, "boards": boards}

    def run(case: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        harness.note(" ".join(map(str, case.values())))
        task = "minimal_puzzles:small" if "small" in case else "minimal_puzzles:work"
        more = {"seed": options.seed, "populations": 400} if "small" in case else given
        return case, harness.measured(task, case | more, options)

    begin = time.perf_counter()
    with ThreadPoolExecutor(options.jobs) as pool:
        for case, result in pool.map(run, list(journal.pending([tiny, *cases]))):
            journal.add(case, result)
    harness.note(f"{time.perf_counter() - begin:.0f} s")

    checks = harness.Checks()
    done = [r for r in journal.results() if "found" in r and "part" in r]
    checks.expect(len(done) == parts, "every part ends")
    tables = []
    if done:
        found = np.array([values for result in done for values in result["found"]])
        tables = [
            whole_table(found, sum(r["seconds"] for r in done), options.jobs),
            fraction_table(found),
        ]
        if not options.quick:
            check_large(found, checks)
    result = journal.get(tiny) or {}
    if checks.expect("found" in result, "4x4 boards are done"):
        tables.append(small_table(result))
        exact = {int(hints): number for hints, number in result["exact"].items()}
        checks.expect(exact == SMALL, "4x4: the exact numbers")
        few = np.array(result["found"])
        for hints, number in SMALL.items():
            mean, half = interval(few[:, hints])
            checks.expect(abs(mean - number) <= 2 * half, f"4x4: {hints} hints are estimated")
    harness.show(options, journal, tables)
    return checks.finish()


def check_large(found: F64, checks: harness.Checks) -> None:
    """Check against published figures; a chance failure has a probability of 1 in 10,000."""
    mean, half = interval(GRIDS * found.sum(axis=1))
    checks.expect(abs(mean - PUBLISHED) <= 2 * half, f"{mean:.4g} ± {half:.2g} minimal puzzles")
    checks.expect(half < 0.05 * mean, "the interval is narrower than ± 5 %")
    for hints, known in FRACTIONS.items():
        part, error = fraction(found, hints)
        fits = abs(part - known) <= 2 * error
        checks.expect(fits, f"{hints} hints: {100 * part:.2f} ± {100 * error:.2f} %")


if __name__ == "__main__":
    harness.run(main)
