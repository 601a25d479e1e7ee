"""Generating puzzles to order: hints and rules are removed from random grids.

The seed determines everything: the same puzzles come in the same order, whatever the number of
threads, and a longer run begins with the same puzzles as a shorter one.

Grids are drawn exactly uniformly where the set of all grids fits in memory: on the classic board
(6.67e21 grids; a draw takes some 7 ms), and on boards of up to 36 cells under any rules. Elsewhere
the grid is the first that a search in shuffled order finds, which is not uniform.

Classic boards are processed by the thousand (:mod:`bddsudoku.engine.bitboard.hint_removal`). On
others every test is a search of its own, of a millisecond or more. A search that takes more than
:data:`TRIED_NODES` is given up, and the hint stays: such puzzles are hard to solve and to verify.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count
from typing import TYPE_CHECKING, Unpack

import numpy as np

from bddsudoku.argument_types import check_types
from bddsudoku.authoring.puzzle_request import GeneratedPuzzle, PuzzleRequest
from bddsudoku.authoring.rule_placement import place_rules
from bddsudoku.context import UNLIMITED, Context, Limits, limited
from bddsudoku.engine.bitboard.hint_removal import removable_hints, remove_hints
from bddsudoku.engine.portfolio import count_within
from bddsudoku.engine.protocol import choose_listing_engine, find_engine
from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.jit.decorators import I16, I64, U8
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules import Rule
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
from bddsudoku.sets.grid_family import GridFamily
from bddsudoku.solver.dispatch import solve_detailed
from bddsudoku.solver.puzzle_lists import count_by_prepared_search
from bddsudoku.solver.question import make_question
from bddsudoku.work.processes import task_values
from bddsudoku.work.task import Task, function_path

if TYPE_CHECKING:
    from bddsudoku.work import Client, Runner, TaskContext

SAMPLED_GRIDS = 16
"""Number of grids that are drawn for a batch of tries."""
IMAGES_PER_GRID = 64
"""Number of images of a drawn grid, one a try, in all batches but the first."""
MANY_IMAGES_FROM = 1024
"""The same where the hints must fill a pattern, which few grids do with one solution."""
GRID_NODES = 20_000
"""Node limit of the first search for a grid."""
MAX_SAMPLED_CELLS = 36
"""Largest number of cells of a board whose set of all grids is compiled to a diagram."""
TRIES_PER_BATCH = 8
"""Number of tries in a batch, on boards that are not classic."""
TRIES = 50_000
"""Failed tries in a row after which :func:`generate` gives up, on classic boards: some 10 s."""
TRIES_FILLED = 1_000_000
"""The same where the hints must fill a pattern: a try is a single search."""
TRIES_SEARCHED = 200
"""The same on all other boards."""

_grid_sets: dict[Puzzle, GridFamily] = {}
"""The set of all grids of the last board, by the empty board. Threads may make a set
twice; every look-up and change is a single step."""


@check_types
def generate(
    wanted: PuzzleRequest,
    seed: int,
    *,
    tries: int | None = None,
    jobs: int | None = None,
    client: Client | Runner | None = None,
    context: Context = UNLIMITED,
    **limits: Unpack[Limits],
) -> Generator[GeneratedPuzzle, None, None]:
    """Yield puzzles of the wanted kind without end, each counted by two engines.

    Args:
        wanted: the properties of the puzzles.
        seed: of the random numbers.
        tries: give up after this many failed tries in a row; by default :data:`TRIES`,
            :data:`TRIES_FILLED` or :data:`TRIES_SEARCHED`.
        jobs: threads for classic boards, by default as many as there are cores; processes of this
            host for all others, by default only this one.
        client: a ``distributed.Client`` whose workers run the tries; the puzzles are the same.

    Raises:
        LimitReached: ``tries`` tries in a row failed (``limit`` is "tries"), or the time is
            used up.
        BddSudokuError: no grid obeys the rules, or two engines do not agree.

    Cost: on the classic board some 1 ms a puzzle after 2 s; with rules about a second a puzzle.
    """
    context = limited(context, **limits)
    classic = wanted.is_classic
    usual = TRIES_SEARCHED if not classic else TRIES_FILLED if wanted.fills_pattern else TRIES
    most = usual if tries is None else tries
    batches: Iterator[Iterator[GeneratedPuzzle | None]]
    if client is not None or (not classic and (jobs or 1) > 1):
        function = function_path(generate_batch_task)
        sent = (Task(function, (wanted, seed, batch), context.max_memory) for batch in count())
        batches = task_values(sent, jobs, client, context=context.without_progress)
    else:
        batches = (_generate_batch(wanted, seed, batch, jobs, context) for batch in count())
    failed = 0
    for number, made in enumerate(chain.from_iterable(batches), 1):
        checked = None if made is None else _cross_check_count(replace(made, tried=number), context)
        if checked is not None:
            failed = 0
            yield checked
            continue
        failed += 1
        context.report_progress(failed, most)
        if failed >= most:
            limit_text = f"{most:,} tries" if most > 1 else "1 try"
            raise LimitReached(f"no such puzzle was found after {limit_text}", limit="tries")


def _cross_check_count(generated: GeneratedPuzzle, context: Context) -> GeneratedPuzzle | None:
    """Check a puzzle's solution count by a second engine; return None if no other engine can."""
    second, solutions = recount_by_other_engine(
        generated.puzzle, generated.engine, generated.solutions + 1, context
    )
    if second is None:
        return None
    if solutions != generated.solutions:
        raise BddSudokuError(
            f"{generated.puzzle.line}: {generated.engine} finds {generated.solutions} solutions, "
            f"{second} {solutions}"
        )
    return replace(generated, second=second)


def generate_batch_task(
    job: tuple[PuzzleRequest, int, int], task_context: TaskContext
) -> list[GeneratedPuzzle | None]:
    """Worker task: run one batch of tries to generate puzzles."""
    return list(_generate_batch(*job, None, task_context.context))


def _generate_batch(
    wanted: PuzzleRequest, seed: int, batch: int, jobs: int | None, context: Context
) -> Iterator[GeneratedPuzzle | None]:
    """Run one batch of tries; yield for each try its puzzle, or None if the try failed."""
    if wanted.is_classic:
        yield from _generate_classic_batch(wanted, seed, batch, jobs, context)
        return
    for number in range(batch * TRIES_PER_BATCH, (batch + 1) * TRIES_PER_BATCH):
        yield _try_to_generate_by_search(wanted, np.random.default_rng([seed, number]), context)


def _draw_min_hint_counts(wanted: PuzzleRequest, tries: int, rng: np.random.Generator) -> I64:
    """Draw for each try a minimum number of hints from the requested range; 0 without a range."""
    if wanted.hints is None:
        return np.zeros(tries, dtype=np.int64)
    low, high = wanted.hints
    return rng.integers(low, high + 1, tries)


def _draw_removal_orders(
    unit_count: int, mandatory_count: int, tries: int, rng: np.random.Generator
) -> I16:
    """For each try, draw the order in which cell sets are emptied; mandatory sets come first."""
    orders = np.tile(np.arange(unit_count, dtype=np.int16), (tries, 1))
    orders[:, mandatory_count:] = rng.permuted(orders[:, mandatory_count:].copy(), axis=1)
    return orders


def _generate_classic_batch(
    wanted: PuzzleRequest, seed: int, batch: int, jobs: int | None, context: Context
) -> Iterator[GeneratedPuzzle | None]:
    """Run one batch of tries to generate classic boards, all at once on bitboards."""
    units, must = wanted.removal_units()
    rng = np.random.default_rng([seed, batch])
    family = _set_of_all_grids(wanted.empty, context)
    full = family.sample(SAMPLED_GRIDS, rng).reshape(SAMPLED_GRIDS, 81)
    if batch:  # the grids of the first batch are independent
        full = random_symmetric_images(
            np.repeat(full, MANY_IMAGES_FROM if wanted.fills_pattern else IMAGES_PER_GRID, axis=0),
            rng,
        )
    orders = _draw_removal_orders(len(units), must, len(full), rng)
    boards, counts = remove_hints(
        full,
        orders,
        units,
        required=must,
        max_solutions=wanted.solutions,
        min_hints=_draw_min_hint_counts(wanted, len(full), rng),
        jobs=jobs,
        context=context.without_progress,
    )
    fits = counts == wanted.solutions
    if wanted.hints is not None:
        fits &= (boards > 0).sum(axis=1) <= wanted.hints[1]
    minimal = fits.copy()
    if not wanted.leaves_minimal:
        fitting = boards[fits]
        goes = removable_hints(fitting, np.asarray(fitting > 0), jobs=jobs, context=context)
        minimal[fits] = ~goes.any(axis=1)
    for i, fit in enumerate(fits.tolist()):
        if not fit:
            yield None
            continue
        puzzle, grid = (
            Puzzle.trusted(tuple(some[i].tolist()), Layout()) for some in (boards, full)
        )
        yield GeneratedPuzzle(puzzle, grid, wanted.solutions, bool(minimal[i]), True, "bitboard")


def _try_to_generate_by_search(
    wanted: PuzzleRequest, rng: np.random.Generator, context: Context
) -> GeneratedPuzzle | None:
    """Try once to generate a puzzle on any board: draw a grid, place rules, remove hints.

    Hints are removed before rules: a placed rule stays if the remaining hints need it.
    """
    units, must = wanted.removal_units()
    grid, uniform = random_grid(wanted.empty, rng, context)
    rules = place_rules(grid, wanted.place, rng, context)
    if rules is None:
        return None
    full = grid.with_rule(*rules)
    if not full.is_solution:
        return None  # a placed rule has changed what another one means
    (order,) = _draw_removal_orders(len(units), must, 1, rng).tolist()
    extra = [rule for rule in rules if rule not in wanted.rules]
    dropped: list[Unit] = [units[i] for i in order]
    dropped += [extra[i] for i in rng.permutation(len(extra)).tolist()]
    (least,) = _draw_min_hint_counts(wanted, 1, rng).tolist()
    left = remove_hints_and_rules(
        full,
        dropped,
        mandatory=must,
        max_solutions=wanted.solutions,
        min_hints=least,
        context=context,
    )
    if left is None or left.solutions != wanted.solutions:
        return None
    if wanted.hints is not None and left.puzzle.hint_count > wanted.hints[1]:
        return None
    minimal: bool | None = True
    if not (wanted.leaves_minimal and left.is_certain):
        # Hints that were removed as a group, or had to stay, have not been tried one by one.
        for cell in left.puzzle.hints:
            fewer = left.puzzle.without(cell)
            _, number = count_by_chosen_search(fewer, left.solutions + 1, SECOND_NODES, context)
            if number == left.solutions:
                minimal = False
                break
            minimal = None if number is None else minimal
    return GeneratedPuzzle(left.puzzle, full, left.solutions, minimal, uniform, left.engine)


# -- grids -----------------------------------------------------------------------------------------


def _set_of_all_grids(empty: Puzzle, context: Context) -> GridFamily:
    """The set of all solutions of an empty board with its rules, cached for the last board.

    Cost: 2 s for the classic board, once a process.
    """
    found = _grid_sets.get(empty)
    if found is None:
        found = solve_detailed(empty, context=context.without_progress).grids
        _grid_sets.clear()
        _grid_sets[empty] = found
    return found


def random_symmetric_images(grids: U8, rng: np.random.Generator) -> U8:
    """A random image of each 9×9 grid under the symmetries of Sudoku, as a uint8 array (n, 81).

    Rows, columns, bands, stacks and digits are permuted, and half of the grids are transposed.
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
    transposed = rng.random(size) < 0.5
    image[transposed] = image[transposed].transpose(0, 2, 1)
    return np.ascontiguousarray(image.reshape(size, 81))


def random_grid(empty: Puzzle, rng: np.random.Generator, context: Context) -> tuple[Puzzle, bool]:
    """A random solution of an empty board with its rules, and whether the draw was uniform.

    Raises:
        BddSudokuError: no grid obeys the rules.
        LimitReached: the time is used up.
    """
    uniform = empty.layout.cell_count <= MAX_SAMPLED_CELLS
    if uniform:
        family = _set_of_all_grids(empty, context)
        rows = family.sample(1 if family else 0, rng)
        found = [Puzzle(row.ravel().tolist(), empty.layout, rules=empty.rules) for row in rows]
    else:
        found = _first_grid_found(empty, rng, context)
    if not found:
        raise BddSudokuError("no grid obeys the rules")
    return found[0], uniform


def _first_grid_found(empty: Puzzle, rng: np.random.Generator, context: Context) -> list[Puzzle]:
    """A list with the first grid that a search in shuffled order finds; empty if none exists."""
    model, nodes = make_question(empty).model, GRID_NODES
    search = partial(choose_listing_engine(model).solutions, model, context, limit=1)
    while True:
        try:
            found = list(search(seed=int(rng.integers(1 << 31)), node_limit=nodes))
        except LimitReached as stop:
            if stop.limit != "nodes":
                raise
            nodes *= 2  # the next search starts afresh, with more nodes
        else:
            return [SudokuDecoder(empty).decode(keys.tolist()) for keys in found]


# -- removal by search -----------------------------------------------------------------------------

MEMORY = 512 << 20
"""Bytes for the diagram of a second engine."""
SECOND_NODES = 1_000_000
"""Nodes for the search of a second engine."""
SECOND_ENGINES = ("dlx", "search", "frontier", "brute-force")
"""The engines that count a second time, in this order; no two share code."""
UNITS_PER_TRY = 8
"""Number of units that are first tried together. Fewer hints never mean fewer solutions: a whole
group can be removed exactly if its units can be removed one by one; the result is the same."""
TRIED_NODES = 300
"""Node limit of the search that tests one removal."""

Unit = Sequence[int] | Rule
"""Cells whose hints are removed together, or a rule."""


def count_by_chosen_search(
    puzzle: Puzzle, limit: int, max_nodes: int, context: Context
) -> tuple[str, int | None]:
    """Choose the search that suits a puzzle; return its name and its count up to a limit.

    The count is None where ``max_nodes`` did not suffice.
    """
    model = make_question(puzzle).model
    searcher = choose_listing_engine(model)
    return searcher.name, count_within(searcher, model, context, limit, max_nodes)


def recount_by_other_engine(
    puzzle: Puzzle, first_engine: str, limit: int, context: Context
) -> tuple[str | None, int | None]:
    """Count again by an engine other than the first; return its name and count, or two Nones.

    Engines are tried one after the other: those that build diagrams within :data:`MEMORY`, those
    that search within :data:`SECOND_NODES`. Which one answers does not depend on the host.
    """
    if puzzle.is_classic and first_engine != "search":  # 0.2 ms each
        found = count_by_prepared_search(puzzle, limit, context, max_nodes=None)
        return "search", None if found is None else found.count
    model = make_question(puzzle).model
    context = limited(context, max_memory=MEMORY)
    for name in SECOND_ENGINES:
        voice = find_engine(name)
        if name != first_engine and voice.refuses(model) is None:
            number = count_within(voice, model, context, limit, SECOND_NODES)
            if number is not None:
                return name, number
    return None, None


@dataclass(frozen=True)
class RemovalResult:
    """A puzzle after the removal of hints and rules.

    Attributes:
        puzzle: the remaining hints and rules.
        solutions: its number of solutions.
        engine: the engine that counted them.
        is_certain: whether no search was given up, so that no remaining unit could be removed.
    """

    puzzle: Puzzle
    solutions: int
    engine: str
    is_certain: bool = True


def remove_hints_and_rules(
    full_grid: Puzzle,
    units: Sequence[Unit],
    *,
    mandatory: int,
    max_solutions: int,
    min_hints: int,
    context: Context,
) -> RemovalResult | None:
    """Try to remove each unit of hints or rules, keeping at most ``max_solutions`` solutions.

    Args:
        full_grid: a grid with rules that hold in it.
        units: what may be removed, in the order in which it is tried.
        mandatory: number of units at the front that must be removed; the result is None if one of
            them cannot be.
        max_solutions: largest number of solutions.
        min_hints: least number of hints that stay.
    """
    left = RemovalResult(full_grid, 1, "given")

    def go(group: Sequence[Unit]) -> bool:
        """Try to remove a group of units together; return whether they were removed."""
        nonlocal left
        context.check("while hints were taken away")
        before, gone = left.puzzle, list[int | Rule]()
        for unit in group:
            gone += [unit] if isinstance(unit, Rule) else [c for c in unit if before[c]]
        puzzle = before.without(*gone)
        if puzzle.rules != before.rules:  # another rule may refer to a mark that was removed
            grid = Puzzle(full_grid.cells, full_grid.layout, rules=puzzle.rules)
            if not grid.is_solution:
                return False
        if puzzle.hint_count < min(min_hints, before.hint_count):
            return False
        name, number = count_by_chosen_search(puzzle, max_solutions + 1, TRIED_NODES, context)
        if number is None:
            left = replace(left, is_certain=left.is_certain and len(group) > 1)
        elif number <= max_solutions:
            left = RemovalResult(puzzle, number, name, left.is_certain)
            return True
        return False

    if not all(go([unit]) for unit in units[:mandatory]):
        return None
    waiting = [units[i : i + UNITS_PER_TRY] for i in range(mandatory, len(units), UNITS_PER_TRY)]
    waiting.reverse()
    while waiting:
        group = waiting.pop()
        if not go(group) and len(group) > 1:
            half = len(group) // 2
            waiting += [group[half:], group[:half]]
    return left
