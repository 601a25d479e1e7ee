"""Subjects ``cover FILE ACTION``, ``tiling BOARD ACTION`` and ``formula FILE ACTION``."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.actions import action_group
from bddsudoku.cli.build_command import BUILD_OPTIONS, build_and_print
from bddsudoku.cli.command_base import CommandRequest, Record, print_note
from bddsudoku.cli.options import choice_option, file_option, seed_option
from bddsudoku.cli.subjects import ActionSubject, MarginalTable
from bddsudoku.errors import ModelError

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.input_source import InputSource
    from bddsudoku.puzzle.formula import FormulaDecoder, Problem
    from bddsudoku.puzzle.tiling import Piece, Tiling, TilingPicture
    from bddsudoku.sets import SolutionSet
    from bddsudoku.solver import CountResult


def _read_cover_subject(request: CommandRequest) -> ActionSubject:
    """Read FILE: an exact cover problem or a saved set."""
    from bddsudoku.puzzle.exact_cover import CoverDecoder, ExactCover
    from bddsudoku.puzzle.sudoku.text.reader import open_source
    from bddsudoku.solver import load_covers, make_question

    file = request.puzzle
    with open_source(file, request.context) as source:
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

    def marginal_table(found: SolutionSet) -> MarginalTable:
        return ("option", "covers"), list(found.marginals_by_name().items())

    head = {
        "problem": file,
        "items": len(problem.primary),
        "optional": len(problem.secondary),
        "options": len(problem.options),
    }
    return ActionSubject(
        request,
        head,
        make_question(problem),
        ", ".join,
        data,
        saved,
        parse=lambda text: [tuple(text.split(", "))],
        marginal_table=marginal_table,
    )


@action_group("file", _read_cover_subject)
def cover() -> None:
    """Count, list or sample the exact covers of the problem in FILE.

    FILE is in Knuth's format or JSON, a saved set, or - for standard input. In Knuth's format the
    first line names the items (those after | are optional), and every other line is an option;
    lines that begin with | or \\ are comments. Options without a primary item are ignored.
    """


_ACTIONS = ("count", "enumerate", "compile", "sample", "rank", "unrank", "marginals", "check")
cover.add_shared_actions("covers", *_ACTIONS)


_WRITERS: dict[str, Callable[[TilingPicture], str]] = {
    "lines": lambda picture: picture.text() + "\n",
    "letters": lambda picture: picture.letters() + "\n",
    "line": lambda picture: picture.letters().replace("\n", "/"),
    "svg": lambda picture: picture.svg(),
}


@dataclass(frozen=True)
class _TilingSubject(ActionSubject):
    """The subject of an action on tilings, which may be counted up to symmetry."""

    up_to_symmetry: bool = False

    def count_solutions(self, engine: str, context: Context) -> CountResult:
        """Count the tilings, or their classes under the symmetries of the board."""
        if not self.up_to_symmetry:
            return super().count_solutions(engine, context)
        from bddsudoku.puzzle.tiling import count_orbits
        from bddsudoku.solver import CountResult, iterate_solution_keys

        begin = time.perf_counter()
        keys = iterate_solution_keys(self.question_or_fail(), context)
        number = count_orbits(self.decoder.problem.symmetry_images(), keys)
        return CountResult(number, "dlx", "", time.perf_counter() - begin)


def _read_tiling_subject(
    request: CommandRequest,
    pieces: str | None,
    once: bool,
    once_only: str | None,
    symmetry: str,
    form: str = "line",
    up_to_symmetry: bool = False,
) -> ActionSubject:
    """Read BOARD: a tiling problem with its pieces, or a saved set."""
    from bddsudoku.file_io import MAX_BOARD_BYTES
    from bddsudoku.puzzle.sudoku.text.reader import open_source
    from bddsudoku.puzzle.tiling import Board, Tiling, TilingDecoder
    from bddsudoku.solver import load_covers, make_question

    board = request.puzzle
    text, name, saved = board, "<argument>", None
    if board == "-" or Path(board).exists():
        with open_source(board, request.context) as source:
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

    head: Record = {
        "board": board,
        "squares": problem.board.area,
        "pieces": [p.name for p in problem.pieces],
        "placements": len(problem.placements),
    }
    if up_to_symmetry:
        head["up_to"] = len(problem.symmetry_images())
    return _TilingSubject(
        request,
        head,
        make_question(problem),
        _WRITERS[form],
        data,
        saved,
        pictures=_WRITERS,
        up_to_symmetry=up_to_symmetry,
    )


def _read_pieces(argument: str, request: CommandRequest) -> tuple[Piece, ...]:
    """Read pieces by their names, or from drawings in a file."""
    from bddsudoku.file_io import MAX_BOARD_BYTES
    from bddsudoku.puzzle.sudoku.text.reader import open_source
    from bddsudoku.puzzle.tiling.polyomino import parse_pieces, pieces

    if not Path(argument).exists():
        return pieces(argument)
    with open_source(argument, request.context) as source:
        return parse_pieces(source.text(MAX_BOARD_BYTES), source=source.name)


@action_group(
    "board",
    _read_tiling_subject,
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
def tiling() -> None:
    """Count, list, sample or draw the polyomino tilings of BOARD.

    BOARD is 6x10, 8x8-r4c4-r4c5 (squares removed), a file with a picture drawn with #, a saved
    set, or - for a picture on standard input.
    """


_SYMMETRY_OPTION = click.option(
    "--up-to-symmetry",
    is_flag=True,
    help="Count tilings once that a turn or mirror image of the board carries into each other; "
    "only those under which every piece stays within --symmetry.",
)
_FORMAT_OPTION = choice_option(
    "--format",
    "form",
    choices=("line", "letters", "lines"),
    help="One line, letters, or box drawing.",
)
tiling.add_shared_actions("tilings", "count", options=[_SYMMETRY_OPTION])
tiling.add_shared_actions("tilings", "enumerate", "sample", "unrank", options=[_FORMAT_OPTION])
tiling.add_shared_actions("tilings", "compile", "check")
tiling.add_shared_actions(
    "tilings",
    "draw",
    options=[
        seed_option("A random one, the same for the same seed."),
        click.option(
            "--format",
            "style",
            type=click.Choice(list(_WRITERS)),
            help="Box drawing, letters, one line, or SVG.  [default: as --output ends, else lines]",
        ),
    ],
)


# -- formulas --------------------------------------------------------------------------------------


def _read_problem(source: InputSource) -> Problem:
    """Read the problem in a file and print the notes of its parser."""
    from bddsudoku.input_source import STDIN
    from bddsudoku.puzzle.formula.problem import Problem, format_from_path

    ending = "" if source.name == STDIN else format_from_path(source.name)
    problem = Problem.parse(source.text(), source.name, ending=ending)
    for remark in problem.notes:
        print_note(remark)
    return problem


def _read_assignments_subject(request: CommandRequest, names: tuple[str, ...]) -> ActionSubject:
    """Read a problem, optionally projected to the named variables, or a saved set from FILE."""
    from bddsudoku.puzzle.sudoku.text.reader import open_source
    from bddsudoku.solver.question import make_question
    from bddsudoku.solver.sources import load_assignments

    head: Record = {"formula": request.puzzle}
    make = partial(
        ActionSubject,
        request,
        head,
        to_text=_assignment_text,
        to_record=lambda solution: {"assignment": solution},
        parse=_parse_assignment,
        marginal_table=_marginal_table,
    )
    with open_source(request.puzzle, request.context) as source:
        saved = load_assignments(source)
        if saved is not None:
            if names:
                raise click.UsageError("a saved set has its projection; leave --project out")
            head |= {"variables": len(saved.decoder.names), "statements": None}
            return make(None, saved=saved)
        problem = _read_problem(source)
    try:
        for name in ",".join(names).split(",") if names else ():
            problem.project(name.strip())
    except ModelError as error:
        raise click.BadParameter(str(error), param_hint="--project") from None
    head |= {
        "variables": len(problem.names),
        "statements": len(problem.statements) or len(problem.constraints),
    }
    return make(make_question(problem))


def _assignment_text(solution: dict[str, int]) -> str:
    return " ".join(f"{name}={value}" for name, value in solution.items()) or "(nothing)"


def _parse_assignment(text: str) -> list[dict[str, int]]:
    """Read an assignment from what ``enumerate`` prints, such as ``a=1 b=0``."""
    parts = [word.partition("=") for word in text.split()]
    try:
        return [{name: int(value) for name, _, value in parts}]
    except ValueError:
        raise click.UsageError(f"expected an assignment such as a=1 b=0, found {text!r}") from None


def _marginal_table(found: SolutionSet) -> MarginalTable:
    """Tell in how many assignments every variable has every value."""
    variables: FormulaDecoder = found.decoder
    values = {
        key: (name, value)
        for name, domain, first in variables.integers
        for key, value in enumerate(domain, first)
    }
    rows: list[tuple[Any, ...]] = []
    for name, number in found.marginals_by_name().items():
        key = variables.key_by_name[name]
        if key in values:
            rows.append((*values[key], number))
        else:
            rows += [(name, 0, found.count() - number), (name, 1, number)]
    return ("variable", "value", "assignments"), rows


@action_group(
    "file",
    _read_assignments_subject,
    click.option(
        "--project",
        "names",
        multiple=True,
        metavar="NAMES",
        help="Count assignments of these variables only (names, with commas between them).",
    ),
)
def formula() -> None:
    """Count, list or sample the assignments that satisfy the formulas in FILE.

    FILE is in the formula language, .opb, .cnf, a saved set, or - for standard input.
    """


formula.add_shared_actions("assignments", *_ACTIONS)


@formula.action(
    "build",
    click.option("--schedule", metavar="SPEC", help="Order of the families, e.g. 'row>*'."),
    *BUILD_OPTIONS,
)
def build(subject: ActionSubject, schedule: str | None, **options: Any) -> None:
    """Build the BDD as the conjunction of all statements, and trace every step."""
    question = subject.question_or_fail()
    head = {"puzzle": subject.request.puzzle, "schedule": schedule or "as written"}
    build_and_print(subject.request, head, question, schedule, **options)
