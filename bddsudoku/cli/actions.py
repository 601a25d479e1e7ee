"""Commands with a subject followed by an action, such as ``cover FILE count --json``.

Such a command is a click group with one argument, the subject; its commands are the actions. The
first argument of an action's function is an object that the group makes of the subject and its own
options. Below are the actions that ``cover``, ``tiling``, ``formula`` and ``numberlink`` share.
``Any`` stands for solutions of any kind, and for the parameters of click's functions.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

import click

from bddsudoku.cli.command_base import (
    CommandRequest,
    Record,
    command,
    count_text,
    dumps,
    exact_count_record,
    fail,
    fail_unless_agreed,
    limit_record,
    open_output,
    print_note,
    size_and_cost_record,
)
from bddsudoku.cli.lifecycle import EXIT_LIMIT
from bddsudoku.cli.options import (
    EngineNameType,
    Function,
    OptionDecorator,
    combine_options,
    complete_file_names,
    engines_option,
    limit_option,
    number_option,
    output_option,
    save_set_option,
    seed_option,
)
from bddsudoku.engine.protocol import BUILT_IN_ENGINES
from bddsudoku.errors import LimitReached

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.sets.solutionset import SolutionSet
    from bddsudoku.solver import CountResult, Question, SolveResult

COUNTING_ENGINES = tuple(n for n in BUILT_IN_ENGINES if n not in ("singles", "bitboard", "bands"))
"""Names of engines that count any model, not only Sudoku."""
COUNTING_ONLY_ENGINES = ("bdd", "brute-force")
"""Names of those engines that make no set."""
SET_ENGINES = tuple(n for n in COUNTING_ENGINES if n not in COUNTING_ONLY_ENGINES)
"""Names of engines that compile the set of solutions of any model."""


class ActionGroup(click.Group):
    """A click group with a subject as its argument and the actions on it as its commands.

    Args:
        description: a function with the group's name and help.
        subject: name of the argument, such as ``file``.
        make_subject: makes the first argument of an action's function from a
            :class:`CommandRequest` and from those ``options`` that it takes by name.
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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of actions for the help, with their descriptions not shortened."""
        with formatter.section("Actions"):
            formatter.write_dl([(name, c.help or "") for name, c in self.commands.items()])

    def invoke(self, ctx: click.Context) -> object:
        """Run the action; the error for an unknown option names the actions that have it."""
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            takers = [
                name
                for name, action in self.commands.items()
                if any(error.option_name in p.opts + p.secondary_opts for p in action.params)
            ]
            if not takers or not ctx.invoked_subcommand:
                raise
            where = " or ".join(filter(None, (", ".join(takers[:-1]), takers[-1])))
            message = f"{error.option_name} goes with {where}, not with {ctx.invoked_subcommand}"
            raise click.UsageError(message, error.ctx) from None

    def action(
        self,
        name: str,
        *options: OptionDecorator,
        make_subject: Function | None = None,
        subject_options: Sequence[OptionDecorator] | None = None,
        help: str | None = None,
        json: bool = True,
    ) -> Callable[[Function], click.Command]:
        """Make a decorator that turns a function into an action of this group.

        Args:
            name: the action's name.
            options: the action's own options.
            make_subject: replaces that of the group.
            subject_options: replaces the group's options.
            help: by default the docstring of the function.
            json: whether the action has ``--json``.
        """
        subject_maker = make_subject or self._make_subject
        names = list(inspect.signature(subject_maker).parameters)[1:]

        def decorate(function: Function) -> click.Command:
            @functools.wraps(function)
            def run_action(request: CommandRequest, **values: Any) -> None:
                subject_values = {name: values.pop(name) for name in names if name in values}
                function(subject_maker(request, **subject_values), **values)

            with_subject_options = combine_options(
                *(self._subject_options if subject_options is None else subject_options)
            )
            limited = command(json=json, layout=False)(with_subject_options(run_action))
            return self.command(name, help=help)(combine_options(*options)(limited))

        return decorate

    def add_shared_actions(
        self,
        solutions_name: str,
        *names: str,
        subject_options: Sequence[OptionDecorator] | None = None,
    ) -> None:
        """Add actions that several groups share; ``solutions_name`` goes into their help."""
        for name in names:
            function, help_text, options = _SHARED_ACTIONS[name]
            self.action(
                name,
                *options,
                subject_options=subject_options,
                help=help_text.format(solutions_name),
            )(function)


def action_group(
    subject: str, make_subject: Function, *options: OptionDecorator
) -> Callable[[Function], ActionGroup]:
    """Make a decorator that turns a function with a help text into an :class:`ActionGroup`."""
    return lambda described: ActionGroup(described, subject, make_subject, *options)


# -- actions that groups share ---------------------------------------------------------------------


@dataclass(frozen=True)
class ActionSubject:
    """The subject of an action: a problem, or a saved set of its solutions.

    Attributes:
        request: the common options; its ``puzzle`` is the argument.
        common_members: members of every JSON object.
        question: the problem for an engine; None where a saved set does not contain it.
        to_text: writes a solution for people.
        to_record: makes the JSON members of a solution.
        saved: the set, if the argument is a file of one.
        separator: written between two solutions for people.
        unit: what progress bars count.
    """

    request: CommandRequest
    common_members: Record
    question: Question | None
    to_text: Callable[[Any], str]
    to_record: Callable[[Any], Record]
    saved: SolutionSet | None = None
    separator: str = ""
    unit: str = "step"

    @property
    def decoder(self) -> Any:
        """The decoder that turns true variables, as an engine finds them, into a solution."""
        return self.question_or_fail().decoder if self.saved is None else self.saved.decoder

    def question_or_fail(self) -> Question:
        """Return the problem for the engines; end with an error if only a saved set is given."""
        if self.question is None:
            reject_saved_set()
        return self.question

    def count_solutions(self, engine: str, context: Context) -> CountResult:
        """Count the solutions of the saved set if there is one, otherwise those of the problem."""
        from bddsudoku.solver import CountResult, count_detailed

        if self.saved is not None:
            return CountResult(self.saved.count(), "saved", "a saved set", 0.0)
        question = self.question_or_fail()
        if question.projection is not None and engine in COUNTING_ONLY_ENGINES:
            fail(f"engine {engine} cannot project; take frontier", 2)
        return count_detailed(question, engine, context)

    def compile_solutions(self, engine: str = "auto") -> SolveResult:
        """Compile the set of all solutions or, if there is only a saved set, return that."""
        from bddsudoku.solver.dispatch import saved_set_result, solve_detailed

        if self.question is None and self.saved is not None:
            return saved_set_result(self.saved)
        with self.request.with_progress_bar("compiling", self.unit) as context:
            return solve_detailed(self.question_or_fail(), engine, context=context)

    def solution_set(self, engine: str = "auto") -> Any:
        """Return the set of all solutions, the saved one or a compiled one."""
        return self.compile_solutions(engine).solutions if self.saved is None else self.saved

    def write_solutions(
        self, solutions: Iterable[Any], output: str | None = None, first: Record | None = None
    ) -> None:
        """Write solutions one by one, as text or JSON, to a file or standard output.

        In JSON, the members of ``first`` precede those of each solution.
        """
        with open_output(output) as target:
            for number, solution in enumerate(solutions):
                if self.request.as_json:
                    text = dumps((first or {}) | self.to_record(solution))
                else:
                    text = (self.separator if number else "") + self.to_text(solution)
                target.write(text + "\n")


def reject_saved_set() -> NoReturn:
    """End the command with an error: it needs the problem, but a saved set was given."""
    fail("a saved set keeps solutions, not what was demanded: give the file it was made of", 2)


def engine_option(names: Collection[str] = SET_ENGINES) -> OptionDecorator:
    """Make the option ``--engine``: one of some names, or ``auto``; it may be given only once."""

    def one_engine(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> str:
        if len(value) > 1:
            raise click.UsageError(f"{ctx.info_name} takes one --engine")
        return value[0] if value else "auto"

    return click.option(
        "--engine",
        multiple=True,
        callback=one_engine,
        type=EngineNameType("auto", *names),
        help="The engine.  [default: auto]",
    )


def count(subject: ActionSubject, engine: str = "auto") -> None:
    """Print the exact number of solutions; × and exit code 3 if a limit stopped the count."""
    from bddsudoku.solver.question import count_record

    try:
        with subject.request.with_progress_bar("counting", subject.unit) as context:
            record = count_record(subject.count_solutions(engine, context))
    except LimitReached as stop:
        record = limit_record(stop)
    subject.request.print_answer(subject.common_members | record, count_text(record))
    if record["count"] is None:
        print_note(f"bddsudoku: {record['limit']}")
        raise SystemExit(EXIT_LIMIT)


def enumerate_(
    subject: ActionSubject, limit: int | None, seed: int | None, output: str | None
) -> None:
    """Write solutions in the order in which a search finds them, or in that of a saved set."""
    from bddsudoku.solver import iterate_solution_keys

    if subject.saved is not None:
        subject.write_solutions(islice(subject.saved, limit), output)
        return
    keys = iterate_solution_keys(
        subject.question_or_fail(), subject.request.context, limit=limit, seed=seed
    )
    subject.write_solutions(map(subject.decoder.decode, keys), output)


def compile_(subject: ActionSubject, engine: str, output: str | None) -> None:
    """Compile the set of solutions, save it, and print its size and cost."""
    compiled = subject.compile_solutions(engine)
    counted = exact_count_record(compiled.solutions.count(), compiled.engine, compiled.seconds)
    record = subject.common_members | counted | size_and_cost_record(compiled)
    sentence = (
        f" ({record['bdd_nodes']:,} as a BDD), {record['variables']:,} variables; "
        f"{compiled.engine}, {compiled.seconds:.2f} s"
    )
    save_and_print_set(subject, record, sentence, compiled.solutions, output)


def save_and_print_set(
    subject: ActionSubject, record: Record, sentence: str, solutions: Any, output: str | None
) -> None:
    """Save a compiled set to ``output``, if a file is named, and print its size and cost.

    The text is ``162 solutions in 1,234 ZDD nodes`` followed by ``sentence``.
    """
    if output is not None:
        solutions.save(output)
        record = record | {"output": output}
    plural = "" if record["count"] == "1" else "s"
    text = f"{record['count']} solution{plural} in {record['nodes']:,} ZDD nodes{sentence}"
    subject.request.print_answer(record, text)


def sample(
    subject: ActionSubject,
    number: int,
    seed: int | None,
    engine: str = "auto",
    output: str | None = None,
) -> None:
    """Write uniform random solutions; an empty set ends the command with a message."""
    from bddsudoku.solver.solution_output import sample_solutions

    solutions = subject.solution_set(engine)
    if number and not solutions:
        fail("there is nothing to draw from: there is no solution")
    subject.write_solutions(
        sample_solutions(solutions, number, seed), output, subject.common_members | {"seed": seed}
    )


def check(subject: ActionSubject, engines: tuple[str, ...]) -> None:
    """Count with every suitable engine, or with those named; print whether the counts agree."""
    from bddsudoku.report.formatting import format_table
    from bddsudoku.solver import check as check_all

    request = subject.request
    saved = None if subject.saved is None else subject.saved.count()
    result = check_all(
        subject.question_or_fail(),
        engines or None,
        request.context,
        each=request.time_limit_per_run(),
        saved=saved,
    )
    rows = [
        [r["engine"], r["count"] or "×", f"{r['seconds']:.2f} s", r["limit"] or ""]
        for r in result["runs"]
    ]
    shown = format_table(rows, ["engine", "count", "time", "limit"], align="lrrl")
    verdict = {True: "all agree", False: "THEY DISAGREE", None: "nothing to compare"}
    request.print_answer(subject.common_members | result, f"{shown}\n{verdict[result['agree']]}")
    fail_unless_agreed([dict(result)])


_SHARED_ACTIONS: dict[str, tuple[Function, str, tuple[OptionDecorator, ...]]] = {
    "count": (count, "The exact number of {}.", (engine_option(COUNTING_ENGINES),)),
    "enumerate": (
        enumerate_,
        "The {}, one a line, as they are found.",
        (limit_option, seed_option("Try the choices in an order shuffled by this."), output_option),
    ),
    "compile": (
        compile_,
        "The set of all {} as a ZDD; --output saves it.",
        (engine_option(), save_set_option),
    ),
    "sample": (
        sample,
        "Exactly uniform random {}.",
        (number_option, seed_option("The same seed draws the same."), engine_option()),
    ),
    "check": (
        check,
        "Count the {} with every engine that can; exit code 1 if two disagree, 3 if limits "
        "leave fewer than two.",
        (engines_option(COUNTING_ENGINES),),
    ),
}
