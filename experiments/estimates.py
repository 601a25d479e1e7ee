"""Estimates by random descents: does the 95 % interval hold the count, and how wide is it?

* 200 boards with known counts, from some hundred to 6.67e21, of 4×4 to 9×9 cells: boards of hints
  alone, with rules for all cells, with cages, thermometers and inequalities, made from the seed.
  Those of which an estimate meets all solutions are told apart: they are no test of an interval.
* Boards without hints, and with 11 to 15, each with five seeds: precision, time, and whether seeds
  agree.
* The empty 9×9 board with each rule that has no parameters.
* Formulas beside ApproxMC (``pip install pyapproxmc``), which counts the solutions of their
  clauses up to a factor of 1.8 with a probability of 80 % (its defaults).

Counts are those of the exact engines (the interval that the estimate gives is not used for them).
Checked: 92 to 99 % of the intervals hold the count, at most one board in ten has no estimate,
intervals of seeds hold their common mean, all but one, and exact counts are met exactly.

    python experiments/estimates.py

``--plot`` draws how the weights of single descents are spread, for three boards.
"""

from __future__ import annotations

import importlib.util
import math
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import formula_rivals
import harness
from rival_instances import FIFTEEN
from showing import save_figure

from bddsudoku import Puzzle, allocate, count, estimate
from bddsudoku.context import UNLIMITED
from bddsudoku.engine.search.descents import Descents
from bddsudoku.errors import LimitReached
from bddsudoku.solver import iterate_solution_keys, make_question

BOARDS, BATCH = 200, 10
EMPTY = "." * 81
RULES = [
    "antidiagonal",
    "antiking",
    "antiknight",
    "antitaxicab",
    "diagonal",
    "diagonals",
    "disjointgroups",
    "dutchflatmates",
    "globalentropy",
    "globalmod",
    "nonconsecutive",
    "windoku",
]
PUBLISHED = {
    "": 6670903752021072936960,
    "diagonals": 55613393399531520,
    "thermometer r1c1 r1c2 r1c3 r1c4": 6670903752021072936960 // 24,
}
BARS = ["", "diagonals", "antiking", "antiknight", "thermometer r1c1 r1c2 r1c3 r1c4"]
SEEDS = 5
HINTS = {
    f"{number} hints": "".join(
        sign if int(sign) and FIFTEEN[: cell + 1].count("0") > cell - number else "."
        for cell, sign in enumerate(FIFTEEN)
    )
    for number in range(11, 16)
}
"""The first hints of a board of fifteen."""
FORMULAS = (
    "queens_8",
    "queens_10",
    "queens_12",
    "matchings_8x8",
    "petersen",
    "knapsack_20",
    "timetable",
)
FACTOR = 1.8
"""By which ApproxMC may be wrong, with a probability of 20 %."""


def solved(size: int, rules: list[str], seed: int) -> str:
    """The line of a random solution of the empty board with some rules."""
    puzzle = Puzzle.parse("\n".join(["." * size**2, *rules]))
    keys = next(iterate_solution_keys(puzzle, limit=1, seed=seed))
    decoder = make_question(puzzle).decoder
    assert decoder is not None
    return str(decoder.decode(keys).line)


def drawn_rules(size: int, line: str, number: int, draw: random.Random) -> Iterator[str]:
    """Cages, thermometers and inequalities that a solution obeys, on random paths."""
    for _ in range(number):
        path = [(draw.randrange(size), draw.randrange(size))]
        while len(path) < 3:
            r, c = path[-1]
            near = [(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)]
            left = [p for p in near if min(p) >= 0 and max(p) < size and p not in path]
            if not left:
                break
            path.append(draw.choice(left))
        digits = [int(line[r * size + c]) for r, c in path]
        names = [f"r{r + 1}c{c + 1}" for r, c in path]
        if len({*digits}) == len(digits):
            yield f"cage {sum(digits)} {' '.join(names)}"
        ordered = [name for _, name in sorted(zip(digits[:2], names[:2], strict=True))]
        if digits[0] != digits[1]:
            yield f"thermometer {' '.join(ordered)}"


def make_board(number: int, seed: int) -> str:
    """One of the boards whose counts are known."""
    draw = random.Random(f"{seed} {number}")
    kind = number % 5
    size = (9, 6, 9, 6, 8)[kind]
    if size == 6 and number >= BOARDS - 2 * BATCH:
        size = 4
    rules = [] if kind in (0, 3) else [draw.choice(RULES)]
    if size == 4 and kind == 1:
        rules = [draw.choice(["diagonal", "antidiagonal"])]
    elif size == 8 or (size == 6 and kind == 1):
        rules = [draw.choice(["antiking", "diagonals", "antidiagonal", "diagonal"])]
    if size == 8:
        rules = []
    line = solved(size, rules, draw.randrange(10**6))
    if kind == 3:
        rules = [*drawn_rules(size, line, draw.randint(1, 3), draw)]
    if kind == 2 and number % 2:
        rules += drawn_rules(size, line, 3, draw)
    fewest, most = {0: (0, 22), 1: (0, 4), 2: (16, 24), 3: (0, 3), 4: (14, 20)}[kind]
    kept = {*draw.sample(range(size**2), draw.randint(fewest, most))}
    text = "".join(line[c] if c in kept else "." for c in range(size**2))
    return "\n".join([text, *rules])


def cover(case: dict[str, Any], send: Callable[..., None]) -> dict[str, Any]:
    """Estimate a batch of boards, and count them."""
    found = []
    for number in range(case["first"], case["first"] + case["boards"]):
        text = make_board(number, case["seed"])
        known = estimate(text, 0.1, seed=number)
        try:
            truth = str(count(text, time_limit=60, max_memory="3GiB"))
        except LimitReached:
            truth = ""
        found.append({"board": text, "truth": truth, **known.record()})
    return {"found": found}


def one(case: dict[str, Any], send: Callable[..., None]) -> dict[str, Any]:
    """Estimate one board."""
    estimate("." * 36, 0.5)  # compiles
    text = HINTS.get(case["rules"]) or f"{EMPTY}\n{case['rules']}"
    return estimate(text, case["precision"], seed=case["seed"]).record()


def formula(case: dict[str, Any], send: Callable[..., None]) -> dict[str, Any]:
    """Estimate the count of a formula, by descents or by ApproxMC."""
    asked = formula_rivals.asked(case["formula"])
    if case["by"] == "descents":
        estimate("." * 36, 0.5)  # compiles
        return estimate(asked.problem, 0.1, seed=case["seed"]).record()
    import pyapproxmc

    variables, clauses, shown = formula_rivals.clauses_of(asked)
    begin = time.perf_counter()
    counter = pyapproxmc.Counter(seed=case["seed"])
    counter.add_clauses([*clauses, [variables, -variables]])
    cells, hashes = counter.count(shown)
    number = cells * 2**hashes
    ends = int(number / FACTOR), int(number * FACTOR)
    seconds = time.perf_counter() - begin
    return {"estimate": str(number), "low": str(ends[0]), "high": str(ends[1]), "seconds": seconds}


def formula_rows(results: list[dict[str, Any]], checks: harness.Checks) -> list[list[Any]]:
    """The table of the formulas: of each way its number, interval, error and time."""
    rows = []
    for name in FORMULAS:
        truth, row = formula_rivals.COUNTS[name], [name]
        for by in ("descents", "ApproxMC"):
            found = [r for r in results if (r.get("formula"), r.get("by")) == (name, by)]
            for result in found or [{}]:
                if result.get("estimate") is None:
                    row += ["×", f"more than {result['low']}" if "low" in result else "", "", ""]
                    continue
                number, low, high = (int(result[key]) for key in ("estimate", "low", "high"))
                if result.get("effective", 0) is None:
                    checks.expect(number == truth, f"all solutions of {name}")
                error = abs(number / truth - 1)
                row += [f"{number:.4g}", f"{low:.3g} to {high:.3g}", f"{error:.1%}"]
                row.append(f"{result['seconds']:.2f}")
        rows.append([*row, f"{truth:.6g}"])
    return rows


def draw_weights(path: Path) -> None:
    """Draw the weights of single descents, relative to their mean, on a logarithmic scale."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3), layout="constrained")
    for axes, rules in zip(figure.subplots(1, 3), ["", "diagonals", "antiknight"], strict=True):
        descents = Descents(allocate(Puzzle.parse(f"{EMPTY}\n{rules}")), UNLIMITED)
        totals = [descents.run(1, (1, k), lambda: None).total for k in range(4000)]
        mean = sum(totals) / len(totals)
        alive = [math.log10(w / mean) for w in totals if w]
        axes.hist(alive, bins=40, label="descents")
        axes.hist(alive, bins=40, weights=[10**x for x in alive], alpha=0.6, label="their weight")
        dead = 1 - len(alive) / len(totals)
        axes.set_title(f"{rules or 'empty'}: {dead:.0%} dead ends")
        axes.set_xlabel("log₁₀ (weight / mean)")
    axes.legend()
    save_figure(figure, path)


def main(words: list[str] | None = None) -> int:
    arguments = harness.parser(__doc__, "estimates", time_limit="1200")
    arguments.add_argument("--plot", type=Path, help="draw the weights of descents")
    options = arguments.parse_args(words)
    if options.plot:
        draw_weights(options.plot)
        return 0
    journal = harness.Journal(options)
    boards = 2 * BATCH if options.quick else BOARDS
    batches = [{"first": k, "boards": BATCH, "seed": options.seed} for k in range(0, boards, BATCH)]
    journal.measure(batches, "estimates:cover", "boards from {first} on")
    found = [row for result in journal.results() for row in result.get("found", ())]
    several = [] if options.quick else [*BARS, *HINTS]
    named = [(r, s, 0.02) for r in several for s in range(SEEDS)]
    rest = [rule for rule in RULES if options.quick or rule not in BARS]
    named += [(rule, 0, 0.05) for rule in rest[: 2 if options.quick else None]]
    cases = [{"rules": r, "seed": s, "precision": p} for r, s, p in named]
    journal.measure(cases, "estimates:one", "{rules}, seed {seed}")
    ways = ["descents", *(["ApproxMC"] if importlib.util.find_spec("pyapproxmc") else [])]
    names = [(name, by) for name in FORMULAS[: 2 if options.quick else None] for by in ways]
    asked = [{"formula": name, "by": by, "seed": options.seed} for name, by in names]
    journal.measure(asked, "estimates:formula", "{formula} by {by}")
    singles = [result for result in journal.results() if "rules" in result]
    checks = harness.Checks()
    known = [row for row in found if row["truth"]]
    met = [row for row in known if row["estimate"] and row["effective"] is None]
    none = [row for row in known if row["estimate"] is None]
    tested = [row for row in known if row["estimate"] and row["effective"] is not None]
    held = [row for row in tested if int(row["low"]) <= int(row["truth"]) <= int(row["high"])]
    for row in met:
        checks.expect(row["estimate"] == row["truth"], f"all solutions of {row['board']}")
    for row in none:
        checks.expect(int(row["low"]) <= int(row["truth"]), f"lower bound of {row['board']}")
    checks.expect(10 * len(none) <= len(known), "no estimate for one board in ten at most")
    share = len(held) / len(tested)
    checks.expect(options.quick or 0.92 <= share <= 0.99, f"intervals hold {share:.1%}")
    columns = [
        "boards",
        "count ×",
        "all met",
        "no estimate",
        "intervals",
        "hold the count",
        "share",
    ]
    lost = len(found) - len(known)
    table = [len(found), lost, len(met), len(none), len(tested), len(held), f"{share:.1%}"]
    rows = []
    for row in singles:
        hints = HINTS.get(row["rules"])
        truth = PUBLISHED.get(row["rules"]) if hints is None else count(hints)
        low, high = int(row["low"]), int(row["high"] or 0)
        error = (high - low) / 4 / int(row["estimate"]) if row["estimate"] else math.nan
        rows.append(
            [
                row["rules"] or "empty", row["seed"], f"{float(row['estimate'] or 0):.4g}",
                f"{low:.4g}", f"{high:.4g}", f"{error:.2%}", row["descents"], row["effective"],
                row["seconds"], f"{truth:.4g}" if truth else "–",
            ]
        )  # fmt: skip
    for rules in {row["rules"] for row in singles if row["seed"]}:
        mine = [row for row in singles if row["rules"] == rules and row["estimate"]]
        mean = sum(int(row["estimate"]) for row in mine) // len(mine)
        near = [row for row in mine if int(row["low"]) <= mean <= int(row["high"])]
        checks.expect(len(near) >= len(mine) - 1, f"seeds of {rules or 'empty'} agree")
    told = ["interval", "error", "s"]
    formula_titles = ["formula", "descents", *told, "ApproxMC", *told, "exact"]
    titles = ["rule", "seed", "estimate", "low", "high", "error", "descents", "effective", "s"]
    harness.show(
        options,
        journal,
        [
            ("Boards with known counts", columns, [table]),
            ("The empty 9×9 board with a rule, and hints", [*titles, "exact"], rows),
            ("Formulas", formula_titles, formula_rows([*journal.results()], checks)),
        ],
    )
    return checks.finish()


if __name__ == "__main__":
    harness.run(main)
