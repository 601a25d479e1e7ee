"""Makes the puzzles of this folder that were made here: ``python data/make_puzzles.py [NAME …]``.

Every puzzle has one solution, which dancing links confirm before a file is written. The seeds are
fixed, so the files come out the same again; nothing is downloaded.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from bddsudoku.engine import dlx
from bddsudoku.file_io import write_text
from bddsudoku.puzzle.sudoku import Layout, Puzzle, allocate
from bddsudoku.puzzle.sudoku.text import read_puzzles, write_grid, write_line

HERE = Path(__file__).parent


def shuffled_pattern(layout: Layout, rng: random.Random) -> Puzzle:
    """The cyclic grid with digits, bands, rows, stacks and columns shuffled."""
    h, w, n = layout.box_rows, layout.box_columns, layout.n
    digits = rng.sample(range(1, n + 1), n)

    def lines(groups: int, size: int) -> list[int]:
        return [
            g * size + i
            for g in rng.sample(range(groups), groups)
            for i in rng.sample(range(size), size)
        ]

    rows, columns = lines(w, h), lines(h, w)
    return Puzzle([digits[((r % h) * w + r // h + c) % n] for r in rows for c in columns], layout)


def random_grid(rng: random.Random) -> Puzzle:
    """A 9×9 grid found by dancing links with shuffled options (any grid can come out)."""
    model = allocate(Puzzle([0] * 81), "candidates")
    cover = next(dlx.covers(model, seed=rng.randrange(2**31)))
    cells = [0] * 81
    for option in cover:
        cell, digit = divmod(model.variables[option].key, 9)
        cells[cell] = digit + 1
    return Puzzle(cells)


def is_unique(puzzle: Puzzle, nodes: int) -> bool:
    """True when there is one solution; False when there are more or the search grows too long."""
    result = dlx.count(allocate(puzzle, "singles"), limit=2, node_limit=nodes)
    return result.done and result.count == 1


def thin_out(
    grid: Puzzle, rng: random.Random, hints: int, symmetric: bool = False, nodes: int = 20_000
) -> Puzzle:
    """Take hints away in random order while the solution stays the only one.

    Stops at ``hints`` hints or when none can go. ``symmetric`` takes opposite cells together.
    """
    last = grid.layout.cell_count - 1
    puzzle = grid
    for cell in rng.sample(range(last + 1), last + 1):
        if not puzzle[cell] or puzzle.hint_count <= hints:
            continue
        cells = {cell, last - cell} if symmetric else {cell}
        if puzzle.hint_count - len(cells) < hints:
            continue
        thinner = puzzle.without(*cells)
        if is_unique(thinner, nodes):
            puzzle = thinner
    return puzzle


def with_hints(hints: int, seed: int, symmetric: bool = False) -> Puzzle:
    """The first 9×9 puzzle with exactly so many hints in a seeded sequence."""
    rng = random.Random(seed)
    while True:
        puzzle = thin_out(random_grid(rng), rng, hints, symmetric)
        if puzzle.hint_count == hints:
            return puzzle


def write(name: str, header: Sequence[str], blocks: Iterable[str]) -> None:
    """One file: comments, then text."""
    path = HERE / name
    path.parent.mkdir(exist_ok=True)
    write_text(path, "".join(f"# {h}\n" for h in header) + "\n".join(blocks) + "\n")
    print(f"wrote {path}")


def paper() -> None:
    """The 33, 30 and 28 hints of the paper's Table 1, whose own puzzles are not printed."""
    for hints in (33, 30, 28):
        puzzle = with_hints(hints, seed=hints, symmetric=True)
        header = [f"{hints} hints, point-symmetric, made by data/make_puzzles.py, seed {hints}"]
        write(f"paper/{hints}.txt", header, [write_line(puzzle)])


def sizes() -> None:
    """One board or two of every size, in several of the forms that are read."""
    plan: list[tuple[str, Layout, int, int, Callable[[Puzzle], str]]] = [
        ("4x4", Layout(2, 2), 2, 4, write_line),
        ("6x6_2x3", Layout(2, 3), 2, 8, write_grid),
        ("6x6_3x2", Layout(3, 2), 2, 8, write_grid),
        ("8x8", Layout(2, 4), 2, 14, write_line),
        ("8x8_4x2", Layout(4, 2), 1, 14, write_grid),
        ("10x10", Layout(2, 5), 1, 24, numbers),
        ("12x12", Layout(3, 4), 1, 40, write_grid),
        ("16x16", Layout(4, 4), 2, 96, write_grid),
        ("25x25", Layout(5, 5), 1, 280, write_grid),
    ]
    for seed, (name, layout, count, hints, form) in enumerate(plan, 1):
        rng = random.Random(seed)
        puzzles = [
            thin_out(shuffled_pattern(layout, rng), rng, hints, nodes=2_000) for _ in range(count)
        ]
        given = " and ".join(str(p.hint_count) for p in puzzles)
        header = [f"{layout}, {given} hints, made by data/make_puzzles.py, seed {seed}"]
        end = "" if form is write_line else "\n"
        write(f"sizes/{name}.txt", header, [form(p) + end for p in puzzles])


def numbers(puzzle: Puzzle) -> str:
    """Rows of numbers parted by spaces."""
    n = puzzle.n
    return "\n".join(
        " ".join(f"{d or '.':>2}" for d in puzzle.cells[i : i + n]) for i in range(0, n * n, n)
    )


def collection() -> None:
    """Twenty 9×9 puzzles, 22 to 36 hints, one a line."""
    lines = []
    for seed in range(1, 21):
        rng = random.Random(1000 + seed)
        puzzle = thin_out(random_grid(rng), rng, hints=20 + seed % 17)
        lines.append(write_line(puzzle, blank="0"))
    write("collection.sdm", [], lines)


def ordering() -> None:
    """The seven puzzles of the ordering table in one file, from the seven in ``paper/``."""
    lines = []
    for hints in (35, 33, 30, 28, 24, 21, 18):
        (record,) = read_puzzles(HERE / "paper" / f"{hints}.txt")
        if record.puzzle.hint_count != hints or not is_unique(record.puzzle, 10**7):
            raise SystemExit(f"paper/{hints}.txt does not hold a puzzle of {hints} hints")
        lines.append(write_line(record.puzzle, name=f"{hints} hints"))
    header = ["The puzzles of paper/ in one file: hints of the paper's Table 1, one solution each"]
    write("ordering.sdm", header, lines)


def no_solution() -> None:
    """Legal puzzles with 0 solutions: clashes, a cell without candidates, one to be searched."""
    ((figure, *_),) = read_puzzles(HERE / "paper" / "35.txt")
    ((sparse, *_),) = read_puzzles(HERE / "paper" / "24.txt")
    empty = Puzzle([0] * 81)
    row = empty.with_hints({(0, c): c + 1 for c in range(8)})
    rng = random.Random(0)
    candidates = [v.key for v in allocate(sparse, "candidates").variables]
    hidden = next(
        wrong
        for key in rng.sample(candidates, len(candidates))
        if allocate(wrong := sparse.with_hint(key // 9, key % 9 + 1), "singles").variables
        and dlx.count(allocate(wrong, "singles")).count == 0
    )
    lines = [
        write_line(empty.with_hints({0: 1, 1: 1}), name="clash of r1c1 and r1c2 in row and block"),
        write_line(empty.with_hints({0: 5, 8: 5}), name="clash of r1c1 and r1c9 in a row"),
        write_line(figure.with_hint(1, 3), name="Figure 1 with a second 3 in row 1"),
        write_line(row.with_hint((1, 8), 9), name="no clash, but no digit is left for r1c9"),
        write_line(hidden, name="no clash, and singles do not see it"),
    ]
    write("no_solution.txt", ["Legal puzzles with 0 solutions"], lines)


def main(names: Sequence[str]) -> None:
    """Make the files named, or all."""
    makers = {m.__name__: m for m in (paper, ordering, sizes, collection, no_solution)}
    for name in names or makers:
        makers[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
