"""Files of many puzzles: ordinary 9×9 boards, a line each, as arrays; all else as it comes."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.bitboard import TRIAL_NODES
from bddsudoku.engine.bitboard import count_many as tally_of
from bddsudoku.engine.bitboard import solve_many as firsts_of
from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.text import looks_like_puzzle, read_puzzles
from bddsudoku.puzzle.sudoku.text.fast_lines import FastLines, read_lines
from bddsudoku.puzzle.sudoku.text.symbols import fold
from bddsudoku.sets.listedset import ListedSet
from bddsudoku.solver.batch import (
    NODES,
    count_past_search,
    few_solutions,
    open_ones,
    puzzle_of,
)
from bddsudoku.solver.question import Counted, Run, Solved, said
from bddsudoku.solver.source import Chained, Subject, opened, read_subject, saved_subject, subjects

BLOCK = 1 << 18
"""Bytes that are read at a time: some 3,000 puzzles, a few milliseconds of work."""
FEW = 16
"""So few puzzles are asked about one by one: that needs fewer kernels."""
SHORT = 0.05
"""Seconds of work after which it is worth telling what was found."""
_BLANK = re.compile(rb"(?:[ \t]*+\r?+\n)++")
_COMMENT = re.compile(rb"[ \t]*#[^\r\n\0]{0,999}\r?\n")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, eq=False)
class Boards:
    """Lines of a file, an ordinary board each.

    Attributes:
        digits: uint8, (n, 81), 0 where open.
        source: name of the file.
        lines: their numbers, from 1.
        names: what stands behind the cells.
    """

    digits: NDArray[np.uint8]
    source: str
    lines: list[int]
    names: list[str]

    def __len__(self) -> int:
        return len(self.digits)

    def slice(self, begin: int, end: int) -> Boards:
        """Some of them, one after the other."""
        cut = slice(begin, end)
        digits = np.ascontiguousarray(self.digits[cut])
        return Boards(digits, self.source, self.lines[cut], self.names[cut])

    def puzzle(self, i: int) -> Puzzle:
        """One of them."""
        return puzzle_of(self.digits[i])

    def subject(self, i: int) -> Subject:
        """One of them, and where it stands."""
        return Subject(self.puzzle(i), None, self.source, self.lines[i], self.names[i])

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


@dataclass(frozen=True, eq=False)
class Settled:
    """Consecutive boards of a list that have one solution, or none.

    Attributes:
        puzzle: the first of them.
        source: name of the file.
        line: of the first.
        texts: those with a solution, as :attr:`Puzzle.line` has them.
        solutions: uint8, (n, 81): their solutions.
    """

    puzzle: Puzzle
    source: str
    line: int
    texts: list[str]
    solutions: NDArray[np.uint8]


def groups(
    argument: str, layout: Layout | None = None, context: Context = UNLIMITED
) -> Iterator[Boards | Subject]:
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
    with opened(argument, context) as source:
        if source.is_set:
            yield saved_subject(source)
            return
        yield from _of_stream(source.stream(), source.name, layout)


class _Piece(NamedTuple):
    """Fast lines one after the other.

    Attributes:
        found: what was read of them.
        data: where it was read from.
        line: number of the first.
    """

    found: FastLines
    data: bytes | memoryview
    line: int

    def parted(self) -> tuple[_Piece, _Piece]:
        """All lines but the last; and the last, in bytes of its own."""
        found, before = self.found, len(self.found.digits) - 1
        begin, end = found.spans[before].tolist()
        rest = FastLines(found.digits[:before], found.spans[:before], begin, False)
        spans = np.array([[0, end - begin]], dtype=np.int64)
        last = FastLines(found.digits[before:], spans, end - begin, False)
        return (
            _Piece(rest, self.data, self.line),
            _Piece(last, bytes(self.data[begin:end]), self.line + before),
        )


def _of_stream(stream: BinaryIO, name: str, layout: Layout | None) -> Iterator[Boards | Subject]:
    rest, line, ended, any_found = b"", 1, False, False
    kept: list[_Piece] = []  # one line: what follows may name the rules of its board
    while layout in (None, Layout()) and not ended:
        ended = not (more := stream.read(BLOCK))
        rest += more
        if line == 1:
            rest = rest.removeprefix(_BOM)
        pieces: list[_Piece] = []
        at, cut = 0, True
        while at < len(rest):
            data = memoryview(rest)[at:]
            found = read_lines(data, last=ended)
            if len(found.digits):
                pieces.append(_Piece(found, data, line))
                line += len(found.digits)
                at += found.used
            over = 0 if found.more else _passed_over(rest, at)
            if not over:
                cut = found.more
                break
            line += rest.count(b"\n", at, at + over)
            at += over
        rest = rest[at:]
        is_all = ended and not rest
        if pieces or is_all:
            pieces, kept = kept + pieces, []
            if pieces and not is_all:
                before, last = pieces.pop().parted()
                pieces.append(before)
                kept.append(last)
            yield from _grouped(pieces, name)
            any_found |= len(pieces) > 0
        if not cut and rest:
            break
    if any_found and ended and not rest:
        return
    # Whatever else a file may hold.
    for piece in kept:
        rest = bytes(piece.data) + b"\n" * (line - piece.line) + rest
        line = piece.line
    left = io.BufferedReader(Chained(rest, stream))
    for record in read_puzzles(left, layout, name=name, first_line=line):
        any_found = True
        yield read_subject(record, name)
    if not any_found:
        raise PuzzleFormatError("no puzzle in here", source=name)


def _passed_over(data: bytes, at: int) -> int:
    """Length of the blank lines there, or of a comment that says nothing to the reader."""
    if blank := _BLANK.match(data, at):
        return len(blank[0])
    line = _COMMENT.match(data, at)
    if line is None:
        return 0
    try:
        text = fold(line[0].decode()).lower()
    except UnicodeDecodeError:
        return 0
    # A directive says something to the reader; letters that are not plain may stand for others.
    words = (":", "=") if not text.isascii() else ("layout", "symbols")
    return 0 if any(word in text for word in words) else len(line[0])


def _grouped(pieces: list[_Piece], name: str) -> Iterator[Boards | Subject]:
    """One group of the lines in some pieces. What stands between them is passed over."""
    boards = Boards(
        np.concatenate([np.empty((0, 81), np.uint8), *(p.found.digits for p in pieces)]),
        name,
        [line + i for found, _, line in pieces for i in range(len(found.digits))],
        [found.name(data, i) for found, data, _ in pieces for i in range(len(found.digits))],
    )
    if len(boards) > FEW:
        yield boards
    else:
        yield from map(boards.subject, range(len(boards)))


def counted_boards(
    boards: Boards,
    limit: int | None = None,
    jobs: int | None = None,
    context: Context = UNLIMITED,
    *,
    nodes: int | None = NODES,
) -> Iterator[Counted | LimitReached]:
    """The count of each, in order; those that need it by an engine chosen for them.

    Args:
        boards: of a list.
        limit: count no further than this.
        jobs: threads.
        nodes: of a search after which an engine is chosen; None: none is.

    Yields:
        In place of a count the limit that ended it, if it is not of time.

    Raises:
        LimitReached: the time is used up; what came before was yielded.
    """
    for begin, end in portions(len(boards)):
        digits = boards.digits[begin:end]
        start = time.perf_counter()
        tally = tally_of(digits, limit, max_nodes=nodes, jobs=jobs, context=context.silent)
        seconds = time.perf_counter() - start
        left = open_ones(tally, limit).tolist()
        for i, (count, took) in enumerate(
            zip(tally.counts.tolist(), tally.nodes.tolist(), strict=True)
        ):
            if left[i]:
                try:
                    yield count_past_search(boards.puzzle(begin + i), limit, context.silent)
                except LimitReached as stop:
                    if stop.limit == "time":
                        raise
                    yield stop
            else:
                why = f"the search ended after {took:,} nodes"
                exact = limit is None or count < limit
                yield Counted(count, "quick", why, seconds / len(digits), exact)
        if context.progress is not None:
            context.progress(end, len(boards))


def settled(
    boards: Boards, context: Context = UNLIMITED, unsolvable: Callable[[Puzzle], None] | None = None
) -> Iterator[Subject | Settled]:
    """The boards of a list in order: together where they have one solution, else by themselves.

    Args:
        boards: of a list.
        unsolvable: called with those that have no solution.

    Raises:
        LimitReached: the time is used up; what came before was yielded.
    """
    texts = boards.texts
    for begin, end in portions(len(boards)):
        tally = firsts_of(
            boards.digits[begin:end], 2, max_nodes=TRIAL_NODES, context=context.silent
        )
        alone = ~tally.exact | (tally.counts > 1)
        cuts = np.nonzero(np.diff(alone))[0] + 1
        for part in np.split(np.arange(end - begin), cuts):
            if alone[part[0]]:
                yield from map(boards.subject, (begin + part).tolist())
                continue
            for i in part[tally.counts[part] == 0].tolist():
                if unsolvable is not None:
                    unsolvable(boards.puzzle(begin + i))
            solved = part[tally.counts[part] == 1]
            at = begin + int(part[0])
            yield Settled(
                boards.puzzle(at),
                boards.source,
                boards.lines[at],
                [texts[begin + i] for i in solved.tolist()],
                tally.solutions[solved],
            )


def quick_runs(
    boards: Boards, context: Context = UNLIMITED
) -> Iterator[tuple[Subject, dict[str, Run]]]:
    """The boards of a list in order, each with what the search on bit boards says of it.

    Nothing is said of those that it would take long for.

    Args:
        boards: of a list.
    """
    for begin, end in portions(len(boards), 16):
        start = time.perf_counter()
        known: list[int | None] = [None] * (end - begin)
        with suppress(LimitReached):
            context.check()
            tally = tally_of(boards.digits[begin:end], max_nodes=NODES, context=context.silent)
            counts = zip(tally.counts.tolist(), tally.exact.tolist(), strict=True)
            known = [count if exact else None for count, exact in counts]
        share = (time.perf_counter() - start) / (end - begin)
        for i, count in enumerate(known, begin):
            yield boards.subject(i), {} if count is None else {"quick": said("quick", count, share)}


def few_of_boards(
    boards: Boards, context: Context = UNLIMITED
) -> Iterator[tuple[Subject, Solved | None]]:
    """The boards of a list in order, each with its solutions where they are few.

    Args:
        boards: of a list.

    Raises:
        LimitReached: the time is used up; what came before was yielded.
    """
    for begin, end in portions(len(boards)):
        context.check()
        start = time.perf_counter()
        tally = firsts_of(
            boards.digits[begin:end], 2, max_nodes=TRIAL_NODES, context=context.silent
        )
        share = (time.perf_counter() - start) / (end - begin)
        for i in range(end - begin):
            subject, begun = boards.subject(begin + i), time.perf_counter()
            if tally.exact[i] and tally.counts[i] < 2:
                held: ListedSet | None = ListedSet(
                    tally.solutions[i : i + 1][: int(tally.counts[i])]
                )
            else:
                held = few_solutions(subject.puzzle)
            seconds = share + time.perf_counter() - begun
            why = "all solutions by a short search"
            yield subject, None if held is None else Solved(held, "quick", why, seconds)


def portions(size: int, step: int = 256) -> Iterator[tuple[int, int]]:
    """A list cut up, (begin, end) after (begin, end), so that each takes a short time.

    What is found can then be told in time, even of a list whose boards take long. The first are
    ``step`` boards.
    """
    begin = 0
    while begin < size:
        end = min(begin + step, size)
        start = time.perf_counter()
        yield begin, end
        step = 4 * step if time.perf_counter() - start < SHORT else max(step // 4, 1)
        begin = end
