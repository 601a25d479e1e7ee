"""Commands about the set of solutions of a Sudoku: its compilation, its members, marginals.

``sample``, ``rank``, ``unrank``, ``draw``, ``check`` and most of ``compile`` are the actions that
all subjects share.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.actions import SHARED_ACTIONS, compare_engines, subject_command
from bddsudoku.cli.actions import compile_ as compile_set
from bddsudoku.cli.command_base import (
    CommandRequest,
    Record,
    command,
    emit_json,
    exact_count_record,
    fail,
    fail_if_limit_reached,
    fail_unless_agreed,
    note_clashes,
    open_output,
    puzzle_json_members,
    puzzle_text,
)
from bddsudoku.cli.options import (
    OptionDecorator,
    choice_option,
    combine_options,
    engine_option,
    engines_option,
    estimate_options,
    is_set_by_user,
    keep_going_option,
    limit_option,
    marginals_format,
    order_option,
    plot_option,
    project_option,
    puzzle_argument,
    results_option,
)
from bddsudoku.cli.subjects import ActionSubject
from bddsudoku.engine.protocol import BUILT_IN_ENGINES
from bddsudoku.file_io import replace_at_once

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import AnyArray
    from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
    from bddsudoku.solver import SolveResult


@click.command("compile")
@puzzle_argument
@choice_option(
    "--engine",
    choices=("frontier", "components"),
    help="components: a decision-DNNF, for large boards that split into parts; it has no order.",
)
@order_option
@combine_options(*SHARED_ACTIONS["compile"][-1])
@keep_going_option
@command()
def compile_(request: CommandRequest, engine: str, order: str, **files: Any) -> None:
    """Compile the set of all solutions into a canonical ordered ZDD, and save it.

    A saved set can stand wherever PUZZLE can.
    """
    if engine != "frontier" and (files["plot"] or files["dot"] or order != "auto"):
        raise click.UsageError("--order, --plot and --dot are about ordered ZDDs")
    for subject in request.read_records(*files.values()):
        compile_set(sudoku_subject(request, subject, order), engine=engine, **files)


form_option: OptionDecorator = choice_option(
    "--format", "form", choices=("line", "grid"), help="How solutions are written."
)


set_engine_option: OptionDecorator = engine_option(("frontier", "bands", "components"))


def _marginals_of_each(
    request: CommandRequest, engine: str, order: str, plot: str | None
) -> Iterator[tuple[Record, Puzzle, AnyArray]]:
    """Solve the puzzles of a file one by one; the order of their solutions makes no difference."""
    from bddsudoku.solver import solve_detailed

    for subject in request.read_records(plot):
        request.context.check()
        with request.with_progress_bar("solving") as context:
            solved = solve_detailed(subject, engine, order, context, in_any_order=order == "auto")
        record = exact_count_record(solved.solutions.count(), solved.engine, solved.seconds)
        yield puzzle_json_members(subject) | record, subject.puzzle, solved.solutions.marginals()


@dataclass(frozen=True, kw_only=True)
class _SudokuSubject(ActionSubject):
    """The puzzle that is the subject of an action; its samples are one JSON object."""

    puzzle: Puzzle

    def write_samples(
        self, drawn: Iterable[Any], output: str | None, record: Record, seed: int | None
    ) -> None:
        """Write random solutions."""
        from bddsudoku.puzzle.sudoku.grid import Puzzle

        grids = (Puzzle(row.tolist(), self.puzzle.layout) for row in drawn)
        if not self.request.as_json:
            self.write_solutions(grids, output)
            return
        with open_output(output) as target:
            samples = (grid.line for grid in grids)
            emit_json(record | {"seed": seed, "samples": samples}, target)

    def size_members(self, compiled: SolveResult) -> Record:
        """Make the JSON members about a compiled set, which may be a decision-DNNF."""
        if compiled.cost is not None:
            return super().size_members(compiled) | {"engine": "frontier"}
        solutions: Any = compiled.solutions
        diagram = solutions.diagram
        sizes = {"variables": len(diagram.labels), "branches": diagram.branch_count}
        return sizes | {"nodes": diagram.size - 1}

    def first_picture(self) -> Puzzle:
        """The puzzle itself."""
        return self.puzzle


def sudoku_subject(
    request: CommandRequest, record: PuzzleRecord, order: str = "auto", form: str = "line"
) -> ActionSubject:
    """Make a subject of a puzzle or a saved set."""
    from bddsudoku.puzzle.sudoku.svg import board_svg
    from bddsudoku.solver import make_question, read_records

    def parse(text: str) -> Iterator[Puzzle]:
        return (r.puzzle for r in read_records(text, record.puzzle.layout, request.context))

    return _SudokuSubject(
        request=request,
        common_members=puzzle_json_members(record),
        question=make_question(record),
        to_text=(lambda grid: grid.line) if form == "line" else "{}\n".format,
        to_record=lambda grid: {"grid": grid.line},
        saved=record.saved,
        parse=parse,
        pictures={"svg": board_svg},
        heading=puzzle_text(record.puzzle),
        order=order,
        puzzle=record.puzzle,
    )


def _read_sudoku_subject(
    request: CommandRequest, order: str = "auto", form: str = "line"
) -> ActionSubject:
    """Read PUZZLE: one puzzle or saved set."""
    return sudoku_subject(request, request.read_one_record(), order, form)


def _sudoku_action(name: str, *options: OptionDecorator, json: bool = True) -> click.Command:
    """Make a command of an action that all subjects share."""
    function, help_text, _, own = SHARED_ACTIONS[name]
    return subject_command(
        name,
        _read_sudoku_subject,
        puzzle_argument,
        project_option,
        *own,
        *options,
        set_engine_option,
        order_option,
        help=help_text.format("solutions"),
        json=json,
        of_sudoku=True,
    )(function)


sample: click.Command = _sudoku_action("sample", form_option)
rank: click.Command = _sudoku_action("rank")
unrank: click.Command = _sudoku_action("unrank", form_option)
draw: click.Command = _sudoku_action("draw", json=False)


@click.command()
@puzzle_argument
@marginals_format()
@plot_option("A heat map")
@set_engine_option
@order_option
@project_option
@combine_options(*estimate_options)
@keep_going_option
@command(explain=True)
def marginals(
    request: CommandRequest,
    engine: str,
    order: str,
    style: str,
    plot: str | None,
    estimated: bool,
    precision: float,
    seed: int,
) -> None:
    """For every cell and digit, print the number of solutions with that digit in that cell.

    A file with several puzzles gives one result after the other.
    """
    from bddsudoku.report.formatting import marginals_csv, marginals_table

    if estimated:
        if (engine, order, plot, style) != ("auto", "auto", None, "table"):
            raise click.UsageError("--estimate excludes --engine, --order, --plot and --format")
        _print_estimated_marginals(request, precision, seed)
        return
    for record, puzzle, counts in _marginals_of_each(request, engine, order, plot):
        if request.as_json:
            emit_json(record | {"marginals": counts.astype(str).tolist()})
        else:
            layout = puzzle.layout
            names = [*map(str, layout.places)] if layout.groups else None
            table = (
                marginals_csv(counts, layout.values[0], names)
                if style == "csv"
                else marginals_table(counts, layout.symbols, names)
            )
            click.echo(table.removesuffix("\n"))
        if plot is not None:
            from bddsudoku.report.plots import plot_marginals, save_figure

            save_figure(plot_marginals(puzzle, counts), plot)


def _print_estimated_marginals(request: CommandRequest, precision: float, seed: int) -> None:
    """Print estimated shares of the solutions, with standard errors: in percent, or as JSON."""
    import numpy as np

    from bddsudoku.engine.estimate import estimate_text
    from bddsudoku.report.formatting import marginals_table
    from bddsudoku.solver.estimates import estimate_marginals

    unknown = []
    for subject in request.read_records():
        if subject.saved is not None:
            fail(f"{subject.source}: a saved set is counted exactly, not estimated")
        with request.with_progress_bar("estimating") as context:
            found, *both = estimate_marginals(
                subject.puzzle, context, precision=precision, seed=seed
            )
        record, layout = found.record(), subject.puzzle.layout
        unknown.append(record.get("limit"))
        pairs = zip(*(numbers.ravel().tolist() for numbers in both), strict=True)
        texts = [f"{share:.1%} ± {error:.1%}" if share else "" for share, error in pairs]
        cells = np.reshape(texts, both[0].shape)
        table = marginals_table(cells, layout.symbols, [*map(str, layout.places)])
        shares, errors = (numbers.round(6).tolist() for numbers in both)
        members = puzzle_json_members(subject) | record | {"shares": shares, "errors": errors}
        request.print_answer(members, f"{estimate_text(record)}\n{table}".rstrip())
    fail_if_limit_reached(unknown)


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
@results_option()
@order_option
@project_option
@keep_going_option
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
    if output is not None or form not in ("line", "grid"):
        request = replace(request, marks_unread=False)
    if request.keep_going:
        replace_at_once()  # the file has the solutions of what was read
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


@click.command()
@puzzle_argument
@engines_option([name for name in BUILT_IN_ENGINES if name != "singles"])
@keep_going_option
@command("4GiB", of_puzzle=True)
def check(request: CommandRequest, engines: tuple[str, ...]) -> None:
    """Count with every suitable engine and compare; exit code 1 if any two counts differ.

    Each engine may take an equal share of the time that is left, half a minute without a time
    limit; one that reaches it shows × and has no say (exit code 3 when fewer than two are left). A
    file with several puzzles gives one result after the other.
    """
    subjects = (sudoku_subject(request, record) for record in request.read_records())
    fail_unless_agreed([compare_engines(subject, engines) for subject in subjects])
