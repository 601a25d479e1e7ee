"""Reading and writing Sudoku puzzles as text: the accepted forms, symbols and errors.

Reading (:func:`read_puzzles`, :func:`read_argument`, :func:`parse_one`)

* **One line** of n² symbols, packed (``53..7….``) or separated by spaces or commas. Text after
  the cells is the name: ``<81 symbols> name``, also after ``,`` ``;`` ``:`` or ``#``. Tables
  ``puzzle,solution`` are read in this way, including their header line; a header such as
  ``id,puzzle,solution`` determines the column. Where other words come first (``No. 17: …``, a
  hash, a link), the only board among them is read.
* **A grid**, packed or spaced, with or without borders (``| ! + - =``, box-drawing characters,
  the ``*----*`` and ``.----.`` frames of Sudoku programs). Blank lines between the bands (after
  every band) or between all rows are borders, too. Empty fields in rows separated by commas,
  semicolons or tabs are open cells.
* **A grid with blank open cells**, where bars or the ends of the lines determine every cell's
  place: py-sudoku's prints, Markdown tables, 9 lines of 9 symbols and spaces.
* **Candidates** ("pencil marks"): n³ symbols on one line, n for each cell, each digit in its
  place or an open-cell symbol; or a grid whose cells list theirs (module ``cell_resolver``). 64
  symbols are an 8×8 board, unless each digit from 1 to 4 is in its place and occurs four times
  or more.
* **Lists** in brackets as programs write and print them, and JSON (``nested_lists``), **HTML
  tables** (``html_tables``), **listings** of hints (``r1c1=5, r2c7=3``, ``multi_line_forms``).
* **f-puzzles**: its JSON, and links to f-puzzles or SudokuPad that contain the puzzle
  (:mod:`bddsudoku.puzzle.sudoku.fpuzzles`).
* **Interactive-Sudoku-Solver**: its strings (``.Cage~10~R1C1~R1C2.AntiKnight``), and links with one
  (:mod:`bddsudoku.puzzle.sudoku.iss`). Indented lines continue the string above them.
* **Many puzzles** in one file: one per line, or grids separated by blank lines, comments, titles
  such as ``Grid 01``, or nothing at all.
* Quotes around rows or fields, and program text around them, are ignored.
* ``#`` starts a comment. ``.sdk`` (``[Puzzle]``; the other sections are the state of play and are
  ignored), ``.sdm`` and ``.ss`` files are such texts.
* Encodings: UTF-8 and UTF-16, with or without byte-order mark; in comments any. Any line ends.

Symbols

* Digits ``1`` to ``9``, then ``A``, ``B``, … in either case; full-width forms, keycaps and the
  digits of other scripts are the same.
* Open cells: ``.`` ``0`` ``_`` ``*`` ``?``, ``-`` (unless the line can only be a border), ``X``
  (unless the board is written in letters alone), ``・`` ``·`` ``□`` ``■``.
* Numbers with two digits, separated by spaces or commas, on boards of 10×10 and more.
* Letters alone (``A`` to ``I`` on 9×9, ``A`` to ``P`` on 16×16, ``A`` to ``Y`` on 25×25) are
  recognised from 6×6 on: below 10×10 by four different letters, otherwise by a letter that the
  usual symbols do not include. On 10×10 and larger boards zero can be a digit (``0`` to ``F``) or
  an open cell: a board that has ``0`` and another open-cell symbol but never its last digit is an
  error, unless ``# symbols: 0-F`` (or ``1-G``) stands above it or ``symbols="0-F"`` is given.
  Symbols are only how a board is written: the first is the digit 1 in all results, whatever it is
  (``# digits: 0-8`` states other digits).

Shape of the blocks: the ``layout`` argument or a line ``# layout: 3x2`` (rows × columns of a
block; it applies to all that follows until ``# layout: auto``), else the borders, else the usual
shape of that size (6×6: 2×3). A line of 16 symbols is a 4×4 board, unless sixteen such lines make
a 16×16 board, that is, contain a symbol past 4. Boards are 4×4 to 25×25; sides without usual blocks
(5, 7, 11, …) are read with ``# layout: 1x5`` and the like, as Latin squares, or with a line
``regions …`` below the board.

Other boards: ``# digits: 0-8`` states their digits, ``# shape: 8x9`` their rows and columns (module
``shaped_boards``). They are read as rows, packed or with borders, or on one line.

Rules and blocks of any shape are lines below a grid (module ``rule_lines``). Text directly below
a grid belongs to it: if it is neither a rule nor another board, or if it is a map of regions
without the word ``regions``, the grid is refused as well.

Everything else raises :class:`~bddsudoku.errors.PuzzleFormatError`, whose message is one line with
source, line, cell and character. Hints that contradict each other are not an error.
"""

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
