"""Options for files to write, refused before any work when they could not be written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import click

from bddsudoku.cli.common import fail
from bddsudoku.errors import BddSudokuError

__all__ = ["folder_exists", "plot_option"]

P = ParamSpec("P")
R = TypeVar("R")


def folder_exists(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Callback for an output path: the folder must be there."""
    if value is not None and not ctx.resilient_parsing and not Path(value).parent.is_dir():
        raise click.BadParameter(f"there is no folder {Path(value).parent}", ctx, param)
    return value


def _checked(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    if value is None or ctx.resilient_parsing:
        return value
    folder_exists(ctx, param, value)
    from bddsudoku.report.formats import require_matplotlib, require_picture

    try:
        require_picture(value)
    except BddSudokuError as error:
        raise click.BadParameter(str(error), ctx, param) from None
    try:
        require_matplotlib()
    except BddSudokuError as error:
        fail(str(error))
    return value


def plot_option(what: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """``--plot``: a path whose ending is a picture's, with matplotlib at hand; or None.

    Args:
        what: what the picture shows, for the help.
    """
    return click.option(
        "--plot",
        type=click.Path(dir_okay=False),
        metavar="FILE",
        default=None,
        callback=_checked,
        help=f"{what}: png, svg or pdf.",
    )
