"""Files to write: refused before any work when they could not be written, and opened in one way."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ParamSpec, TextIO, TypeVar

import click

from bddsudoku.cli.common import fail, file_names
from bddsudoku.errors import BddSudokuError
from bddsudoku.files import require_writable, writing_text

P = ParamSpec("P")
R = TypeVar("R")


class Target(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A path that can be written to: see :mod:`bddsudoku.files`.

    Args:
        stream: ``-`` stands for standard output.
    """

    name = "FILE"

    def __init__(self, *, stream: bool = False) -> None:
        self.stream = stream

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | None:
        """The path, if it can be written to."""
        path = str(value)
        if self.stream and path == "-":
            return path
        try:
            require_writable(path)
        except OSError as error:
            self.fail(f"{path}: {error.strerror or error}", param, ctx)
        except ValueError as error:
            self.fail(f"{path!r}: {error}", param, ctx)
        return path


class _Picture(Target):
    """A path to write whose ending is a picture's, with matplotlib at hand."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | None:
        from bddsudoku.report.plots import require_matplotlib, require_picture

        path = super().convert(value, param, ctx)
        try:
            require_picture(str(value))
        except BddSudokuError as error:
            self.fail(str(error), param, ctx)
        try:
            require_matplotlib()
        except BddSudokuError as error:
            fail(str(error))
        return path


def target_option(
    *names: str, what: str, stream: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """An option for a file to write: a path that can be written to, or None.

    Args:
        names: such as ``--output``.
        what: the help.
        stream: ``-`` stands for standard output.
    """
    return click.option(*names, type=Target(stream=stream), help=what, shell_complete=file_names)


output_option = target_option("--output", what="A file instead of stdout.", stream=True)

set_option = target_option("--output", what="Where the set is saved.")


def plot_option(what: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """``--plot``: a path whose ending is a picture's, with matplotlib at hand; or None.

    Args:
        what: what the picture shows, for the help.
    """
    told = f"{what}: png, svg or pdf."
    return click.option("--plot", type=_Picture(), help=told, shell_complete=file_names)


def opened(path: str | None) -> AbstractContextManager[TextIO]:
    """Where text results go: a file, or standard output for None and ``-``."""
    return nullcontext(sys.stdout) if path is None or path == "-" else writing_text(path)
