"""Puzzles as text: what is read, what is written, and what is refused.

Reading (:func:`read_puzzles`, :func:`read_argument`, :func:`parse_one`)

* **One line** of n² symbols, packed (``53..7….``) or parted by spaces or commas. Text after the
  cells is kept as the name: ``<81 symbols> name``, also after ``,`` ``;`` ``:`` or ``#``. Tables
  ``puzzle,solution`` come in that way, their header line included; a header such as
  ``id,puzzle,solution`` says in which column to look. Where other words come first
  (``No. 17: …``, a hash, a link), the one board among them is read.
* **A grid**, packed or spaced, with or without borders (``| ! + - =``, box-drawing characters,
  the ``*----*`` and ``.----.`` frames of Sudoku programs). Blank lines between the bands (after
  every band) or between all rows are borders, too. Fields left empty in rows parted by commas,
  semicolons or tabs are open cells.
* **A grid with its open cells left blank**, where bars or the ends of the lines tell every
  cell's place: py-sudoku's prints, Markdown tables, 9 lines of 9 symbols and spaces.
* **Candidates** ("pencil marks"): n³ symbols on one line, n a cell, each digit in its place or an
  open-cell symbol; or a grid whose cells list theirs (:mod:`.cells`). 64 symbols are an 8×8
  board, unless each digit from 1 to 4 has its place and occurs four times or more.
* **Lists** in brackets as programs write and print them, and JSON (:mod:`.nested`), **HTML
  tables** (:mod:`.markup`), **listings** of hints (``r1c1=5, r2c7=3``, :mod:`.blocks`).
* **f-puzzles**: its JSON, and links to it or SudokuPad that hold the puzzle
  (:mod:`bddsudoku.puzzle.sudoku.fpuzzles`).
* **Many puzzles** in one file, one a line, or grids parted by blank lines, comments, titles such
  as ``Grid 01``, or by nothing at all.
* Quotes around rows or fields, and what a program writes around them, are passed over.
* ``#`` starts a comment. ``.sdk`` (``[Puzzle]``; the other sections hold the state of play and
  are not the puzzle), ``.sdm`` and ``.ss`` files are such texts.
* Encodings: UTF-8 with or without byte-order mark, UTF-16 with one. Any line ends.

Symbols

* Digits ``1`` to ``9``, then ``A``, ``B``, … in either case; full-width forms, keycaps and the
  digits of other scripts are the same.
* Open cells: ``.`` ``0`` ``_`` ``*`` ``?``, ``-`` (unless the line can only be a border), ``X``
  (unless the board is written in letters alone), ``・`` ``·`` ``□`` ``■``.
* Numbers with two digits, parted by spaces or commas, on boards of 10×10 and more.
* Letters alone (``A`` to ``I`` on 9×9, ``A`` to ``P`` on 16×16, ``A`` to ``Y`` on 25×25) are
  recognised from 6×6 on: below 10×10 by four different letters, beyond when a letter occurs that
  the usual convention does not have. On 10×10 and larger zero as
  a digit (``0`` to ``F``) cannot be told from zero as an open cell: a board that has ``0`` and
  another open-cell symbol but never its last digit is refused until ``# symbols: 0-F`` (or
  ``1-G``) stands above it, or ``symbols="0-F"`` is given.

Shape of the blocks: the ``layout`` argument or a line ``# layout: 3x2`` (rows × columns of a
block; it holds for what follows, ``# layout: auto`` ends it), else the borders, else the usual
one of that size (6×6: 2×3). A line of 16 symbols is a 4×4 board, unless sixteen of them make a
16×16 board, that is, show a symbol past 4. Boards are 4×4 to 25×25; sides without usual blocks
(5, 7, 11, …) are read with ``# layout: 1x5`` and the like, as Latin squares, or with a line
``regions …`` below the board.

Rules: lines below a grid name them (:mod:`.rule_lines`), and blocks of any shape. What stands
directly below a grid belongs to it: where that is neither a rule nor another board, the grid is
refused with it, and so it is where a map of regions follows that is no such line.

Everything else raises :class:`~bddsudoku.errors.PuzzleFormatError`, one line that names source,
line, cell, and character. Hints that contradict each other are not an error.
"""

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
