"""Puzzles to order: random grids, from which hints and rules are taken away.

Everything follows from the seed: the same puzzles come in the same order, whatever the number of
threads, and more of them begin with the same ones.

Where the set of all grids can be held they are drawn from it, each exactly as likely as any other:
the ordinary board (of which the set is 6.67e21 grids strong and a draw takes some 7 ms), and boards
of up to 36 cells under any rules. Elsewhere a search in shuffled order gives the first that it
meets, which is not uniform.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, count
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.authoring.minimise import SECOND_NODES, Unit, first_count, second_count, thinned
from bddsudoku.authoring.request import Made, Wanted
from bddsudoku.authoring.rules import placed
from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.bitboard.minimise import reduced, removable
from bddsudoku.engine.protocol import searcher_for
from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.jit.decorators import I16, I64, U8
from bddsudoku.puzzle.sudoku.decode import SudokuDecoder
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.sets.base import GridFamily
from bddsudoku.solver.ask import solved
from bddsudoku.solver.question import question_of
from bddsudoku.work.task import Task
from bddsudoku.work.workers import values

if TYPE_CHECKING:
    from bddsudoku.work import Client, Home, Runner

DRAWN = 16
"""Grids that are drawn for a block of tries."""
IMAGES = 64
"""Tries that one of them serves in all blocks but the first;"""
MANY_IMAGES = 1024
"""where a pattern is to be filled, which few grids do with one solution."""
GRID_NODES = 20_000
"""Nodes of a first search for a grid."""
SMALL = 36
"""Cells of a board up to which all grids are held as a diagram."""
BLOCK = 8
"""Boards that are not ordinary which a worker tries at a time."""
TRIES = 50_000
"""Tries after which a puzzle is not found, on ordinary boards: some 10 s."""
TRIES_FILLED = 1_000_000
"""The same where a pattern is to be filled: every try is but one search."""
TRIES_SEARCHED = 200
"""The same on all other boards."""

_held: dict[Puzzle, GridFamily] = {}
"""All grids of the board that was asked for last, by the empty board. Threads may make a set
twice; every look-up and change is a single step."""


def generate(
    wanted: Wanted,
    seed: int,
    *,
    tries: int | None = None,
    jobs: int | None = None,
    client: Client | Runner | None = None,
    context: Context = UNLIMITED,
) -> Generator[Made, None, None]:
    """Puzzles without end; each has been counted by two engines.

    Args:
        wanted: what they are to be like.
        seed: where chance begins.
        tries: give up after so many in a row that do not fit; by default :data:`TRIES`,
            :data:`TRIES_FILLED` or :data:`TRIES_SEARCHED`.
        jobs: threads for ordinary boards, by default as many as there are cores; processes of this
            machine for all others, by default none but this one.
        client: a ``distributed.Client`` whose workers try; the same puzzles in the same order.

    Raises:
        LimitReached: nothing was found in so many tries (``limit`` is "tries"), or the time is
            used up.
        BddSudokuError: no grid obeys the rules, or two engines do not agree.

    Cost: for ordinary boards some 1 ms a puzzle after 2 s; a second or so a puzzle with rules.
    """
    ordinary = wanted.is_ordinary
    usual = TRIES_SEARCHED if not ordinary else TRIES_FILLED if wanted.is_filled else TRIES
    most = usual if tries is None else tries
    blocks: Iterator[Iterator[Made | None]]
    if client is not None or (not ordinary and (jobs or 1) > 1):
        function = f"{__name__}:tries"
        sent = (Task(function, (wanted, seed, block), context.memory) for block in count())
        blocks = values(sent, jobs, client, context=context.silent)
    else:
        blocks = (_block(wanted, seed, block, jobs, context) for block in count())
    failed = 0
    for number, made in enumerate(chain.from_iterable(blocks), 1):
        checked = None if made is None else _checked(replace(made, tried=number), context)
        if checked is not None:
            failed = 0
            yield checked
            continue
        failed += 1
        context.tell(failed, most)
        if failed >= most:
            said = f"{most:,} tries" if most > 1 else "1 try"
            raise LimitReached(f"no such puzzle was found after {said}", limit="tries")


def _checked(made: Made, context: Context) -> Made | None:
    """What was made, after another engine has counted its solutions; None where none can."""
    second, solutions = second_count(made.puzzle, made.engine, made.solutions + 1, context)
    if second is None:
        return None
    if solutions != made.solutions:
        raise BddSudokuError(
            f"{made.puzzle.line}: {made.engine} finds {made.solutions} solutions, "
            f"{second} {solutions}"
        )
    return replace(made, second=second)


def tries(told: tuple[Wanted, int, int], home: Home) -> list[Made | None]:
    """A block of tries, by a worker."""
    return list(_block(*told, None, home.context))


def _block(
    wanted: Wanted, seed: int, block: int, jobs: int | None, context: Context
) -> Iterator[Made | None]:
    """One try after the other: what was made, or None where it does not fit."""
    if wanted.is_ordinary:
        yield from _ordinary(wanted, seed, block, jobs, context)
        return
    for number in range(block * BLOCK, (block + 1) * BLOCK):
        yield _searched(wanted, np.random.default_rng([seed, number]), context)


def _goals(wanted: Wanted, size: int, rng: np.random.Generator) -> I64:
    """How many hints are to stay, for every try."""
    if wanted.hints is None:
        return np.zeros(size, dtype=np.int64)
    low, high = wanted.hints
    return rng.integers(low, high + 1, size)


def _orders(units: int, must: int, size: int, rng: np.random.Generator) -> I16:
    """Numbers of units in random order, those first that must go."""
    orders = np.tile(np.arange(units, dtype=np.int16), (size, 1))
    orders[:, must:] = rng.permuted(orders[:, must:].copy(), axis=1)
    return orders


def _ordinary(
    wanted: Wanted, seed: int, block: int, jobs: int | None, context: Context
) -> Iterator[Made | None]:
    """Tries on ordinary boards, all of a block side by side."""
    units, must = wanted.units()
    rng = np.random.default_rng([seed, block])
    family = _all_grids(wanted.empty, context)
    full = family.sample(DRAWN, rng).reshape(DRAWN, 81)
    if block:  # those of the first one are independent
        full = moved(np.repeat(full, MANY_IMAGES if wanted.is_filled else IMAGES, axis=0), rng)
    orders = _orders(len(units), must, len(full), rng)
    boards, counts = reduced(
        full,
        orders,
        units,
        must=must,
        most=wanted.solutions,
        least=_goals(wanted, len(full), rng),
        jobs=jobs,
        context=context.silent,
    )
    fits = counts == wanted.solutions
    if wanted.hints is not None:
        fits &= (boards > 0).sum(axis=1) <= wanted.hints[1]
    minimal = fits.copy()
    if not wanted.leaves_minimal:
        few = boards[fits]
        goes = removable(few, full[fits], np.asarray(few > 0), jobs=jobs, context=context)
        minimal[fits] = ~goes.any(axis=1)
    for i, fit in enumerate(fits.tolist()):
        if not fit:
            yield None
            continue
        puzzle, grid = (
            Puzzle.trusted(tuple(some[i].tolist()), Layout()) for some in (boards, full)
        )
        yield Made(puzzle, grid, wanted.solutions, bool(minimal[i]), True, "bitboard")


def _searched(wanted: Wanted, rng: np.random.Generator, context: Context) -> Made | None:
    """A try on a board of any kind, with any rules.

    Hints are tried before rules: a rule that is placed stays if the hints that are left need it.
    """
    units, must = wanted.units()
    grid, uniform = random_grid(wanted.empty, rng, context)
    rules = placed(grid, wanted.place, rng, context)
    if rules is None:
        return None
    full = grid.with_rule(*rules)
    if not full.is_solution:
        return None  # a placed rule has changed what another one means
    (order,) = _orders(len(units), must, 1, rng).tolist()
    extra = [rule for rule in rules if rule not in wanted.rules]
    dropped: list[Unit] = [units[i] for i in order]
    dropped += [extra[i] for i in rng.permutation(len(extra)).tolist()]
    (least,) = _goals(wanted, 1, rng).tolist()
    left = thinned(full, dropped, must=must, most=wanted.solutions, least=least, context=context)
    if left is None or left.solutions != wanted.solutions:
        return None
    if wanted.hints is not None and left.puzzle.hint_count > wanted.hints[1]:
        return None
    minimal: bool | None = True
    if not (wanted.leaves_minimal and left.sure):
        # Hints that went together, or had to stay, were not tried one by one before.
        for cell in left.puzzle.hints:
            fewer = left.puzzle.without(cell)
            _, number = first_count(fewer, left.solutions + 1, SECOND_NODES, context)
            if number == left.solutions:
                minimal = False
                break
            minimal = None if number is None else minimal
    return Made(left.puzzle, full, left.solutions, minimal, uniform, left.engine)


# -- grids -----------------------------------------------------------------------------------------


def _all_grids(empty: Puzzle, context: Context) -> GridFamily:
    """The set of all grids of a board, which is kept.

    Cost: 2 s for the ordinary board, once a process.
    """
    found = _held.get(empty)
    if found is None:
        found = solved(empty, context=context.silent).solutions
        _held.clear()
        _held[empty] = found
    return found


def moved(grids: U8, rng: np.random.Generator) -> U8:
    """A random image of every 9×9 grid under the symmetries of Sudoku, (n, 81).

    Rows, columns, bands, stacks and digits are exchanged, and half of the grids mirrored.
    """
    size = len(grids)

    def lines() -> I64:
        bands = rng.permuted(np.tile(np.arange(3), (size, 1)), axis=1)
        within = rng.permuted(np.tile(np.arange(3), (size, 3, 1)), axis=2)
        return np.asarray((3 * bands[:, :, None] + within).reshape(size, 9))

    names = rng.permuted(np.tile(np.arange(1, 10, dtype=np.uint8), (size, 1)), axis=1)
    every = np.arange(size)[:, None, None]
    rows, columns = lines(), lines()
    image = grids.reshape(size, 9, 9)[every, rows[:, :, None], columns[:, None, :]]
    image = names[every, image - 1]
    turned = rng.random(size) < 0.5
    image[turned] = image[turned].transpose(0, 2, 1)
    return np.ascontiguousarray(image.reshape(size, 81))


def random_grid(empty: Puzzle, rng: np.random.Generator, context: Context) -> tuple[Puzzle, bool]:
    """A grid of any board under its rules, and whether each was exactly as likely as any other.

    Raises:
        BddSudokuError: there is none.
        LimitReached: the time is used up.
    """
    uniform = empty.layout.cell_count <= SMALL
    if uniform:
        family = _all_grids(empty, context)
        rows = family.sample(1 if family else 0, rng)
        found = [Puzzle(row.ravel().tolist(), empty.layout, rules=empty.rules) for row in rows]
    else:
        found = _first_met(empty, rng, context)
    if not found:
        raise BddSudokuError("no grid obeys the rules")
    return found[0], uniform


def _first_met(empty: Puzzle, rng: np.random.Generator, context: Context) -> list[Puzzle]:
    """The first grid that a search in shuffled order meets, if there is one."""
    model, nodes = question_of(empty).model, GRID_NODES
    search = partial(searcher_for(model).solutions, model, context, limit=1)
    while True:
        try:
            found = list(search(seed=int(rng.integers(1 << 31)), node_limit=nodes))
        except LimitReached as stop:
            if stop.limit != "nodes":
                raise
            nodes *= 2  # another search is begun, and has longer
        else:
            return [SudokuDecoder(empty).decode(keys.tolist()) for keys in found]
