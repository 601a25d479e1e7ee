"""Commands that are told what to do after what to do it with: ``cover FILE count --json``.

Such a command is a group of click's with one argument, the subject; its commands are the actions.
An action's function is given what its group makes of the subject and of the options that the group
asks for. Below are the actions that ``cover``, ``tiling``, ``formula`` and ``numberlink`` share.
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
"""Engines that know more than Sudoku."""
HOLDERS = tuple(n for n in COUNTERS if n not in ("bdd", "brute-force"))
"""Those of them from which a set can be had."""


class Actions(click.Group):
    """A group that lists its commands as they were defined, and knows whose an option is.

    Args:
        described: a function with the group's name and help.
        subject: what its commands are about, such as ``file``.
        ask: makes what an action's function is given first: of a :class:`Given`, and of those of
            the action's ``options`` that it takes by name.
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
        """The actions, in order."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The actions, each with all of its first line."""
        with formatter.section("Actions"):
            formatter.write_dl([(name, c.help or "") for name, c in self.commands.items()])

    def invoke(self, ctx: click.Context) -> object:
        """Run the action; of an option that only others know, say which."""
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
        """Make an action of a function, with options of its own.

        ``ask`` and ``asks`` stand in place of the group's ``ask`` and its options; ``help`` is by
        default the function's; ``json``: whether there is ``--json``.
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
        """Take actions that groups share, by their names; ``what`` is what they count."""
        for name in names:
            function, told, options = _SHARED[name]
            self.action(name, *options, asks=asks, help=told.format(what))(function)


def acting_on(subject: str, ask: Function, *options: Option) -> Callable[[Function], Actions]:
    """Make a group of a function that describes it; see :class:`Actions`."""
    return lambda described: Actions(described, subject, ask, *options)


# -- actions that groups share ---------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """What is asked about.

    Attributes:
        given: the options that commands share; its ``puzzle`` is the subject.
        head: members of every JSON object.
        question: what an engine is asked; None where a saved set does not keep it.
        text: a solution for people.
        data: a solution for programs.
        saved: the set, when a file of one was given.
        between: written between two solutions for people.
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
        """The puzzle's decoder."""
        return self.asking().decoder if self.saved is None else self.saved.decoder

    def asking(self) -> Question:
        """The question, where there is one; else the command ends."""
        if self.question is None:
            without_statements()
        return self.question

    def counted(self, engine: str, context: Context) -> Counted:
        """The number of solutions."""
        from bddsudoku.solver import Counted, counted

        if self.saved is not None:
            return Counted(self.saved.count(), "saved", "a saved set", 0.0)
        question = self.asking()
        if question.projection is not None and engine not in ("auto", *HOLDERS):
            fail(f"engine {engine} cannot project; take frontier", 2)
        return counted(question, engine, context)

    def compiled(self, engine: str = "auto") -> Solved:
        """Compile the set, with a bar; or take the saved one where nothing else is known."""
        from bddsudoku.solver.ask import kept, solved

        if self.question is None and self.saved is not None:
            return kept(self.saved)
        with self.given.reporting("compiling", self.unit) as context:
            return solved(self.asking(), engine, context=context)

    def set_of(self, engine: str = "auto") -> Any:
        """The set of all solutions."""
        return self.compiled(engine).solutions if self.saved is None else self.saved

    def write(
        self, found: Iterable[Any], output: str | None = None, first: Record | None = None
    ) -> None:
        """Write solutions as they come, to a file or standard output.

        Every JSON object begins with the members of ``first``.
        """
        with opened(output) as target:
            for number, solution in enumerate(found):
                if self.given.as_json:
                    text = dumps((first or {}) | self.data(solution))
                else:
                    text = (self.between if number else "") + self.text(solution)
                target.write(text + "\n")


def without_statements() -> NoReturn:
    """End a command that needs more than a saved set keeps."""
    fail("a saved set keeps solutions, not what was demanded: give the file it was made of", 2)


def engine_option(names: Collection[str] = HOLDERS) -> Option:
    """``--engine`` with one of these names or ``auto``; two of them contradict each other."""

    def only(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> str:
        if len(value) > 1:
            raise click.UsageError(f"{ctx.info_name} takes one --engine")
        return value[0] if value else "auto"

    return click.option(
        "--engine",
        multiple=True,
        callback=only,
        type=click.Choice(["auto", *names]),
        help="Who does it.  [default: auto]",
    )


def count(asked: Asked, engine: str = "auto") -> None:
    """Print the exact number; × and exit code 3 when a limit stopped the count."""
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
    """Write the solutions as an engine finds them, or those of a saved set."""
    from bddsudoku.solver import keys_of

    if asked.saved is not None:
        asked.write(islice(asked.saved, limit), output)
        return
    keys = keys_of(asked.asking(), asked.given.context, limit=limit, seed=seed)
    asked.write(map(asked.decoder.decode, keys), output)


def compile_(asked: Asked, engine: str, output: str | None) -> None:
    """Compile the set, save it, tell its size and cost."""
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
    """Save a compiled set where a file is named, and print what it cost.

    People are told ``162 solutions in 1,234 ZDD nodes`` of the JSON object, and the ``sentence``.
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
    """Write uniform random solutions; an empty set is told and ends the command."""
    from bddsudoku.solver.output import draws

    solutions = asked.set_of(engine)
    if number and not solutions:
        fail("there is nothing to draw from: there is no solution")
    asked.write(draws(solutions, number, seed), output, asked.head | {"seed": seed})


def check(asked: Asked, engines: tuple[str, ...]) -> None:
    """Count with every engine that can, or with those that are named."""
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
