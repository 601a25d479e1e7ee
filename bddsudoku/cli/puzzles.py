"""What the commands about Sudokus share: PUZZLE and how it is read, and the set of its solutions.

Such a command puts :func:`puzzle_argument` first and :func:`about_puzzles` last of its decorators.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bddsudoku.cli.common import How, command, fail, file_names, note
from bddsudoku.errors import BddSudokuError

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
    from bddsudoku.puzzle.sudoku.layout import Layout
    from bddsudoku.solver.records import Boards

R = TypeVar("R")


class _LayoutType(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """``2x3``: rows × columns of a block."""

    name = "RxC"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from bddsudoku.numbers import number_in
        from bddsudoku.puzzle.sudoku.layout import Layout

        if isinstance(value, Layout):
            return value
        rows, _, columns = str(value).lower().replace("×", "x").partition("x")
        try:
            height, width = number_in(rows), number_in(columns)
            if height is None or width is None:
                self.fail(f"expected block rows x columns such as 2x3, found {value!r}", param, ctx)
            return Layout(height, width)
        except BddSudokuError as error:
            self.fail(str(error), param, ctx)


puzzle_argument = click.argument("puzzle", metavar="PUZZLE", shell_complete=file_names)
"""A path, ``-`` or the puzzle itself."""

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

jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1, 1024),
    default=None,
    help="Threads for long lists; by default one for every core.",
)


@dataclass(frozen=True)
class Given(How):
    """PUZZLE, and the options that every command about puzzles takes.

    Attributes:
        puzzle: the argument.
        layout: the blocks' shape; None for the usual one.
    """

    puzzle: str
    layout: Layout | None

    def records(self, *targets: str | None) -> Iterator[PuzzleRecord]:
        """The puzzles and saved sets that the argument stands for; what clashes is told.

        Args:
            targets: files to write. Several puzzles for one of them are wrong usage, before any
                work.
        """
        from bddsudoku.solver.records import read_records

        found = read_records(self.puzzle, self.layout, self.context)
        if any(targets):
            first = list(islice(found, 2))
            if len(first) > 1:
                fail(f"{first[1].source}: several puzzles, but one file to write", 2)
            found = iter(first)
        return map(_told, found)

    def groups(self) -> Iterator[Boards | PuzzleRecord]:
        """:meth:`records`, ordinary boards of long lists as arrays."""
        from bddsudoku.solver.records import Boards, groups

        for found in groups(self.puzzle, self.layout, self.context):
            yield found if isinstance(found, Boards) else _told(found)

    def one_record(self) -> PuzzleRecord:
        """The one puzzle or saved set that the argument stands for; what clashes is told.

        Raises:
            PuzzleFormatError: it is none, or a file with several.
        """
        from bddsudoku.errors import PuzzleFormatError
        from bddsudoku.solver.records import read_records

        found = read_records(self.puzzle, self.layout, self.context)
        first = next(found, None)
        if first is None:
            raise PuzzleFormatError("expected a puzzle, found none", source=self.puzzle)
        if (second := next(found, None)) is not None:
            raise PuzzleFormatError(
                "expected one puzzle, found several", source=second.source, line=second.line
            )
        return _told(first)


def about_puzzles(
    memory: str = "8GiB", *, json: bool = True
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """:func:`bddsudoku.cli.common.command` for functions that are given a :class:`Given`."""

    def decorate(function: Callable[..., R]) -> Callable[..., R]:
        @layout_option
        @command(memory, json=json)
        @functools.wraps(function)
        def asked(
            *args: object, puzzle: str, layout: Layout | None, how: How, **kwargs: object
        ) -> R:
            given = Given(how.context, how.as_json, puzzle, layout)
            return function(*args, given=given, **kwargs)

        return asked

    return decorate


def head(record: PuzzleRecord) -> dict[str, Any]:
    """The first members of every JSON object about a puzzle."""
    from bddsudoku.puzzle.sudoku.text import puzzle_record

    return puzzle_record(record.puzzle)


def said(puzzle: Puzzle) -> str:
    """A puzzle as texts name it: its line, and below it what makes it a variant."""
    from bddsudoku.puzzle.sudoku.text import write_line
    from bddsudoku.puzzle.sudoku.text.rule_lines import rule_lines

    return "\n".join([write_line(puzzle), *rule_lines(puzzle)])


def _told(record: PuzzleRecord) -> PuzzleRecord:
    """Say on standard error what was passed over in reading a puzzle, and what clashes in it."""
    for line in record.notes:
        note(line)
    tell_clashes(record.puzzle)
    return record


def tell_clashes(puzzle: Puzzle, limit: int = 3) -> None:
    """Name on standard error the hints that contradict each other, and cells without candidates."""
    from bddsudoku.puzzle.sudoku.layout import SYMBOLS, cell_name

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
