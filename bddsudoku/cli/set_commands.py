"""Commands ``compile | enumerate | sample | rank | unrank | marginals``: the set of solutions."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.command_base import (
    CommandRequest,
    Record,
    command,
    emit_json,
    exact_count_record,
    fail,
    note_clashes,
    puzzle_json_members,
    puzzle_text,
    size_and_cost_record,
)
from bddsudoku.cli.options import (
    EngineNameType,
    Function,
    choice_option,
    complete_file_names,
    is_set_by_user,
    limit_option,
    number_option,
    option_showing_default,
    order_option,
    output_file_option,
    plot_option,
    puzzle_argument,
    save_set_option,
    seed_option,
    work_options,
)
from bddsudoku.file_io import write_text
from bddsudoku.number_text import format_seconds, format_size

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import AnyArray
    from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
    from bddsudoku.solver.question import SolveResult


_DNNF_PAGE = """\
puzzle      {puzzle}
hints       {hints}
solutions   {solutions:,}
variables   {variables:,}
nodes       {nodes:,} of a decision-DNNF
branches    {branches:,}
time        {time}"""
_ZDD_PAGE = """\
puzzle      {puzzle}
hints       {hints}
solutions   {solutions:,}
order       {order}
variables   {variables:,}
ZDD nodes   {nodes:,}
BDD nodes   {bdd_nodes:,} (the same variables and order)
states      {states:,}, {width:,} at the widest level
time        {time}, {choosing} of it for the order
memory      {memory} (the engine's arrays)"""


@click.command("compile")
@puzzle_argument
@choice_option(
    "--engine",
    choices=("frontier", "components"),
    help="components: a decision-DNNF, for large boards that split into parts; it has no order.",
)
@order_option
@save_set_option
@click.option(
    "--compare-orders", is_flag=True, help="Predicted and real widths, order by order; no file."
)
@plot_option("The diagram's width at every variable")
@output_file_option("--dot", help="Small diagrams only: Graphviz text.")
@command()
def compile_(
    request: CommandRequest,
    engine: str,
    order: str,
    output: str | None,
    compare_orders: bool,
    plot: str | None,
    dot: str | None,
) -> None:
    """Compile the set of all solutions into a canonical ordered ZDD, and save it.

    A saved set can stand wherever PUZZLE can.
    """
    from bddsudoku.solver import solve_detailed

    if engine != "frontier" and (compare_orders or plot or dot or order != "auto"):
        raise click.UsageError("--order, --compare-orders, --plot and --dot are about ordered ZDDs")
    reading = replace(request, of_puzzle=compare_orders)
    for subject in reading.read_records(output, plot, dot):
        if compare_orders:
            _print_order_comparison(subject, request, plot)
            continue
        with request.with_progress_bar("compiling", "level") as context:
            compiled = solve_detailed(subject, engine, order, context)
        found: Any = compiled.solutions
        cost = compiled.cost
        record = puzzle_json_members(subject) | exact_count_record(
            found.count(), compiled.engine, compiled.seconds
        )
        drawing = None
        if cost is not None:
            record |= size_and_cost_record(compiled)
            record |= {"engine": "frontier", "order": compiled.order}
            record["choosing_seconds"] = round(cost.choosing_seconds, 6)
            drawing = found.to_dot() if dot else None  # if too large, an error before output
        elif plot or dot:
            raise click.UsageError("--plot and --dot are about ordered ZDDs; this set has none")
        else:
            diagram = found.diagram
            record |= {"variables": len(diagram.labels), "branches": diagram.branch_count}
            record["nodes"] = diagram.size - 1
        if output is not None:
            found.save(output)
        if dot is not None and drawing is not None:
            write_text(dot, drawing)
        if plot is not None:
            _plot_widths({f"order {compiled.order}": found.diagram.profile()}, plot)
        page = _DNNF_PAGE if cost is None else _ZDD_PAGE
        formatted = {
            "solutions": found.count(),
            "time": format_seconds(compiled.seconds),
            "choosing": format_seconds(record.get("choosing_seconds", 0.0)),
            "memory": format_size(record.get("peak_bytes", 0)),
        }
        request.print_answer(record, page.format(**record, **formatted))


def _plot_widths(profiles: dict[str, Any], path: str) -> None:
    from bddsudoku.report.plots import plot_profiles, save_figure

    save_figure(plot_profiles(profiles), path)


def _print_order_comparison(
    subject: PuzzleRecord, request: CommandRequest, plot: str | None
) -> None:
    """Print the predicted and the real size of a puzzle's diagram under several variable orders."""
    from bddsudoku.report.formatting import format_table, number_or_dash
    from bddsudoku.solver import compare_puzzle_orders

    with request.with_progress_bar("orders", "order") as context:
        rows = compare_puzzle_orders(subject.puzzle, context)
    if request.as_json:
        for row in rows:
            emit_json({k: v for k, v in row.items() if k != "profile"})
    else:
        cells = [
            [row["order"]]
            + [number_or_dash(row[size]) for size in ("predicted", "states", "width", "nodes")]
            + ["×" if row["seconds"] is None else f"{row['seconds']:.3f}"]
            for row in rows
        ]
        names = ["order", "predicted states", "states", "width", "ZDD nodes", "seconds"]
        click.echo(format_table(cells, names))
    if plot is not None:
        profiles = {row["order"]: row.get("profile") for row in rows}
        _plot_widths({name: drawn for name, drawn in profiles.items() if drawn is not None}, plot)


form_option = click.option(
    "--format",
    "form",
    type=click.Choice(["line", "grid"]),
    default="line",
    help="How solutions are written.",
)


@dataclass(frozen=True)
class _SolvedPuzzle:
    """A puzzle with the set of its solutions."""

    request: CommandRequest
    puzzle_record: PuzzleRecord
    solved: SolveResult

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle whose solutions the set holds."""
        return self.puzzle_record.puzzle

    @property
    def solutions(self) -> Any:
        """The set of solutions."""
        return self.solved.solutions

    @property
    def common_members(self) -> Record:
        """The JSON members that every answer about the set begins with: puzzle, count, engine."""
        solved = self.solved
        return puzzle_json_members(self.puzzle_record) | exact_count_record(
            self.solutions.count(), solved.engine, solved.seconds
        )


set_engine_option = option_showing_default(
    "--engine",
    type=EngineNameType("auto", "frontier", "bands", "components"),
    default="auto",
    help="The engine that compiles the set; auto chooses one.",
)


def solution_set_command(function: Function) -> Function:
    """Turn a function of a puzzle with its solution set into a command that solves PUZZLE first."""

    @set_engine_option
    @order_option
    @command(explain=True)
    @functools.wraps(function)
    def run_query(request: CommandRequest, engine: str, order: str, **kwargs: object) -> None:
        function(_compute_solution_set(request, request.read_one_record(), engine, order), **kwargs)

    return run_query


def _compute_solution_set(
    request: CommandRequest,
    subject: PuzzleRecord,
    engine: str,
    order: str,
    *,
    in_any_order: bool = False,
) -> _SolvedPuzzle:
    """Compute the set of all solutions of a puzzle by an engine."""
    from bddsudoku.solver import solve_detailed

    with request.with_progress_bar("solving") as context:
        found = solve_detailed(subject, engine, order, context, in_any_order=in_any_order)
    return _SolvedPuzzle(request, subject, found)


def _solve_each(
    request: CommandRequest, engine: str, order: str, *targets: str | None
) -> Iterator[_SolvedPuzzle]:
    """Solve the puzzles of a file one by one; in long lists, try a short search on each first."""
    from bddsudoku.puzzle.sudoku.text.board_lists import ClassicBoardChunk

    plain = (engine, order) == ("auto", "auto") and not any(targets)
    for found in request.read_records_or_chunks() if plain else request.read_records(*targets):
        if not isinstance(found, ClassicBoardChunk):
            yield _compute_solution_set(request, found, engine, order)
            continue
        for subject in found:
            request.context.check()
            solved = _compute_solution_set(request, subject, engine, order, in_any_order=True)
            if not solved.solutions.count():
                note_clashes(subject.puzzle)
            yield solved


@click.command()
@puzzle_argument
@number_option
@seed_option("The same seed draws the same solutions.")
@form_option
@solution_set_command
def sample(solved_puzzle: _SolvedPuzzle, number: int, seed: int | None, form: str) -> None:
    """Draw N solutions, every one with exactly the same probability, with replacement."""
    from bddsudoku.puzzle.sudoku.grid import Puzzle
    from bddsudoku.solver.solution_output import sample_solutions

    if number and not solved_puzzle.solutions.count():
        fail("there is nothing to draw from: the puzzle has no solution")
    drawn = sample_solutions(solved_puzzle.solutions, number, seed)
    grids = (Puzzle(row.tolist(), solved_puzzle.puzzle.layout) for row in drawn)
    if solved_puzzle.request.as_json:
        emit_json(
            solved_puzzle.common_members | {"seed": seed, "samples": (grid.line for grid in grids)}
        )
        return
    for grid in grids:
        sys.stdout.write(f"{grid.line}\n" if form == "line" else f"{grid}\n\n")


@click.command()
@puzzle_argument
@click.argument("grid", shell_complete=complete_file_names)
@solution_set_command
def rank(solved_puzzle: _SolvedPuzzle, grid: str) -> None:
    """Print the rank of the solution GRID: its number, from 0, in the order of the set.

    GRID is a path or the solution itself. unrank with the same options gives it back. A grid
    that is no solution is an error (exit code 1).
    """
    from bddsudoku.solver import read_records

    for wanted in read_records(grid, solved_puzzle.puzzle.layout, solved_puzzle.request.context):
        if wanted.puzzle not in solved_puzzle.solutions:
            fail(f"{wanted.puzzle.line} is not a solution of the puzzle")
        number = solved_puzzle.solutions.rank(wanted.puzzle)
        record = solved_puzzle.common_members | {"grid": wanted.puzzle.line, "rank": str(number)}
        solved_puzzle.request.print_answer(record, number)


@click.command()
@puzzle_argument
@click.argument("index", type=click.IntRange(min=0))
@form_option
@solution_set_command
def unrank(solved_puzzle: _SolvedPuzzle, index: int, form: str) -> None:
    """Print the solution with number INDEX, from 0, in the set's order."""
    total = solved_puzzle.solutions.count()
    if index >= total:
        fail(f"no solution has number {index}: there are {total}, numbered from 0", 2)
    grid = solved_puzzle.solutions.unrank(index)
    record = solved_puzzle.common_members | {"rank": str(index), "grid": grid.line}
    solved_puzzle.request.print_answer(record, grid.line if form == "line" else grid)


@click.command()
@puzzle_argument
@click.option("--csv", "as_csv", is_flag=True, help="row,column,digit,count for every candidate.")
@plot_option("A heat map")
@set_engine_option
@order_option
@work_options
@command(explain=True)
def marginals(
    request: CommandRequest, engine: str, order: str, as_csv: bool, plot: str | None
) -> None:
    """For every cell and digit, print the number of solutions with that digit in that cell.

    A file with several puzzles gives one result after the other; the work of one hard puzzle can
    be shared out.
    """
    from bddsudoku.report.formatting import marginals_csv, marginals_table

    found: Iterator[tuple[Record, Puzzle, AnyArray]]
    if not request.is_distributed:
        each = _solve_each(request, engine, order, plot)
        found = (
            (
                solved_puzzle.common_members,
                solved_puzzle.puzzle,
                solved_puzzle.solutions.marginals(),
            )
            for solved_puzzle in each
        )
    elif (engine, order) != ("auto", "auto"):
        raise click.UsageError("--engine and --order do not go with work that is shared out")
    else:
        found = _marginals_by_workers(request)
    for record, puzzle, counts in found:
        if request.as_json:
            nested = [[[str(c) for c in cell] for cell in row] for row in counts.tolist()]
            emit_json(record | {"marginals": nested})
        else:
            least, symbols = puzzle.layout.values[0], puzzle.layout.symbols
            table = marginals_csv(counts, least) if as_csv else marginals_table(counts, symbols)
            click.echo(table.removesuffix("\n"))
        if plot is not None:
            from bddsudoku.report.plots import plot_marginals, save_figure

            save_figure(plot_marginals(puzzle, counts), plot)


def _marginals_by_workers(request: CommandRequest) -> Iterator[tuple[Record, Puzzle, AnyArray]]:
    """Compute the marginals of one puzzle as a sum over disjoint parts, which workers solve."""
    from bddsudoku.solver.cube_and_conquer import marginals_in_parts

    subject = request.read_one_record()
    if subject.saved is not None:
        fail(f"{subject.source}: a saved set is not shared out")
    begin = perf_counter()
    question = {"marginals": puzzle_text(subject.puzzle)}
    with (
        request.open_runner(question) as runner,
        request.with_progress_bar("solving", "part") as context,
    ):
        counts = marginals_in_parts(subject.puzzle, runner, context)
    record = exact_count_record(int(counts[0, 0].sum()), "parts", perf_counter() - begin)
    yield puzzle_json_members(subject) | record, subject.puzzle, counts


@click.command("enumerate")
@puzzle_argument
@limit_option
@choice_option(
    "--format",
    "form",
    choices=("line", "grid", "csv", "npy", "parquet"),
    help="csv: one column a cell; npy: uint8, shape (solutions, cells); parquet: the table of csv "
    "(needs pyarrow). By default what the ending of --output names.",
)
@output_file_option("--output", help="A file instead of stdout.", allow_stdout=True)
@order_option
@command()
def enumerate_(
    request: CommandRequest, limit: int | None, form: str, output: str | None, order: str
) -> None:
    """Write the solutions one by one, those of each puzzle before those of the next.

    The solutions of one puzzle come in lexicographic order along the order in which the diagram
    reads the cells; with --order rows that is the plain order of the lines.
    """
    from bddsudoku.sets.solution_writer import form_of_file
    from bddsudoku.solver import write_solutions

    try:
        form = form_of_file(output, form if is_set_by_user("form") else None, form)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if output == "-":
        output = None
    if form in ("npy", "parquet") and output is None and sys.stdout.isatty():
        fail(f"{form} is binary: name a file with --output, or redirect", 2)
    if request.as_json and form != "line":
        raise click.UsageError("--json writes lines of JSON; leave --format out")
    # A named order needs a diagram of each puzzle, and a file npy holds one puzzle's solutions.
    one_by_one = form == "npy" or limit == 0 or order != "auto"
    with request.with_progress_bar("solutions", "solution") as context:
        write_solutions(
            request.read_records() if one_by_one else request.read_records_or_chunks(),
            output,
            "json" if request.as_json else form,
            limit=limit,
            order=order,
            context=context,
            unsolvable=note_clashes,
        )
