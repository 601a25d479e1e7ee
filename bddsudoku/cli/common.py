"""What the commands share: limits, errors → exit codes, JSON lines, progress.

A command file parses and prints. It imports :mod:`bddsudoku.puzzle`, :mod:`bddsudoku.report` and
:mod:`bddsudoku.solver` (where puzzles meet engines), never an engine or a set directly.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

import click

from bddsudoku.cli.entry import EXIT_BAD_DATA, deadline
from bddsudoku.context import Context
from bddsudoku.errors import BddSudokuError
from bddsudoku.numbers import parse_duration, parse_size

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


P = ParamSpec("P")
R = TypeVar("R")


def note(message: str) -> None:
    """One message on standard error."""
    click.echo(message, err=True)


def fail(message: str, code: int = EXIT_BAD_DATA) -> NoReturn:
    """One message on standard error, and out."""
    with suppress(OSError):  # told at the way out
        sys.stdout.flush()
    note(f"bddsudoku: {message}")
    raise SystemExit(code)


@dataclass(frozen=True)
class How:
    """Under which limits a command works, and whether it answers in JSON."""

    context: Context
    as_json: bool

    def tell(self, record: dict[str, Any], text: object, **lists: Iterable[str]) -> None:
        """Print an answer: the record as JSON, or the text.

        Lists of any length follow, as last members of the record or line by line; each item is
        written as it comes.
        """
        if self.as_json:
            emit_json(record, **lists)
            return
        click.echo(text)
        for item in chain.from_iterable(lists.values()):
            click.echo(item)

    def each(self, seconds: float = 30.0) -> float | None:
        """Seconds for one of several runs; None where a time limit is shared out among them."""
        return seconds if self.context.seconds is None else None


def file_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete names of files: for arguments and options that may be one."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


class Parsed(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A click type from a function that reads a text, or says in an error what it expected."""

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        self.name = name
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """What a text means; anything else is a default."""
        if not isinstance(value, str):
            return value
        try:
            return self._parse(value)
        except (ValueError, BddSudokuError) as error:
            self.fail(str(error), param, ctx)


class _AtMost(click.IntRange):
    """A number of which there may be fewer: beyond what a machine counts, all of them."""

    def __init__(self) -> None:
        super().__init__(min=0)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return min(super().convert(value, param, ctx), sys.maxsize)


AT_MOST = _AtMost()
"""The type of options such as ``--limit``."""

_HOW_MANY = click.IntRange(min=0, max=10**9)
"""The type of ``-n``: that many are written, so a slip of the finger is refused."""

limit_option = click.option("--limit", type=AT_MOST, help="Stop after N solutions.")

number_option = click.option(
    "-n", "number", type=_HOW_MANY, default=1, show_default=True, help="How many."
)


def seed_option(what: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """``--seed`` and what it is good for."""
    return click.option("--seed", type=click.IntRange(min=0), help=what)


def command(
    memory: str = "8GiB", *, json: bool = True
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """What every command needs: errors end in one line and an exit code, and there are limits.

    Put it between click's decorators and the function, which is given a :class:`How`. The time
    limit runs from here on and covers all that the command does.

    Args:
        memory: the memory limit unless another one is given.
        json: whether there is ``--json``.
    """

    def decorate(function: Callable[..., R]) -> Callable[..., R]:
        @functools.wraps(function)
        def limited(
            *args: object,
            max_memory: int,
            time_limit: float | None,
            as_json: bool = False,
            **kwargs: object,
        ) -> R:
            context = Context(max_memory, time_limit)
            try:
                with deadline(context):
                    return function(*args, how=How(context, as_json), **kwargs)
            except BddSudokuError as error:
                if is_set("verbose"):
                    from traceback import format_exception

                    note("".join(format_exception(error)).rstrip())
                raise

        whole = _time_limit(_max_memory(memory)(limited))
        return _json(whole) if json else whole

    return decorate


_json = click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")


def seconds_type() -> click.ParamType:  # type: ignore[type-arg,unused-ignore]
    """The type of options that take a time, such as 60 or 2min."""
    return Parsed("SECONDS", parse_duration)


_time_limit = click.option(
    "--time-limit",
    type=seconds_type(),
    help="For the whole command, e.g. 60 or 2min; reached: exit code 3.",
)


def _max_memory(usual: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    return click.option(
        "--max-memory",
        type=Parsed("SIZE", parse_size),
        default=usual,
        show_default=f"{usual}, or what is available",
        callback=_what_is_there,
        help="Memory limit, e.g. 4GiB; reached: exit code 3.",
    )


def _what_is_there(ctx: click.Context, param: click.Parameter, told: int) -> int | None:
    """The memory limit: where none was set, no more than the machine or container has left."""
    from bddsudoku.work.memory import memory_to_use

    return told if is_set(param.name) else memory_to_use(told)


def is_set(name: str | None) -> bool:
    """Whether a parameter of the command that runs was set, or has its default."""
    source = click.get_current_context().get_parameter_source(name or "")
    return source not in (None, click.core.ParameterSource.DEFAULT)


def emit_json(record: dict[str, Any], **lists: Iterable[str]) -> None:
    """One JSON object on one line of standard output, at once (a later crash must not lose it).

    Args:
        record: its members.
        lists: more of them, at the end, whose items are written as they come.
    """
    if not lists:
        click.echo(json.dumps(record, ensure_ascii=False))
        sys.stdout.flush()
        return
    out = sys.stdout
    empty = record | {key: [] for key in lists}
    *parts, end = json.dumps(empty, ensure_ascii=False).rsplit("[]", len(lists))
    for part, items in zip(parts, lists.values(), strict=True):
        out.write(f"{part}[")
        comma = ""
        for item in items:
            out.write(comma + json.dumps(item, ensure_ascii=False))
            comma = ", "
        out.write("]")
    out.write(f"{end}\n")
    out.flush()


@contextmanager
def progress_bar(title: str, *, unit: str = "step") -> Iterator[Callable[[float, float], None]]:
    """A bar on standard error for callbacks ``progress(done, total)``; silent when not a terminal.

    The bar appears only once the work has taken half a second.
    """
    from tqdm import tqdm

    with tqdm(
        desc=title,
        unit=unit,
        delay=0.5,
        leave=False,
        disable=not sys.stderr.isatty(),
        file=sys.stderr,
    ) as bar:

        def update(done: float, total: float) -> None:
            bar.total = total
            bar.n = done
            bar.refresh() if done >= total else bar.update(0)

        yield update
