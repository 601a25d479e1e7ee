"""Makes the Numberlink boards of this folder: ``python data/make_boards.py [NAME …]``.

One path through all cells, drawn at random, is cut into pieces, and the ends of every piece become
a pair: so the board can be covered. Either the first board of a seeded sequence that is as asked is
taken, or the pieces hand each other cells, by simulated annealing, until few solutions are left.
Counts are those of the frontier engine; the tests confirm them by a plain search or by Graphillion.
Nothing is downloaded, and the files come out the same again.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from itertools import count, pairwise
from math import exp, log
from pathlib import Path

from bddsudoku.file_io import write_text
from bddsudoku.numberlink import Board, Rule, board_json, contest_text
from bddsudoku.numberlink.link_sets import count_links

HERE = Path(__file__).parent / "numberlink"
STEPS = 4000
Pieces = list[list[int]]


def one_path(rng: random.Random, width: int, height: int) -> list[int]:
    """A path through all cells: a winding one, an end of it bitten back at random many times."""
    cells = [[y * width + x for x in range(width)] for y in range(height)]
    path = [cell for y, row in enumerate(cells) for cell in (row[::-1] if y % 2 else row)]
    grid = Board.of_cells(width, height, [(0, 1)])
    for _ in range(20 * len(path)):
        if rng.random() < 0.5:
            path.reverse()
        at = path.index(rng.choice(grid.neighbours[path[0]]))
        path[:at] = path[:at][::-1]
    return path


def pieces_of(
    rng: random.Random, width: int, height: int, pairs: int, shortest: int
) -> list[list[int]]:
    """A path through all cells in so many pieces of so many cells or more."""
    cells = width * height
    while True:
        path = one_path(rng, width, height)
        cuts = [0, *sorted(rng.sample(range(1, cells), pairs - 1)), cells]
        pieces = [path[a:b] for a, b in pairwise(cuts)]
        if min(map(len, pieces)) >= shortest:
            rng.shuffle(pieces)
            return pieces


def board_of(width: int, height: int, pieces: Pieces) -> Board:
    """The board whose pairs are the ends of these paths."""
    return Board.of_cells(width, height, [(p[0], p[-1]) for p in pieces])


def cut(seed: int, width: int, height: int, pairs: int, shortest: int) -> Iterator[Board]:
    """Boards without end, drawn one after the other."""
    rng = random.Random(seed)
    while True:
        yield board_of(width, height, pieces_of(rng, width, height, pairs, shortest))


def handed(rng: random.Random, grid: Board, pieces: Pieces, shortest: int) -> Pieces:
    """The pieces after a small change: one is bitten back, or gives its last cell to another."""
    while True:
        out = [list(p) for p in pieces]
        giver = rng.choice(out)
        if rng.random() < 0.5:
            giver.reverse()
        beside = rng.choice(grid.neighbours[giver[-1]])
        taker = next(p for p in out if beside in p)
        if taker is giver:
            at = giver.index(beside) + 1
            if at < len(giver) - 1:
                giver[at:] = giver[at:][::-1]
                return out
            continue
        if beside == taker[0]:
            taker.reverse()
        if beside == taker[-1] and len(giver) > shortest:
            taker.append(giver.pop())
            return out


def annealed(
    seed: int, width: int, height: int, pairs: int, shortest: int, rule: Rule, most: int = 1
) -> Board:
    """A board with at most so many solutions under a rule."""
    grid = Board.of_cells(width, height, [(0, 1)])
    for turn in count(seed):
        rng = random.Random(turn)
        pieces = pieces_of(rng, width, height, pairs, shortest)
        now = log(count_links(board_of(width, height, pieces).with_rule(rule)).count)
        for step in range(STEPS):
            if now <= log(most):
                return board_of(width, height, pieces)
            new = pieces
            for _ in range(rng.randint(1, 3)):
                new = handed(rng, grid, new, shortest)
            then = log(count_links(board_of(width, height, new).with_rule(rule)).count)
            heat = 0.6 * (1 - step / STEPS) + 0.02
            if then <= now or rng.random() < exp((now - then) / heat):
                now, pieces = then, new
    raise AssertionError("the sequence of seeds has no end")


def write(name: str, text: str, how: str) -> None:
    """One file; JSON has no place for the comment."""
    HERE.mkdir(exist_ok=True)
    head = "" if name.endswith(".json") else f"# {how}, made by data/make_boards.py\n"
    write_text(HERE / name, head + text.rstrip("\n") + "\n")
    print(f"wrote {HERE / name}: {how}")


def unique() -> None:
    """One solution that covers the board, and others that do not; letters."""
    board = annealed(8, 8, 8, 6, 5, "cover")
    named = Board(8, 8, board.pairs, names=tuple("ABCDEF"))
    write("unique_8x8.txt", str(named), "8x8, 6 pairs, one solution under cover, seed 8")


def many() -> None:
    """Many solutions under either rule; the contest's form."""
    board = next(
        b for b in cut(10, 10, 10, 5, 4) if count_links(b.with_rule("cover")).count > 10**5
    )
    write("many_10x10.txt", contest_text(board), "10x10, 5 pairs, many solutions, seed 10")


def settled() -> None:
    """One solution under either rule; more than nine pairs as numbers set apart by blanks."""
    board = annealed(11, 11, 8, 10, 4, "free")
    rows = []
    for y in range(board.height):
        cells = (board.pair_at.get(board.cell(x, y)) for x in range(board.width))
        rows.append(" ".join(f"{'.' if k is None else board.names[k]:>2}" for k in cells))
    write("settled_11x8.txt", "\n".join(rows), "11x8, 10 pairs, one solution, seed 11")


def crossing() -> None:
    """No solution: of two pairs on the rim each parts the other."""
    text = "1.....2\n" + ".......\n" * 2 + ".3...3.\n" + ".......\n" + "2.....1\n"
    write("crossing_7x6.txt", text, "7x6, two pairs cross on the rim, no solution")


def walk() -> None:
    """Self-avoiding walks from corner to corner."""
    board = Board.of_cells(8, 8, [(0, 63)])
    write("walk_8x8.txt", contest_text(board), "8x8, walks from corner to corner")


def colours() -> None:
    """A tall board whose pairs have names and whose rule is in the file; JSON."""
    names = ("red", "green", "blue", "grün", "黒")
    board = annealed(5, 5, 14, len(names), 5, "cover", most=50)
    named = Board(5, 14, board.pairs, "cover", names=names)
    write("colours_5x14.json", board_json(named), "5x14, 5 named pairs, rule cover, seed 5")


def main(names: Sequence[str]) -> None:
    """Make the files named, or all."""
    makers = {m.__name__: m for m in (unique, many, settled, crossing, walk, colours)}
    for name in names or makers:
        makers[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
