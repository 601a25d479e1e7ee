"""Commands ``bddsudoku cover FILE ACTION`` (exact cover) and ``bddsudoku tiling BOARD ACTION``."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bddsudoku.cli.actions import COUNTING_ENGINES, ActionSubject, action_group, engine_option
from bddsudoku.cli.actions import count as count_all
from bddsudoku.cli.command_base import (
    CommandRequest,
    Record,
    emit_json,
    exact_count_record,
    fail,
    open_output,
    print_note,
)
from bddsudoku.cli.options import choice_option, file_option, output_option, seed_option

if TYPE_CHECKING:
    from bddsudoku.puzzle.tiling import Piece, Tiling, TilingPicture


def _read_cover_subject(request: CommandRequest) -> ActionSubject:
    """Read FILE: an exact cover problem or a saved set."""
    from bddsudoku.input_source import InputSource
    from bddsudoku.puzzle.exact_cover import CoverDecoder, ExactCover
    from bddsudoku.solver import load_covers, make_question

    file = request.puzzle
    with InputSource(file, request.context) as source:
        saved = load_covers(source)
        if saved is None:
            decoder = ExactCover.parse(source.text(), source=source.name).decoder()
        elif saved.decoder.kind != CoverDecoder.kind:
            raise click.UsageError(f"{file} holds tilings: bddsudoku tiling {file} …")
        else:
            decoder = saved.decoder
    problem: ExactCover = decoder.problem
    for o in problem.ignored_options[:3]:
        print_note(f"option {o + 1} ({problem.labels[o]}) is ignored: it has no primary item")
    if len(problem.ignored_options) > 3:
        print_note(f"… and {len(problem.ignored_options) - 3} more options without a primary item")

    def data(solution: tuple[str, ...]) -> Record:
        return {"cover": list(solution), "numbers": [n + 1 for n in decoder.encode(solution)]}

    head = {
        "problem": file,
        "items": len(problem.primary),
        "optional": len(problem.secondary),
        "options": len(problem.options),
    }
    return ActionSubject(request, head, make_question(problem), ", ".join, data, saved)


@action_group("file", _read_cover_subject)
def cover() -> None:
    """Count, list or sample the exact covers of the problem in FILE.

    FILE is in Knuth's format or JSON, a saved set, or - for standard input. In Knuth's format the
    first line names the items (those after | are optional), and every other line is an option;
    lines that begin with | or \\ are comments. Options without a primary item are ignored.
    """


cover.add_shared_actions("covers", "count", "enumerate", "compile", "sample", "check")

_WRITERS: dict[str, Callable[[TilingPicture], str]] = {
    "line": lambda picture: picture.letters().replace("\n", "/"),
    "letters": lambda picture: picture.letters() + "\n",
    "lines": lambda picture: picture.text() + "\n",
    "svg": lambda picture: picture.svg(),
}


def _read_tiling_subject(
    request: CommandRequest,
    pieces: str | None,
    once: bool,
    once_only: str | None,
    symmetry: str,
    form: str = "line",
) -> ActionSubject:
    """Read BOARD: a tiling problem with its pieces, or a saved set."""
    from bddsudoku.file_io import MAX_BOARD_BYTES
    from bddsudoku.input_source import InputSource
    from bddsudoku.puzzle.tiling import Board, Tiling, TilingDecoder
    from bddsudoku.solver import load_covers, make_question

    board = request.puzzle
    text, name, saved = board, "<argument>", None
    if board == "-" or Path(board).exists():
        with InputSource(board, request.context) as source:
            saved = load_covers(source)
            if saved is None:
                text, name = source.text(MAX_BOARD_BYTES), source.name
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
        parsed_board = Board.parse(text, source=name)
        decoder = Tiling(
            parsed_board, _read_pieces(pieces, request), once=names, symmetry=symmetry
        ).decoder()
    problem: Tiling = decoder.problem

    def data(picture: TilingPicture) -> Record:
        return {
            "tiling": _WRITERS["line"](picture),
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
    return ActionSubject(request, head, make_question(problem), _WRITERS[form], data, saved)


def _read_pieces(argument: str, request: CommandRequest) -> tuple[Piece, ...]:
    """Read pieces by their names, or from drawings in a file."""
    from bddsudoku.file_io import MAX_BOARD_BYTES
    from bddsudoku.input_source import InputSource
    from bddsudoku.puzzle.tiling.polyomino import parse_pieces, pieces

    if not Path(argument).exists():
        return pieces(argument)
    with InputSource(argument, request.context) as source:
        return parse_pieces(source.text(MAX_BOARD_BYTES), source=source.name)


_PIECE_OPTIONS = (
    file_option(
        "--pieces", help="Names (L3, I2,T4, pentominoes, …), or a file of drawings with #."
    ),
    click.option("--once", is_flag=True, help="Every piece is used exactly once."),
    click.option("--once-only", metavar="NAMES", help="These are; the others any number."),
    choice_option(
        "--symmetry",
        choices=("free", "one-sided", "fixed"),
        help="Pieces may be turned and turned over, turned only, or neither.",
    ),
)
_TILING_OPTIONS = (
    *_PIECE_OPTIONS,
    choice_option(
        "--format",
        "form",
        choices=("line", "letters", "lines"),
        help="One line, letters, or box drawing.",
    ),
)


@action_group("board", _read_tiling_subject, *_PIECE_OPTIONS)
def tiling() -> None:
    """Count, list, sample or draw the polyomino tilings of BOARD.

    BOARD is 6x10, 8x8-r4c4-r4c5 (squares removed), a file with a picture drawn with #, a saved
    set, or - for a picture on standard input.
    """


@tiling.action(
    "count",
    click.option(
        "--up-to-symmetry",
        is_flag=True,
        help="Count tilings once that a turn or mirror image of the board carries into each other; "
        "only those under which every piece stays within --symmetry.",
    ),
    engine_option(COUNTING_ENGINES),
)
def count(subject: ActionSubject, up_to_symmetry: bool, engine: str) -> None:
    """The exact number of tilings."""
    if not up_to_symmetry:
        count_all(subject, engine)
        return
    from bddsudoku.puzzle.tiling import count_orbits
    from bddsudoku.solver import iterate_solution_keys

    begin = time.perf_counter()
    images = subject.decoder.problem.symmetry_images()
    number = count_orbits(
        images, iterate_solution_keys(subject.question_or_fail(), subject.request.context)
    )
    record = exact_count_record(number, "dlx", time.perf_counter() - begin, up_to=len(images))
    subject.request.print_answer(subject.common_members | record, number)


tiling.add_shared_actions("tilings", "enumerate", subject_options=_TILING_OPTIONS)
tiling.add_shared_actions("tilings", "compile")
tiling.add_shared_actions("tilings", "sample", subject_options=_TILING_OPTIONS)


@tiling.action(
    "draw",
    click.option(
        "--number", "index", type=click.IntRange(min=0), help="The tiling with this number."
    ),
    seed_option("A random tiling, the same for the same seed."),
    click.option(
        "--format",
        "style",
        type=click.Choice(list(_WRITERS)),
        help="One line, letters, box drawing, or SVG.  [default: as --output ends, else lines]",
    ),
    output_option,
    engine_option(),
)
def draw(
    subject: ActionSubject,
    index: int | None,
    seed: int | None,
    style: str | None,
    output: str | None,
    engine: str,
) -> None:
    """Draw one tiling: the first found, a random one (--seed), or a given one (--number)."""
    from bddsudoku.solver import iterate_solution_keys

    if index is not None and seed is not None:
        raise click.UsageError("--number and --seed exclude each other")
    picture = None
    if seed is None and index is None and subject.saved is None:
        for keys in iterate_solution_keys(
            subject.question_or_fail(), subject.request.context, limit=1
        ):
            picture = subject.decoder.decode(keys)
    else:
        solutions = subject.solution_set(engine)
        if index is not None and index >= solutions.count():
            fail(f"no tiling has number {index}: there are {solutions.count()}, from 0", 2)
        if solutions:
            drawn = seed is not None
            picture = solutions.sample(1, seed)[0] if drawn else solutions.unrank(index or 0)
    if picture is None:
        fail("there is nothing to draw: the board cannot be tiled")
    if subject.request.as_json:
        emit_json(subject.common_members | subject.to_record(picture))
        return
    usual = "svg" if str(output or "").endswith(".svg") else "lines"
    with open_output(output) as target:
        target.write(_WRITERS[style or usual](picture).rstrip("\n") + "\n")


tiling.add_shared_actions("tilings", "check")
