"""Reading and writing Sudoku puzzles as text: the accepted forms, symbols and errors.

Reading (:func:`read_puzzles`, :func:`parse_one`)

* **One line** of n² symbols, packed (``53..7….``) or separated by spaces or commas. Text after
  the cells is the name: ``<81 symbols> name``, also after ``,`` ``;`` ``:`` or ``#``; a rule, a
  header, a hint, an eliminated candidate (``r1c1<>3``) or the candidates of all cells there are
  refused. Dots may part the rows (``530070000.600195000.…``). Lines of HoDoKu's library
  (``:0000:x:<81 cells>:427::``) are boards without the candidates that are eliminated (4 in r2c7);
  a ``+`` before a digit that was placed is passed over. Tables
  ``puzzle,solution`` are read in this way, including their header line; a header such as
  ``id,puzzle,solution`` determines the column. Of a link (``https://…?bd=<81 symbols>``)
  the only board in it is read.
* **A grid**, packed or spaced, with or without borders (``| ! + - =``, box-drawing characters,
  the ``*----*`` and ``.----.`` frames of Sudoku programs). Blank lines between the bands (after
  every band) or between all rows are borders, too. Empty fields in rows separated by commas,
  semicolons or tabs are open cells, and so is ``-1``. Labels of rows and columns (0, 1, …; 1, 2, …;
  A, B, …), with which data frames are written, are passed over if both are there.
* **Candidates** ("pencil marks"): n³ symbols on one line, n for each cell, each digit in its
  place or an open-cell symbol; or a grid whose cells list theirs (module ``cell_resolver``). 64
  symbols are an 8×8 board; if each digit from 1 to 4 is in its place and occurs four times or more,
  they are refused unless ``# layout: 2x2`` or ``2x4`` stands above them.
* **Lists** in brackets and objects, as Python and JSON write them (module ``multi_line_forms``).
* **f-puzzles**: its JSON, and links to f-puzzles or SudokuPad that contain the puzzle
  (:mod:`bddsudoku.puzzle.sudoku.fpuzzles`).
* **Interactive-Sudoku-Solver**: its strings (``.Cage~10~R1C1~R1C2.AntiKnight``), and links with one
  (:mod:`bddsudoku.puzzle.sudoku.iss`). Lines directly below a string continue it if they are
  indented; or, where each line has one constraint, if they begin with a dot and a constraint's
  name or ``~`` (cells that begin with a dot have another symbol there). Comments between such
  lines are passed over. Strings of several constraints stand line by line, those with a constraint
  a line after blank lines.
* **Many puzzles** in one file: one per line, or grids separated by blank lines, comments, titles
  such as ``Grid 01``, or nothing at all.
* Quotes around rows or fields are ignored.
* ``#`` or ``%`` starts a comment. It is a *header* if it begins with ``digits``, ``shape``,
  ``layout`` or ``symbols`` and then has a colon, an equals sign or a number (``# digits: 0-8``,
  ``# shape 8x9``); a header that is not understood is refused. In ``# digits are from 0`` the word
  is a word. Headers stand in any order. Of the comments above a board the last 200 are kept;
  ``# title:``, ``# author:`` and ``# rules:`` say what
  :class:`~bddsudoku.puzzle.sudoku.puzzle_info.PuzzleInfo` has.
* A link ``bddsudoku:…`` is the compressed text of a puzzle, with its comments and rules.
* ``.sdk`` (``[Puzzle]``; the other sections are the state of play and are
  ignored), ``.sdm`` and ``.ss`` files are such texts.
* Encodings: UTF-8 and UTF-16, with or without byte-order mark; in comments any. Any line ends.

Symbols

* Digits ``1`` to ``9``, then ``A``, ``B``, … in either case; full-width forms, keycaps and the
  digits of other scripts are the same.
* Open cells: ``.`` ``0`` ``_`` ``*`` ``?``, ``-`` (a line of nothing but dashes that touch is a
  border), ``X`` (where it is no digit), ``・`` ``·`` ``□`` ``■``.
* Numbers with two digits, separated by spaces or commas, on boards of 10×10 and more, and where
  stated digits reach 10 (candidates of these boards stand in braces).
* Other symbols are stated: ``# symbols: A-I`` above the board, or ``symbols="A-I"``. On 10×10 and
  larger boards zero can be a digit (``0`` to ``F``) or an open cell: a board that has ``0`` and
  another open-cell symbol but never its last digit is an error, unless ``# symbols: 0-F`` (or
  ``1-G``) stands above it or ``symbols="0-F"`` is given.
  Symbols are only how a board is written: the first is the digit 1 in all results, whatever it is
  (``# digits: 0-8`` states other digits).

Shape of the blocks: the ``layout`` argument or a line ``# layout: 3x2`` (rows × columns of a
block; it applies to all that follows until ``# layout: auto``), else the borders, else the usual
shape of that size (6×6: 2×3). A line of 16 symbols is a 4×4 board; sixteen such lines are a 16×16
board if they contain a symbol past 4 and are refused otherwise, unless ``# layout: 2x2`` or ``4x4``
stands above them. Boards are 4×4 to 25×25; sides without usual blocks
(5, 7, 11, …) are read with ``# layout: 1x5`` and the like, as Latin squares, or with a line
``regions …`` below the board.

Other boards: ``# digits: 0-8`` states their digits, ``# shape: 8x9`` their rows and columns. They
are read as rows, packed or with borders, or on one line; candidates of cells stand in braces.

Rules and blocks of any shape are lines below a grid (module ``rule_lines``). Text directly below
a grid belongs to it: if it is neither a rule nor another board, or if it is a map of regions
without the word ``regions`` (most digits touch equal ones), the grid is refused as well.

Everything else raises :class:`~bddsudoku.errors.PuzzleFormatError`, whose message is one line with
source, line, cell and character. Hints that contradict each other are not an error.
"""

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
