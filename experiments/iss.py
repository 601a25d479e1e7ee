"""Interactive-Sudoku-Solver beside ours: puzzles as its strings, and its times by node.

The program is not part of this project: a checkout of its public repository is named by the user.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from bddsudoku.puzzle.sudoku import Puzzle
from bddsudoku.puzzle.sudoku.rules import (
    Arrow,
    Cage,
    LittleKiller,
    Place,
    Renban,
    Rule,
    Sandwich,
    Skyscraper,
    Thermometer,
    Whispers,
    XSum,
)

__all__ = ["missing", "puzzle_string", "seconds_of"]

FLAGS = {
    "diagonals": ".Diagonal~1.Diagonal~-1",
    "antiknight": ".AntiKnight",
    "antiking": ".AntiKing",
    "windoku": ".Windoku",
    "disjointgroups": ".DisjointSets",
    "nonconsecutive": ".AntiConsecutive",
}
SCRIPT = """
import { readFileSync } from "node:fs";
globalThis.self = globalThis;
self.VERSION_PARAM = "";
const { SimpleSolver } = await import(process.argv[1] + "/js/sandbox/simple_solver.js");
const { text, budget } = JSON.parse(readFileSync(0, "utf8"));
const solver = new SimpleSolver();
const times = [];
let count = solver.countSolutions(text, 2);
const end = performance.now() + 1000 * budget;
do {
  const begin = performance.now();
  count = solver.countSolutions(text, 2);
  times.push((performance.now() - begin) / 1000);
} while (times.length < 5 && performance.now() < end);
times.sort((a, b) => a - b);
console.log(JSON.stringify({ count, seconds: times[(times.length - 1) >> 1] }));
"""


def missing(directory: Path) -> str | None:
    """What is missing to run the program from a checkout; None if nothing is."""
    if shutil.which("node") is None:
        return "node is not installed"
    if not (directory / "js" / "sandbox" / "simple_solver.js").exists():
        return f"no checkout of Interactive-Sudoku-Solver in {directory}"
    return None


def seconds_of(text: str, directory: Path, budget: float, limit: float) -> dict[str, Any]:
    """The median time to count up to two solutions, in one process, after a first run.

    Args:
        text: the puzzle, as :func:`puzzle_string` writes it.
        directory: the checkout.
        budget: seconds to repeat, up to five runs.
        limit: seconds after which the process is ended.
    """
    command = ["node", "--input-type=module", "-e", SCRIPT, str(directory.resolve())]
    asked = json.dumps({"text": text, "budget": budget})
    try:
        done = subprocess.run(
            command, input=asked, capture_output=True, text=True, timeout=limit, check=True
        )
    except subprocess.TimeoutExpired:
        return {"limit": "time"}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def puzzle_string(puzzle: Puzzle) -> str | None:
    """A 9×9 puzzle with the usual blocks as the program's string; None if a rule is not covered."""
    if puzzle.n != 9 or puzzle.layout.regions is not None:
        return None
    hints = "".join(f"~{_cell(Place(*divmod(c, 9)))}_{d}" for c, d in puzzle.hints.items())
    parts = [f".{hints}"] if hints else []
    for rule in puzzle.rules:
        part = _rule_string(rule)
        if part is None:
            return None
        parts.append(part)
    return "".join(parts)


def _rule_string(rule: Rule) -> str | None:
    if rule.name in FLAGS:
        return FLAGS[rule.name]
    if isinstance(rule, (Thermometer, Renban)):
        return "~".join([f".{type(rule).__name__[:6]}", *map(_cell, rule.cells)])
    if isinstance(rule, Whispers):
        return "~".join([f".Whisper~{rule.difference or 5}", *map(_cell, rule.cells)])
    if isinstance(rule, Cage):
        return "~".join([f".Cage~{rule.total or 0}", *map(_cell, rule.cells)])
    if isinstance(rule, Arrow) and len(rule.circle) == 1:
        return "~".join([".Arrow", *map(_cell, (*rule.circle, *rule.shaft))])
    if isinstance(rule, LittleKiller):
        return f".LittleKiller~{rule.total}~{_first_cell(rule.seen_cells(9))}"
    if isinstance(rule, Sandwich):
        return f".Sandwich~{rule.total}~{_line(rule.clue[0])}"
    if isinstance(rule, (XSum, Skyscraper)):
        (clue,) = rule.clue
        totals = f"{rule.total}~" if min(clue) < 0 else f"~{rule.total}"
        return f".{type(rule).__name__}~{_line(clue)}~{totals}"
    return None


def _cell(place: Place) -> str:
    return f"R{place.row + 1}C{place.column + 1}"


def _line(clue: Place) -> str:
    """The row or column beside which a clue stands."""
    return f"R{clue.row + 1}" if 0 <= clue.row < 9 else f"C{clue.column + 1}"


def _first_cell(diagonal: tuple[Place, ...]) -> str:
    """The end of a diagonal that names it.

    It goes down from the left or from the top edge, up from the right or from the bottom edge; that
    of two corners goes down.
    """
    for cells in (diagonal, diagonal[::-1]):
        (r, c), (below, beside) = cells[:2]
        edge = {(1, 1): c == 0, (-1, -1): r < c == 8, (1, -1): r == 0, (-1, 1): c > 0 == r - 8}
        if edge[below - r, beside - c]:
            return _cell(cells[0])
    raise ValueError("no diagonal of the board")
