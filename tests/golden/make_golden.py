"""Writes the golden files: ``python tests/golden/make_golden.py``.

A line is ``puzzle:count:solution``: the symbols, the exact number of solutions, and the smallest
solution in lexicographic order ("-" when there is none). Every count is found by dancing links
and by the frontier engine (the largest ones by frontier and bands), which share no code; where the
two differ nothing is written. The puzzles come from ``data/`` and from seeded removals.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

from bddsudoku.context import Context
from bddsudoku.engine import bands, dlx
from bddsudoku.engine.brute_force import BruteForceEngine
from bddsudoku.engine.frontier import count_spec
from bddsudoku.engine.specs.product_spec import model_spec
from bddsudoku.file_io import write_text
from bddsudoku.model import Model
from bddsudoku.puzzle.sudoku import Layout, Puzzle, allocate
from bddsudoku.puzzle.sudoku.text import read_puzzles

HERE = Path(__file__).parent
DATA = HERE.parent.parent / "data"
SEARCHED = 3_000_000
"""Dancing links count up to here, bands beyond."""


def first_solution(puzzle: Puzzle, model: Model, count: int) -> str:
    """The only solution by dancing links, or the smallest of several by plain backtracking."""
    searcher = dlx.DlxEngine() if count == 1 else BruteForceEngine()
    found = next(searcher.solutions(model, Context(time_limit=60), limit=1), None)
    if found is None:
        return "-"
    cells = [key % puzzle.n + 1 for key in found.tolist()]
    return Puzzle(cells, puzzle.layout).line


def golden(puzzle: Puzzle) -> str:
    """One line, confirmed twice."""
    model = allocate(puzzle, "singles")
    count = count_spec(model_spec(model))
    search = dlx.count(model, limit=SEARCHED)
    if search.done:
        second = search.count
    else:
        second = bands.count([1 << d - 1 if d else 511 for d in puzzle.cells])
    if second != count:
        raise SystemExit(f"{puzzle.line}: {count} and {second}")
    return f"{puzzle.line}:{count}:{first_solution(puzzle, model, count)}"


def thinned(puzzle: Puzzle, seed: int, sizes: Iterable[int]) -> Iterator[Puzzle]:
    """A puzzle with more and more hints taken away in random order."""
    rng = random.Random(seed)
    for size in sizes:
        gone = rng.sample(list(puzzle.hints), size)
        yield puzzle.without(*gone)


def write(name: str, puzzles: Iterable[Puzzle], header: str) -> None:
    """One file of a single layout."""
    boards = list(dict.fromkeys(puzzles))
    layout = boards[0].layout
    lines = [f"# {header}", f"# layout: {layout.box_rows}x{layout.box_columns}"]
    lines += [golden(p) for p in boards]
    write_text(HERE / name, "\n".join(lines) + "\n")
    print(name, len(boards))


def of(name: str) -> list[Puzzle]:
    """The puzzles of a data file."""
    return [r.puzzle for r in read_puzzles(DATA / name)]


def small(layout: Layout, seed: int, count: int) -> Iterator[Puzzle]:
    """Random hints without regard to solutions; many of them have none."""
    rng = random.Random(seed)
    n = layout.n
    yield Puzzle([0] * layout.cell_count, layout)
    while count:
        cells = [0] * layout.cell_count
        for cell in rng.sample(range(layout.cell_count), rng.randint(1, n * n // 3)):
            cells[cell] = rng.randint(1, n)
        puzzle = Puzzle(cells, layout)
        if next(puzzle.clashes(), None) is None or rng.random() < 0.1:
            count -= 1
            yield puzzle


def main() -> None:
    """Write all files."""
    four = of("sizes/4x4.txt")
    write("4x4.txt", [*four, *small(Layout(2, 2), 4, 40)], "4x4")
    for shape in ("2x3", "3x2"):
        boards = of(f"sizes/6x6_{shape}.txt")
        more = [t for b in boards for t in thinned(b, 6, range(1, 5))]
        wild = list(small(boards[0].layout, 6, 40))[1:]
        write(f"6x6_{shape}.txt", [*boards, *more, *(w for w in wild if w.hint_count > 5)], shape)
    p17 = of("seventeen.txt")
    collection = of("collection.sdm")
    nine = [
        *of("ordering.sdm"),
        *of("telegraph.txt"),
        *collection,
        *of("no_solution.txt"),
        *p17[:5],
        *(p17[0].without(cell) for cell in p17[0].hints),
        *(t for i, p in enumerate(collection[:12]) for t in thinned(p, i, (1, 2, 4))),
    ]
    write("9x9.txt", nine, "9x9, every removal of one of the 17 hints among them")
    write("16x16.txt", of("sizes/16x16.txt"), "16x16")
    write("others.txt", of("sizes/12x12.txt"), "12x12")


if __name__ == "__main__":
    main()
