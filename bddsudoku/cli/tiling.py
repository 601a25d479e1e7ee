"""``bddsudoku tiling BOARD count | enumerate | compile | sample | draw | check``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli import coverlike
from bddsudoku.cli.common import command, emit_json, fail, note
from bddsudoku.cli.outputs import opened

if TYPE_CHECKING:
    from bddsudoku.puzzle.tiling import Picture, Tiling

__all__ = ["tiling"]


@click.command()
@click.argument("board")
@click.argument(
    "action", type=click.Choice(["count", "enumerate", "compile", "sample", "draw", "check"])
)
@click.option(
    "--pieces",
    default=None,
    help="Names (L3, I2,T4, pentominoes, …) or a file with drawings of #.",
)
@click.option("--once", is_flag=True, help="Every piece is used exactly once.")
@click.option(
    "--once-only", default=None, metavar="NAMES", help="These are; the others any number."
)
@click.option(
    "--symmetry",
    type=click.Choice(["free", "one-sided", "fixed"]),
    default="free",
    show_default=True,
    help="Pieces may be turned and turned over, turned only, or neither.",
)
@click.option(
    "--up-to-symmetry",
    is_flag=True,
    help="count: count tilings that are turns or mirror images of each other once.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["line", "letters", "lines", "svg"]),
    default=None,
    help="enumerate, sample, draw: one line, letters, box drawing, or SVG (draw only).",
)
@click.option(
    "--number", "index", type=click.IntRange(min=0), help="draw: the tiling with this number."
)
@coverlike.options
@command
def tiling(board: str, action: str, **values: Any) -> None:
    """Polyomino tilings of BOARD.

    BOARD is 6x10, 8x8-r4c4-r4c5 (squares removed), a file with a picture drawn with #, a saved
    set, or - for a picture on standard input.

    \b
    count      the exact number of tilings
    enumerate  the tilings, one a line, as they are found
    compile    the set of all tilings as a ZDD; --output saves it
    sample     exactly uniform random tilings
    draw       one tiling (a random one with --seed, a given one with --number)
    check      every engine that can, side by side; exit code 1 if two disagree
    """
    given = coverlike.gather(action, values)
    form = values["form"]
    if form is not None and action not in ("enumerate", "sample", "draw"):
        raise click.UsageError(f"--format goes with enumerate, sample or draw, not with {action}")
    if form == "svg" and action != "draw":
        raise click.UsageError("--format svg goes with draw")
    if values["index"] is not None and (action != "draw" or given.seed is not None):
        raise click.UsageError("--number goes with draw, and not with --seed")
    if values["up_to_symmetry"] and action != "count":
        raise click.UsageError("--up-to-symmetry goes with count")
    asked, problem = _asked(board, values, form or ("letters" if action == "draw" else "line"))
    if action == "draw":
        _draw(asked, given, form, values["index"])
    elif values["up_to_symmetry"]:
        _count_orbits(asked, problem, given)
    else:
        {
            "count": coverlike.count,
            "enumerate": coverlike.enumerate_,
            "compile": coverlike.compile_,
            "sample": coverlike.sample,
            "check": coverlike.check,
        }[action](asked, given)


def _asked(board: str, values: dict[str, Any], form: str) -> tuple[coverlike.Asked, Tiling]:
    """The tiling or saved set that the arguments stand for."""
    from bddsudoku.puzzle.tiling import Board, Tiling, TilingDecoder
    from bddsudoku.solver import load_covers
    from bddsudoku.solver.source import Source

    text, name, saved = board, "<argument>", None
    if board == "-" or Path(board).exists():
        with Source(board) as source:
            saved = load_covers(source)
            if saved is None:
                text, name = source.text(), source.name
    if saved is not None:
        if saved.decoder.kind != TilingDecoder.kind:
            raise click.UsageError(f"{board} holds exact covers: bddsudoku cover {board} …")
        if values["pieces"] or values["once"] or values["once_only"]:
            raise click.UsageError("a saved set has its pieces; leave --pieces and --once out")
        decoder = saved.decoder
    else:
        if not values["pieces"]:
            raise click.UsageError("Missing option '--pieces'.")
        if values["once"] and values["once_only"]:
            raise click.UsageError("--once and --once-only exclude each other")
        once: bool | list[str] = values["once"]
        if values["once_only"]:
            once = [part.strip() for part in values["once_only"].split(",")]
        decoder = TilingDecoder(
            Tiling(
                Board.parse(text, source=name),
                _pieces(values["pieces"]),
                once=once,
                symmetry=values["symmetry"],
            )
        )
    problem: Tiling = decoder.tiling
    write = {
        "line": lambda picture: picture.letters().replace("\n", "/"),
        "letters": lambda picture: picture.letters() + "\n",
        "lines": lambda picture: picture.text() + "\n",
        "svg": lambda picture: picture.svg(),
    }[form]

    def data(picture: Picture) -> dict[str, Any]:
        return {
            "tiling": picture.letters().replace("\n", "/"),
            "laid": [
                [problem.pieces[p.piece].name, [[r + 1, c + 1] for r, c in p.cells]]
                for p in picture.placements
            ],
        }

    head = {
        "board": board,
        "squares": problem.board.area,
        "pieces": [p.name for p in problem.pieces],
        "placements": len(problem.placements),
    }
    return coverlike.Asked(head, problem.model(), decoder, saved, write, data), problem


def _pieces(argument: str) -> Any:
    """Pieces by name, or drawn in a file."""
    from bddsudoku.puzzle.tiling.pieces import parse_pieces, pieces

    if Path(argument).exists():
        text, name = coverlike.read_source(argument)
        return parse_pieces(text, source=name)
    return pieces(argument)


def _draw(
    asked: coverlike.Asked, given: coverlike.Options, form: str | None, index: int | None
) -> None:
    """One tiling as text, or as SVG when the output's name says so."""
    from bddsudoku.solver import keys_of

    if given.seed is None and index is None and asked.saved is None:
        keys = next(keys_of(asked.model, given.limits, limit=1), None)
        picture = None if keys is None else asked.decoder.decode(keys)
    else:
        solutions = coverlike.set_of(asked, given)
        if index is not None and index >= solutions.count():
            fail(f"no tiling has number {index}: there are {solutions.count()}, from 0", 2)
        if not solutions:
            picture = None
        elif given.seed is not None:
            (picture,) = solutions.sample(1, given.seed)
        else:
            picture = solutions.unrank(index or 0)
    if picture is None:
        fail("there is nothing to draw: the board cannot be tiled")
    svg = form == "svg" or (form is None and str(given.output or "").endswith(".svg"))
    if given.as_json:
        emit_json(asked.head | asked.data(picture))
        return
    text = picture.svg() if svg else asked.text(picture).rstrip("\n") if form else picture.text()
    with opened(given.output) as target:
        target.write(text + "\n")
    if given.output is not None:
        note(f"drawn to {given.output}")


def _count_orbits(asked: coverlike.Asked, problem: Tiling, given: coverlike.Options) -> None:
    """Count up to the board's symmetries, by looking at every tiling."""
    import time

    from bddsudoku.puzzle.tiling import orbit_count
    from bddsudoku.solver import keys_of

    begin = time.perf_counter()
    images = problem.symmetry_images()
    number = orbit_count(images, keys_of(asked.model, given.limits))
    if given.as_json:
        emit_json(
            asked.head
            | {
                "count": str(number),
                "exact": True,
                "up_to": len(images),
                "engine": "dlx",
                "seconds": round(time.perf_counter() - begin, 6),
            }
        )
    else:
        click.echo(number)
