"""Commands that are told what to do after what to do it with: ``cover FILE count --json``.

Such a command is a group of click's with one argument, the subject; its commands are the actions.
Below are those that ``cover``, ``tiling`` and ``formula`` share: each is made from the command's
way of asking, a decorator that gives a function an :class:`Asked`, and from what is counted.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

import click

from bddsudoku.cli.answers import (
    cost_record,
    drawn,
    end_check,
    is_cut,
    tell_compiled,
    tell_count,
    write_each,
)
from bddsudoku.cli.common import (
    How,
    command,
    emit_json,
    fail,
    file_names,
    limit_option,
    number_option,
    progress_bar,
    seed_option,
)
from bddsudoku.cli.entry import EXIT_LIMIT
from bddsudoku.cli.outputs import output_option, set_option
from bddsudoku.engine.protocol import engine_names
from bddsudoku.numbers import to_decimal

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.sets.solutionset import SolutionSet
    from bddsudoku.solver import Question, Solved

Asking = Callable[[Callable[..., None]], Callable[..., None]]
"""A decorator for actions: what subject and options stand for becomes the first argument."""


class Actions(click.Group):
    """A group that lists its commands as they were defined, and knows whose an option is."""

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
            if takers and ctx.invoked_subcommand:
                where = " or ".join(filter(None, (", ".join(takers[:-1]), takers[-1])))
                told = f"{error.option_name} goes with {where}, not with {ctx.invoked_subcommand}"
                raise click.UsageError(told, error.ctx) from None
            raise


def acting_on(subject: str) -> Callable[[Callable[[], None]], Actions]:
    """Make a group of actions of a function that describes it; see :func:`asking` for these.

    Args:
        subject: its name, such as ``file``.
    """

    def hand_on(ctx: click.Context, param: click.Parameter, value: str) -> None:
        ctx.obj = value

    def make(described: Callable[[], None]) -> Actions:
        name = described.__name__
        asked = click.argument(
            subject, expose_value=False, callback=hand_on, shell_complete=file_names
        )
        return click.group(
            cls=Actions,
            options_metavar="",
            subcommand_metavar="ACTION [OPTIONS]",
            no_args_is_help=False,
            epilog=f"The options of an action: {name} {subject.upper()} ACTION --help.",
        )(asked(described))

    return make


def asking(
    ask: Callable[..., object], *options: Callable[[Callable[..., None]], Callable[..., None]]
) -> Asking:
    """A decorator for actions that take these options, too, and what ``ask`` makes of them.

    Args:
        ask: called with the subject and, by their names, with those of the action's options that
            it takes; the action is called with the result and the other options. Both are given
            ``how``.
        options: click's options for ``ask``.
    """
    _, *names = inspect.signature(ask).parameters

    def decorate(action: Callable[..., None]) -> Callable[..., None]:
        @click.pass_obj
        @functools.wraps(action)
        def asked(subject: str, /, **values: object) -> None:
            mine = {name: values[name] for name in names if name in values}
            rest = {name: v for name, v in values.items() if name == "how" or name not in mine}
            action(ask(subject, **mine), **rest)

        for option in reversed(options):
            asked = option(asked)
        return asked

    return decorate


# -- actions on a model ----------------------------------------------------------------------------

COUNTERS = tuple(n for n in engine_names() if n not in ("singles", "quick", "bands"))
"""Engines that know more than Sudoku."""

HOLDERS = tuple(n for n in COUNTERS if n not in ("bdd", "backtrack"))
"""Those of them from which a set can be had."""


@dataclass(frozen=True)
class Asked:
    """What is asked about.

    Attributes:
        head: members of every JSON object.
        question: what an engine is asked; None where a saved set does not keep it.
        text: a solution for people.
        data: a solution for programs.
        saved: the set, when a file of one was given.
    """

    head: dict[str, Any]
    question: Question | None
    text: Callable[[Any], str]
    data: Callable[[Any], dict[str, Any]]
    saved: SolutionSet | None = None

    @property
    def decoder(self) -> Any:
        """The puzzle's decoder."""
        return self.asking().decoder if self.saved is None else self.saved.decoder

    def asking(self) -> Question:
        """The question, where there is one; else the command ends."""
        if self.question is None:
            without_statements()
        return self.question

    def compiled(self, engine: str, how: How) -> Solved:
        """Compile the set, with a bar; or take the saved one where nothing else is known."""
        from bddsudoku.solver.ask import kept, solved

        if self.question is None and self.saved is not None:
            return kept(self.saved)
        with progress_bar("compiling") as progress:
            return solved(self.asking(), engine, context=how.context.reporting(progress))

    def set_of(self, engine: str, how: How) -> Any:
        """The set of all solutions."""
        return self.compiled(engine, how).solutions if self.saved is None else self.saved


def without_statements() -> NoReturn:
    """End a command that needs more than a saved set keeps."""
    fail("a saved set keeps solutions, not what was demanded: give the file it was made of", 2)


def engine_option(
    names: Collection[str] = HOLDERS,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
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


def count(asking: Asking, what: str) -> click.Command:
    """The action ``count``."""

    @click.command("count", help=f"The exact number of {what}.")
    @engine_option(COUNTERS)
    @command()
    @asking
    def action(asked: Asked, engine: str, how: How) -> None:
        print_count(asked, engine, how)

    return action


def print_count(asked: Asked, engine: str, how: How) -> None:
    """Print the exact number; × and exit code 3 when a limit stopped the count."""
    from bddsudoku.solver import Counted, counted

    def counting(context: Context) -> Counted:
        if asked.saved is not None:
            return Counted(asked.saved.count(), "saved", "a saved set", 0.0)
        question = asked.asking()
        if question.projection is not None and engine not in ("auto", *HOLDERS):
            fail(f"engine {engine} cannot project; take frontier", 2)
        return counted(question, engine, context)

    if tell_count(how, asked.head, counting, how.context) is None:
        raise SystemExit(EXIT_LIMIT)


def enumerate_(asking: Asking, what: str) -> click.Command:
    """The action ``enumerate``."""

    @click.command("enumerate", help=f"The {what}, one a line, as they are found.")
    @limit_option
    @seed_option("Try the choices in an order shuffled by this.")
    @output_option
    @command()
    @asking
    def action(
        asked: Asked, limit: int | None, seed: int | None, output: str | None, how: How
    ) -> None:
        from bddsudoku.solver import keys_of

        found: Iterator[Any] = islice(asked.saved or (), limit)
        if asked.saved is None:
            keys = keys_of(asked.asking(), how.context, limit=limit, seed=seed)
            found = map(asked.decoder.decode, keys)
        if how.as_json:
            lines = (json.dumps(asked.data(s), ensure_ascii=False) + "\n" for s in found)
        else:
            lines = (asked.text(s) + "\n" for s in found)
        write_each(lines, output)

    return action


def compile_(asking: Asking, what: str) -> click.Command:
    """The action ``compile``."""

    @click.command("compile", help=f"The set of all {what} as a ZDD; --output saves it.")
    @engine_option()
    @set_option
    @command()
    @asking
    def action(asked: Asked, engine: str, output: str | None, how: How) -> None:
        compiled = asked.compiled(engine, how)
        cost = cost_record(compiled)
        record = asked.head | {
            "count": to_decimal(compiled.solutions.count()),
            "exact": True,
            "engine": compiled.engine,
            **cost,
            "seconds": round(compiled.seconds, 6),
        }
        sentence = (
            f" ({cost['bdd_nodes']:,} as a BDD), {cost['variables']:,} variables; "
            f"{compiled.engine}, {compiled.seconds:.2f} s"
        )
        tell_compiled(how, record, sentence, compiled.solutions, output)

    return action


def sample(asking: Asking, what: str) -> click.Command:
    """The action ``sample``."""

    @click.command("sample", help=f"Exactly uniform random {what}.")
    @number_option
    @seed_option("The same seed draws the same.")
    @engine_option()
    @command()
    @asking
    def action(asked: Asked, number: int, seed: int | None, engine: str, how: How) -> None:
        for solution in drawn(asked.set_of(engine, how), number, seed):
            if how.as_json:
                emit_json(asked.head | {"seed": seed} | asked.data(solution))
            else:
                click.echo(asked.text(solution))

    return action


def check(asking: Asking, what: str) -> click.Command:
    """The action ``check``."""
    told = (
        f"Count the {what} with every engine that can; exit code 1 if two disagree, 3 if limits "
        "leave fewer than two."
    )

    @click.command("check", help=told)
    @click.option(
        "--engine",
        "engines",
        multiple=True,
        type=click.Choice(COUNTERS),
        help="Only these; may be given several times.",
    )
    @command()
    @asking
    def action(asked: Asked, engines: tuple[str, ...], how: How) -> None:
        from bddsudoku.report.tables import table
        from bddsudoku.solver import check as check_all

        saved = None if asked.saved is None else asked.saved.count()
        result = check_all(
            asked.asking(), engines or None, how.context, each=how.each(), saved=saved
        )
        rows = [
            [r["engine"], r["count"] or "×", f"{r['seconds']:.2f} s", r["limit"] or ""]
            for r in result["runs"]
        ]
        shown = table(rows, ["engine", "count", "time", "limit"], align="lrrl")
        verdict = {True: "all agree", False: "THEY DISAGREE", None: "nothing to compare"}
        how.tell(asked.head | result, f"{shown}\n{verdict[result['agree']]}")
        end_check(result["agree"] is not False, not is_cut(result))

    return action
