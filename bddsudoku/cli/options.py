"""Options that several commands take, and the types of their values.

A file to write is refused before any work when it could not be written.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.errors import BddSudokuError
from bddsudoku.files import require_writable
from bddsudoku.numbers import parse_duration, parse_size

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from bddsudoku.puzzle.sudoku.layout import Layout

Function = Callable[..., Any]
Option = Callable[[Function], Function]
"""A decorator that gives a command one more option, or several."""


def is_set(name: str | None) -> bool:
    """Whether a parameter of the command that runs was set, or has its default."""
    source = click.get_current_context().get_parameter_source(name or "")
    return source not in (None, click.core.ParameterSource.DEFAULT)


def every(*options: Option) -> Option:
    """Several options as one."""

    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def usual(*names: str, default: Any, **more: Any) -> Option:
    """An option whose default the help shows."""
    return click.option(*names, default=default, show_default=True, **more)


# -- types -----------------------------------------------------------------------------------------


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

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return min(super().convert(value, param, ctx), sys.maxsize)


AT_MOST = _AtMost(min=0)
"""The type of options such as ``--limit``."""
HOW_MANY = click.IntRange(min=0, max=10**9)
"""The type of ``-n``: that many are written, so a slip of the finger is refused."""
SECONDS = Parsed("SECONDS", parse_duration)
"""The type of options that take a time, such as 60 or 2min."""
_WORKERS = click.IntRange(1, 1024)


def _layout(text: str) -> Layout:
    """``2x3``: rows × columns of a block."""
    from bddsudoku.numbers import number_in
    from bddsudoku.puzzle.sudoku.layout import Layout

    rows, _, columns = text.lower().replace("×", "x").partition("x")
    height, width = number_in(rows), number_in(columns)
    if height is None or width is None:
        raise ValueError(f"expected block rows x columns such as 2x3, found {text!r}")
    return Layout(height, width)


def _writable(path: str) -> str:
    """A path that can be written to: see :mod:`bddsudoku.files`."""
    try:
        require_writable(path)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise ValueError(f"{path!r}: {error}") from None
    return path


def _picture(path: str) -> str:
    """A path to write whose ending is a picture's."""
    from bddsudoku.report.plots import require_picture

    require_picture(_writable(path))
    return path


def _drawable(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
    """The same, with matplotlib at hand."""
    if path is not None:
        from bddsudoku.report.plots import require_matplotlib

        require_matplotlib()
    return path


TARGET = Parsed("FILE", _writable)


# -- files -----------------------------------------------------------------------------------------


def file_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete names of files: for arguments and options that may be one."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


file_option = partial(click.option, shell_complete=file_names)
puzzle_argument = click.argument("puzzle", metavar="PUZZLE", shell_complete=file_names)
"""A path, ``-`` or the puzzle itself."""


def target_option(*names: str, what: str, stream: bool = False) -> Option:
    """An option for a file to write: a path that can be written to, or None.

    ``what`` is the help; ``stream``: whether ``-`` stands for standard output.
    """
    kind = Parsed("FILE", lambda path: path if path == "-" else _writable(path))
    return file_option(*names, type=kind if stream else TARGET, help=what)


output_option = target_option("--output", what="A file instead of stdout.", stream=True)
set_option = target_option("--output", what="Where the set is saved.")


def plot_option(what: str) -> Option:
    """``--plot``: a path whose ending is a picture's, with matplotlib at hand; or None."""
    kind = Parsed("FILE", _picture)
    return file_option("--plot", type=kind, callback=_drawable, help=f"{what}: png, svg or pdf.")


# -- what is asked for -----------------------------------------------------------------------------

limit_option = click.option("--limit", type=AT_MOST, help="Stop after N solutions.")
number_option = usual("-n", "number", type=HOW_MANY, default=1, help="How many.")
order_option = usual(
    "--order",
    default="auto",
    help="Order in which a diagram reads the cells, e.g. rows, columns, blocks, greedy.",
)
layout_option = click.option(
    "--layout",
    type=Parsed("RxC", _layout),
    help="Block rows x columns, e.g. 3x2; by default the usual shape of that size.",
)


def seed_option(what: str) -> Option:
    """``--seed`` and what it is good for."""
    return click.option("--seed", type=click.IntRange(min=0), help=what)


def choice_option(*names: str, choices: tuple[str, ...], what: str, **more: Any) -> Option:
    """One of these words; by default the first."""
    more.setdefault("default", choices[0])
    return usual(*names, type=click.Choice(choices), help=what, **more)


def engines_option(names: Collection[str]) -> Option:
    """``--engine`` of ``check``."""
    return click.option(
        "--engine",
        "engines",
        multiple=True,
        type=click.Choice(names),
        help="Only these; may be given several times.",
    )


backend_option = partial(choice_option, "--backend", choices=("auto", "cudd", "oxidd", "autoref"))

# -- limits and workers ----------------------------------------------------------------------------

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")


def limit_options(memory: str) -> Option:
    """``--time-limit`` and ``--max-memory``, with the memory limit unless another is given."""
    return every(
        click.option(
            "--time-limit",
            type=SECONDS,
            help="For the whole command, e.g. 60 or 2min; reached: exit code 3.",
        ),
        click.option(
            "--max-memory",
            type=Parsed("SIZE", parse_size),
            default=memory,
            show_default=f"{memory}, or what is available",
            callback=_what_is_there,
            help="Memory limit, e.g. 4GiB; reached: exit code 3.",
        ),
    )


def _what_is_there(ctx: click.Context, param: click.Parameter, told: int) -> int | None:
    """The memory limit: where none was set, no more than the machine or container has left."""
    from bddsudoku.work.resources import memory_to_use

    return told if is_set(param.name) else memory_to_use(told)


threads_option = click.option(
    "--jobs", type=_WORKERS, help="Threads for long lists; by default one for every core."
)
jobs_option = click.option(
    "--jobs",
    "processes",
    type=_WORKERS,
    help="Processes of this machine for long lists; by default this one.",
)
scheduler_options = every(
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Share the work out on a Dask cluster, e.g. tcp://10.0.0.1:8786.",
    ),
    file_option(
        "--scheduler-file",
        metavar="FILE",
        help="The same; FILE is what the scheduler has written its address to.",
    ),
)
journal_option = file_option(
    "--journal",
    metavar="FILE",
    help="Keep in FILE what is done; the same command goes on where it stopped.",
)
verbose_option = click.option(
    "-v",
    "--verbose",
    is_flag=True,
    expose_value=False,
    help="Of an error, the traceback, too, on a worker and here.",
)
work_options = every(jobs_option, scheduler_options, journal_option, verbose_option)
"""What commands take whose lists can be shared out."""
