"""Files of many puzzles: ordinary 9×9 boards, a line each, as arrays; all else as it comes."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.quick import count_many as tally_of
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.limits import Limits, Progress
from bddsudoku.puzzle.sudoku.grid import Layout, Puzzle
from bddsudoku.puzzle.sudoku.text import looks_like_puzzle, read_puzzles
from bddsudoku.puzzle.sudoku.text.fast_lines import FastLines, read_lines
from bddsudoku.puzzle.sudoku.text.reader import unreadable
from bddsudoku.solver.answers import Counted
from bddsudoku.solver.many import NODES, count_up_to, open_ones, puzzle_of
from bddsudoku.solver.source import STDIN, Chained, Source
from bddsudoku.solver.subject import Subject, load, subjects

__all__ = ["Boards", "counted_boards", "groups"]

BLOCK = 1 << 18
"""Bytes that are read at a time: some 3,000 puzzles, a few milliseconds of work."""
FEW = 16
"""So few puzzles are asked about one by one: that needs fewer kernels."""
_PASSED_OVER = re.compile(rb"[ \t]*(?:#(?!\s*(?:layout|symbols)\s*[:=])[^\r\n\0]*)?\r?\n", re.I)


@dataclass(frozen=True, eq=False)
class Boards:
    """Consecutive lines of a file, an ordinary board each.

    Attributes:
        digits: uint8, (n, 81), 0 where open.
        source: name of the file.
        line: of the first, from 1.
        names: what stands behind the cells.
    """

    digits: NDArray[np.uint8]
    source: str
    line: int
    names: list[str]

    def __len__(self) -> int:
        return len(self.digits)

    def puzzle(self, i: int) -> Puzzle:
        """One of them."""
        return puzzle_of(self.digits[i])

    @property
    def texts(self) -> list[str]:
        """All of them, as :attr:`Puzzle.line` has them."""
        signs = np.where(self.digits == 0, ord("."), self.digits + ord("0")).astype(np.uint8)
        text = signs.tobytes().decode("ascii")
        return [text[i : i + 81] for i in range(0, len(text), 81)]

    @property
    def hints(self) -> list[int]:
        """Numbers of hints."""
        counts: list[int] = np.count_nonzero(self.digits, axis=1).tolist()
        return counts


def groups(argument: str, layout: Layout | None = None) -> Iterator[Boards | Subject]:
    """What a PUZZLE argument stands for, as :func:`subjects` has it, long lists in groups.

    What a pipe has to give is passed on as it comes.

    Raises:
        PuzzleFormatError: something is not a puzzle (those before it were yielded), or cannot be
            read.
        DamagedFileError: a saved set that cannot be trusted.
    """
    if looks_like_puzzle(argument):
        yield from subjects(argument, layout)
        return
    try:
        source = Source(argument)
    except (OSError, ValueError) as error:
        raise unreadable(STDIN if argument == "-" else argument, error) from None
    with source:
        if source.is_set:
            saved = load(source)
            yield Subject(saved.decoder.puzzle, saved, source=source.name)
            return
        yield from _of_stream(source.stream(), source.name, layout)


def _of_stream(stream: BinaryIO, name: str, layout: Layout | None) -> Iterator[Boards | Subject]:
    rest, line, ended, any_found = b"", 1, False, False
    while layout in (None, Layout()) and not ended:
        ended = not (more := stream.read(BLOCK))
        rest += more
        while rest:
            found = read_lines(rest, last=ended)
            if len(found.digits):
                yield from _grouped(found, rest, name, line)
                line += len(found.digits)
                any_found = True
            rest = rest[found.used :]
            passed = None if found.more else _PASSED_OVER.match(rest)
            if passed is None:
                break
            rest = rest[passed.end() :]
            line += 1
        if rest and not found.more:
            break
    if any_found and ended and not rest:
        return
    # Whatever else a file may hold.
    left = io.BufferedReader(Chained(rest, stream))
    for record in read_puzzles(left, layout, name=name, first_line=line):
        any_found = True
        yield Subject(record.puzzle, None, name, record.line, record.name)
    if not any_found:
        raise PuzzleFormatError("no puzzle in here", source=name)


def _grouped(found: FastLines, data: bytes, name: str, line: int) -> Iterator[Boards | Subject]:
    names = [found.name(data, i) for i in range(len(found.digits))]
    boards = Boards(found.digits, name, line, names)
    if len(boards) > FEW:
        yield boards
        return
    for i in range(len(boards)):
        yield Subject(boards.puzzle(i), None, name, line + i, names[i])


def counted_boards(
    boards: Boards,
    limit: int | None = None,
    jobs: int | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Iterator[Counted]:
    """The count of each, in order; those that need it by an engine chosen for them.

    Args:
        boards: of a list.
        limit: count no further than this.
        jobs: threads.
        limits: memory and time.
        progress: called with (done, all) of the boards.

    Raises:
        LimitReached: a limit ended it; what came before was yielded.
    """
    limits = limits or Limits()
    begin = time.perf_counter()
    tally = tally_of(
        boards.digits, limit, max_nodes=NODES, jobs=jobs, limits=limits, progress=progress
    )
    each = (time.perf_counter() - begin) / len(boards)
    rows = zip(
        tally.counts.tolist(), tally.nodes.tolist(), open_ones(tally, limit).tolist(), strict=True
    )
    for i, (count, nodes, left) in enumerate(rows):
        if left:
            yield count_up_to(boards.puzzle(i), limit, limits)
        else:
            why = f"the search ended after {nodes:,} nodes"
            yield Counted(count, "quick", why, each, limit is None or count < limit)
