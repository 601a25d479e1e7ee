"""Command ``bddsudoku example``: the puzzles and problems of the tutorial, as files to copy."""

from __future__ import annotations

from pathlib import Path

import click

import bddsudoku

EXAMPLES = {
    "puzzle.txt": "a Sudoku with 24 hints and one solution",
    "board.txt": "an empty board with 6x6 cells",
    "variant.txt": "the same board with five rules, no hint and one solution",
    "three.formula": "exactly one of three variables is true",
    "cinema.formula": "five guests in a row of five seats",
    "cover.txt": "an exact cover problem with seven items and one solution",
    "links.txt": "a Numberlink board with three pairs",
    "queens.formula": "six queens that do not attack each other, written with loops",
}
"""Name of a file → what it contains. The files are in ``bddsudoku/examples``."""


def example_text(name: str) -> str:
    """Read an example that comes with the package."""
    return (Path(bddsudoku.__file__).parent / "examples" / name).read_text(encoding="utf-8")


@click.command()
@click.argument("name", type=click.Choice(list(EXAMPLES)), metavar="NAME", required=False)
@click.option("--list", "show_list", is_flag=True, help="The names of all examples.")
def example(name: str | None, show_list: bool) -> None:
    """Print an example of the tutorial, to be written to a file and changed.

    NAME is the name of a file: 'bddsudoku example cinema.formula > cinema.formula'.
    """
    if show_list == (name is not None):
        raise click.UsageError("expected either the name of an example or --list")
    if name is not None:
        click.echo(example_text(name), nl=False)
        return
    width = max(map(len, EXAMPLES))
    for known, content in EXAMPLES.items():
        click.echo(f"{known:{width}}  {content}")
