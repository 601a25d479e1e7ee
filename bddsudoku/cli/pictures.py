"""The option ``--plot FILE``: refused before any work when the picture could not be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import click

from bddsudoku.cli.common import fail
from bddsudoku.errors import BddSudokuError

__all__ = ["plot_option"]

P = ParamSpec("P")
R = TypeVar("R")


def _checked(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    if value is None or ctx.resilient_parsing:
        return value
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
