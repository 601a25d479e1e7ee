"""Writers of puzzles as text that reads back as the same puzzles."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import IO, Any, Literal, get_args

from bddsudoku.argument_types import check_types
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.file_io import open_atomic_text
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout, has_default_blocks
from bddsudoku.puzzle.sudoku.puzzle_info import NO_INFO, PuzzleInfo
from bddsudoku.puzzle.sudoku.text.rule_lines import layout_lines, rule_lines
from bddsudoku.puzzle.sudoku.text.symbols import BLANKS, usual_layout


def cell_texts(puzzle: Puzzle) -> list[str]:
    """The text of each cell of the grid: a digit, ``.``, or its candidates.

    Candidates are bare, as solvers print them, if the reader recognises them as such (see
    :mod:`bddsudoku.puzzle.sudoku.text.cell_resolver`), and otherwise in braces.
    """
    symbols, count = puzzle.layout.symbols, puzzle.layout.grid_cell_count
    masks, numbers = puzzle.masks[:count], puzzle.numbers[:count]
    if not _has_candidates(puzzle):
        return [symbols[d - 1] if d else "." for d in numbers]
    many = sum(mask & (mask - 1) != 0 for mask in masks)
    bare = puzzle.layout.is_plain and puzzle.n < 10 and many >= 2 and not puzzle.dead_cells
    texts = ("".join(s for d, s in enumerate(symbols) if m >> d & 1) for m in masks)
    return [
        text if bare or digit else f"{{{text}}}" for text, digit in zip(texts, numbers, strict=True)
    ]


def _has_candidates(puzzle: Puzzle) -> bool:
    """Whether an open cell of the grid has fewer than all candidates."""
    cells = zip(puzzle.masks, puzzle.numbers, range(puzzle.layout.grid_cell_count), strict=False)
    every = (1 << puzzle.layout.digit_count) - 1
    return puzzle.candidates is not None and any(m != every and not d for m, d, _ in cells)


def write_bordered_grid(puzzle: Puzzle) -> str:
    """Write the cells of a puzzle, but not its rules, as a text grid with borders."""
    lay, cells = puzzle.layout, cell_texts(puzzle)
    rows, columns = lay.row_count, lay.column_count
    widths = [max(map(len, cells[c::columns])) for c in range(columns)]
    high, wide = (lay.box_rows, lay.box_columns) if lay.regions is None else (rows, columns)
    stacks = [range(c, c + wide) for c in range(0, columns, wide)]
    border = "+" + "+".join("-" * (sum(widths[c] + 1 for c in s) + 1) for s in stacks) + "+"
    lines = []
    for row in range(rows):
        if row % high == 0:
            lines.append(border)
        groups = [" ".join(cells[row * columns + c].ljust(widths[c]) for c in s) for s in stacks]
        lines.append("| " + " | ".join(groups) + " |")
    return "\n".join([*lines, border])


Format = Literal["line", "grid", "sdk", "sdm", "fpuzzles", "link", "iss"]


@check_types
def write_grid(puzzle: Puzzle, *, blank: str = ".", borders: bool = True) -> str:
    """The puzzle as n lines of cells, with borders between blocks, without a last line end.

    With candidates, every cell lists its own. Lines for rules and irregular blocks follow
    (:mod:`bddsudoku.puzzle.sudoku.text.rule_lines`); a line ``# layout`` precedes the grid where
    its shape cannot be recognised.

    Raises:
        PuzzleFormatError: ``blank`` is not one of ``. 0 _ * - ?``.
    """
    _check_blank_symbol(blank, puzzle.layout)
    is_drawn = puzzle.layout.regions is None and puzzle.layout.is_plain
    header_lines = [] if is_drawn else _layout_directive(puzzle, bare_rows=not borders)
    return "\n".join([*header_lines, _grid_and_rule_lines(puzzle, blank, borders)])


def _grid_and_rule_lines(puzzle: Puzzle, blank: str, borders: bool) -> str:
    """Return the lines of a grid's cells, then those of irregular blocks, houses and rules."""
    if borders:
        grid = write_bordered_grid(puzzle)
    else:
        layout, cells = puzzle.layout, cell_texts(puzzle)
        # Dashes that touch would be a border.
        space = " " if _has_candidates(puzzle) or blank == "-" else ""
        n = layout.column_count
        grid = "\n".join(space.join(cells[i : i + n]) for i in range(0, len(cells), n))
    return "\n".join([grid.replace(".", blank), *_group_lines(puzzle), *rule_lines(puzzle)])


def _group_lines(puzzle: Puzzle) -> Iterator[str]:
    """Yield a line for each group outside the grid of whose cells something is known."""
    symbols = puzzle.layout.symbols
    for group, here in puzzle.layout.cells_by_group.items():
        texts = []
        for cell in here:
            mask = puzzle.masks[cell]
            text = "".join(s for d, s in enumerate(symbols) if mask >> d & 1)
            is_open = mask == puzzle.layout.masks[cell]
            texts.append("." if is_open else text if puzzle.numbers[cell] else f"{{{text}}}")
        if any(text != "." for text in texts):
            n = group.columns
            rows = ("".join(texts[i : i + n]) for i in range(0, len(texts), n))
            yield f"cells {group.name} {' '.join(rows)}"


def write_text(puzzle: Puzzle, info: PuzzleInfo = NO_INFO) -> str:
    """The complete text of a puzzle, as :func:`write_puzzles` writes it in the style ``grid``.

    Title, author and rules in words are comments above it.
    """
    said = (f"# {comment}\n" for comment in info.comments)
    return "".join([*said, *_text_pieces([puzzle], "grid")]).rstrip("\n")


def puzzle_json(puzzle: Puzzle) -> dict[str, Any]:
    """A puzzle as members of a JSON object: its text, number of given digits, shape and rules.

    ``shape`` (the lines of unusual sides, digits and blocks, and of extra houses) and ``rules``
    (the lines of rules) are present only for variants.
    """
    record: dict[str, Any] = {"puzzle": puzzle.line, "hints": puzzle.hint_count}
    layout = [*_shape_lines(puzzle.layout), *layout_lines(puzzle.layout)]
    if layout:
        record["shape"] = layout
    if puzzle.rules:
        record["rules"] = [rule.text for rule in puzzle.rules]
    return record


def write_sdk(puzzle: Puzzle) -> str:
    """The puzzle in the SadMan format: ``[Puzzle]``, and the rows.

    Raises:
        PuzzleFormatError: the puzzle has candidates or rules, which the format cannot express.
    """
    if puzzle.candidates is not None:
        raise PuzzleFormatError("the .sdk format has no candidates; write lines or grids")
    if rule_lines(puzzle) or not puzzle.layout.is_plain:
        raise PuzzleFormatError(
            "the .sdk format has no rules and no other shapes; write lines or grids"
        )
    lines = _layout_directive(puzzle, bare_rows=True)
    return "\n".join([*lines, "[Puzzle]", _grid_and_rule_lines(puzzle, ".", borders=False), ""])


@check_types
def write_puzzles(
    puzzles: Iterable[Puzzle],
    target: str | os.PathLike[str] | IO[str],
    style: Format = "line",
) -> int:
    """Write puzzles to a file or text stream, and return their number.

    Lines ``# layout`` give layouts that symbols alone do not determine; rules and irregular
    blocks are in lines below each puzzle.

    Args:
        target: a path, which appears when the file is complete, or a text stream, which is left
            open.
        style: ``line``, ``grid`` (with borders, separated by blank lines), ``sdm``, ``fpuzzles``
            (JSON, one object per line), ``link`` (to f-puzzles, one per line), ``iss`` (strings of
            Interactive-Sudoku-Solver, one per line), or ``sdk`` for a single puzzle.

    Raises:
        PuzzleFormatError: an unknown style, more than one puzzle for ``sdk``, or a rule that the
            style cannot express.
        OSError: the file cannot be written.
    """
    if style not in get_args(Format):
        known = ", ".join(get_args(Format))
        raise PuzzleFormatError(f"expected the style {known}, found {style!r}")
    if isinstance(target, (str, os.PathLike)):
        with open_atomic_text(target) as stream:
            return write_puzzles(puzzles, stream, style)
    count = 0
    for text in _text_pieces(puzzles, style):
        target.write(text)
        count += not text.startswith("# ")
    return count


def _text_pieces(puzzles: Iterable[Puzzle], style: Format) -> Iterable[str]:
    """Yield puzzles as text: one string for each, and ``# layout`` lines where needed."""
    current_layout: Layout | None = None  # of the last lines "# layout", "# shape", "# digits"
    for index, puzzle in enumerate(puzzles):
        if style == "sdk":
            if index:
                raise PuzzleFormatError("an .sdk file holds one puzzle, found a second")
            yield write_sdk(puzzle)
            continue
        if style in ("fpuzzles", "link"):
            from bddsudoku.puzzle.sudoku.fpuzzles.writing import write_fpuzzles, write_link

            yield (write_link if style == "link" else write_fpuzzles)(puzzle) + "\n"
            continue
        if style == "iss":
            from bddsudoku.puzzle.sudoku.iss.writing import write_iss

            # a line below a string that begins with a dot belongs to the string
            yield "\n" * (index > 0) + write_iss(puzzle) + "\n"
            continue
        shape = puzzle.layout.frame
        if current_layout != shape:
            needed = _layout_directive(puzzle, bare_rows=False)
            are_usual = current_layout is None or (current_layout.is_plain and shape.is_plain)
            if current_layout is not None and not (needed and are_usual):
                yield "# layout: auto\n"
            yield from (f"{line}\n" for line in needed)
            current_layout = shape if needed else None
        if style == "grid":
            yield _grid_and_rule_lines(puzzle, ".", borders=True) + "\n\n"
        else:
            blank = "0" if style == "sdm" else "."
            _check_blank_symbol(blank, puzzle.layout)
            yield "\n".join([puzzle.line.replace(".", blank), *rule_lines(puzzle), ""])


def _layout_directive(puzzle: Puzzle, bare_rows: bool) -> list[str]:
    """The lines such as ``# layout`` that a reader needs to recognize the puzzle's shape."""
    layout = puzzle.layout
    if lines := _shape_lines(layout):
        return lines
    usual = has_default_blocks(layout.n) and layout.frame == usual_layout(layout.n)
    if usual and layout.n != 16 and not (layout.n == 4 and not bare_rows):
        return []
    return [f"# layout: {layout.box_rows}x{layout.box_columns}"]


def _shape_lines(layout: Layout) -> list[str]:
    """The lines ``# digits``, ``# shape`` and ``# layout`` if a layout is unusual, else none."""
    if layout.is_plain:
        return []
    lines = [
        f"# digits: {layout.values[0]}-{layout.values[-1]}",
        f"# shape: {layout.row_count}x{layout.column_count}",
    ]
    blocks = f"# layout: {layout.box_rows}x{layout.box_columns}"
    lines.append(blocks if layout.has_lines else "# houses: none")
    if layout.groups:
        lines.append(f"# cells: {', '.join(group.text for group in layout.groups)}")
    return lines


def _check_blank_symbol(blank: str, layout: Layout) -> None:
    """Raise an error if a text is not a symbol of open cells."""
    known = [b for b in BLANKS if b not in layout.symbols]
    if blank not in known:
        raise PuzzleFormatError(
            f"expected one of {' '.join(known)} for an open cell, not {blank!r}"
        )
