"""Random variant Sudokus: a random grid, rules that hold in it, and hints until it is unique.

Everything is drawn from the seed, and searches end after so many nodes, never after so many
seconds, so that a kind and a seed make the same puzzle on every machine.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

from bddsudoku.context import UNLIMITED
from bddsudoku.engine.search.engine import SearchEngine
from bddsudoku.errors import LimitReached
from bddsudoku.puzzle.sudoku import Layout, Puzzle, allocate
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
    rule_from_line,
)

__all__ = ["KINDS", "at_most_two", "dissections", "jigsaw_layout", "made", "make", "some_grid"]

NODES = 3_000
"""After so many a search has not shown that there is one solution."""
HARD_NODES = 20_000
"""The same while rules are taken away from a board without hints."""
Line = tuple[Place, ...]


def some_grid(puzzle: Puzzle, seed: int) -> Puzzle:
    """A random grid, drawn by a shuffled search."""
    (keys,) = SearchEngine().solutions(allocate(puzzle), UNLIMITED, limit=1, seed=seed)
    n = puzzle.n
    return Puzzle([key % n + 1 for key in keys.tolist()], puzzle.layout)


def at_most_two(puzzle: Puzzle, nodes: int | None = None) -> int:
    """The number of solutions, if it is 0 or 1; else 2.

    Raises:
        LimitReached: after so many nodes.
    """
    model = allocate(puzzle)
    return len(list(SearchEngine().solutions(model, UNLIMITED, limit=2, node_limit=nodes)))


def is_unique(puzzle: Puzzle, nodes: int = NODES) -> bool:
    """Whether a search of so many nodes shows that there is one solution."""
    try:
        return at_most_two(puzzle, nodes=nodes) == 1
    except LimitReached:
        return False


# What a grid says


def paths(
    grid: Puzzle,
    rng: random.Random,
    number: int,
    lengths: tuple[int, int],
    goes_on: Callable[[Sequence[int]], bool],
    is_whole: Callable[[Sequence[int]], bool] = lambda digits: True,
) -> Iterator[Line]:
    """Disjoint lines through a grid, extended as long as their digits satisfy a condition.

    Lines whose digits do not satisfy another condition in the end are left out.
    """
    n = grid.n
    taken: set[Place] = set()
    found = 0
    for _ in range(4_000):
        if found == number:
            return
        line = [Place(rng.randrange(n), rng.randrange(n))]
        wanted = rng.randint(*lengths)
        while len(line) < wanted:
            r, c = line[-1]
            around = [Place(r + a, c + b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
            fit = [
                p
                for p in around
                if 0 <= min(p) <= max(p) < n
                and p not in line
                and goes_on([grid[q] for q in (*line, p)])
            ]
            if not fit:
                break
            line.append(rng.choice(fit))
        whole = len(line) == wanted and is_whole([grid[q] for q in line])
        if whole and not taken & {*line}:
            taken |= {*line}
            found += 1
            yield tuple(line)


def thermometers(
    grid: Puzzle, rng: random.Random, number: int = 10, lengths: tuple[int, int] = (3, 6)
) -> list[Rule]:
    """Lines along which digits rise, at most so many."""
    return [*map(Thermometer, paths(grid, rng, number, lengths, lambda ds: ds[-2] < ds[-1]))]


def whispers(grid: Puzzle, rng: random.Random) -> list[Rule]:
    """Seven lines of neighbours that are at least five apart."""
    lines = paths(grid, rng, 7, (4, 8), lambda ds: abs(ds[-1] - ds[-2]) >= 5)
    return [Whispers(line) for line in lines]


def renbans_and_thermometers(grid: Puzzle, rng: random.Random) -> list[Rule]:
    """Lines of consecutive digits in any order, and lines along which digits rise."""
    runs = paths(
        grid,
        rng,
        12,
        (3, 6),
        lambda ds: len({*ds}) == len(ds),
        lambda ds: max(ds) - min(ds) == len(ds) - 1,
    )
    return [*map(Renban, runs), *thermometers(grid, rng)]


def arrows(grid: Puzzle, rng: random.Random) -> list[Rule]:
    """Twelve arrows of two or three cells."""
    lines = paths(grid, rng, 400, (3, 4), lambda ds: sum(ds[1:]) <= ds[0])
    sums = (line for line in lines if grid[line[0]] == sum(grid[p] for p in line[1:]))
    return [*islice((Arrow(line[:1], line[1:]) for line in sums), 12)]


def cages(grid: Puzzle, rng: random.Random) -> list[Rule]:
    """All cells in cages of four at most, with their sums."""
    n = grid.n
    free = {Place(r, c) for r in range(n) for c in range(n)}
    found: list[Rule] = []
    while free:
        cage = [min(free, key=lambda p: (len(_sides(p, free)), rng.random()))]
        wanted = rng.choice((2, 2, 3, 3, 4))
        while len(cage) < wanted:
            digits = {grid[p] for p in cage}
            more = {q for p in cage for q in _sides(p, free)} - {*cage}
            fit = sorted(p for p in more if grid[p] not in digits)
            if not fit:
                break
            cage.append(rng.choice(fit))
        free -= {*cage}
        found.append(Cage(tuple(sorted(cage)), sum(grid[p] for p in cage)))
    return found


def _sides(place: Place, among: set[Place]) -> list[Place]:
    r, c = place
    around = (Place(r - 1, c), Place(r + 1, c), Place(r, c - 1), Place(r, c + 1))
    return [p for p in around if p in among]


def outside(kind: type[Sandwich] | type[XSum] | type[Skyscraper]) -> Any:
    """A reader of all numbers beside the board; sandwiches are the same from both sides."""

    def read(grid: Puzzle, rng: random.Random) -> list[Rule]:
        n = grid.n
        sides = (-1,) if kind is Sandwich else (-1, n)
        clues = [Place(i, side) for i in range(n) for side in sides]
        clues += [Place(side, i) for i in range(n) for side in sides]
        found: list[Rule] = []
        for clue in clues:
            some = (kind((clue,), total) for total in range(n * (n + 1) // 2 + 1))
            found.append(next(rule for rule in some if rule.holds(grid)))
        return found

    return read


def little_killers(grid: Puzzle, rng: random.Random) -> list[Rule]:
    """The diagonals of two cells and more that begin above or below, towards the right."""
    n = grid.n
    found: list[Rule] = []
    for row, direction in ((-1, "dr"), (n, "ur")):
        for column in range(-1, n - 2):
            rule = LittleKiller((Place(row, column),), 0, direction)
            total = sum(grid[p] for p in rule.seen_cells(grid.layout))
            found.append(LittleKiller(rule.clue, total, direction))
    return found


def bare(*lines: str) -> Any:
    """Function that returns rules which every grid made for them obeys."""
    return lambda grid, rng: [rule_from_line(line) for line in lines]


GLOBAL = {
    "diagonals": ("diagonals",),
    "antiknight": ("antiknight",),
    "antiking": ("antiking",),
    "windoku": ("windoku",),
    "disjointgroups": ("disjointgroups",),
    "nonconsecutive": ("nonconsecutive",),
    "antiking, antiknight": ("antiking", "antiknight"),
    "thermometer, antiknight, no hints": ("antiknight",),
}
KINDS: dict[str, Callable[[Puzzle, random.Random], list[Rule]]] = {
    **{name: bare(*lines) for name, lines in GLOBAL.items()},
    "killer": cages,
    "killer, diagonals": cages,
    "arrow": arrows,
    "thermometer": thermometers,
    "whispers": whispers,
    "sandwich": outside(Sandwich),
    "xsum": outside(XSum),
    "skyscraper": outside(Skyscraper),
    "little killer": little_killers,
    "jigsaw": bare(),
    "renban, thermometer, no hints": renbans_and_thermometers,
    "thermometer, antiknight, no hints": partial(thermometers, number=19, lengths=(3, 5)),
}
"""Readers of rules by the name of the kind."""


def make(kind: str, seed: int) -> Puzzle:
    """A puzzle of a kind with one solution, which a search shows.

    Killers and the kinds called so have no hints; the latter have no rule too many.
    """
    rng = random.Random(f"{kind} {seed}")
    layout = jigsaw_layout(9, rng) if kind == "jigsaw" else Layout()
    lines = GLOBAL.get(kind, ("diagonals",) if "diagonals" in kind else ())
    board = Puzzle([0] * 81, layout, rules=map(rule_from_line, lines))
    hard = "no hints" in kind
    for _ in range(200 if hard or kind.startswith("killer") else 1):
        grid = some_grid(board, rng.randrange(2**31))
        puzzle = board.with_rule(*KINDS[kind](grid, rng))
        if is_unique(puzzle, HARD_NODES if hard else NODES):
            return _with_fewer_rules(puzzle, board, rng) if hard else puzzle
    return _with_hints(puzzle, grid, rng)


def _with_fewer_rules(puzzle: Puzzle, board: Puzzle, rng: random.Random) -> Puzzle:
    """The puzzle without rules that it does not need, as far as a search finds that out."""
    rules = [rule for rule in puzzle.rules if rule not in board.rules]
    for rule in rng.sample(rules, len(rules)):
        fewer = puzzle.without(rule)
        puzzle = fewer if is_unique(fewer, HARD_NODES) else puzzle
    return puzzle


def _with_hints(puzzle: Puzzle, grid: Puzzle, rng: random.Random) -> Puzzle:
    """The puzzle with digits of its grid, none of which a short search finds too many."""
    cells = rng.sample(range(81), 81)
    few, enough = 0, 81
    # The fewest of the cells, in their order, that leave one solution: by halving.
    while few + 1 < enough:
        half = (few + enough) // 2
        if is_unique(puzzle.with_hints({c: grid.cells[c] for c in cells[:half]})):
            enough = half
        else:
            few = half
    puzzle = puzzle.with_hints({c: grid.cells[c] for c in cells[:enough]})
    for cell in cells[: enough - 1]:
        fewer = puzzle.without(cell)
        puzzle = fewer if is_unique(fewer) else puzzle
    return puzzle


def made(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """The puzzle of a kind and a seed; the same without its last two hints, or four rules."""
    puzzle = make(case["kind"], case["seed"])
    taken = [*puzzle.hints][-2:] if puzzle.hint_count > 1 else [*puzzle.rules][-4:]
    return {"puzzle": puzzle.text, "near": puzzle.without(*taken).text}


# Blocks of any shape


def jigsaw_layout(n: int, rng: random.Random) -> Layout:
    """Random jigsaw regions: usual blocks that have exchanged cells with their neighbours."""
    usual = Layout.of_size(n)
    number = [usual.block_index(cell) for cell in range(n * n)]
    swaps = 150
    while swaps:
        one, other = rng.sample(range(n * n), 2)
        after = list(number)
        after[one], after[other] = number[other], number[one]
        if number[one] != number[other] and all(
            _connected([c for c in range(n * n) if after[c] == after[place]], n)
            for place in (one, other)
        ):
            number = after
            swaps -= 1
    return Layout.jigsaw(number)


def _connected(cells: Sequence[int], n: int) -> bool:
    left = {*cells}
    reached = [left.pop()]
    for cell in reached:
        near = {cell - n, cell + n, *([cell - 1] if cell % n else []), cell + 1}
        near.discard(cell + 1 if cell % n == n - 1 else -1)
        reached += near & left
        left -= near
    return not left


def dissections(n: int) -> Iterator[tuple[int, ...]]:
    """All ways to cut n × n cells into n connected regions of n cells: a number a cell."""

    def regions(first: int, free: frozenset[int]) -> set[frozenset[int]]:
        grown = {frozenset([first])}
        for _ in range(n - 1):
            grown = {
                region | {cell}
                for region in grown
                for cell in free - region
                if any(_connected([cell, other], n) for other in region)
            }
        return grown

    def cut(number: dict[int, int]) -> Iterator[tuple[int, ...]]:
        free = frozenset(range(n * n)) - number.keys()
        if not free:
            yield tuple(number[cell] for cell in range(n * n))
            return
        for region in regions(min(free), free):
            yield from cut(number | dict.fromkeys(region, len({*number.values()})))

    yield from cut({})
