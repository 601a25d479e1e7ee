"""``bddsudoku cover FILE ACTION``: exact covers; ``bddsudoku tiling BOARD ACTION``: tilings."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli import actions
from bddsudoku.cli.actions import acting_on, asking
from bddsudoku.cli.common import How, command, emit_json, fail, file_names, note, seed_option
from bddsudoku.cli.outputs import opened, output_option

if TYPE_CHECKING:
    from bddsudoku.puzzle.tiling import Picture, Piece, Tiling


@acting_on("file")
def cover() -> None:
    """Exact covers: FILE is Knuth's text format, JSON, a saved set, or - for standard input.

    In the text format the first line names the items (those after | are optional), and every
    other line is an option; lines that begin with | or \\ are comments. Options without a
    primary item are ignored with a message.
    """


def _covers(file: str, how: How) -> actions.Asked:
    """The problem or saved set that FILE stands for."""
    from bddsudoku.puzzle.exact_cover import CoverDecoder, ExactCover
    from bddsudoku.solver import load_covers, question_of
    from bddsudoku.solver.source import Source

    with Source(file, how.context) as source:
        saved = load_covers(source)
        if saved is None:
            decoder = ExactCover.parse(source.text(), source=source.name).decoder()
        elif saved.decoder.kind != CoverDecoder.kind:
            raise click.UsageError(f"{file} holds tilings: bddsudoku tiling {file} …")
        else:
            decoder = saved.decoder
    problem: ExactCover = decoder.problem
    for o in problem.ignored[:3]:
        note(f"option {o + 1} ({problem.labels[o]}) is ignored: it has no primary item")
    if len(problem.ignored) > 3:
        note(f"… and {len(problem.ignored) - 3} more options without a primary item")

    def data(solution: tuple[str, ...]) -> dict[str, Any]:
        numbers = list(decoder.encode(solution))
        return {"cover": list(solution), "numbers": [n + 1 for n in numbers]}

    head = {
        "problem": file,
        "items": len(problem.primary),
        "optional": len(problem.secondary),
        "options": len(problem.options),
    }
    return actions.Asked(head, question_of(problem), ", ".join, data, saved)


for _make in (
    actions.count,
    actions.enumerate_,
    actions.compile_,
    actions.sample,
    actions.check,
):
    cover.add_command(_make(asking(_covers), "covers"))


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


def _tilings(
    board: str,
    pieces: str | None,
    once: bool,
    once_only: str | None,
    symmetry: str,
    how: How,
    form: str = "line",
) -> actions.Asked:
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
    return actions.Asked(head, question_of(problem), _WRITERS[form], data, saved)


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
_about_tilings = asking(_tilings, *_PIECES)
_about_written = asking(
    _tilings,
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
@actions.engine_option(actions.COUNTERS)
@command()
@_about_tilings
def count(asked: actions.Asked, up_to_symmetry: bool, engine: str, how: How) -> None:
    """The exact number of tilings."""
    if up_to_symmetry:
        _count_orbits(asked, how)
    else:
        actions.print_count(asked, engine, how)


tiling.add_command(actions.enumerate_(_about_written, "tilings"))
tiling.add_command(actions.compile_(_about_tilings, "tilings"))
tiling.add_command(actions.sample(_about_written, "tilings"))


@tiling.command()
@click.option("--number", "index", type=click.IntRange(min=0), help="The tiling with this number.")
@seed_option("A random tiling, the same for the same seed.")
@click.option(
    "--format",
    "style",
    type=click.Choice(list(_WRITERS)),
    help="One line, letters, box drawing, or SVG.  [default: as --output ends, else lines]",
)
@output_option
@actions.engine_option()
@command()
@_about_tilings
def draw(
    asked: actions.Asked,
    index: int | None,
    seed: int | None,
    style: str | None,
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
        target.write(_WRITERS[style or usual](picture).rstrip("\n") + "\n")
    if output is not None:
        note(f"drawn to {output}")


tiling.add_command(actions.check(_about_tilings, "tilings"))


def _count_orbits(asked: actions.Asked, how: How) -> None:
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
