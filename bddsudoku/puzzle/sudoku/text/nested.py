"""Boards in lists and JSON: text in brackets becomes a tree, the tree becomes rows of cells.

The lists of programming languages, JSON and numpy's prints differ in brackets, separators and in
how they write nothing; in the tree they are one.

Read are n rows of n cells, n strings of n symbols, n² cells in one list, a list of such boards,
and an object that holds one under a usual name (``puzzle``, ``board``, …) with nothing beside it
that could be a rule. A cell is a number, a string with a symbol, or nothing: ``None``, ``null``,
``""``, ``"."``, ``_``, a field left empty. Cells that are lists or have several digits are
candidates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import LARGEST, SMALLEST, SYMBOLS, cell_name, no_usual_blocks
from bddsudoku.puzzle.sudoku.text.cells import Resolver, are_marks
from bddsudoku.puzzle.sudoku.text.rows import form_of
from bddsudoku.puzzle.sudoku.text.symbols import located, number_of, refuse_two_zeros, show

_DEEPEST = 8
_BEGINNING = 400
"""A declaration's characters before its first bracket."""
_NAME = r"[A-Za-z_$][\w.$:<>*&]*"
_SIZES = r"(?:\[\d*\])*"
_DECLARED = rf"{_NAME}{_SIZES}(?:\s+{_NAME}{_SIZES})*(?:\s?:[^=]{{0,80}})?\s*(?:=|:=|<-|:)\s*"
_BEGIN = re.compile(
    # YAML's dash; a declaration; a constructor with its sizes (Java's, or Go's [9][9]int); a quote
    rf"\s*(?:-\s+)?(?:{_DECLARED})?(?:new\s+)?(?:(?:\[\d+\])*{_NAME}{_SIZES}!?\s?)?'?(?=[\[({{])"
)
_WAITS = re.compile(rf"{_DECLARED}(?:new\s+{_NAME}{_SIZES})?")
"""A declaration whose brackets begin on the next line."""
_BRACED_ROW = re.compile(r"(?:(?:\{\w*\}|\w)[ \t|]+){3}")
"""The beginning of a row of cells, each with its candidates in braces."""
_STRING = r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\\n]|\\.)*`"""
_TOKEN = re.compile(
    rf"""(?P<space>[ \t\r\f\v\n]+ | (?:\#|//|%)[^\n]*)
    | (?P<string>[rbuf]?(?:{_STRING}))
    | (?P<number>[-+]?\d+(?:\.\d*)?)
    | (?P<word>[A-Za-z_$][\w.$!]*)
    | (?P<blank>--|[.*?-])
    | (?P<open>[\[({{]) | (?P<close>[\])}}])
    | (?P<comma>[,;]) | (?P<pair>:|=>|=)
    | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_NO_BRACKETS = re.compile(rf"(?:\#|//)[^\n]*|{_STRING}|[^\[\](){{}}]")
_END = re.compile(r"(?:\.(?:reshape|astype)\([\w\s.,()-]*\)|\s|[;,.)]|(?:\#|//|%)[^\n]*)*")
_NOTHING = frozenset((
    "none", "null", "nil", "undefined", "nan", "na", "n/a", "nothing", "x", "_", ".", "*", "?", "-",
))  # fmt: skip
_IGNORED = frozenset(("dtype", "copy", "ndmin"))
"""Arguments of a constructor that say nothing about the cells."""


class Field(NamedTuple):
    """A number, string or word: its text, "" for nothing, and its line."""

    text: str
    line: int


@dataclass(slots=True)
class Node:
    """A pair of brackets.

    Attributes:
        line: where it opens.
        items: what it holds, in order; where nothing stands between two commas, an empty field.
        keys: the names of an object's values, in order; empty for a list.
    """

    line: int
    items: list[Field | Node] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


def opens(text: str) -> bool:
    """Whether a line begins brackets, perhaps after the beginning of a declaration."""
    text = text[:_BEGINNING]
    if _BRACED_ROW.match(text):
        return False
    return _BEGIN.match(text) is not None or _WAITS.fullmatch(text) is not None


def first_bracket(text: str) -> int:
    """Where in a line the brackets begin; -1 when they do not."""
    match = _BEGIN.match(text)
    return match.end() if match else -1


def depth_of(text: str) -> int:
    """Brackets that a line opens, less those that it closes."""
    bare = _NO_BRACKETS.sub("", text)
    return 2 * sum(map(bare.count, "[({")) - len(bare)


Token = tuple[str, str, int]
"""Kind, text, line."""


def tree(text: str, line: int) -> Node:
    """Brackets as a tree.

    Args:
        text: all lines, from the one with the first bracket on.
        line: the number of the first.

    Raises:
        PuzzleFormatError: they are not balanced, too deep, or hold what no list of cells holds.
    """
    begin = first_bracket(text)
    if begin < 0:
        raise PuzzleFormatError("the brackets are not closed", line=line)
    at = begin

    def tokens() -> Iterator[Token]:
        nonlocal at, line
        for match in _TOKEN.finditer(text, begin):
            kind, at = str(match.lastgroup), match.end()
            line += text.count("\n", match.start(), at) if kind == "space" else 0
            if kind == "other":
                raise ValueError(f"expected a list of cells, found {show(match[0])}")
            if kind != "space":
                yield kind, match[0], line
        raise ValueError("the brackets are not closed")

    line += text.count("\n", 0, begin)
    try:
        stream = tokens()
        next(stream)
        node = _node(stream, line, 1)
        end = _END.match(text, at)
        if end is None or end.end() != len(text):
            rest = text[at if end is None else end.end() :].split("\n")[0]
            raise ValueError(f"expected the end after the last bracket, found {show(rest)}")
    except ValueError as error:
        form = form_of(text.split("\n")[0])
        what = f"this looks like {form}: {error}" if form else str(error)
        raise PuzzleFormatError(what, line=line) from None
    return node


def _node(tokens: Iterator[Token], line: int, depth: int) -> Node:
    """What stands in brackets, after the opening one."""
    if depth > _DEEPEST:
        raise ValueError("brackets are nested too deep for a board")
    node = Node(line)
    items = node.items
    key: str | None = None
    last = "comma"  # kind of the token before
    has_holes = False
    for kind, token, at in tokens:
        item: Field | Node | None = None
        if kind == "close":
            break
        if kind == "open":
            if last == "word" and items:
                items.pop()  # the name of a constructor: array([…])
            item = _node(tokens, at, depth + 1)
        elif kind == "comma":
            if last == "comma":
                item, has_holes = Field("", at), True
        elif kind == "pair":
            if not items or not isinstance(items[-1], Field) or last not in ("word", "value"):
                raise ValueError("expected a name before ':' or '='")
            key = items.pop().text  # type: ignore[union-attr]
        else:
            item = _field(kind, token, at)
        if item is not None and key not in _IGNORED:
            items.append(item)
            node.keys += [key] if key is not None else []
        if item is not None:
            key = None
        last = kind if kind in ("word", "comma", "pair") else "value"
    if last == "comma" and has_holes:
        items.append(Field("", line))  # [5,3,,,7,,,,]
    if key is not None:
        raise ValueError("expected a value after the last name")
    if node.keys and len(node.keys) != len(items):
        raise ValueError("some of the values have names, others have none")
    return node


def _field(kind: str, token: str, line: int) -> Field:
    text = token
    if kind == "string":
        text = token[token.index(token[-1]) + 1 : -1]
        text = text if text.strip() else ""
    elif kind == "number":
        whole, _, fraction = token.partition(".")
        text = token if fraction.strip("0") else whole
    is_nothing = kind == "blank" or text.strip().lower() in _NOTHING
    return Field("" if is_nothing else text, line)


Found = Iterator[tuple[Puzzle, int]]
"""Boards, each with the line on which it begins."""

_SPACE = re.compile(r"[\s|,]+")
_FOUR = frozenset(("", *"01234"))
_BOARDS = ("puzzle", "board", "grid", "quiz", "mission", "question", "sudoku", "clues", "givens",
           "task", "unsolved", "cells", "values", "rows", "matrix", "candidates")  # fmt: skip
"""Names under which an object holds its board, the likeliest first."""
_BESIDE = frozenset((
    "solution", "solved", "answer", "difficulty", "level", "rating", "score", "name", "id", "title",
    "author", "date", "source", "hints", "count", "seed", "size", "n", "url", "message", "status",
    "win_rate", "exact", "engine", "why", "seconds", "order", "rank", "symmetry", "limit",
    "description", "comment", "results", "unique", "solutions", "missing", "created",
))  # fmt: skip
"""Names that say nothing about a plain Sudoku's cells."""


def boards(node: Node, resolver: Resolver) -> Found:
    """The boards in a tree.

    Raises:
        PuzzleFormatError: it holds anything else.
    """
    while len(node.items) == 1 and isinstance(node.items[0], Node) and not node.keys:
        node = node.items[0]
    fields = [i for i in node.items if isinstance(i, Field)]
    nodes = [i for i in node.items if isinstance(i, Node)]
    rows = [[i for i in inner.items if isinstance(i, Field)] for inner in nodes]
    if node.keys:
        yield from _object(node, resolver)
    elif not node.items:
        raise PuzzleFormatError("expected a board, found empty brackets", line=node.line)
    elif fields and nodes:
        raise PuzzleFormatError(
            "expected either cells or lists of cells, found both", line=node.line
        )
    elif fields:
        yield from _of_fields(fields, node.line, resolver)
    elif any(i.keys for i in nodes) or any(
        len(row) < len(i.items) for i, row in zip(nodes, rows, strict=True)
    ):
        if puzzle := _candidates(nodes, resolver):
            yield puzzle, node.line
        else:
            for inner in nodes:
                yield from boards(inner, resolver)
    elif _are_boards(rows, resolver):
        for inner, row in zip(nodes, rows, strict=True):
            yield _board(row, resolver), inner.line
    else:
        yield board_of_rows(rows, node.line, resolver), node.line


def _are_boards(rows: Sequence[Sequence[Field]], resolver: Resolver) -> bool:
    """Whether rows of fields are boards, one a row, and not the rows of one board."""
    widths = {len(row) for row in rows}
    if len(widths) != 1 or not resolver.side_of_square(len(rows[0])):
        return False
    if widths != {len(rows)}:
        return True
    return resolver.layout is None and _FOUR.issuperset(f.text for row in rows for f in row)


def board_of_rows(rows: Sequence[Sequence[Field]], line: int, resolver: Resolver) -> Puzzle:
    """A list of rows, or of strings with a row each, in brackets of their own.

    Raises:
        PuzzleFormatError: they are not n rows of n cells.
    """
    n = len(rows)
    if all(len(r) == 1 for r in rows):
        rows = [[Field(s, f.line) for s in _SPACE.sub("", f.text)] for r in rows for f in r]
    if not resolver.fits(n):
        if resolver.layout is not None:
            what = f"expected {resolver.layout.n} rows ({resolver.layout}), found {n}"
        elif {len(r) for r in rows} == {n} and n > 1:
            what = no_usual_blocks(n)
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
    return _board([f for r in rows for f in r], resolver)


def board_of_string(field: Field, resolver: Resolver) -> Puzzle:
    """A board, or its candidates, in one string.

    Raises:
        PuzzleFormatError: it has neither n² nor n³ symbols.
    """
    text = _SPACE.sub("", field.text)
    if resolver.side_of_square(len(text)):
        return _board([Field(s, field.line) for s in text], resolver)
    if n := resolver.side_of_cube(len(text)):
        return resolver.marks_in_places(text, n, field.line)
    raise PuzzleFormatError(
        f"expected a string of n² symbols (81 for 9x9), found {len(text)}: {show(text)}",
        line=field.line,
    )


def _of_fields(fields: Sequence[Field], line: int, resolver: Resolver) -> Found:
    """Cells in one list, or strings of symbols."""
    n = len(fields)
    texts = [f.text for f in fields]
    if all(len(text) >= SMALLEST for text in texts):
        # spaces are open cells where nothing else stands for one
        if any(c in "._*?-|," for text in texts for c in text) or any(len(t) != n for t in texts):
            texts = [_SPACE.sub("", text) for text in texts]
        if resolver.fits(n) and all(len(text) == n for text in texts):
            cells = [
                Field(s.strip(), f.line)
                for f, text in zip(fields, texts, strict=True)
                for s in text
            ]
            yield _board(cells, resolver), line
        else:
            for field in fields:
                yield board_of_string(field, resolver), field.line
    elif resolver.side_of_square(n):
        yield _board(fields, resolver), line
    else:
        raise PuzzleFormatError(f"expected n² cells in one list (81 for 9x9), found {n}", line=line)


def _board(fields: Sequence[Field], resolver: Resolver) -> Puzzle:
    """n² cells."""
    n = resolver.side_of_square(len(fields))
    cells = [f.text.strip() for f in fields]
    if resolver.convention is None and not are_marks(cells, n):
        last = str(n) if any(len(c) > 1 for c in cells) else SYMBOLS[n - 1]
        with located(line=fields[0].line):
            refuse_two_zeros({c.upper() or "." for c in cells}, last, n)
    return resolver.puzzle(cells, [f.line for f in fields])


def _candidates(nodes: Sequence[Node], resolver: Resolver) -> Puzzle | None:
    """n rows of n cells, each the list of its candidates; None for a list of boards."""
    n = len(nodes)
    if not resolver.fits(n) or any(len(row.items) != n or row.keys for row in nodes):
        return None
    masks = []
    for cell in (cell for row in nodes for cell in row.items):
        fields = cell.items if isinstance(cell, Node) else [cell]
        if not fields:
            raise PuzzleFormatError(
                "an empty list of candidates may mean all or none; list them", line=cell.line
            )
        known = [number_of(f.text, n) if isinstance(f, Field) else None for f in fields]
        digits = [d for d in known if d]
        if digits != known or digits != sorted({*digits}):
            return None
        masks.append(sum(1 << (d - 1) for d in digits))
    return Puzzle.from_masks(masks, resolver.shape(n))


def _object(node: Node, resolver: Resolver) -> Found:
    """The board under the name that says so."""
    values = dict(zip((k.lower() for k in node.keys), node.items, strict=True))
    names = [name for name in _BOARDS if name in values]
    others = [k for k in values if k not in _BESIDE]
    if len(others) == 1 and not names and isinstance(values[others[0]], Node):
        names = others  # {"newboard": {"grids": [{"value": …}]}}
    unknown = [k for k in node.keys if k.lower() not in (*names[:1], *_BESIDE)]
    if not names or unknown:
        told = [show(name) for name in unknown or node.keys]
        raise PuzzleFormatError(
            f"this looks like JSON with {', '.join(told[:3])}{', …' * (len(told) > 3)}; an object "
            "is read when its board stands under 'puzzle', 'board' or 'grid' and nothing beside "
            "it can be a rule",
            line=node.line,
        )
    held = values[names[0]]
    if isinstance(held, Node):
        yield from boards(held, resolver)
    else:
        yield board_of_string(held, resolver), held.line
