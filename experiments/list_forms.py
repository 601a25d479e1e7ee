"""What a list is written in does not decide how it is solved: one list in many forms, timed.

20,000 puzzles as bare lines, as the two tables of Kaggle, without a header, in quotes and as grids
of nine lines: CPU seconds of ``bddsudoku count FILE --limit 2`` with the ratio to the bare lines.
Each must print the counts of the bare lines, or the script ends with exit code 1.

Run: ``python experiments/list_forms.py [NUMBER]``.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import harness
from puzzle_lists import make

from bddsudoku.solver import solve_many


def texts(number: int) -> dict[str, str]:
    """A list of puzzles in every form."""
    lines = make("17 hints", number, 1)
    solved = solve_many(lines, 1).solutions.tolist()
    pairs = [(p, "".join(map(str, s))) for p, s in zip(lines, solved, strict=True)]
    rows = [f"{i},{p},{s},24,1.5\n" for i, (p, s) in enumerate(pairs)]
    grids = ["\n".join(p[i : i + 9] for i in range(0, 81, 9)) for p, _ in pairs]
    return {
        "bare lines": "".join(f"{p}\n" for p, _ in pairs),
        "quizzes,solutions": "quizzes,solutions\n" + "".join(f"{p},{s}\n" for p, s in pairs),
        "id,puzzle,solution": "id,puzzle,solution,clues,difficulty\n" + "".join(rows),
        "no header": "".join(f"{p},{s}\n" for p, s in pairs),
        "quoted": "".join(f'"{p}","{s}"\n' for p, s in pairs),
        "names": "".join(f"{p} easy no. {i}\n" for i, (p, _) in enumerate(pairs)),
        "grids": "\n\n".join(grids) + "\n",
    }


def measure(path: Path) -> tuple[float, str]:
    """CPU seconds of one count, and what it printed."""
    call = [sys.executable, "-m", "bddsudoku", "count", str(path), "--limit", "2"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    printed = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, printed


def main(number: int) -> int:
    """Time every form three times and print the medians."""
    harness.print_machine()
    with tempfile.TemporaryDirectory() as folder:
        path, wanted, bare, wrong = Path(folder, "list.txt"), "", 0.0, 0
        for form, text in texts(number).items():
            path.write_text(text)
            runs = [measure(path) for _ in range(3)]
            seconds = sorted(time for time, _ in runs)[1]
            wanted, bare = wanted or runs[0][1], bare or seconds
            wrong += any(printed != wanted for _, printed in runs)
            print(f"{form:20} {seconds:6.2f} s  {seconds / bare:5.2f}", flush=True)
    return wrong > 0


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("number", nargs="?", type=int, default=20_000, help="of puzzles")
    sys.exit(main(options.parse_args().number))
