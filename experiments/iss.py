"""Interactive-Sudoku-Solver beside ours: its times by node.

The program is not part of this project: a checkout of its public repository is named by the user.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

__all__ = ["missing", "run_node", "seconds_of"]

REPOSITORY = "https://github.com/sigh/Interactive-Sudoku-Solver"

SCRIPT = """
import { readFileSync } from "node:fs";
globalThis.self = globalThis;
self.VERSION_PARAM = "";
const { SimpleSolver } = await import(process.argv[1] + "/js/sandbox/simple_solver.js");
const { text, budget } = JSON.parse(readFileSync(0, "utf8"));
const solver = new SimpleSolver();
const clocks = { seconds: [], cpu: [] };
let count = solver.countSolutions(text, 2);
const end = performance.now() + 1000 * budget;
do {
  const begin = performance.now(), used = process.cpuUsage();
  count = solver.countSolutions(text, 2);
  const { user, system } = process.cpuUsage(used);
  clocks.seconds.push((performance.now() - begin) / 1000);
  clocks.cpu.push((user + system) / 1e6);
} while (clocks.cpu.length < 5 && performance.now() < end);
const median = (times) => times.sort((a, b) => a - b)[(times.length - 1) >> 1];
const solution = String(solver.solution(text) ?? "");
const [seconds, cpu] = [median(clocks.seconds), median(clocks.cpu)];
console.log(JSON.stringify({ count, solution, seconds, cpu }));
"""


def missing(directory: Path) -> str | None:
    """What is missing to run the program from a checkout; None if nothing is."""
    if shutil.which("node") is None:
        return "node is not installed: https://nodejs.org"
    if not (directory / "js" / "sandbox" / "simple_solver.js").exists():
        return f"no checkout of {REPOSITORY} in {directory}"
    return None


def run_node(script: str, directory: Path, given: object = None, limit: float | None = None) -> Any:
    """What a program for node prints as JSON.

    Args:
        script: the program.
        directory: the checkout, its first argument.
        given: its standard input as JSON.
        limit: seconds after which TimeoutExpired is raised.
    """
    command = ["node", "--input-type=module", "-e", script, str(directory.resolve())]
    done = subprocess.run(
        command, input=json.dumps(given), capture_output=True, text=True, timeout=limit, check=True
    )
    return json.loads(done.stdout)


def seconds_of(text: str, directory: Path, budget: float, limit: float) -> dict[str, Any]:
    """A solution, the count up to two, and its median time, in one process, after a first run.

    ``seconds`` is the time, ``cpu`` that of all processors, with the compiler's threads.

    Args:
        text: the puzzle, as :func:`bddsudoku.puzzle.sudoku.iss.write_iss` writes it.
        directory: the checkout.
        budget: seconds to repeat, up to five runs.
        limit: seconds after which the process is ended.
    """
    try:
        found: dict[str, Any] = run_node(SCRIPT, directory, {"text": text, "budget": budget}, limit)
    except subprocess.TimeoutExpired:
        return {"limit": "time"}
    return found
