"""Parser of boards in lists and JSON: from text in brackets to a tree, and to rows of cells.

The tree is the same for the lists of programming languages, JSON and numpy's prints, which differ
in brackets, separators and the words for empty values.

Accepted are n rows of n cells, n strings of n symbols, n² cells in one list, a list of such boards,
and an object that has a board under a usual key (``puzzle``, ``board``, …) and no key that could be
a rule. A cell is a number, a string with a symbol, or empty: ``None``, ``null``, ``""``, ``"."``,
``_``, an empty field. Cells that are lists or have several digits are candidates.
"""

from __future__ import annotations

import re
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
from bddsudoku.puzzle.sudoku.text.field_rows import describe_format, has_labels
from bddsudoku.puzzle.sudoku.text.symbols import (
    adding_error_place,
    refuse_ambiguous_zero,
    show_symbol,
    token_digit,
)

_MAX_DEPTH = 8
_BEGINNING = 400
"""Greatest number of a declaration's characters before its first bracket."""
_NAME = r"[A-Za-z_$][\w.$:<>*&]*"
_SIZES = r"(?:\[\d*\])*"
_DECLARED = rf"{_NAME}{_SIZES}(?:\s+{_NAME}{_SIZES})*(?:\s?:[^=]{{0,80}})?\s*(?:=|:=|<-|:)\s*"
_BEGIN = re.compile(
    # YAML's dash; a declaration; a constructor with sizes (Java's, or Go's [9][9]int); a quote
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
_NOTHING = re.compile(r"none|null|nil|undefined|nan|na|n/a|nothing|-1|[x_.*?-]", re.IGNORECASE)
_IGNORED = frozenset(("dtype", "copy", "ndmin"))
"""Arguments of a constructor that are ignored."""


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
    key: str = ""
    """The key of the next value."""
    last: str = "comma"
    """Kind of the previous token."""
    has_holes: bool = False
    """Whether an item between two commas is empty."""

    def add_value(self, item: TextField | BracketNode) -> None:
        """Add a value to the items, unless it is an ignored named argument such as ``dtype``."""
        if self.key not in _IGNORED:
            self.items.append(item)
            self.keys += [self.key] if self.key else []
        self.key = ""

    def close(self) -> None:
        """Complete the node at its closing bracket, and check its keys."""
        if self.last == "comma" and self.has_holes:
            self.items.append(TextField("", self.line))  # [5,3,,,7,,,,]
        if self.key:
            raise ValueError("expected a value after the last name")
        if self.keys and len(self.keys) != len(self.items):
            raise ValueError("some of the values have names, others have none")


def opens_brackets(text: str) -> bool:
    """Whether a line begins a list or object: with a bracket, or a declaration like ``x =``."""
    text = text[:_BEGINNING]
    return not _BRACED_ROW.match(text) and (_BEGIN.match(text) is not None or is_declaration(text))


def is_declaration(text: str) -> bool:
    """Whether a line is a declaration whose brackets begin on the next line."""
    return _WAITS.fullmatch(text) is not None


def bracket_depth_change(text: str) -> int:
    """The number of brackets that a line opens minus those that it closes."""
    bare = _NO_BRACKETS.sub("", text)
    return 2 * sum(map(bare.count, "[({")) - len(bare)


def parse_brackets(text: str, line: int) -> BracketNode:
    """Parse brackets, perhaps after a declaration; ``line`` is the number of the first line."""
    first = text.partition("\n")[0]
    begin = _BEGIN.match(text)
    if begin is None:
        raise PuzzleFormatError(f"expected brackets after {show_symbol(first.strip())}", line=line)
    line += begin[0].count("\n")
    outer = BracketNode(line)
    stack = [outer]
    try:
        for token in _TOKEN.finditer(text, begin.end()):
            kind = str(token.lastgroup)
            if kind == "space":
                line += token[0].count("\n")
                continue
            node = stack[-1]
            _add_token(stack, kind, token[0], line)
            node.last = kind
            if len(stack) == 1:
                break
        else:
            raise ValueError("the brackets are not closed")
        end = _END.match(text, token.end())
        if rest := text[end.end() if end else token.end() :]:
            found = show_symbol(rest.partition("\n")[0])
            raise ValueError(f"expected the end after the last bracket, found {found}")
    except ValueError as error:
        form = describe_format(first)
        what = f"this looks like {form}: {error}" if form else str(error)
        raise PuzzleFormatError(what, line=line) from None
    (inner,) = outer.items
    assert isinstance(inner, BracketNode)
    return inner


def _add_token(stack: list[BracketNode], kind: str, token: str, line: int) -> None:
    """Add a token to the innermost open brackets."""
    node = stack[-1]
    match kind:
        case "open":
            if node.last == "word" and node.items:
                node.items.pop()  # the name of a constructor: array([…])
            if len(stack) > _MAX_DEPTH:
                raise ValueError("brackets are nested too deep for a board")
            stack.append(BracketNode(line))
        case "close":
            node.close()
            stack.pop()
            stack[-1].add_value(node)
        case "comma":
            if node.last == "comma":
                node.add_value(TextField("", line))
                node.has_holes = True
        case "pair":
            if node.last not in ("word", "string", "number") or not node.items:
                raise ValueError("expected a name before ':' or '='")
            name = node.items.pop()
            node.key = name.text if isinstance(name, TextField) else ""
        case "other":
            raise ValueError(f"expected a list of cells, found {show_symbol(token)}")
        case _:
            if kind == "string":
                token = token[token.index(token[-1]) + 1 : -1]
            elif kind == "number":
                token = re.sub(r"\.0*$", "", token)
            is_nothing = kind == "blank" or not token.strip() or _NOTHING.fullmatch(token.strip())
            node.add_value(TextField("" if is_nothing else token, line))


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
