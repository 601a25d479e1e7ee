"""What the commands share: the PUZZLE argument, options, errors → exit codes, JSON lines, progress.

A command file parses and prints. It imports :mod:`bddsudoku.puzzle`, :mod:`bddsudoku.report` and
:mod:`bddsudoku.solver` (where puzzles meet engines), never an engine or a set directly.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

import click

from bddsudoku.cli.entry import written
from bddsudoku.cli.units import parse_duration, parse_size
from bddsudoku.errors import BddSudokuError, LimitReached

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import Layout, Puzzle
    from bddsudoku.solver import Subject

__all__ = [
    "AT_MOST",
    "EXIT_BAD_DATA",
    "EXIT_LIMIT",
    "HOW_MANY",
    "command",
    "emit_json",
    "fail",
    "json_option",
    "layout_option",
    "limit_options",
    "note",
    "one_subject",
    "order_option",
    "progress_bar",
    "puzzle_argument",
    "tell_clashes",
]

EXIT_BAD_DATA = 1
EXIT_LIMIT = 3

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


def command(function: Callable[P, R]) -> Callable[P, R]:
    """Turn the package's errors into one line and an exit code; never a traceback.

    Put it between click's decorators and the function. Errors of the system are the same for all
    commands: see :mod:`bddsudoku.cli.entry`.
    """

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except LimitReached as error:
            fail(f"{error}{written(error)}", EXIT_LIMIT)
        except MemoryError as error:
            fail(f"out of memory: {error}" if str(error) else "out of memory", EXIT_LIMIT)
        except ImportError as error:
            # A library that does not load where the address space is small is out of memory.
            if isinstance(error, BddSudokuError) or not _address_space_is_short():
                raise
            fail(f"out of memory while a library was loaded: {error}", EXIT_LIMIT)
        except BddSudokuError as error:
            fail(f"{error}{written(error)}")
        except OSError as error:
            if error.filename is not None or not _address_space_is_short():
                raise
            fail(f"out of memory: {error}", EXIT_LIMIT)

    return wrapper


def _address_space_is_short() -> bool:
    """Whether the system lets this process have less than 4 GiB of addresses."""
    try:
        import resource
    except ImportError:
        return False
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return soft != resource.RLIM_INFINITY and soft < 4 << 30


class _Unit(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A click type from one of the parsers in :mod:`bddsudoku.cli.units`."""

    def __init__(self, name: str, parse: Callable[[str], float]) -> None:
        self.name = name
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self._parse(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class _AtMost(click.IntRange):
    """A number of which there may be fewer: beyond what a machine counts, all of them."""

    def __init__(self) -> None:
        super().__init__(min=0)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return min(super().convert(value, param, ctx), sys.maxsize)


AT_MOST = _AtMost()
"""The type of options such as ``--limit``."""

HOW_MANY = click.IntRange(min=0, max=10**9)
"""The type of ``-n``: that many are written, so a slip of the finger is refused."""


class _LayoutType(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """``2x3``: rows × columns of a block."""

    name = "RxC"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from bddsudoku.puzzle.sudoku.grid import Layout

        if isinstance(value, Layout):
            return value
        rows, _, columns = str(value).lower().replace("×", "x").partition("x")
        if not (rows.isdecimal() and columns.isdecimal()):
            self.fail(f"expected block rows x columns such as 2x3, found {value!r}", param, ctx)
        try:
            return Layout(int(rows), int(columns))
        except BddSudokuError as error:
            self.fail(str(error), param, ctx)


puzzle_argument = click.argument("puzzle", metavar="PUZZLE")
"""A path, ``-`` or the puzzle itself; for :func:`one_subject` or ``solver.subjects``."""

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")

order_option = click.option(
    "--order",
    default="auto",
    show_default=True,
    help="Order in which a diagram reads the cells, e.g. rows, columns, blocks, greedy.",
)

layout_option = click.option(
    "--layout",
    type=_LayoutType(),
    default=None,
    help="Block rows x columns, e.g. 3x2; by default the usual shape of that size.",
)


def limit_options(
    memory: str = "8GiB",
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """``--max-memory`` and ``--time-limit`` as one argument ``limits``, enforced for the command.

    The time runs from here on and covers everything that the command does.
    """

    def decorate(function: Callable[..., R]) -> Callable[..., R]:
        @functools.wraps(function)
        def limited(
            *args: object, max_memory: int, time_limit: float | None, **kwargs: object
        ) -> R:
            from bddsudoku.cli.deadline import enforced
            from bddsudoku.limits import Limits

            limits = Limits(max_memory, time_limit)
            try:
                with enforced(limits):
                    return function(*args, limits=limits, **kwargs)
            except LimitReached as error:
                fail(f"{error}{written(error)}", EXIT_LIMIT)

        for option in (
            click.option(
                "--time-limit",
                type=_Unit("SECONDS", parse_duration),
                default=None,
                help="For the whole command, e.g. 60 or 2min; reached: exit code 3.",
            ),
            click.option(
                "--max-memory",
                type=_Unit("SIZE", parse_size),
                default=memory,
                show_default=True,
                help="Memory limit, e.g. 4GiB; reached: exit code 3.",
            ),
        ):
            limited = option(limited)
        return limited

    return decorate


def one_subject(argument: str, layout: Layout | None = None) -> Subject:
    """The one puzzle or saved set that the argument stands for.

    Raises:
        PuzzleFormatError: it is none, or a file with several.
    """
    from bddsudoku.errors import PuzzleFormatError
    from bddsudoku.solver import subjects

    found = subjects(argument, layout)
    first = next(found, None)
    if first is None:
        raise PuzzleFormatError("expected a puzzle, found none", source=argument)
    if (second := next(found, None)) is not None:
        raise PuzzleFormatError(
            "expected one puzzle, found several", source=second.source, line=second.line
        )
    return first


def tell_clashes(puzzle: Puzzle, limit: int = 3) -> None:
    """Name on standard error the hints that contradict each other, and cells without candidates."""
    from bddsudoku.puzzle.sudoku.grid import SYMBOLS, cell_name

    clashes = list(puzzle.clashes())
    for a, b, house in clashes[:limit]:
        note(
            f"hints clash: {cell_name(a, puzzle.n)} and {cell_name(b, puzzle.n)} are both "
            f"{SYMBOLS[puzzle[a] - 1]} in {house.family} {house.index + 1}"
        )
    if len(clashes) > limit:
        note(f"… and {len(clashes) - limit} more pairs of hints clash")
    if dead := [cell_name(cell, puzzle.n) for cell in puzzle.dead_cells]:
        more = f" and {len(dead) - limit} more" if len(dead) > limit else ""
        note(f"cells without a candidate: {', '.join(dead[:limit])}{more}")


def emit_json(record: dict[str, Any]) -> None:
    """One JSON object on one line of standard output, at once (a later crash must not lose it)."""
    click.echo(json.dumps(record, ensure_ascii=False))
    sys.stdout.flush()


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
