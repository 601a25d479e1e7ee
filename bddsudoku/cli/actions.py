"""Commands that are told what to do after what to do it with: ``cover FILE count --json``."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable

import click

from bddsudoku.cli.common import file_names

Asking = Callable[[Callable[..., None]], Callable[..., None]]
"""A decorator for actions: what subject and options stand for becomes the first argument."""


class Actions(click.Group):
    """A group whose commands, the actions, come after its one argument, the subject.

    Options are the actions' own, and may stand anywhere on the line. That is settled in two steps:
    what knows all actions' options finds subject and action, then the action gets the options.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The actions as they were defined."""
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put subject and action first, and let click go on as with any group."""
        return super().parse_args(ctx, self._sorted(ctx, args))

    def _sorted(self, ctx: click.Context, args: list[str]) -> list[str]:
        every = {tuple(p.opts): p for action in self.commands.values() for p in action.params}
        parser = click.Command(None, params=list(every.values())).make_parser(ctx)
        parser.allow_interspersed_args = False
        found: list[str] = []
        options: list[str] = []
        while args and len(found) < 2:
            left = parser.parse_args(list(args))[1]
            options += args[: len(args) - len(left)]
            found += left[:1]
            args = left[1:]
        if len(found) < 2 and set(options) & set(ctx.help_option_names):
            # "cover count --help" asks for the action's help, and needs no subject
            return ["", *found, "--help"] if set(found) & set(self.commands) else ["--help"]
        if len(found) == 1 and not ctx.resilient_parsing:
            known = f"Choose from: {', '.join(self.commands)}"
            raise click.MissingParameter(known, ctx, None, "'ACTION'", "argument")
        if len(found) == 2 and found[1] not in self.commands:
            known = f"{found[1]!r} is not one of {', '.join(map(repr, self.commands))}."
            raise click.BadParameter(known, ctx, None, "'ACTION'")
        # "--" because a subject may begin with a dash
        return ["--", *found, *options, *args] if found else []

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The actions, a line each."""
        with formatter.section("Actions"):
            formatter.write_dl([(name, c.help or "") for name, c in self.commands.items()])

    def invoke(self, ctx: click.Context) -> object:
        """Run the action; of an option that only others know, say which."""
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            option, action = error.option_name, ctx.invoked_subcommand
            takers = [
                name
                for name, command in self.commands.items()
                if any(option in p.opts + p.secondary_opts for p in command.params)
            ]
            if not takers:
                raise
            *most, last = takers
            where = f"{', '.join(most)} or {last}" if most else last
            message = f"{option} goes with {where}, not with {action}"
            raise click.UsageError(message, error.ctx) from None


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
            epilog=f"The options of an action: {name} ACTION --help.",
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
            mine = {name: values[name] for name in names}
            rest = {name: v for name, v in values.items() if name == "how" or name not in mine}
            action(ask(subject, **mine), **rest)

        for option in reversed(options):
            asked = option(asked)
        return asked

    return decorate
