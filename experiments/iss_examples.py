"""Interactive-Sudoku-Solver's own examples and tests: which are read, and have the known solution?

A checkout of its public repository is named by the user. The example puzzles (``data/``) and the
puzzles of its end-to-end tests are read as its strings (it translates killers in short codes), each
in a process of its own; the count is up to two, the time after a first run the median of up to
five, or the better of two. Programs that make puzzles are left out. Beside it,
Interactive-Sudoku-Solver counts the same strings in the same way, by node.

Checked: a puzzle that is read has the given solution, by the rules' definitions, and by a search
that finds no second one, or none if that is what is given; where none is given, both programs have
the same count. Puzzles with two solutions are listed.

    python experiments/iss_examples.py CHECKOUT
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import harness
import iss
from variants import timed

NOTICED = 0.02
"""Seconds below which a puzzle is not listed as slow."""

SCRIPT = """
globalThis.self = globalThis;
self.VERSION_PARAM = "";
const root = process.argv[1];
const { PUZZLE_INDEX, DISPLAYED_EXAMPLES, resolvePuzzleConfig } =
  await import(root + "/data/example_puzzles.js");
const { SudokuParser } = await import(root + "/js/sudoku_parser.js");
const collections = await import(root + "/data/collections.js");
const { solveCollections } = await import(root + "/tests/e2e/e2e_puzzles.js");
const named = ([key, list]) =>
  list[Symbol.iterator] ? [...list].map((each, i) => ({ name: `${key} ${i + 1}`, each })) : [];
const all = [...PUZZLE_INDEX.values(), ...DISPLAYED_EXAMPLES].map((each) => ({ each }));
all.unshift(...Object.entries(collections).flatMap(named));
for (const { puzzles } of solveCollections) all.push(...[...puzzles].map((each) => ({ each })));
const found = [];
for (const { name, each } of all) {
  const { input, solution, extraConstraints, ...more } = await resolvePuzzleConfig(each);
  const isCode = /^(\\d+x\\d+:|[^./].*[<>^`])/.test(input);
  const text = isCode ? SudokuParser.parseText(input).toString() : input;
  const known = more.name === input ? name : more.name ?? name;
  found.push({ name: known, text, solution, more: extraConstraints ?? "" });
}
console.log(JSON.stringify(found));
"""


def examples(directory: Path) -> list[dict[str, Any]]:
    """The different puzzles of a checkout, with the solution that some come with."""
    found: dict[str, dict[str, Any]] = {}
    for each in iss.run_node(SCRIPT, directory):
        text = each["text"]
        if text.endswith(".js"):
            continue
        if text.startswith("/"):
            text = (directory / text[1:]).read_text(encoding="utf-8") + each["more"]
        if text.lstrip().startswith("."):
            text = "".join(text.split())  # one puzzle, whatever its lines
        found.setdefault(
            text, {"text": text, "name": each.get("name"), "given": each.get("solution")}
        )
    return [*found.values()]


def solved(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Read a puzzle, count up to two, and test the given solution by the rules' definitions."""
    from bddsudoku import Puzzle, PuzzleFormatError
    from bddsudoku.context import Context
    from bddsudoku.solver.dispatch import CountResult, count_detailed

    try:
        puzzle = Puzzle.parse(case["text"])
    except PuzzleFormatError as error:
        return {"limit": "refused", "message": str(error)}
    given, is_right = case["given"], True
    if isinstance(given, str) and given:
        values = puzzle.layout.values
        is_lettered = values[-1] > 9 and {*given}.isdisjoint("123456789")
        letters = "0ABCDEFGHIJKLMNOP" if is_lettered else "0123456789ABCDEFG"
        cells = [letters.index(letter) for letter in given]
        candidates = zip(puzzle.masks, cells, strict=False)
        is_right = all(mask >> values.index(digit) & 1 for mask, digit in candidates)
        filled = Puzzle(cells, puzzle.layout, rules=puzzle.rules)
        if puzzle.layout.groups:  # the solution has only the grid
            is_right &= count_detailed(filled, context=Context(None, case["seconds"])).count > 0
        else:
            is_right &= filled.is_solution

    def counted() -> CountResult:
        return count_detailed(puzzle, context=Context(None, case["seconds"]), limit=2)

    counted()
    found, seconds = timed(counted, case["budget"])
    return {"count": found.count, "right": is_right, "seconds": seconds}


def beside(case: dict[str, Any], journal: harness.Journal, checkout: Path) -> dict[str, Any]:
    """What Interactive-Sudoku-Solver finds for a puzzle: count and seconds, but at the limit."""
    theirs = {"beside": "Interactive-Sudoku-Solver", "text": case["text"]}
    for _ in journal.pending([theirs]):
        harness.note(f"beside: {case['name']}")
        found = iss.seconds_of(case["text"], checkout, case["budget"], case["seconds"])
        journal.add(theirs, found)
    return journal.get(theirs) or {}


def compared(times: Mapping[str, tuple[float, float]]) -> list[harness.Table]:
    """Tables of our times and theirs: of all puzzles, and of those on which we are slow."""
    ratios = [math.log(ours / theirs) for ours, theirs in times.values()]
    slow = {name: pair for name, pair in times.items() if pair[0] > max(pair[1], NOTICED)}
    ours, theirs = (sum(column) for column in zip(*times.values(), strict=True))
    mean = math.exp(sum(ratios) / len(ratios))
    headers = ["puzzles", "ours, s", "ISS, s", "mean of ours / ISS (geometric)"]
    rows = [[len(times), f"{ours:.1f}", f"{theirs:.1f}", f"{mean:.2f}"]]
    each = [[name, *(f"{1000 * s:.1f}" for s in pair)] for name, pair in slow.items()]
    return [
        ("Times beside Interactive-Sudoku-Solver", headers, rows),
        ("Above its time and 20 ms", ["puzzle", "ours, ms", "ISS, ms"], each),
    ]


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, "iss_examples", time_limit="120")
    parser.add_argument("checkout", type=Path, help="of Interactive-Sudoku-Solver")
    parser.add_argument("--budget", type=float, default=2, help="seconds to repeat (%(default)s)")
    options = parser.parse_args(arguments)
    if lack := iss.missing(options.checkout):
        parser.error(lack)
    journal = harness.Journal(options)
    puzzles = examples(options.checkout)[: 12 if options.quick else None]
    common = {"seconds": options.time_limit, "budget": options.budget}
    cases = [puzzle | common for puzzle in puzzles]
    journal.measure(cases, "iss_examples:solved", "{name}")

    checks = harness.Checks()
    outcomes: Counter[str] = Counter()
    refused: defaultdict[str, list[str]] = defaultdict(list)
    twice = []
    times: dict[str, tuple[float, float]] = {}
    for case in cases:
        found = journal.get(case) or {"limit": "?"}
        name = case["name"] or case["text"][:30]
        if "limit" in found:
            outcomes["refused" if found["limit"] == "refused" else "limit"] += 1
            if found["limit"] == "refused":
                what = re.sub(r"^line \d+: ", "", found["message"])
                what = re.sub(r"~[^:]*", "", what) if what.startswith((".Shape", ".")) else what
                refused[what[:90]].append(name)
            continue
        theirs = beside(case, journal, options.checkout)
        if case["given"] is None:
            is_right = found["count"] == theirs.get("count", found["count"])
            outcomes["no solution is given"] += 1
        else:
            is_right = bool(found["count"]) == (case["given"] not in ("", False))
            outcomes["has the solution"] += 1
        checks.expect(found["right"], f"{name}: the given solution obeys the rules")
        checks.expect(is_right, f"{name}: {found['count']} solutions")
        if found["count"] > 1:
            twice.append(name)
        if "seconds" in theirs:
            times[name] = found["seconds"], theirs["seconds"]
    table = [[what, number] for what, number in outcomes.most_common()]
    why = [[what, len(names)] for what, names in sorted(refused.items(), key=lambda r: -len(r[1]))]
    tables: list[harness.Table] = [
        (f"{len(cases)} puzzles", ["outcome", "puzzles"], table),
        ("Refused", ["message", "puzzles"], why),
        ("More than one solution", ["puzzle"], [[name] for name in twice]),
    ]
    harness.show(options, journal, [*tables, *(compared(times) if times else [])])
    return checks.finish()


if __name__ == "__main__":
    harness.run(main)
