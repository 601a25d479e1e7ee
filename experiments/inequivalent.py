"""Essentially different grids: how many classes have the solutions of an empty board?

Solutions that a symmetry of their board turns into each other are one. For every class of conjugate
symmetries the solutions that one of them keeps are counted; their average over all symmetries is
the number of classes of solutions (Burnside's lemma). Published are numbers of Sudokus (Russell &
Jarvis 2006; OEIS A109741, A291188), of Latin squares (Schönhardt 1930; OEIS A040082) and, on the
forum of Enjoy Sudoku, of grids in which no neighbours are consecutive.

Of Latin squares two numbers are checked: with transposition, and without it (isotopy classes).
``--attempts`` goes on to boards that take long or are not known, where a limit is no error.

Checked: the published numbers; that an average is an integer; for the 9x9 board its 27 classes of
symmetries that keep a grid, and some of what they keep.

    python experiments/inequivalent.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import harness

BOARDS: dict[str, tuple[str, str, int | None]] = {
    "2x2": ("2x2", "", 2),
    "2x3": ("2x3", "", 49),
    "2x2 diagonals": ("2x2", "diagonals", None),
    "2x3 antiking": ("2x3", "antiking", None),
    "Latin 2": ("2", "", 1),
    "Latin 3": ("3", "", 1),
    "Latin 4": ("4", "", 2),
    "Latin 5": ("5", "", 2),
    "Latin 6": ("6", "", 17),
    "2x4": ("2x4", "", 1_673_187),
    "3x3": ("3x3", "", 5_472_730_538),
    "3x3 nonconsecutive": ("3x3", "nonconsecutive", 330_845),
    "3x3 diagonals": ("3x3", "diagonals", None),
    "3x3 windoku": ("3x3", "windoku", None),
    "2x5": ("2x5", "", None),
    "2x6": ("2x6", "", None),
}
"""Name → blocks (of a Latin square its side), rule, and number of classes if it is known."""
QUICK, ATTEMPTS = [*BOARDS][:8], [*BOARDS][11:]
ISOTOPY = {"Latin 2": 1, "Latin 3": 1, "Latin 4": 2, "Latin 5": 2, "Latin 6": 22}
KEPT = {972: 449_445_888, 2916: 155_492_352, 1296: 30_258_432, 16: 107_495_424}
"""Of the 9x9 board: size of a class of symmetries → grids that each keeps (Russell & Jarvis)."""


def work(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """The classes of a board's symmetries, and what each of them keeps."""
    from bddsudoku.puzzle.sudoku.grid import empty_board
    from bddsudoku.puzzle.sudoku.layout import Layout
    from bddsudoku.symmetry.conjugacy import classes_of_representatives
    from bddsudoku.symmetry.fixed_solutions import count_fixed

    blocks, rule, _ = BOARDS[case["board"]]
    begin, cpu = time.perf_counter(), time.process_time()
    sides = [int(side) for side in blocks.split("x")]
    layout = Layout(*sides) if len(sides) == 2 else Layout.latin(*sides)
    board = empty_board(layout)
    symmetries = (board.with_rule(rule) if rule else board).symmetries()
    table = []
    for representative, size in classes_of_representatives(symmetries):
        row = {cell // layout.n for cell in representative[: layout.n]}
        fixed = count_fixed(symmetries, representative)
        table.append({"size": size, "keeps_rows": len(row) == 1, "fixed": str(fixed)})
    return {
        "symmetries": str(symmetries.order),
        "solutions": str(int(table[0]["fixed"]) * symmetries.relabellings),
        "classes": table,
        "seconds": time.perf_counter() - begin,
        "cpu_seconds": time.process_time() - cpu,
    }


def average(table: list[dict[str, Any]]) -> int | None:
    """The average of the solutions that symmetries keep; None if it is no integer."""
    kept = sum(row["size"] * int(row["fixed"]) for row in table)
    whole, rest = divmod(kept, sum(row["size"] for row in table))
    return None if rest else whole


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, "inequivalent", max_memory="12GiB", time_limit="900")
    parser.add_argument("--attempts", action="store_true", help="boards that take long, too")
    options = parser.parse_args(arguments)
    boards = QUICK if options.quick else [*BOARDS] if options.attempts else [*BOARDS][:11]
    journal = harness.Journal(options)
    journal.measure([{"board": board} for board in boards], "inequivalent:work", "{board}")

    checks = harness.Checks()
    rows, classes = [], []
    for found in journal.results():
        board, known = found["board"], BOARDS[found["board"]][2]
        table = found.get("classes")
        if table is None:
            checks.expect(board in ATTEMPTS, f"{board}: {found['limit']} limit")
            rows.append([board, None, None, f"× {found['limit']}", known, None, None])
            continue
        count = average(table)
        checks.expect(count is not None, f"{board}: the average is an integer")
        checks.expect(known in (None, count), f"{board}: {count} classes of solutions")
        kept = [row for row in table if row["fixed"] != "0"]
        if board in ISOTOPY:
            isotopy = average([row for row in table if row["keeps_rows"]])
            checks.expect(isotopy == ISOTOPY[board], f"{board}: {isotopy} isotopy classes")
        if board == "3x3":
            classes = [[f"{row['size']:,}", f"{int(row['fixed']):,}"] for row in kept]
            checks.expect(len(kept) == 27, f"{board}: {len(kept)} classes keep a grid")
            for size, fixed in KEPT.items():
                sure = any((row["size"], row["fixed"]) == (size, str(fixed)) for row in kept)
                checks.expect(sure, f"{board}: {size} symmetries keep {fixed}")
        rows.append(
            [
                board,
                f"{int(found['symmetries']):,}",
                f"{int(found['solutions']):,}",
                f"{count:,}",
                None if known is None else f"{known:,}",
                f"{len(kept)} of {len(table)}",
                harness.seconds_text(found["cpu_seconds"]),
            ]
        )
    headers = [
        "board", "symmetries", "solutions", "essentially different", "known",
        "classes that keep a solution", "CPU s",
    ]  # fmt: skip
    tables: list[harness.Table] = [("Essentially different solutions", headers, rows)]
    if classes:
        title = "What the symmetries of the empty 9x9 board keep, up to relabelling"
        tables.append((title, ["symmetries", "grids that each keeps"], classes))
    harness.show(options, journal, tables)
    return checks.finish()


if __name__ == "__main__":
    harness.run(main)
