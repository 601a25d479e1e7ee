"""Command ``bddsudoku mcp``: answers programs and agents by the Model Context Protocol.

A host starts the command and asks over standard input and output. Puzzles come as texts, so that no
question reads a file, and none writes one. Every question has the limits of the command, and what
an answer depends on is counted work: the same question has the same answer or reaches a limit.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any

import click

from bddsudoku import __version__
from bddsudoku.cli.command_base import CommandRequest, command
from bddsudoku.cli.options import DURATION, option_showing_default
from bddsudoku.context import Context
from bddsudoku.errors import BackendUnavailable, BddSudokuError
from bddsudoku.lazy_imports import is_installed

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from bddsudoku.puzzle.sudoku.grid import Puzzle

_PUZZLE = """puzzle: 81 signs on one line (n² for boards of 4x4 to 25x25), . or 0 for open cells; or
rows of signs; or a link or JSON of f-puzzles, or a string of Interactive-Sudoku-Solver. Lines below
a grid may name rules, such as 'antiknight' or 'cage 10 r1c1 r1c2' (see rule_catalogue). Cells are
called r1c1 to r9c9. Counts are decimal strings, because they may be larger than 2^53."""
_AT_ONCE = 2
"""Questions that are answered at once; others wait, and their time begins with their turn."""


class Questions:
    """The questions of the server: their docstrings are what a client shows of them."""

    def __init__(self, max_memory: int | None, time_limit: float) -> None:
        self._max_memory = max_memory
        self._time_limit = time_limit
        self._turns = BoundedSemaphore(_AT_ONCE)

    @contextmanager
    def _asked(self, text: str) -> Iterator[tuple[Puzzle, Context, dict[str, Any]]]:
        """Read a puzzle in a with block: give it, the limits, and the answer with its notes.

        Raises:
            ToolError: the text is no puzzle, there is no answer, or a limit was reached.
        """
        from mcp.server.mcpserver.exceptions import ToolError

        from bddsudoku.puzzle.sudoku.text.reader import only_record, read_puzzles

        with self._turns:
            context = Context(self._max_memory, self._time_limit)
            try:
                record = only_record(read_puzzles(io.StringIO(text), name="puzzle"))
                notes = {"notes": list(record.notes)} if record.notes else {}
                yield record.puzzle, context, notes
            except (BddSudokuError, ValueError, MemoryError) as error:
                raise ToolError(str(error)) from None

    def count(self, puzzle: str, most: int = 1000) -> dict[str, Any]:
        """How many solutions a puzzle has, exactly, but counted no further than `most`.

        `exact` is false where there are `most` or more. 2 tells whether a puzzle has no, one or
        several solutions; 0 counts to the end, however many there are.
        """
        from bddsudoku.solver import count_detailed
        from bddsudoku.solver.question import count_record

        with self._asked(puzzle) as (board, context, answer):
            found = count_record(count_detailed(board, context=context, limit=most or None))
            del found["seconds"]  # the same question has the same answer
            return found | answer

    def candidates(self, puzzle: str) -> dict[str, Any]:
        """The true candidates: for each cell the digits that stand there in some solution."""
        from bddsudoku.solver import true_candidates

        with self._asked(puzzle) as (board, context, answer):
            layout = board.layout
            held = true_candidates(board, context).reshape(layout.cell_count, -1).tolist()
            digits = [[d for d, h in zip(layout.values, row, strict=True) if h] for row in held]
            cells = map(layout.cell_name, range(layout.cell_count))
            return {"candidates": dict(zip(cells, digits, strict=True))} | answer

    def solution(self, puzzle: str) -> dict[str, Any]:
        """One solution on one line, always the same one; null where there is none."""
        from bddsudoku.puzzle.sudoku.grid import board_of_keys
        from bddsudoku.solver import iterate_solution_keys

        with self._asked(puzzle) as (board, context, answer):
            found = [*iterate_solution_keys(board, context, limit=1)]
            lines = [board_of_keys(keys, board.layout).line for keys in found]
            return {"solution": lines[0] if lines else None} | answer

    def why(self, puzzle: str, claim: str) -> dict[str, Any]:
        """A smallest set of hints and rules from which a claim follows.

        claim: 'r5c7=3' or 'r5c7!=3' about all solutions, or 'contradiction' (there is none).
        """
        from bddsudoku.authoring import Claim, smallest_reason

        with self._asked(puzzle) as (board, context, answer):
            reason = smallest_reason(board, Claim.parse(claim, board.n), context)
            names = {board.layout.cell_name(cell): digit for cell, digit in reason.hints.items()}
            return {"hints": names, "rules": [rule.text for rule in reason.rules]} | answer

    def minimal(self, puzzle: str) -> dict[str, Any]:
        """Which hints can go: the minimal subsets of the hints that leave the same solutions.

        `necessary`: hints in all of them; `minimal`: their number and sizes; `example`: one.
        """
        from bddsudoku.authoring import minimal_subsets, subset_answers

        with self._asked(puzzle) as (board, context, answer):
            found = minimal_subsets(board, context)
            example = next(iter(found.minimal), None)
            known = {"example": example and example.text}
            return subset_answers(found).to_dict() | known | answer

    def rules_impact(self, puzzle: str) -> dict[str, Any]:
        """The number of solutions without each rule and without each hint, and what is redundant.

        A count is null where it took a quarter of the time limit.
        """
        from bddsudoku.solver import rule_impact

        with self._asked(puzzle) as (board, context, answer):
            found = rule_impact(board, context, each=self._time_limit / 4)
            return found.to_dict() | answer

    def rule_catalogue(self) -> dict[str, Any]:
        """Every kind of rule: its name in a line below a grid, what it demands, and its fields."""
        from bddsudoku.puzzle.sudoku.layout import Layout
        from bddsudoku.puzzle.sudoku.rule_catalogue import rule_catalogue

        return {"rules": rule_catalogue(Layout())}


def make_server(max_memory: int | None, time_limit: float) -> MCPServer:
    """Make the server with all questions; its ``run`` serves standard input and output."""
    from mcp.server import MCPServer

    asked = Questions(max_memory, time_limit)
    server = MCPServer("bddsudoku", version=__version__, instructions=_PUZZLE)
    for question in (
        asked.count,
        asked.candidates,
        asked.solution,
        asked.why,
        asked.minimal,
        asked.rules_impact,
    ):
        server.add_tool(question, description=f"{question.__doc__}\n\n{_PUZZLE}")
    server.add_tool(asked.rule_catalogue)
    return server


@click.command()
@option_showing_default("--each", type=DURATION, default=20.0, help="Time limit of a question.")
@command("1GiB", json=False, layout=False)
def mcp(request: CommandRequest, each: float) -> None:
    """Answer programs and agents by the Model Context Protocol, over standard input and output.

    A host such as an assistant or an editor starts it. Two questions are answered at once, each
    within --max-memory; what is asked about comes as text, and nothing is written to files.
    """
    if not is_installed("mcp"):
        raise BackendUnavailable("the package mcp is not installed: pip install 'mcp>=2'")
    make_server(request.context.max_memory, each).run()
