"""Options that several commands share, and the types of their values.

A file to write is refused before any work if it could not be written. ``Any`` and the ignored type
stand where click is untyped.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.errors import BackendUnavailable, BddSudokuError, did_you_mean
from bddsudoku.file_io import require_writable
from bddsudoku.number_text import parse_duration, parse_size

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from bddsudoku.puzzle.sudoku.layout import Layout

Function = Callable[..., Any]
OptionDecorator = Callable[[Function], Function]
"""A decorator that gives a command one more option, or several."""


def is_set_by_user(name: str | None) -> bool:
    """Whether the user set a parameter of the running command; False for its default."""
    source = click.get_current_context().get_parameter_source(name or "")
    return source not in (None, click.core.ParameterSource.DEFAULT)


def combine_options(*options: OptionDecorator) -> OptionDecorator:
    """Combine decorators of options into one."""

    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def option_showing_default(*names: str, default: Any, **more: Any) -> OptionDecorator:
    """Make an option whose default the help shows."""
    return click.option(*names, default=default, show_default=True, **more)


# -- types -----------------------------------------------------------------------------------------


class ParsedType(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A click type made of a parsing function, whose errors become errors of usage."""

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        self.name = name
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse a text; return any other value, such as a default, unchanged.

        The completion of shells gets the text itself: it must not load the parser of a value.
        """
        if not isinstance(value, str) or (ctx is not None and ctx.resilient_parsing):
            return value
        try:
            return self._parse(value)
        except BackendUnavailable:  # what is missing is no wrong usage
            raise
        except (ValueError, BddSudokuError) as error:
            self.fail(str(error), param, ctx)


class _CappedCount(click.IntRange):
    """A click type for an upper bound; a larger value than ``sys.maxsize`` is reduced to that."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return min(super().convert(value, param, ctx), sys.maxsize)


CAPPED_COUNT = _CappedCount(min=0)
"""The type of options such as ``--limit``."""
DRAW_COUNT = click.IntRange(min=0, max=10**9)
"""The type of ``-n``, exactly so many results: a huge number is refused as a typing error."""
DURATION = ParsedType("SECONDS", parse_duration)
"""The type of options that take a time, such as 60 or 2min."""
_WORKERS = click.IntRange(1, 1024)


def _parse_layout(text: str) -> Layout:
    """Read a layout from the rows and columns of its blocks, such as ``2x3``."""
    from bddsudoku.number_text import parse_whole_number
    from bddsudoku.puzzle.sudoku.layout import Layout

    rows, _, columns = text.lower().replace("×", "x").partition("x")
    height, width = parse_whole_number(rows), parse_whole_number(columns)
    if height is None or width is None:
        raise ValueError(f"expected block rows x columns such as 2x3, found {text!r}")
    return Layout(height, width)


def _require_writable_path(path: str) -> None:
    """Check that a path can be written (:mod:`bddsudoku.file_io`)."""
    if path == "-":
        raise ValueError("expected a file, found - (a file of that name is ./-)")
    try:
        require_writable(path)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise ValueError(f"{path!r}: {error}") from None


def _refuse_tables(path: str) -> None:
    """Check that a path of text has not the ending of a table."""
    from bddsudoku.sets.solution_writer import form_of_file

    form_of_file(path, "lines", "lines")


def refuse_other_pictures(path: str) -> None:
    """Check that a path of text or SVG has not the ending of a table or another picture."""
    _refuse_tables(path)
    if path.lower().endswith((".png", ".pdf")):
        raise ValueError(f"expected a file of text or SVG, found {path}")


def _require_plot(path: str) -> None:
    """Check that a path has the ending of a picture, and that matplotlib is installed."""
    from bddsudoku.report.plots import require_matplotlib, require_picture_ending

    require_picture_ending(path)
    require_matplotlib()


# -- files -----------------------------------------------------------------------------------------


def complete_file_names(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Let the shell complete names of files, for arguments and options that accept one."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


file_option: Callable[..., OptionDecorator] = partial(
    click.option, shell_complete=complete_file_names
)
project_option: OptionDecorator = click.option(
    "--project",
    type=click.Choice(["grid"]),
    help="Ask for grids alone: each once, whatever stands in the cells outside it.",
)


puzzle_argument: OptionDecorator = click.argument(
    "puzzle", metavar="PUZZLE", shell_complete=complete_file_names
)
"""The argument PUZZLE: a path, ``-`` or the puzzle itself."""


def output_file_option(
    *names: str,
    help: str,
    allow_stdout: bool = False,
    accept: Callable[[str], object] = str,
) -> OptionDecorator:
    """Make an option that names a file to write: a path that can be written, or None.

    Args:
        names: of the option.
        help: the help.
        allow_stdout: whether the path ``-`` means standard output.
        accept: raises an error for a path with the ending of another kind of file.
    """

    def parse(path: str) -> str:
        if not (allow_stdout and path == "-"):
            _require_writable_path(path)
        accept(path)
        return path

    return file_option(*names, type=ParsedType("FILE", parse), help=help)


_to_output = partial(output_file_option, "-o", "--output")
results_option: Callable[..., OptionDecorator] = partial(
    _to_output, help="A file instead of stdout.", allow_stdout=True
)
output_option: OptionDecorator = results_option(accept=_refuse_tables)
drawing_option: OptionDecorator = results_option(accept=refuse_other_pictures)
save_set_option: OptionDecorator = _to_output(help="Where the set is saved.")


def plot_option(help: str) -> OptionDecorator:
    """Make ``--plot``: a path with the ending of a picture, or None; it needs matplotlib."""
    return output_file_option("--plot", help=f"{help}: png, svg or pdf.", accept=_require_plot)


# -- options of results ----------------------------------------------------------------------------

limit_option: OptionDecorator = click.option(
    "--limit", type=CAPPED_COUNT, help="Stop after N solutions."
)
first_option: OptionDecorator = click.option(
    "--first", type=CAPPED_COUNT, default=0, help="Also show the first N of them."
)
number_option: OptionDecorator = option_showing_default(
    "-n", "--number", type=DRAW_COUNT, default=1, help="How many."
)
order_option: OptionDecorator = option_showing_default(
    "--order",
    default="auto",
    help="Order in which a diagram reads the cells, e.g. rows, columns, blocks, greedy.",
)
layout_option: OptionDecorator = click.option(
    "--layout",
    type=ParsedType("RxC", _parse_layout),
    help="Block rows x columns, e.g. 3x2; by default the usual shape of that size.",
)


def seed_option(help: str) -> OptionDecorator:
    """Make the option ``--seed`` with a help text."""
    return click.option("--seed", type=click.IntRange(min=0), help=help)


def _parse_precision(text: str) -> float:
    """Read a precision such as ``2%`` or ``0.02``."""
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        number = 0.0
    if not 0 < number < 1:
        raise ValueError(f"expected a precision such as 2%, found {text!r}")
    return number


estimate_options = (
    click.option(
        "--estimate",
        "estimated",
        is_flag=True,
        help="An estimate by random descents, with its 95 % interval, in place of the count.",
    ),
    option_showing_default(
        "--precision",
        type=ParsedType("PERCENT", _parse_precision),
        default="2%",
        help="Half the width of that interval.",
    ),
    option_showing_default(
        "--seed",
        type=click.IntRange(min=0),
        default=0,
        help="The same seed gives the same estimate.",
    ),
)


def choice_option(*names: str, choices: tuple[str, ...], help: str, **more: Any) -> OptionDecorator:
    """Make an option with a choice of words; the default is the first."""
    more.setdefault("default", choices[0])
    return option_showing_default(*names, type=click.Choice(choices), help=help, **more)


def marginals_format(*choices: str) -> OptionDecorator:
    """Make the option ``--format`` of ``marginals``, by default a table."""
    return choice_option(
        "--format",
        "style",
        choices=choices or ("table", "csv"),
        help="csv has a line for every count.",
    )


def refuse_unknown_command(ctx: click.Context, name: str, known: Collection[str]) -> None:
    """Raise an error that names the command that may be meant; shells complete without one."""
    meant = _OTHER_WORDS.get(name)
    near = f". Did you mean {meant!r}?" if meant in known else did_you_mean(name, known)
    if near and not ctx.resilient_parsing:
        raise click.UsageError(f"No such command {name!r}{near}", ctx)


_OTHER_WORDS = {
    "solve": "enumerate",
    "solutions": "enumerate",
    "list": "enumerate",
    "estimate": "count",
}
"""What other programs call a command → its name here."""


class EngineNameType(click.Choice):  # type: ignore[type-arg,unused-ignore]
    """A click type for the name of an engine: some of this package, or one of any plug-in.

    Plug-ins are looked for only if the name is none of this package, or all are shown.
    """

    def __init__(self, *own: str) -> None:
        self._own = own
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """All names that are allowed."""
        from bddsudoku.engine.protocol import plug_in_engine_names

        return (*self._own, *plug_in_engine_names())

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name unchanged, or fail with the name that is meant, or all allowed ones."""
        if value in self._own:
            return value
        if value not in self.choices and (near := did_you_mean(value, self.choices)):
            self.fail(f"no engine is called {value!r}{near}", param, ctx)
        return super().convert(value, param, ctx)


def engine_option(names: Collection[str]) -> OptionDecorator:
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
        help="The engine; auto takes the cheapest by forecast.  [default: auto]",
    )


def engines_option(names: Collection[str]) -> OptionDecorator:
    """Make the option ``--engine`` of ``check``, which may be given several times."""
    return click.option(
        "--engine",
        "engines",
        multiple=True,
        type=EngineNameType(*names),
        help="Only these; may be given several times.",
    )


backend_option: Callable[..., OptionDecorator] = partial(
    choice_option, "--backend", choices=("auto", "cudd", "oxidd")
)

# -- limits and workers ----------------------------------------------------------------------------

json_option: OptionDecorator = click.option(
    "--json", "as_json", is_flag=True, help="One JSON object a line."
)


def limit_options(memory: str) -> OptionDecorator:
    """Make ``--time-limit`` and ``--max-memory`` with the default of the memory limit."""
    return combine_options(
        click.option(
            "--time-limit",
            type=DURATION,
            help="For the whole command, e.g. 60 or 2min; reached: exit code 3.",
        ),
        click.option(
            "--max-memory",
            type=ParsedType("SIZE", parse_size),
            default=memory,
            show_default=f"{memory}, or what is available",
            callback=_cap_default_memory,
            help="Memory limit, e.g. 4GiB; reached: exit code 3.",
        ),
    )


def _cap_default_memory(ctx: click.Context, param: click.Parameter, requested: int) -> int | None:
    """Cap a default memory limit at the memory available; return the user's limit unchanged."""
    from bddsudoku.work.resources import memory_allowance

    if is_set_by_user(param.name) or ctx.resilient_parsing:
        return requested
    return memory_allowance(requested)


threads_option: OptionDecorator = click.option(
    "--jobs", type=_WORKERS, help="Threads for long lists; by default one for every core."
)
jobs_option: OptionDecorator = click.option(
    "--jobs",
    "processes",
    type=_WORKERS,
    help="Processes of this machine for long lists; by default this one.",
)
scheduler_options: OptionDecorator = combine_options(
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
journal_option: OptionDecorator = file_option(
    "--journal",
    metavar="FILE",
    help="Keep in FILE what is done; the same command goes on where it stopped.",
)
keep_going_option: OptionDecorator = click.option(
    "--keep-going",
    is_flag=True,
    help="Go on where a puzzle of a list cannot be read: its line is “?”, the exit code 1.",
)
verbose_option: OptionDecorator = click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Say which engine is chosen and why; of an error, the traceback, too.",
)
distinct_option: OptionDecorator = click.option(
    "--distinct",
    is_flag=True,
    help="Of puzzles that differ by a symmetry only the first, and for how many it stands.",
)
work_options: OptionDecorator = combine_options(
    jobs_option, scheduler_options, journal_option, keep_going_option
)
"""Options of commands that can distribute the work of a list."""
