"""Examples: uses of every command, which its help shows and the tests run, and the files in them.

``bddsudoku example NAME`` prints a file.
"""

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


EXAMPLE_LINES = """
analyse puzzle.txt
count puzzle.txt
count board.txt --json
enumerate puzzle.txt --format grid
enumerate board.txt --limit 1000 -o grids.npy
sample board.txt -n 5 --seed 1
draw variant.txt -o variant.svg
draw board.txt --index 1000 -o solution.svg
rank board.txt 123456456123231564564231312645645312
unrank board.txt 1000000 --format grid
marginals puzzle.txt
marginals board.txt --format csv
report puzzle.txt -o report.html
explore variant.txt
hints puzzle.txt
rules variant.txt --each 5
minimal puzzle.txt --count
unavoidable 1234341221434321 --rows 1,2
generate --seed 1 --format grid
neighbours puzzle.txt
canonical puzzle.txt --map
compile board.txt -o board.set
build puzzle.txt --procedure 3
check puzzle.txt --engine bands --engine dlx
warm-up
mcp --each 5
cover cover.txt count
cover cover.txt enumerate --json
cover cover.txt sample -n 3 --seed 1
cover cover.txt compile -o cover.set
cover cover.txt rank "c e, a d f, b g"
cover cover.txt unrank 0
cover cover.txt marginals
cover cover.txt check
tiling 8x8 count --pieces I2
tiling 3x20 enumerate --pieces pentominoes --once --format lines
tiling 4x5 compile --pieces L4,I4,T4 -o tilings.set
tiling 6x6 sample --pieces L3 -n 2 --seed 1
tiling 4x5 unrank 10 --pieces L4,I4,T4
tiling 3x20 draw --pieces pentominoes --once -o tiling.svg
tiling 4x5 check --pieces L4,I4,T4
formula queens.formula count
formula cinema.formula count --project ann,bob
formula queens.formula enumerate
formula three.formula build
formula cinema.formula compile -o cinema.set
formula cinema.formula sample --seed 1
formula three.formula rank "a=1 b=0 c=0"
formula three.formula unrank 2
formula cinema.formula marginals
formula cinema.formula check
numberlink links.txt count
numberlink links.txt enumerate --limit 3
numberlink links.txt compile -o links.set
numberlink links.txt sample --seed 1
numberlink links.txt unrank 10
numberlink links.txt draw --index 10 -o links.svg
numberlink links.txt marginals
example puzzle.txt
example --list
""".strip().splitlines()
"""Command lines without the program's name; the files in them are :data:`EXAMPLES`."""


def examples_of(command: str, action: str = "") -> str:
    """The end of the help of a command: its examples."""
    lines = ["", "\b"]
    for line in EXAMPLE_LINES:
        words = line.split()
        if words[0] == command and (not action or words[2] == action):
            lines.append(f"bddsudoku {line}")
    return "\n".join(["Examples:", *lines])
