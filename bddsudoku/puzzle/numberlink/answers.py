"""Solutions in the contest's answer form: a comma row of pair numbers for every row of cells."""

from __future__ import annotations

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.numberlink.board import Board
from bddsudoku.puzzle.numberlink.links import Links
from bddsudoku.puzzle.numberlink.text import SIZE, numbered


def answer_text(links: Links) -> str:
    """A solution in the contest's answer form: the size, then a comma row of pair numbers a row.

    Numbers are those of :attr:`Board.numbers`, 0 is an empty cell. Where a path touches itself the
    numbers do not tell its edges apart.
    """
    board = links.board
    called = (0, *board.numbers)
    rows = [
        ",".join(str(called[k]) for k in links.pair_of[y * board.width : (y + 1) * board.width])
        for y in range(board.height)
    ]
    return "\n".join([f"SIZE {board.width}X{board.height}", *rows]) + "\n"


def parse_answer(board: Board, text: str, source: str | None = None) -> Links:
    """The solution that an answer in the contest's form stands for.

    Args:
        board: the puzzle.
        text: comma rows, with or without ``SIZE`` before them.
        source: file name for messages.

    Raises:
        PuzzleFormatError: not such a text, no solution of the board, or a path that touches itself
            (then its edges cannot be told).
    """
    rows: list[list[int]] = []
    called = (0, *board.numbers)
    for number, line in numbered(text):
        if m := SIZE.fullmatch(line):
            if (int(m[1]), int(m[2])) != (board.width, board.height):
                raise PuzzleFormatError(
                    f"expected size {board.size}, found {line}", source=source, line=number
                )
            continue
        try:
            row = [int(c) for c in line.split(",")]
        except ValueError:
            raise PuzzleFormatError(
                f"expected a comma row of numbers, found {line[:60]!r}", source=source, line=number
            ) from None
        if len(row) != board.width:
            raise PuzzleFormatError(
                f"expected {board.width} numbers in the row, found {len(row)}",
                source=source,
                line=number,
            )
        for x, value in enumerate(row):
            if value not in called:
                raise PuzzleFormatError(
                    f"expected 0 or the number of a pair, found {value}",
                    source=source,
                    line=number,
                    cell=f"r{len(rows) + 1}c{x + 1}",
                )
        rows.append(row)
    if len(rows) != board.height:
        raise PuzzleFormatError(f"expected {board.height} rows, found {len(rows)}", source=source)
    flat = [value for row in rows for value in row]
    edges = [
        board.edge(cell, near)
        for cell in range(board.cell_count)
        for near in board.neighbours[cell]
        if near > cell and flat[cell] and flat[cell] == flat[near]
    ]
    try:
        return Links(board, edges)
    except PuzzleFormatError as error:
        raise PuzzleFormatError(error.expected, source=source) from None
