"""Grids and boards for tests of rules, by plain searches independent of the package."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

from oracles import fillings, masks_of

from bddsudoku.puzzle.sudoku import Layout, Puzzle


def layout_houses(layout: Layout) -> list[list[int]]:
    """The cells of each row, column, block and extra house of a board."""
    rows, columns = range(layout.row_count), range(layout.column_count)
    lines = [[r * len(columns) + c for c in columns] for r in rows]
    lines += [[r * len(columns) + c for r in rows] for c in columns]
    lines *= layout.has_lines
    number = [layout.block_index(cell) for cell in range(layout.cell_count)]
    blocks = [[c for c, b in enumerate(number) if b == block] for block in {*number} - {-1}]
    return [*lines, *blocks, *map(list, layout.extra)]


def all_grids(puzzle: Puzzle) -> Iterator[Puzzle]:
    """The grids that contain the hints of a puzzle; its rules are ignored."""
    layout = puzzle.layout
    masks = masks_of(puzzle.numbers, layout.digit_count)
    for cells in fillings(masks, layout_houses(layout)):
        yield Puzzle.trusted(tuple(cells), layout)


@cache
def every_grid(layout: Layout) -> tuple[Puzzle, ...]:
    """All grids of a small board: 288 of 4x4."""
    return tuple(all_grids(Puzzle([layout.blank] * layout.cell_count, layout)))


def random_grid(layout: Layout, rng: random.Random) -> Puzzle | None:
    """A random grid of a board, by search with random choices; None if there is none."""
    n, size = layout.digit_count, layout.cell_count
    peers: list[set[int]] = [set() for _ in range(size)]
    for group in layout_houses(layout):
        for cell in group:
            peers[cell].update(c for c in group if c != cell)
    for _ in range(1000):
        masks = dict.fromkeys(range(size), (1 << n) - 1)
        found: dict[int, int] = {}
        while masks:
            least = min(m.bit_count() for m in masks.values())
            if not least:
                break
            cell = rng.choice([c for c, m in masks.items() if m.bit_count() == least])
            digit = rng.choice([d for d in range(n) if masks[cell] >> d & 1])
            del masks[cell]
            found[cell] = digit + 1
            for peer in peers[cell] & masks.keys():
                masks[peer] &= ~(1 << digit)
        else:
            return Puzzle.trusted(tuple(found[cell] for cell in range(size)), layout)
    all_found = [*all_grids(Puzzle([layout.blank] * size, layout))] if n < 6 else []
    return rng.choice(all_found) if all_found else None


def random_grids(layout: Layout, number: int, seed: int | str = 0) -> list[Puzzle]:
    """A number of random grids; none if the board has none."""
    rng = random.Random(seed)
    found = (random_grid(layout, rng) for _ in range(number))
    return [grid for grid in found if grid is not None]


def dissections(n: int) -> Iterator[tuple[int, ...]]:
    """All divisions of n x n cells into n connected pieces of n cells, as a number for each cell.

    The first cell without a piece begins the next piece. Pieces grow from a cell to its
    neighbours, each in one way only (Redelmeier's method).
    """
    near = [
        [
            (r + a) * n + c + b
            for a, b in ((-1, 0), (0, -1), (0, 1), (1, 0))
            if 0 <= r + a < n and 0 <= c + b < n
        ]
        for r in range(n)
        for c in range(n)
    ]

    def pieces(piece: list[int], border: list[int], barred: set[int]) -> Iterator[list[int]]:
        if len(piece) == n:
            yield piece
            return
        border, barred = list(border), set(barred)
        while border:
            cell = border.pop()
            more = [c for c in near[cell] if c not in barred]
            yield from pieces([*piece, cell], border + more, barred | {*more})

    def cut(number: list[int], piece: int) -> Iterator[tuple[int, ...]]:
        if piece == n:
            yield tuple(number)
            return
        first = number.index(-1)
        used = {c for c, p in enumerate(number) if p >= 0} | {first}
        for cells in pieces([], [first], used):
            after = list(number)
            for cell in cells:
                after[cell] = piece
            yield from cut(after, piece + 1)

    yield from cut([-1] * (n * n), 0)


def symmetric_dissections(regions: tuple[int, ...], n: int) -> set[tuple[int, ...]]:
    """The images of a dissection under rotation and reflection, pieces numbered by first cells."""
    found = set()
    grid = [regions[r * n : r * n + n] for r in range(n)]
    for _ in range(4):
        grid = [*zip(*grid[::-1], strict=True)]
        for board in (grid, grid[::-1]):
            flat = [p for row in board for p in row]
            number = {p: i for i, p in enumerate(dict.fromkeys(flat))}
            found.add(tuple(number[p] for p in flat))
    return found
