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

from bddsudoku.cli.common import (
    Given,
    Record,
    command,
    cost_record,
    count_text,
    dumps,
    end_check,
    exact,
    fail,
    limit_record,
    note,
    opened,
)
from bddsudoku.cli.entry import EXIT_LIMIT
from bddsudoku.cli.options import (
    Function,
    Option,
    engines_option,
    every,
    file_names,
    limit_option,
    number_option,
    output_option,
    seed_option,
    set_option,
)
from bddsudoku.engine.protocol import engine_names
from bddsudoku.errors import LimitReached

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.sets.solutionset import SolutionSet
    from bddsudoku.solver import Counted, Question, Solved

COUNTERS = tuple(n for n in engine_names() if n not in ("singles", "bitboard", "bands"))
"""Names of engines that count any model, not only Sudoku."""
HOLDERS = tuple(n for n in COUNTERS if n not in ("bdd", "brute-force"))
"""Names of engines that compile the set of solutions of any model."""


class Actions(click.Group):
    """A click group with a subject and actions, listed in the order of their definition.

    Args:
        description: a function with the group's name and help.
        subject: name of the argument, such as ``file``.
        make_subject: makes the first argument of an action's function from a
            :class:`CommandRequest` and from those ``options`` that it takes by name.
    """

    def __init__(self, described: Function, subject: str, ask: Function, *options: Option) -> None:
        def hand_on(ctx: click.Context, param: click.Parameter, value: str) -> None:
            ctx.obj = value

        name = described.__name__
        argument = click.Argument(
            [subject], expose_value=False, callback=hand_on, shell_complete=file_names
        )
        super().__init__(
            name,
            params=[argument],
            help=described.__doc__,
            options_metavar="",
            subcommand_metavar="ACTION [OPTIONS]",
            no_args_is_help=False,
            epilog=f"The options of an action: {name} {subject.upper()} ACTION --help.",
        )
        self._ask, self._asks = ask, options

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the actions, in the order of their definition."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the actions in the help, each with all of its first line."""
        with formatter.section("Actions"):
            formatter.write_dl([(name, c.help or "") for name, c in self.commands.items()])

    def invoke(self, ctx: click.Context) -> object:
        """Run the action; for an option of other actions, name these in the error."""
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
            told = f"{error.option_name} goes with {where}, not with {ctx.invoked_subcommand}"
            raise click.UsageError(told, error.ctx) from None

    def action(
        self,
        name: str,
        *options: Option,
        ask: Function | None = None,
        asks: Sequence[Option] | None = None,
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
        asking = ask or self._ask
        names = list(inspect.signature(asking).parameters)[1:]

        def decorate(function: Function) -> click.Command:
            @functools.wraps(function)
            def asked(given: Given, **values: Any) -> None:
                mine = {name: values.pop(name) for name in names if name in values}
                function(asking(given, **mine), **values)

            asking_options = every(*(self._asks if asks is None else asks))
            limited = command(json=json, layout=False)(asking_options(asked))
            return self.command(name, help=help)(every(*options)(limited))

        return decorate

    def take(self, what: str, *names: str, asks: Sequence[Option] | None = None) -> None:
        """Add shared actions by their names; ``solutions_name`` names the solutions in the help."""
        for name in names:
            function, told, options = _SHARED[name]
            self.action(name, *options, asks=asks, help=told.format(what))(function)


def acting_on(subject: str, ask: Function, *options: Option) -> Callable[[Function], Actions]:
    """Make a decorator that turns a function with a help text into an :class:`ActionGroup`."""
    return lambda described: Actions(described, subject, ask, *options)


# -- actions that groups share ---------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
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

    given: Given
    head: Record
    question: Question | None
    text: Callable[[Any], str]
    data: Callable[[Any], Record]
    saved: SolutionSet | None = None
    between: str = ""
    unit: str = "step"

    @property
    def decoder(self) -> Any:
        """The decoder from keys to solutions."""
        return self.asking().decoder if self.saved is None else self.saved.decoder

    def asking(self) -> Question:
        """Return the problem; without it, end the command with a message."""
        if self.question is None:
            without_statements()
        return self.question

    def counted(self, engine: str, context: Context) -> Counted:
        """Count the solutions with an engine, or those of the saved set."""
        from bddsudoku.solver import Counted, counted

        if self.saved is not None:
            return Counted(self.saved.count(), "saved", "a saved set", 0.0)
        question = self.asking()
        if question.projection is not None and engine not in ("auto", *HOLDERS):
            fail(f"engine {engine} cannot project; take frontier", 2)
        return counted(question, engine, context)

    def compiled(self, engine: str = "auto") -> Solved:
        """Compile the set with a progress bar; without a problem, return the saved set."""
        from bddsudoku.solver.ask import kept, solved

        if self.question is None and self.saved is not None:
            return kept(self.saved)
        with self.given.reporting("compiling", self.unit) as context:
            return solved(self.asking(), engine, context=context)

    def set_of(self, engine: str = "auto") -> Any:
        """Return the set of all solutions, the saved one or a compiled one."""
        return self.compiled(engine).solutions if self.saved is None else self.saved

    def write(
        self, found: Iterable[Any], output: str | None = None, first: Record | None = None
    ) -> None:
        """Write solutions one by one to a file or standard output.

        In JSON, the members of ``first`` precede those of each solution.
        """
        with opened(output) as target:
            for number, solution in enumerate(found):
                if self.given.as_json:
                    text = dumps((first or {}) | self.data(solution))
                else:
                    text = (self.between if number else "") + self.text(solution)
                target.write(text + "\n")


def without_statements() -> NoReturn:
    """End a command that needs the statements, which a saved set does not contain."""
    fail("a saved set keeps solutions, not what was demanded: give the file it was made of", 2)


def engine_option(names: Collection[str] = HOLDERS) -> Option:
    """Make ``--engine`` with a choice of names or ``auto``; it may be given only once."""

    def only(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> str:
        if len(value) > 1:
            raise click.UsageError(f"{ctx.info_name} takes one --engine")
        return value[0] if value else "auto"

    return click.option(
        "--engine",
        multiple=True,
        callback=only,
        type=click.Choice(["auto", *names]),
        help="The engine.  [default: auto]",
    )


def count(asked: Asked, engine: str = "auto") -> None:
    """Print the exact number of solutions; × and exit code 3 if a limit stopped the count."""
    from bddsudoku.solver.question import count_record

    try:
        with asked.given.reporting("counting", asked.unit) as context:
            record = count_record(asked.counted(engine, context))
    except LimitReached as stop:
        record = limit_record(stop)
    asked.given.tell(asked.head | record, count_text(record))
    if record["count"] is None:
        note(f"bddsudoku: {record['limit']}")
        raise SystemExit(EXIT_LIMIT)


def enumerate_(asked: Asked, limit: int | None, seed: int | None, output: str | None) -> None:
    """Write the solutions in the order in which an engine finds them, or of a saved set."""
    from bddsudoku.solver import keys_of

    if asked.saved is not None:
        asked.write(islice(asked.saved, limit), output)
        return
    keys = keys_of(asked.asking(), asked.given.context, limit=limit, seed=seed)
    asked.write(map(asked.decoder.decode, keys), output)


def compile_(asked: Asked, engine: str, output: str | None) -> None:
    """Compile the set of solutions, save it, and print its size and cost."""
    done = asked.compiled(engine)
    counted = exact(done.solutions.count(), done.engine, done.seconds)
    record = asked.head | counted | cost_record(done)
    sentence = (
        f" ({record['bdd_nodes']:,} as a BDD), {record['variables']:,} variables; "
        f"{done.engine}, {done.seconds:.2f} s"
    )
    tell_compiled(asked, record, sentence, done.solutions, output)


def tell_compiled(
    asked: Asked, record: Record, sentence: str, solutions: Any, output: str | None
) -> None:
    """Save a compiled set if a file is named, and print its size and cost.

    The text is ``162 solutions in 1,234 ZDD nodes`` followed by ``sentence``.
    """
    if output is not None:
        solutions.save(output)
        record = record | {"output": output}
    plural = "" if record["count"] == "1" else "s"
    text = f"{record['count']} solution{plural} in {record['nodes']:,} ZDD nodes{sentence}"
    asked.given.tell(record, text)
    if output is not None and not asked.given.as_json:
        note(f"saved to {output}")


def sample(
    asked: Asked, number: int, seed: int | None, engine: str = "auto", output: str | None = None
) -> None:
    """Write uniform random solutions; an empty set ends the command with a message."""
    from bddsudoku.solver.output import draws

    solutions = asked.set_of(engine)
    if number and not solutions:
        fail("there is nothing to draw from: there is no solution")
    asked.write(draws(solutions, number, seed), output, asked.head | {"seed": seed})


def check(asked: Asked, engines: tuple[str, ...]) -> None:
    """Count with every suitable engine, or with those named, and print whether they agree."""
    from bddsudoku.report.tables import table
    from bddsudoku.solver import check as check_all

    given = asked.given
    saved = None if asked.saved is None else asked.saved.count()
    result = check_all(
        asked.asking(), engines or None, given.context, each=given.share(), saved=saved
    )
    rows = [
        [r["engine"], r["count"] or "×", f"{r['seconds']:.2f} s", r["limit"] or ""]
        for r in result["runs"]
    ]
    shown = table(rows, ["engine", "count", "time", "limit"], align="lrrl")
    verdict = {True: "all agree", False: "THEY DISAGREE", None: "nothing to compare"}
    given.tell(asked.head | result, f"{shown}\n{verdict[result['agree']]}")
    end_check([dict(result)])


_SHARED: dict[str, tuple[Function, str, tuple[Option, ...]]] = {
    "count": (count, "The exact number of {}.", (engine_option(COUNTERS),)),
    "enumerate": (
        enumerate_,
        "The {}, one a line, as they are found.",
        (limit_option, seed_option("Try the choices in an order shuffled by this."), output_option),
    ),
    "compile": (
        compile_,
        "The set of all {} as a ZDD; --output saves it.",
        (engine_option(), set_option),
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
        (engines_option(COUNTERS),),
    ),
}
