"""Parser of boards in lists and objects as JSON and Python write them: to a tree, and to cells.

Accepted are n rows of n cells, n strings of n symbols, n² cells in one list, a list of such boards,
and an object that has a board under a usual key (``puzzle``, ``board``, …) and no key that could be
a rule. A cell is a number, a string with a symbol, or empty: ``None``, ``null``, ``""``, ``"."``,
``_``. Cells that are lists or have several digits are candidates.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import (
    LARGEST,
    SMALLEST,
    SYMBOLS,
    cell_name,
    why_no_default_blocks,
)
from bddsudoku.puzzle.sudoku.text.cell_resolver import CellResolver, are_candidate_lists
from bddsudoku.puzzle.sudoku.text.field_rows import has_labels
from bddsudoku.puzzle.sudoku.text.symbols import (
    adding_error_place,
    refuse_ambiguous_zero,
    show_symbol,
    token_digit,
)

_MAX_DEPTH = 8
_BEGINNING = 400
"""Greatest number of characters before a first bracket."""
_BEGIN = re.compile(r"\s*(?:[A-Za-z_]\w*\s*(?::[^=]{1,80})?=\s*)?[\[({]")
"""A bracket, perhaps after a name to which Python assigns it."""
_BRACED_ROW = re.compile(r"(?:(?:\{\w*\}|\w)[ \t|]+){3}")
"""The beginning of a row of cells, each with its candidates in braces."""
_NO_BRACKETS = re.compile(r"""\#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[^\[\](){}]""")
_NOTHING = re.compile(r"none|null|nan|na|n/a|-1|[x_.*?-]|\s*", re.IGNORECASE)


class TextField(NamedTuple):
    """A number, string or word: its text ("" for null and the like) and its line."""

    text: str
    line: int


@dataclass(slots=True)
class BracketNode:
    """A pair of brackets: its line, its items, and the keys of an object."""

    line: int
    items: list[TextField | BracketNode] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


def opens_brackets(text: str) -> bool:
    """Whether a line begins a list or object, perhaps after ``x =``."""
    text = text[:_BEGINNING]
    return not _BRACED_ROW.match(text) and _BEGIN.match(text) is not None


def bracket_depth_change(text: str) -> int:
    """The number of brackets that a line opens minus those that it closes."""
    bare = _NO_BRACKETS.sub("", text)
    return 2 * sum(map(bare.count, "[({")) - len(bare)


def parse_brackets(text: str, line: int) -> BracketNode:
    """Parse a list or object, perhaps after ``x =``; ``line`` is the number of the first line."""
    if bracket_depth_change(text) > 0:
        raise PuzzleFormatError("the brackets are not closed", line=line)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # escapes such as \\/ that JSON has and Python lacks
            (statement,) = ast.parse(text.strip()).body
        if not isinstance(statement, (ast.Expr, ast.Assign, ast.AnnAssign)):
            raise ValueError
        found = _tree(statement.value, line - 1, 0)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise PuzzleFormatError(
            "expected a list or object as JSON or Python writes it, found "
            + show_symbol(text.strip().partition("\n")[0]),
            line=line,
        ) from None
    return found if isinstance(found, BracketNode) else BracketNode(line, [found])


def _tree(node: ast.expr | None, before: int, depth: int) -> TextField | BracketNode:
    """The tree of an expression; ``before`` is the number of lines above it.

    Raises:
        ValueError: it has something else than lists, objects, strings, numbers and null.
    """
    if depth > _MAX_DEPTH or node is None:
        raise ValueError
    line = before + node.lineno
    match node:
        case ast.List(items) | ast.Tuple(items) | ast.Dict(values=items):
            keys = node.keys if isinstance(node, ast.Dict) else []
            names = [k.value for k in keys if isinstance(k, ast.Constant)]
            if len(names) != len(keys) or not all(isinstance(name, str) for name in names):
                raise ValueError
            inner = [_tree(item, before, depth + 1) for item in items]
            return BracketNode(line, inner, [str(name) for name in names])
        case ast.Constant(None | str() | int() | float() as value):
            text = str(value).removesuffix(".0") if isinstance(value, float) else str(value)
        case ast.Name(text) if _NOTHING.fullmatch(text) or text in ("true", "false"):
            pass
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)):
            text = f"-{value}".removesuffix(".0")
        case _:
            raise ValueError
    return TextField("" if _NOTHING.fullmatch(text.strip()) else text, line)


BoardsWithLines = Iterator[tuple[Puzzle, int]]
"""Iterator of boards, each with the line on which it begins."""

_SPACE = re.compile(r"[\s|,]+")
_FOUR = frozenset(("", *"01234"))
_BOARD = re.compile(
    "puzzle|board|grid|quiz|mission|question|sudoku|clues|givens|task|unsolved|cells|values|rows"
    "|matrix|candidates"
)
"""Keys under which an object has its board."""
_BESIDE = re.compile(
    "solution|solved|answer|difficulty|level|rating|score|name|id|title|author|date|source|hints"
    "|count|seed|size|n|url|message|status|win_rate|exact|engine|why|seconds|order|rank|symmetry"
    "|limit|description|comment|results|unique|solutions|missing|created"
)
"""Keys that are ignored beside a board."""


def find_boards(node: BracketNode, resolver: CellResolver) -> BoardsWithLines:
    """The boards in a tree of brackets."""
    while len(node.items) == 1 and isinstance(node.items[0], BracketNode) and not node.keys:
        node = node.items[0]
    fields = _text_fields(node)
    nodes = [item for item in node.items if isinstance(item, BracketNode)]
    rows = [_text_fields(inner) for inner in nodes]
    if node.keys:
        yield from _boards_in_object(node, resolver)
    elif not node.items:
        raise PuzzleFormatError("expected a board, found empty brackets", line=node.line)
    elif fields and nodes:
        raise PuzzleFormatError(
            "expected either cells or lists of cells, found both", line=node.line
        )
    elif fields:
        yield from _boards_from_fields(fields, node.line, resolver)
    elif puzzle := _board_from_candidates(nodes, resolver):
        yield puzzle, node.line
    elif _are_boards(nodes, rows, resolver):
        for inner in nodes:
            yield from find_boards(inner, resolver)
    else:
        yield _board_from_rows(rows, node.line, resolver), node.line


def _text_fields(node: BracketNode) -> list[TextField]:
    return [item for item in node.items if isinstance(item, TextField)]


def _are_boards(
    nodes: Sequence[BracketNode], rows: Sequence[Sequence[TextField]], resolver: CellResolver
) -> bool:
    """Whether lists are boards rather than the rows of one board."""
    if any(i.keys or len(row) < len(i.items) for i, row in zip(nodes, rows, strict=True)):
        return True
    widths = {len(row) for row in rows}
    if len(widths) != 1 or not resolver.side_from_cells(len(rows[0])):
        return False
    if widths != {len(rows)}:
        return True
    return resolver.layout is None and _FOUR.issuperset(f.text for row in rows for f in row)


def _board_from_rows(
    rows: Sequence[Sequence[TextField]], line: int, resolver: CellResolver
) -> Puzzle:
    """The board of a list of rows, or of strings with one row each."""
    if all(len(r) == 1 for r in rows):
        rows = [_split_symbols(f) for r in rows for f in r]
    if resolver.layout is None and has_labels([[f.text for f in row] for row in rows]):
        rows = [row[1:] for row in rows[1:]]
    n = len(rows)
    if not resolver.allows_side(n):
        if resolver.layout is not None:
            what = f"expected {resolver.layout.n} rows ({resolver.layout}), found {n}"
        elif {len(r) for r in rows} == {n} and n > 1:
            what = why_no_default_blocks(n)
        else:
            what = f"expected n lists of n cells, {SMALLEST} to {LARGEST} of them, found {n}"
        raise PuzzleFormatError(what, line=line)
    for number, row in enumerate(rows):
        if len(row) != n:
            raise PuzzleFormatError(
                f"row {number + 1} has {len(row)} cells, expected {n}",
                line=row[0].line if row else line,
                cell=cell_name(number * n + min(len(row), n - 1), n),
            )
    return _board_from_cells([f for r in rows for f in r], resolver)


def _split_symbols(field: TextField) -> list[TextField]:
    """Split a field's text into fields of one symbol, without spaces, bars and commas."""
    return [TextField(s, field.line) for s in _SPACE.sub("", field.text)]


def board_from_string(field: TextField, resolver: CellResolver) -> Puzzle:
    """The board of a string with n² symbols or n³ candidates."""
    symbols = _split_symbols(field)
    text = "".join(f.text for f in symbols)
    if resolver.side_from_cells(len(text)):
        return _board_from_cells(symbols, resolver)
    if n := resolver.side_from_candidates(text):
        return resolver.puzzle_from_candidates(text, field.line, resolver.default_layout(n))
    raise PuzzleFormatError(
        f"expected a string of n² symbols (81 for 9x9), found {len(text)}: {show_symbol(text)}",
        line=field.line,
    )


def _boards_from_fields(
    fields: Sequence[TextField], line: int, resolver: CellResolver
) -> BoardsWithLines:
    """The boards of a list of cells, or of a list of strings of symbols."""
    n = len(fields)
    if all(len(f.text) >= SMALLEST for f in fields):
        # spaces are open cells if no other symbol is
        are_whole = all(len(f.text) == n and not {*f.text} & {*"._*?-|,"} for f in fields)
        rows = [
            [TextField(s, f.line) for s in f.text] if are_whole else _split_symbols(f)
            for f in fields
        ]
        if resolver.allows_side(n) and all(len(row) == n for row in rows):
            yield _board_from_cells([f for row in rows for f in row], resolver), line
        else:
            for string in fields:
                yield board_from_string(string, resolver), string.line
    elif resolver.side_from_cells(n):
        yield _board_from_cells(fields, resolver), line
    else:
        raise PuzzleFormatError(f"expected n² cells in one list (81 for 9x9), found {n}", line=line)


def _board_from_cells(fields: Sequence[TextField], resolver: CellResolver) -> Puzzle:
    """The board of a list of n² cells."""
    n = resolver.side_from_cells(len(fields))
    cells = [f.text.strip() for f in fields]
    if resolver.convention is None and not are_candidate_lists(cells, n):
        last = str(n) if any(len(c) > 1 for c in cells) else SYMBOLS[n - 1]
        with adding_error_place(line=fields[0].line):
            refuse_ambiguous_zero({c.upper() or "." for c in cells}, last, n)
    return resolver.make_puzzle(cells, [f.line for f in fields])


def _board_from_candidates(nodes: Sequence[BracketNode], resolver: CellResolver) -> Puzzle | None:
    """Read a board from n lists of n cells, some of them lists of candidates; None for others."""
    n = len(nodes)
    cells = [cell for row in nodes for cell in row.items]
    are_rows = all(len(row.items) == n and not row.keys for row in nodes)
    if not (are_rows and resolver.allows_side(n)) or not any(
        isinstance(c, BracketNode) for c in cells
    ):
        return None
    masks = []
    for cell in cells:
        fields = cell.items if isinstance(cell, BracketNode) else [cell]
        if not fields:
            raise PuzzleFormatError(
                "an empty list of candidates may mean all or none; list them", line=cell.line
            )
        digits = [(isinstance(f, TextField) and token_digit(f.text, n)) or 0 for f in fields]
        if digits[0] == 0 or digits != sorted({*digits}):
            return None
        masks.append(sum(1 << (d - 1) for d in digits))
    return Puzzle.from_masks(masks, resolver.default_layout(n))


def _boards_in_object(node: BracketNode, resolver: CellResolver) -> BoardsWithLines:
    """Yield the boards in a JSON object, which stand under a key such as ``puzzle``."""
    values = {key.lower(): item for key, item in zip(node.keys, node.items, strict=True)}
    others = [key for key in values if not _BESIDE.fullmatch(key)]
    names = [key for key in others if _BOARD.fullmatch(key)][:1]
    if len(others) == 1 and isinstance(values[others[0]], BracketNode):
        names = others  # {"newboard": {"grids": [{"value": …}]}}
    unknown = [key for key in node.keys if key.lower() in others and key.lower() not in names]
    if not names or unknown:
        shown_names = [show_symbol(name) for name in unknown or node.keys]
        raise PuzzleFormatError(
            f"this looks like JSON with {', '.join(shown_names[:3])}"
            f"{', …' * (len(shown_names) > 3)}; an object is read when its board "
            "stands under 'puzzle', 'board' or 'grid' and nothing beside it can be a rule",
            line=node.line,
        )
    held = values[names[0]]
    if isinstance(held, BracketNode):
        yield from find_boards(held, resolver)
    else:
        yield board_from_string(held, resolver), held.line
