"""Variant Sudokus: exact counts, times of authors' questions, how many grids each rule allows.

Boards with known numbers of solutions, by every engine that takes them; puzzles of many kinds made
from the seed (``variant_boards.py``): the time to show that there is one solution, by search and by
the paper's conjunction, and without two hints (four rules where there are none) the true
candidates, the set on a diagram and the count by search; jigsaws over all dissections and Latin
squares; the number of grids of the empty 4×4 and 6×6 board that obey each known rule, one
standard placement each, by engines and by looking at all grids with the rule's definition, or by
two engines (``variant_effects.py``); the grids of the empty X-Sudoku, from the bands engine.

Every run is in a process of its own, after a warm-up; the time is that of the question alone, the
median of up to five runs that fit into --budget seconds (the better of two, or one, where that
takes longer). ×: a limit; –: the rule does not fit the board, or the engine refuses.

Checked: counts against each other and against known ones, true candidates against the diagram's,
the counts for each rule by two independent ways.

    python experiments/variants.py

``--beside DIRECTORY`` times Interactive-Sudoku-Solver on the puzzles made, too, from a checkout of
its public repository, by node: a whole count up to two, in one process, as ours.

``--picture docs/variant.svg`` draws the example of docs/reference/variants.md, data/variants.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping
from math import factorial
from pathlib import Path
from statistics import median_low
from typing import Any

import harness
import iss
import rivals
import variant_boards as boards
import variant_effects as effects
from showing import Table

from bddsudoku.file_io import write_text

EMPTY = "." * 81
COUNTED = ("frontier", "search", "dlx", "bdd")
X_HINTS = {
    13: "54.9.........6.....2.........3..4...9.6..........3..........1.............91.....",
    12: "54.9...............2.........3..4...9.6..........3..........1.............91.....",
    11: "54.9...............2.........3..4...9.6..........3..........1.............9......",
    10: "54.9...............2.........3..4...9.6..........3..........1....................",
}
BOARDS: dict[str, tuple[str, tuple[str, ...], int | None]] = {
    **{
        f"15 hints, {rule}": (rivals.FIFTEEN, (rule,), number)
        for rule, number in {
            "diagonals": 151,
            "antiking": 30,
            "antiknight": 0,
            "nonconsecutive": 0,
            "windoku": 0,
            "disjointgroups": 0,
        }.items()
    },
    **{
        f"X-Sudoku, {hints} hints": (line, ("diagonals",), number)
        for (hints, line), number in zip(
            X_HINTS.items(), (52, 2_284, 113_310, 7_179_872), strict=True
        )
    },
    "1 to 9 in row 1, king, knight": ("123456789" + EMPTY[9:], ("antiking", "antiknight"), 4),
    "empty, king, knight, nonconsecutive": (
        EMPTY,
        ("antiking", "antiknight", "nonconsecutive"),
        72,
    ),
    "empty, king, nonconsecutive": (EMPTY, ("antiking", "nonconsecutive"), 1_152),
    "empty, knight, nonconsecutive": (EMPTY, ("antiknight", "nonconsecutive"), 48_552),
}
"""Name → hints, rules, number of solutions."""
JIGSAWS = (1, 4, 72, 13_872)
LATIN = (1, 2, 12, 576, 161_280, 812_851_200, 61_479_419_904_000)
X_SUDOKU = factorial(9) * 153_255_603_504
WARM_UP = "1" + "." * 15


# In processes of their own


def counted(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Count one board with one engine."""
    from bddsudoku import Puzzle, count

    engine = case["engine"]
    small = Puzzle.parse(WARM_UP + "\n" + "\n".join(case["rules"][:1]))
    harness.warmed(lambda: count(small, engine))
    puzzle = Puzzle.parse("\n".join((case["line"], *case["rules"])))
    number, seconds = timed(lambda: count(puzzle, engine), case["budget"])
    return {"count": str(number), "seconds": seconds}


def asked(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """An author's questions: is the solution unique, and what remains with fewer hints or rules."""
    from bddsudoku import BddSudokuError, LimitReached, Puzzle, compile_set, count, true_candidates

    questions: dict[str, Callable[[Any], Any]] = {
        "at most two": boards.at_most_two,
        "true candidates": lambda puzzle: int(true_candidates(puzzle).sum()),
        "search": lambda puzzle: count(puzzle, "search"),
        "set": compile_set,
        "bdd": lambda puzzle: count(puzzle, "bdd"),
    }
    question = questions[case["question"]]
    rule = "cage 3 r1c1 r1c2"
    small = Puzzle.parse(f"{WARM_UP}\n{rule}")
    harness.warmed(lambda: question(small))
    puzzle = Puzzle.parse(case["text"])
    try:
        found, seconds = timed(lambda: question(puzzle), case["budget"])
    except LimitReached:
        raise
    except BddSudokuError as error:
        return {"limit": "refused", "message": str(error)}
    if case["question"] == "set":
        more = {"candidates": int((found.marginals() > 0).sum()), "nodes": found.node_count("zdd")}
        return {"count": str(found.count()), "seconds": seconds, **more}
    return {"count": str(found), "seconds": seconds}


def timed(work: Callable[[], Any], budget: float) -> tuple[Any, float]:
    """Result of some work, and the median of the seconds of up to five runs within a budget.

    Two even where the first takes up to three budgets: it may have compiled something.
    """
    times: list[float] = []
    while len(times) < 5:
        begin = time.perf_counter()
        found = work()
        times.append(time.perf_counter() - begin)
        again = sum(times) + max(times) <= budget
        if not again and (len(times) > 1 or times[0] > 3 * budget):
            break
    return found, median_low(times)


def jigsaws(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """All jigsaws of a size, counted over all dissections by two engines."""
    from bddsudoku.puzzle.sudoku import Layout, empty_board_model
    from bddsudoku.solver import count

    models = [empty_board_model(Layout.jigsaw(cut)) for cut in boards.dissections(case["jigsaws"])]
    found, seconds = timed(lambda: sum(count(m, "frontier") for m in models), case["budget"])
    searched = sum(count(model, "search") for model in models)
    return {
        "count": str(found),
        "searched": str(searched),
        "boards": len(models),
        "seconds": seconds,
    }


def latin(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Count the Latin squares of a given size."""
    from bddsudoku.puzzle.sudoku import Layout, empty_board_model
    from bddsudoku.solver import count

    model = empty_board_model(Layout.latin(case["latin"]))
    found, seconds = timed(lambda: count(model, "frontier"), case["budget"])
    searched = str(count(model, "search")) if case["latin"] < 6 else None
    return {"count": str(found), "searched": searched, "boards": 1, "seconds": seconds}


# The runs


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, "variants", time_limit="15")
    parser.add_argument("--bdd-limit", type=float, default=6, help="seconds a BDD (%(default)s)")
    parser.add_argument("--budget", type=float, default=2, help="seconds to repeat (%(default)s)")
    parser.add_argument(
        "--only", action="append", help="only boards and kinds with this in their name"
    )
    parser.add_argument("--beside", type=Path, help="a checkout of Interactive-Sudoku-Solver")
    parser.add_argument("--picture", type=Path, help="write the example as SVG, and nothing else")
    options = parser.parse_args(arguments)
    if options.picture is not None:
        write_text(options.picture, picture())
        return 0
    if options.beside is not None and (lack := iss.missing(options.beside)):
        parser.error(lack)
    journal = harness.Journal(options, bdd_limit=options.bdd_limit)
    checks = harness.Checks()
    tables = [
        known_boards(options, journal, checks),
        made_boards(options, journal, checks),
        sums(options, journal, checks),
        all_effects(options, journal, checks),
    ]
    if not options.quick and not options.only:
        tables.append(empty_x(options, journal, checks))
    harness.show(options, journal, [t for t in tables if t[2]])
    return checks.finish()


def picture() -> str:
    """SVG picture of the example on the page about variants."""
    from bddsudoku.puzzle import Puzzle, board_svg

    text = (harness.DATA / "variants" / "knight_and_lines.txt").read_text(encoding="utf-8")
    return board_svg(Puzzle.parse(text), title="A variant: knight, lines, sums") + "\n"


def run(
    task: str, case: dict[str, Any], options: argparse.Namespace, journal: harness.Journal
) -> dict[str, Any]:
    """The result of a case, from the journal or a process."""
    for _ in journal.pending([case]):
        members = (str(v).replace("\n", " ") for k, v in case.items() if k != "budget")
        harness.note(f"{task.partition(':')[2]}: " + ", ".join(t[:40] for t in members))
        context = argparse.Namespace(**vars(options))
        if "bdd" in (case.get("engine"), case.get("question")):
            context.time_limit = options.bdd_limit
        elif task.endswith(("x_sudoku", "effect")):
            context.time_limit = 4 * options.time_limit
        journal.add(case, harness.measured(task, case, context))
    return journal.get(case) or {}


def chosen(names: Mapping[str, Any], options: argparse.Namespace, quick: int) -> Iterator[str]:
    """Choose the boards and kinds that were requested."""
    for i, name in enumerate(names):
        if options.only and not any(part in name for part in options.only):
            continue
        if not options.quick or options.only or i < quick:
            yield name


def known_boards(
    options: argparse.Namespace, journal: harness.Journal, checks: harness.Checks
) -> Table:
    """Run the boards whose count is known, with every engine that takes them."""
    rows: list[list[Any]] = []
    for name in chosen(BOARDS, options, 3):
        line, rules, number = BOARDS[name]
        base = {"line": line, "rules": list(rules), "budget": options.budget}
        found = {
            engine: run("variants:counted", base | {"engine": engine}, options, journal)
            for engine in COUNTED
        }
        for engine, result in found.items():
            if "count" in result:
                right = int(result["count"]) == number
                checks.expect(right, f"{name}: {engine} counts {result['count']}, not {number}")
        rows.append([name, f"{number:,}", *(cell(r) for r in found.values())])
    return ("Boards with known counts: seconds", ["board", "solutions", *COUNTED], rows)


def made_boards(
    options: argparse.Namespace, journal: harness.Journal, checks: harness.Checks
) -> Table:
    """Run the puzzles that are made from the seed."""
    rows: list[list[Any]] = []
    for kind in chosen(boards.KINDS, options, 1):
        made = run("variant_boards:made", {"kind": kind, "seed": options.seed}, options, journal)
        if not checks.expect("puzzle" in made, f"{kind}: made within the limits"):
            continue
        puzzle, near = made["puzzle"], made["near"]
        found = {
            question: run(
                "variants:asked",
                {"question": question, "text": text, "budget": options.budget},
                options,
                journal,
            )
            for question, text in (
                ("at most two", puzzle),
                ("true candidates", near),
                ("search", near),
                ("set", near),
                ("bdd", puzzle),
            )
        }
        checks.expect(found["at most two"].get("count") == "1", f"{kind}: one solution")
        checks.expect(found["bdd"].get("count", "1") == "1", f"{kind}: one, by conjunction")
        counts = {r["count"] for q in ("search", "set") if "count" in (r := found[q])}
        checks.expect(len(counts) < 2, f"{kind}: one count of {sorted(counts)}")
        if "candidates" in found["set"]:
            same = str(found["set"]["candidates"]) == found["true candidates"].get("count")
            checks.expect(same, f"{kind}: the true candidates are the set's")
        if options.beside is not None:
            found["ISS"] = beside(puzzle, options, journal)
            checks.expect(found["ISS"].get("count", 1) == 1, f"{kind}: one solution, by ISS")
        hints, rules = described(puzzle)
        number = f"{int(min(counts)):,}" if counts else None
        rows.append([kind, hints, rules, cell(found["at most two"]), cell(found["bdd"]), number])
        last = ("true candidates", "search", "set", "ISS")
        rows[-1] += [cell(found[q]) for q in last if q in found]
    headers = ["kind", "hints", "rules", "one solution, s", "bdd, s", "solutions with less"]
    headers += ["true candidates, s", "search, s", "frontier's set, s"]
    headers += ["one solution, by ISS, s"] * (options.beside is not None)
    return (f"Puzzles made from seed {options.seed}", headers, rows)


def beside(text: str, options: argparse.Namespace, journal: harness.Journal) -> dict[str, Any]:
    """The time of Interactive-Sudoku-Solver to show that there is one solution."""
    from bddsudoku import Puzzle
    from bddsudoku.errors import PuzzleFormatError
    from bddsudoku.puzzle.sudoku.iss import write_iss

    try:
        string = write_iss(Puzzle.parse(text))
    except PuzzleFormatError:
        return {"limit": "refused"}
    case = {"beside": "Interactive-Sudoku-Solver", "text": string}
    for _ in journal.pending([case]):
        journal.add(
            case, iss.seconds_of(string, options.beside, options.budget, options.time_limit)
        )
    return journal.get(case) or {}


def described(text: str) -> tuple[int, int]:
    """Numbers of hints and rules of a puzzle, as text."""
    from bddsudoku import Puzzle

    puzzle = Puzzle.parse(text)
    return puzzle.hint_count, len(puzzle.rules)


def sums(options: argparse.Namespace, journal: harness.Journal, checks: harness.Checks) -> Table:
    """Count jigsaws over all dissections, and Latin squares."""
    rows: list[list[Any]] = []
    kinds = {"jigsaws": JIGSAWS[:3], "latin": LATIN[:4]} if options.quick else {}
    for kind, numbers in (kinds or {"jigsaws": JIGSAWS, "latin": LATIN}).items():
        for n, number in enumerate(() if options.only else numbers, 1):
            case = {kind: n, "budget": options.budget}
            found = run(f"variants:{kind}", case, options, journal)
            counts = {found.get("count"), found.get("searched")} - {None}
            if counts or n < 6:
                checks.expect(counts == {str(number)}, f"{kind} {n}: {counts}, not {number}")
            rows.append([kind, n, found.get("boards"), f"{number:,}", cell(found)])
    headers = ["kind", "n", "boards", "grids of all", "frontier, s"]
    return ("Jigsaws over all dissections into connected regions; Latin squares", headers, rows)


def all_effects(
    options: argparse.Namespace, journal: harness.Journal, checks: harness.Checks
) -> Table:
    """Count the grids of empty boards that obey each rule."""
    whole = {4: 288, 6: 28_200_960}
    sizes = (4,) if options.quick else (4, 6)
    rows: list[list[Any]] = []
    for name in chosen(effects.PLACED, options, 4):
        rows.append([effects.PLACED[name]])
        for n in sizes:
            found = run("variant_effects:effect", {"rule": name, "n": n}, options, journal)
            if "refused" in found:
                rows[-1] += [None, None]
                continue
            counts = found.get("counts", {})
            checks.expect(len({*counts.values()}) == 1, f"{name} on {n}x{n}: {counts or found}")
            number = int(counts["frontier"]) if counts else None
            rows[-1] += ["×", "×"] if number is None else [f"{number:,}", share(number, whole[n])]
    headers = ["rule", *(h for n in sizes for h in (f"{n}x{n} grids", "of all"))]
    return ("What one rule leaves of all grids (288 of 4x4, 28,200,960 of 6x6)", headers, rows)


def empty_x(options: argparse.Namespace, journal: harness.Journal, checks: harness.Checks) -> Table:
    """Count the empty X-Sudoku."""
    found = run("variant_effects:x_sudoku", {"board": "empty X-Sudoku"}, options, journal)
    checks.expect(found.get("count") == str(X_SUDOKU), f"X-Sudoku: {found.get('count')} grids")
    per = factorial(9)
    row = [
        f"{per:,} × {X_SUDOKU // per:,}",
        found.get("fillings"),
        found.get("classes"),
        cell({"seconds": found["wall_seconds"]} if "count" in found else found),
    ]
    headers = ["grids", "fillings of the diagonals", "up to symmetry", "bands, s"]
    return ("The empty X-Sudoku, 9x9", headers, [row])


def share(number: int, whole: int) -> str:
    """A fraction in percent, as text, unless it is below a thousandth of one percent."""
    percent = 100 * number / whole
    return "0" if not number else f"{percent:.4f} %" if percent < 0.1 else f"{percent:.1f} %"


def cell(result: Mapping[str, Any]) -> str | None:
    """Seconds as text, or the limit; empty if the engine refused."""
    return None if result.get("limit") == "refused" else harness.time_cell(result)


if __name__ == "__main__":
    harness.run(main)
