"""``bddsudoku tiling BOARD count | enumerate | compile | sample | draw | check``."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli import coverlike
from bddsudoku.cli.actions import acting_on, asking
from bddsudoku.cli.common import How, command, emit_json, fail, file_names, note, seed_option
from bddsudoku.cli.outputs import opened, output_option

if TYPE_CHECKING:
    from bddsudoku.puzzle.tiling import Picture, Piece, Tiling

_WRITERS: dict[str, Callable[[Picture], str]] = {
    "line": lambda picture: picture.letters().replace("\n", "/"),
    "letters": lambda picture: picture.letters() + "\n",
    "lines": lambda picture: picture.text() + "\n",
    "svg": lambda picture: picture.svg(),
}


@acting_on("board")
def tiling() -> None:
    """Polyomino tilings of BOARD.

    BOARD is 6x10, 8x8-r4c4-r4c5 (squares removed), a file with a picture drawn with #, a saved
    set, or - for a picture on standard input.
    """


def _asked(
    board: str, pieces: str | None, once: bool, once_only: str | None, symmetry: str, how: How
) -> coverlike.Asked:
    """The tiling or saved set that the arguments stand for."""
    from bddsudoku.files import MOST_OF_A_BOARD
    from bddsudoku.puzzle.tiling import Board, Tiling, TilingDecoder
    from bddsudoku.solver import load_covers, question_of
    from bddsudoku.solver.source import Source

    text, name, saved = board, "<argument>", None
    if board == "-" or Path(board).exists():
        with Source(board, how.context) as source:
            saved = load_covers(source)
            if saved is None:
                text, name = source.text(MOST_OF_A_BOARD), source.name
    if saved is not None:
        if saved.decoder.kind != TilingDecoder.kind:
            raise click.UsageError(f"{board} holds exact covers: bddsudoku cover {board} …")
        if pieces or once or once_only:
            raise click.UsageError("a saved set has its pieces; leave --pieces and --once out")
        decoder = saved.decoder
    else:
        if not pieces:
            raise click.UsageError("Missing option '--pieces'.")
        if once and once_only:
            raise click.UsageError("--once and --once-only exclude each other")
        names = [part.strip() for part in once_only.split(",")] if once_only else once
        laid = Board.parse(text, source=name)
        decoder = Tiling(laid, _pieces(pieces, how), once=names, symmetry=symmetry).decoder()
    problem: Tiling = decoder.tiling

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
    return coverlike.Asked(head, question_of(problem), _WRITERS["line"], data, saved)


def _written(
    board: str,
    pieces: str | None,
    once: bool,
    once_only: str | None,
    symmetry: str,
    form: str,
    how: How,
) -> coverlike.Asked:
    """The same with solutions in another form."""
    return replace(_asked(board, pieces, once, once_only, symmetry, how), text=_WRITERS[form])


def _pieces(argument: str, how: How) -> tuple[Piece, ...]:
    """Pieces by name, or drawn in a file."""
    from bddsudoku.files import MOST_OF_A_BOARD
    from bddsudoku.puzzle.tiling.pieces import parse_pieces, pieces
    from bddsudoku.solver.source import Source

    if not Path(argument).exists():
        return pieces(argument)
    with Source(argument, how.context) as source:
        return parse_pieces(source.text(MOST_OF_A_BOARD), source=source.name)


_PIECES = (
    click.option(
        "--pieces",
        shell_complete=file_names,
        help="Names (L3, I2,T4, pentominoes, …), or a file of drawings with #.",
    ),
    click.option("--once", is_flag=True, help="Every piece is used exactly once."),
    click.option("--once-only", metavar="NAMES", help="These are; the others any number."),
    click.option(
        "--symmetry",
        type=click.Choice(["free", "one-sided", "fixed"]),
        default="free",
        show_default=True,
        help="Pieces may be turned and turned over, turned only, or neither.",
    ),
)
_about_tilings = asking(_asked, *_PIECES)
_about_written = asking(
    _written,
    *_PIECES,
    click.option(
        "--format",
        "form",
        type=click.Choice(["line", "letters", "lines"]),
        default="line",
        show_default=True,
        help="One line, letters, or box drawing.",
    ),
)


@tiling.command()
@click.option(
    "--up-to-symmetry",
    is_flag=True,
    help="Count tilings that are turns or mirror images of each other once.",
)
@coverlike.engine_option(coverlike.COUNTERS)
@command()
@_about_tilings
def count(asked: coverlike.Asked, up_to_symmetry: bool, engine: str, how: How) -> None:
    """The exact number of tilings."""
    if up_to_symmetry:
        _count_orbits(asked, how)
    else:
        coverlike.print_count(asked, engine, how)


tiling.add_command(coverlike.enumerate_(_about_written, "tilings"))
tiling.add_command(coverlike.compile_(_about_tilings, "tilings"))
tiling.add_command(coverlike.sample(_about_written, "tilings"))


@tiling.command()
@click.option("--number", "index", type=click.IntRange(min=0), help="The tiling with this number.")
@seed_option("A random tiling, the same for the same seed.")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(_WRITERS)),
    help="One line, letters, box drawing, or SVG.  [default: as --output ends, else lines]",
)
@output_option
@coverlike.engine_option()
@command()
@_about_tilings
def draw(
    asked: coverlike.Asked,
    index: int | None,
    seed: int | None,
    form: str | None,
    output: str | None,
    engine: str,
    how: How,
) -> None:
    """One tiling (a random one with --seed, a given one with --number)."""
    from bddsudoku.solver import keys_of

    if index is not None and seed is not None:
        raise click.UsageError("--number and --seed exclude each other")
    if seed is None and index is None and asked.saved is None:
        keys = next(keys_of(asked.asking(), how.context, limit=1), None)
        picture = None if keys is None else asked.decoder.decode(keys)
    else:
        solutions = asked.set_of(engine, how)
        if index is not None and index >= solutions.count():
            fail(f"no tiling has number {index}: there are {solutions.count()}, from 0", 2)
        if not solutions:
            picture = None
        elif seed is not None:
            (picture,) = solutions.sample(1, seed)
        else:
            picture = solutions.unrank(index or 0)
    if picture is None:
        fail("there is nothing to draw: the board cannot be tiled")
    if how.as_json:
        emit_json(asked.head | asked.data(picture))
        return
    usual = "svg" if str(output or "").endswith(".svg") else "lines"
    with opened(output) as target:
        target.write(_WRITERS[form or usual](picture).rstrip("\n") + "\n")
    if output is not None:
        note(f"drawn to {output}")


tiling.add_command(coverlike.check(_about_tilings, "tilings"))


def _count_orbits(asked: coverlike.Asked, how: How) -> None:
    """Count up to the board's symmetries, by looking at every tiling."""
    from bddsudoku.puzzle.tiling import orbit_count
    from bddsudoku.solver import keys_of

    begin = time.perf_counter()
    images = asked.decoder.tiling.symmetry_images()
    number = orbit_count(images, keys_of(asked.asking(), how.context))
    record = asked.head | {
        "count": str(number),
        "exact": True,
        "up_to": len(images),
        "engine": "dlx",
        "seconds": round(time.perf_counter() - begin, 6),
    }
    how.tell(record, number)
