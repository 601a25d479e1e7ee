"""Samples of a shuffled search compared with uniform samples.

Shuffling the options before a search by dancing links (a C# implementation shuffles the rows of
every column that it branches on) gives random solutions, and looks fair. It is not: at every branch
each option that leads to a solution is as likely as the others, however many solutions lie behind
it. A solution is therefore drawn with the probability

    product over the branches on its path of 1 / (options there that lead to some solution),

which this script computes exactly from the search tree, and then observes. Drawing from the set's
ZDD, where every edge is weighted with the number of solutions behind it, is exactly uniform.

Checked, with Pearson's chi-square: the shuffled search follows its own law; it is not uniform; the
samples of the set are uniform; both draw solutions only.

    python experiments/uniformity.py --plot experiments/results/uniformity.png
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import harness

# A puzzle of data/collection.sdm (its first) without two of its hints: 227 solutions.
PUZZLE = "..............91.24....8.....2...3.....4.29.683...6..5.......1......74...2789...."
REJECT, ACCEPT = 1e-9, 1e-4


def law_of_the_search(model: Any) -> dict[tuple[int, ...], float]:
    """Solution → probability that a shuffled search finds it first.

    Algorithm X on sets, with the engine's choice of item (the first of those with the fewest
    options; where one option is left the choice makes no difference to what can follow).
    """
    cover = model.cover()
    items = [
        frozenset(cover.indices[cover.indptr[o] : cover.indptr[o + 1]].tolist())
        for o in range(cover.options)
    ]
    holders: list[set[int]] = [set() for _ in range(cover.items)]
    for option, members in enumerate(items):
        for item in members:
            holders[item].add(option)

    def below(open_items: list[int], live: frozenset[int]) -> dict[tuple[int, ...], float]:
        if not open_items:
            return {(): 1.0}
        item = min(open_items, key=lambda i: (len(holders[i] & live), i))
        branches = []
        for option in sorted(holders[item] & live):
            gone = items[option]
            clashing = set().union(*(holders[i] for i in gone))
            found = below([i for i in open_items if i not in gone], live - clashing)
            if found:
                branches.append((option, found))
        law: dict[tuple[int, ...], float] = {}
        for option, found in branches:
            for rest, probability in found.items():
                law[tuple(sorted((option, *rest)))] = probability / len(branches)
        return law

    return below(list(range(cover.items)), frozenset(range(cover.options)))


def chi_square(observed: list[int], expected: list[float]) -> tuple[float, float]:
    """Pearson's statistic and its p-value (Wilson & Hilferty's approximation)."""
    statistic = sum((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True))
    k = len(observed) - 1
    z = ((statistic / k) ** (1 / 3) - (1 - 2 / (9 * k))) / math.sqrt(2 / (9 * k))
    return statistic, 0.5 * math.erfc(z / math.sqrt(2))


def work(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Draw many solutions by the search and from the diagram."""
    from bddsudoku.engine.dlx import engine as dlx
    from bddsudoku.puzzle.sudoku.grid import Puzzle
    from bddsudoku.puzzle.sudoku.sudoku_model import allocate
    from bddsudoku.solver import solve

    puzzle = Puzzle.parse(case["puzzle"])
    model = allocate(puzzle, "singles")
    law = law_of_the_search(model)
    order = sorted(law, key=lambda s: (-law[s], s))
    keys = {tuple(model.variables[v].key for v in s): i for i, s in enumerate(order)}
    draws = case["draws"] * len(order)

    cover = model.cover()
    begin = time.perf_counter()
    shuffled: Counter[tuple[int, ...]] = Counter()
    for seed in range(draws):
        (found,) = dlx.covers(cover, seed=case["seed"] * draws + seed, limit=1)
        shuffled[tuple(found.tolist())] += 1
    search_seconds = time.perf_counter() - begin

    solutions = solve(model)
    begin = time.perf_counter()
    rows = solutions.sample_rows(draws, case["seed"])
    set_seconds = time.perf_counter() - begin
    fixed = {v.key for v in model.fixed}
    uniform = Counter(
        tuple(k for k in solutions.keys[row != 0].tolist() if k not in fixed) for row in rows
    )
    return {
        "solutions": dlx.count(model).count,
        "in_the_set": solutions.count(),
        "draws": draws,
        "law": [law[s] for s in order],
        "shuffled": [shuffled[s] for s in order],
        "uniform": [uniform[k] for k in keys],
        "search_seconds": search_seconds,
        "set_seconds": set_seconds,
    }


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, output="uniformity.jsonl", time_limit="600")
    parser.add_argument("--puzzle", default=PUZZLE, help="puzzle with some hundred solutions")
    parser.add_argument("--draws", type=int, default=100, help="per solution (%(default)s)")
    parser.add_argument("--plot", type=Path, default=None, help="write a picture: png, svg or pdf")
    options = parser.parse_args(arguments)
    draws = 20 if options.quick else options.draws
    case = {"puzzle": options.puzzle, "draws": draws, "seed": options.seed}
    journal = harness.Journal(options, "uniformity")
    journal.measure([case], "uniformity:work", "{draws} draws a solution")
    result = journal.get(case)
    checks = harness.Checks()
    if result is None or "limit" in result:
        checks.expect(False, f"the drawing came to its end: {result}")
        return checks.finish()

    count, draws = result["solutions"], result["draws"]
    even = [draws / count] * count
    own = [p * draws for p in result["law"]]
    checks.expect(len(result["law"]) == count == result["in_the_set"], "three equal counts")
    checks.expect(math.isclose(sum(result["law"]), 1), "the law's probabilities sum to 1")
    rows = []
    tests = {}
    for name, observed, expected in (
        ("shuffled search against its own law", result["shuffled"], own),
        ("shuffled search against uniform", result["shuffled"], even),
        ("samples of the set against uniform", result["uniform"], even),
    ):
        checks.expect(sum(observed) == draws, f"{name}: solutions only")
        statistic, p = chi_square(observed, expected)
        tests[name] = p
        rows.append([name, f"{statistic:,.1f}", count - 1, f"{p:.3g}"])
    own_p, even_p, set_p = tests.values()
    checks.expect(own_p > ACCEPT, f"the shuffled search follows its law (p = {own_p:.3g})")
    checks.expect(even_p < REJECT, f"the shuffled search is not uniform (p = {even_p:.3g})")
    checks.expect(set_p > ACCEPT, f"the samples of the set are uniform (p = {set_p:.3g})")

    distance = sum(abs(p - 1 / count) for p in result["law"]) / 2
    entropy = -sum(p * math.log2(p) for p in result["law"])
    facts = [
        ["solutions", count],
        ["draws each way", f"{draws:,}"],
        ["likeliest / unlikeliest solution", f"{max(result['law']) / min(result['law']):,.0f}"],
        ["total variation distance from uniform", f"{distance:.3f}"],
        ["entropy, bits (uniform)", f"{entropy:.2f} ({math.log2(count):.2f})"],
        ["draws a second, shuffled search", f"{draws / result['search_seconds']:,.0f}"],
        ["draws a second, set", f"{draws / result['set_seconds']:,.0f}"],
    ]
    harness.show(
        options,
        journal,
        [
            (f"Random solutions of {options.puzzle}", ["", ""], facts),
            ("Tests", ["hypothesis", "chi-square", "degrees of freedom", "p"], rows),
        ],
    )
    if options.plot is not None:
        plot(result, options.plot)
    return checks.finish()


def plot(result: dict[str, Any], path: Path) -> None:
    """Plot the frequencies of all solutions, most frequent first."""
    from bddsudoku.report.plots import PALETTE, new_figure, save_figure

    count, draws = result["solutions"], result["draws"]
    figure = new_figure(9, 4.5)
    axes = figure.add_subplot()
    x = range(1, count + 1)
    axes.plot(x, [n / draws for n in result["shuffled"]], "o", color=PALETTE[1], ms=3,
              mfc="none", label="shuffled search, observed")  # fmt: skip
    axes.step(x, result["law"], color="black", lw=1, where="mid", label="shuffled search, its law")
    axes.plot(x, [n / draws for n in result["uniform"]], ".", color=PALETTE[0], ms=4,
              label="samples of the set, observed")  # fmt: skip
    axes.axhline(1 / count, color=PALETTE[0], ls="--", lw=1, label="uniform")
    axes.set_yscale("log")
    axes.set_xlabel("solutions, likeliest under the shuffled search first")
    axes.set_ylabel("share of the draws")
    axes.set_title(f"{count} solutions, {draws:,} draws each way", fontsize=11)
    axes.legend(frameon=False)
    save_figure(figure, path)


if __name__ == "__main__":
    harness.run(main)
