"""Puzzles as text: what is read, what is written, and what is refused.

Reading (:func:`read_puzzles`, :func:`read_argument`, :func:`parse_one`)

* **One line** of n² symbols, packed (``53..7….``) or parted by spaces or commas. Text after the
  cells is kept as the name: ``<81 symbols> name``, also after ``,`` ``;`` ``:`` or ``#``. Tables
  ``puzzle,solution`` come in that way, their header line included.
* **A grid**, packed or spaced, with or without borders (``| ! + - =``, box-drawing characters,
  the ``*----*`` and ``.----.`` frames of Sudoku programs). Blank lines between the bands (after
  every band) or between all rows are borders, too. Fields left empty in rows parted by commas,
  semicolons or tabs are open cells.
* **Many puzzles** in one file, one a line, or grids parted by blank lines, comments, titles such
  as ``Grid 01``, or by nothing at all.
* ``#`` starts a comment. ``.sdk`` (``[Puzzle]``; the other sections hold the state of play and
  are not the puzzle), ``.sdm`` and ``.ss`` files are such texts.
* Encodings: UTF-8 with or without byte-order mark, UTF-16 with one. Any line ends.

Symbols

* Digits ``1`` to ``9``, then ``A``, ``B``, … in either case; full-width forms are the same.
* Open cells: ``.`` ``0`` ``_`` ``*`` ``?``, ``-`` (unless the line can only be a border), ``X`` on
  boards up to 32×32 (beyond that it is a digit), ``・`` ``·`` ``□`` ``■``.
* Numbers with two digits, parted by spaces or commas, on boards of 10×10 and more.
* Other conventions for 10×10 and larger: letters alone (``A`` to ``P`` on 16×16, ``A`` to ``Y``
  on 25×25) are recognised when a letter occurs that the usual convention does not have. Zero as
  a digit (``0`` to ``F``) cannot be told from zero as an open cell: a board that has ``0`` and
  another open-cell symbol but never its last digit is refused until ``# symbols: 0-F`` (or
  ``1-G``) stands above it, or ``symbols="0-F"`` is given.

Shape of the blocks: the ``layout`` argument or a line ``# layout: 3x2`` (rows × columns of a
block; it holds for what follows, ``# layout: auto`` ends it), else the borders, else the usual
one of that size (6×6: 2×3). A line of 16 symbols is a 4×4 board, unless sixteen of them make a
16×16 board, that is, show a symbol past 4.

Everything else raises :class:`~bddsudoku.errors.PuzzleFormatError`, one line that names source,
line, cell, and character. Hints that contradict each other are not an error.
"""

from bddsudoku.puzzle.sudoku.text.reader import (
    PuzzleRecord,
    looks_like_puzzle,
    parse_one,
    read_argument,
    read_puzzles,
)
from bddsudoku.puzzle.sudoku.text.writer import (
    write_grid,
    write_line,
    write_puzzles,
    write_sdk,
    write_sdm,
)

__all__ = [
    "PuzzleRecord",
    "looks_like_puzzle",
    "parse_one",
    "read_argument",
    "read_puzzles",
    "write_grid",
    "write_line",
    "write_puzzles",
    "write_sdk",
    "write_sdm",
]
