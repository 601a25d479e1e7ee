"""Actions on a subject, such as ``count`` in ``cover FILE count --json``: each is written once.

``sample PUZZLE`` and ``rank PUZZLE GRID`` are commands of their own (:func:`subject_command`) on a
subject (:class:`.subjects.ActionSubject`); other subjects are click groups with one argument, whose
commands are the actions (:class:`ActionGroup`). ``Any`` stands for solutions of any kind, and for
the parameters of click's functions.
"""

from __future__ import annotations

import csv
import functools
import inspect
import io
from collections.abc import Callable, Iterable
from typing import Any

import click

from bddsudoku.cli.command_base import (
    CommandRequest,
    Record,
    command,
    count_text,
    emit_json,
    exact_count_record,
    fail,
    fail_unless_agreed,
    open_output,
    print_note,
)
from bddsudoku.cli.examples import examples_of
from bddsudoku.cli.lifecycle import EXIT_LIMIT
from bddsudoku.cli.options import (
    Function,
    OptionDecorator,
    combine_options,
    complete_file_names,
    drawing_option,
    engine_option,
    engines_option,
    estimate_options,
    limit_option,
    marginals_format,
    number_option,
    output_file_option,
    output_option,
    plot_option,
    refuse_unknown_command,
    save_set_option,
    seed_option,
)
from bddsudoku.cli.subjects import COUNTING_ENGINES, SET_ENGINES, ActionSubject
from bddsudoku.errors import LimitReached
from bddsudoku.file_io import write_text
from bddsudoku.number_text import format_seconds, format_size, group_digits, to_decimal


def subject_command(
    name: str,
    make_subject: Function,
    *options: OptionDecorator,
    help: str | None = None,
    json: bool = True,
    of_sudoku: bool = False,
) -> Callable[[Function], click.Command]:
    """Make a decorator that turns a function of a subject into a command.

    Args:
        name: the command's name.
        make_subject: makes the subject from a :class:`CommandRequest` and from those options that
            it takes by name.
        options: the arguments and options of the command.
        help: by default the docstring of the function.
        json: whether the command has ``--json``.
        of_sudoku: whether the command has ``--layout`` and explains slow answers.
    """
    names = list(inspect.signature(make_subject).parameters)[1:]

    def decorate(function: Function) -> click.Command:
        @functools.wraps(function)
        def run(request: CommandRequest, **values: Any) -> None:
            own = {name: values.pop(name) for name in names if name in values}
            function(make_subject(request, **own), **values)

        limited = command(json=json, layout=of_sudoku, explain=of_sudoku)(run)
        return click.command(name, help=help)(combine_options(*options)(limited))

    return decorate


class ActionGroup(click.Group):
    """A click group with a subject as its argument and the actions on it as its commands.

    Args:
        description: a function with the group's name and help.
        subject: name of the argument, such as ``file``.
        make_subject: makes the first argument of an action's function
            (:func:`subject_command`).
        options: of every action.
    """

    def __init__(
        self, description: Function, subject: str, make_subject: Function, *options: OptionDecorator
    ) -> None:
        def store_subject(ctx: click.Context, param: click.Parameter, value: str) -> None:
            ctx.obj = value

        name = description.__name__
        argument = click.Argument(
            [subject],
            expose_value=False,
            callback=store_subject,
            shell_complete=complete_file_names,
        )
        super().__init__(
            name,
            params=[argument],
            help=description.__doc__,
            options_metavar="",
            subcommand_metavar="ACTION [OPTIONS]",
            no_args_is_help=False,
            epilog=f"The options of an action: {name} {subject.upper()} ACTION --help.",
        )
        self._make_subject, self._subject_options = make_subject, options

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the actions, in the order of their definition."""
        return list(self.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The action of a name; an error for an unknown one names what may be meant."""
        found = super().get_command(ctx, cmd_name)
        if found is None:
            refuse_unknown_command(ctx, cmd_name, self.commands)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of actions for the help, with their descriptions not shortened."""
        with formatter.section("Actions"):
            formatter.write_dl([(name, c.help or "") for name, c in self.commands.items()])

    def action(
        self, name: str, *options: OptionDecorator, help: str | None = None, json: bool = True
    ) -> Callable[[Function], click.Command]:
        """Make a decorator that turns a function into an action of this group."""
        make = subject_command(
            name, self._make_subject, *options, *self._subject_options, help=help, json=json
        )

        def decorate(function: Function) -> click.Command:
            self.add_command(found := make(function))
            found.epilog = examples_of(str(self.name), name)
            return found

        return decorate

    def add_shared_actions(
        self,
        solutions_name: str,
        *names: str,
        options: Iterable[OptionDecorator] = (),
        has_engines: bool = True,
        json: bool = True,
    ) -> None:
        """Add actions of the table.

        Args:
            solutions_name: what solutions are called, for the help.
            names: of the actions.
            options: further options.
            has_engines: whether there is more than one engine for the group's subject.
            json: whether the actions have ``--json``.
        """
        for name in names:
            function, help_text, engines, own = SHARED_ACTIONS[name]
            with_engine = [engine_option(engines)] if engines and has_engines else []
            if with_engine and function is count:
                with_engine += estimate_options
            self.action(
                name, *own, *with_engine, *options, help=help_text.format(solutions_name), json=json
            )(function)


def action_group(
    subject: str, make_subject: Function, *options: OptionDecorator
) -> Callable[[Function], ActionGroup]:
    """Make a decorator that turns a function with a help text into an :class:`ActionGroup`."""
    return lambda described: ActionGroup(described, subject, make_subject, *options)


# -- actions ---------------------------------------------------------------------------------------


def count(
    subject: ActionSubject,
    engine: str = "auto",
    estimated: bool = False,
    precision: float = 0.0,
    seed: int = 0,
) -> None:
    """Print the exact number of solutions; × and exit code 3 if a limit stopped the count."""
    from bddsudoku.solver.question import count_record, limit_record

    if estimated and engine != "auto":
        raise click.UsageError("--estimate excludes --engine")
    try:
        with subject.request.with_progress_bar("counting", subject.unit) as context:
            if estimated:
                from bddsudoku.solver.estimates import estimate

                question = subject.question_or_fail()
                record = estimate(question, precision, seed=seed, context=context).record()
            else:
                record = count_record(subject.count_solutions(engine, context))
    except LimitReached as stop:
        record = limit_record(stop)
    subject.request.print_answer(subject.common_members | record, count_text(record))
    if "limit" in record:
        print_note(f"bddsudoku: {record['limit']}")
        raise SystemExit(EXIT_LIMIT)


def enumerate_(
    subject: ActionSubject, limit: int | None, output: str | None, seed: int | None = None
) -> None:
    """Write solutions one by one."""
    subject.write_solutions(subject.iterate_solutions(limit, seed), output)


def compile_(
    subject: ActionSubject,
    output: str | None,
    plot: str | None = None,
    dot: str | None = None,
    engine: str = "auto",
) -> None:
    """Compile the set of solutions, save and draw it, and print its size and cost."""
    compiled = subject.compile_solutions(engine)
    solutions: Any = compiled.solutions
    record = subject.common_members | exact_count_record(
        solutions.count(), compiled.engine, compiled.seconds
    )
    record |= subject.size_members(compiled)
    if (plot or dot) and compiled.cost is None:
        raise click.UsageError("--plot and --dot are about ordered ZDDs; this set has none")
    drawing = solutions.to_dot() if dot else ""  # if too large, an error before output
    if output is not None:
        solutions.save(output)
        record["output"] = output
    if dot is not None:
        write_text(dot, drawing)
    if plot is not None:
        plot_widths({f"order {compiled.order}": solutions.diagram.profile()}, plot)
    shown = record | {
        "solutions": group_digits(solutions.count()),
        "widest": 0 if compiled.cost is None else compiled.cost.width,
        "time": format_seconds(compiled.seconds),
        "choosing": format_seconds(record.get("choosing_seconds", 0.0)),
        "memory": format_size(record.get("peak_bytes", 0)),
    }
    lines = [
        f"{title:12}{text.format(**shown)}" for title, name, text in _SIZE_LINES if name in record
    ]
    subject.request.print_answer(record, "\n".join(lines))


_SIZE_LINES = (
    ("puzzle", "hints", "{puzzle}"),
    ("hints", "hints", "{hints}"),
    ("solutions", "count", "{solutions}"),
    ("order", "order", "{order}"),
    ("variables", "variables", "{variables:,}"),
    ("ZDD nodes", "bdd_nodes", "{nodes:,}"),
    ("BDD nodes", "bdd_nodes", "{bdd_nodes:,} (the same variables and order)"),
    ("nodes", "branches", "{nodes:,} of a decision-DNNF"),
    ("branches", "branches", "{branches:,}"),
    ("wire", "shortest", "{shortest} to {longest}"),
    ("states", "states", "{states:,}, {widest:,} at the widest level"),
    ("time", "branches", "{time}"),
    ("time", "bdd_nodes", "{time}, {choosing} of it for the order"),
    ("memory", "peak_bytes", "{memory} (the engine's arrays)"),
)
"""Lines about a compiled set: title, the member that it needs, text."""


def plot_widths(profiles: dict[str, Any], path: str) -> None:
    """Draw the widths of diagrams, by name, at each of their levels."""
    from bddsudoku.report.plots import plot_profiles, save_figure

    save_figure(plot_profiles(profiles), path)


def sample(
    subject: ActionSubject,
    number: int,
    seed: int | None,
    engine: str = "auto",
    output: str | None = None,
) -> None:
    """Write uniform random solutions; an empty set ends the command with a message."""
    from bddsudoku.solver.solution_output import sample_solutions

    solutions, record = subject.solve(engine)
    if number and not solutions:
        fail("there is nothing to draw from: there is no solution")
    subject.write_samples(sample_solutions(solutions, number, seed), output, record, seed)


def rank(subject: ActionSubject, solution: str, engine: str = "auto") -> None:
    """Print the numbers of solutions within the set."""
    solutions, record = subject.solve(engine)
    for wanted in subject.parse(solution):
        if wanted not in solutions:
            fail(f"{subject.to_text(wanted)} is no solution")
        number = str(solutions.rank(wanted))
        subject.request.print_answer(record | subject.to_record(wanted) | {"rank": number}, number)


def unrank(subject: ActionSubject, index: int, engine: str = "auto") -> None:
    """Print the solution with a given number."""
    solutions, record = subject.solve(engine)
    found = _numbered(solutions, index)
    record |= {"rank": str(index)} | subject.to_record(found)
    subject.request.print_answer(record, subject.to_text(found))


def _numbered(solutions: Any, index: int) -> Any:
    """The solution with a given number; wrong usage if there is none."""
    total = solutions.count()
    if index >= total:
        fail(f"no solution has number {index}: there are {total}, numbered from 0", 2)
    return solutions.unrank(index)


def draw(
    subject: ActionSubject,
    index: int | None,
    output: str | None,
    seed: int | None = None,
    style: str | None = None,
    engine: str = "auto",
) -> None:
    """Draw what is given, or the solution that an option chooses."""
    if index is not None and seed is not None:
        raise click.UsageError("--index and --seed exclude each other")
    if index is None and seed is None:
        picture = subject.first_picture()
    else:
        solutions = subject.compile_solutions(engine).solutions
        if index is not None:
            picture = _numbered(solutions, index)
        else:
            picture = solutions.sample(1, seed)[0] if solutions else None
    if picture is None:
        fail("there is nothing to draw: there is no solution")
    if subject.request.as_json:
        emit_json(subject.common_members | subject.to_record(picture))
        return
    usual = "svg" if str(output).endswith(".svg") else next(iter(subject.pictures))
    with open_output(output) as target:
        target.write(subject.pictures[style or usual](picture).rstrip("\n") + "\n")


def check(subject: ActionSubject, engines: tuple[str, ...]) -> None:
    """Count with every suitable engine, or with those named; print whether the counts agree."""
    fail_unless_agreed([compare_engines(subject, engines)])


def compare_engines(subject: ActionSubject, engines: tuple[str, ...]) -> Record:
    """Count with several engines, print the counts side by side, and return them."""
    from bddsudoku.report.sections import engine_comparison_text
    from bddsudoku.solver import check as check_all

    request = subject.request
    with request.with_progress_bar("checking") as context:
        result = check_all(
            subject.question_or_fail(),
            engines or None,
            context,
            lambda _: context.progress,
            each=request.time_limit_per_run(),
            saved=None if subject.saved is None else subject.saved.count(),
        )
    record = result.to_dict()
    table = engine_comparison_text(record)
    text = f"{subject.heading}\n{table}\n" if subject.heading else table
    request.print_answer(subject.common_members | record, text)
    return record


def marginals(subject: ActionSubject, style: str, engine: str = "auto") -> Any:
    """Print in how many solutions things are: a table of those that are in some, CSV or JSON.

    Returns:
        The set of the solutions.
    """
    from bddsudoku.report.formatting import format_table

    solutions, record = subject.solve(engine)
    headers, rows = subject.marginal_table(solutions)
    nested: Record = {}
    for *names, last, number in rows:
        inner = nested
        for name in names:
            inner = inner.setdefault(name, {})
        inner[str(last)] = to_decimal(number)
    if style == "csv":
        lines = io.StringIO()
        write = csv.writer(lines, lineterminator="\n").writerow
        write((*headers[:-1], "count"))
        for *names, number in rows:
            write((*names, to_decimal(number)))
        text = lines.getvalue().rstrip("\n")
    else:
        shown = [(*names, group_digits(number)) for *names, number in rows if number]
        text = format_table(shown, headers)
    subject.request.print_answer(record | {"marginals": nested}, text)
    return solutions


SHARED_ACTIONS: dict[str, tuple[Function, str, tuple[str, ...], tuple[OptionDecorator, ...]]] = {
    "count": (count, "The exact number of {}.", COUNTING_ENGINES, ()),
    "enumerate": (
        enumerate_,
        "The {}, one a line, as they are found.",
        (),
        (limit_option, seed_option("Try the choices in an order shuffled by this."), output_option),
    ),
    "compile": (
        compile_,
        "The set of all {} as a ZDD; --output saves it.",
        SET_ENGINES,
        (
            save_set_option,
            plot_option("The diagram's width at every variable"),
            output_file_option("--dot", help="Small diagrams only: Graphviz text."),
        ),
    ),
    "sample": (
        sample,
        "Exactly uniform random {}, drawn with replacement.",
        SET_ENGINES,
        (number_option, seed_option("The same seed draws the same."), output_option),
    ),
    "rank": (
        rank,
        "The number of one of the {}, from 0, in the order of the set; unrank gives it back.",
        SET_ENGINES,
        (click.argument("solution", shell_complete=complete_file_names),),
    ),
    "unrank": (
        unrank,
        "That of the {} with the number INDEX, from 0, in the order of the set.",
        SET_ENGINES,
        (click.argument("index", type=click.IntRange(min=0)),),
    ),
    "draw": (
        draw,
        "Draw what is given or, with --index, one of the {}.",
        SET_ENGINES,
        (
            click.option("--index", type=click.IntRange(min=0), help="The one with this number."),
            drawing_option,
        ),
    ),
    "marginals": (
        marginals,
        "In how many of the {} each option is chosen, or each variable has each of its values.",
        SET_ENGINES,
        (marginals_format(),),
    ),
    "check": (
        check,
        "Count the {} with every engine that can; exit code 1 if two disagree, 3 if limits "
        "leave fewer than two.",
        (),
        (engines_option(COUNTING_ENGINES),),
    ),
}
"""Action → its function, its help, the engines that may be named, its options."""
