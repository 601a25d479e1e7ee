"""Text in brackets, as programs write and print lists, as a tree.

Python's, JSON's, JavaScript's, C's, Java's, Prolog's and Lisp's lists and numpy's prints differ in
brackets, separators and in how they write nothing; here they are one. What the tree means is told
in :mod:`bddsudoku.puzzle.sudoku.text.nested`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.text.forms import form_of
from bddsudoku.puzzle.sudoku.text.symbols import show

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
    | (?P<comma>,) | (?P<semicolon>;) | (?P<pair>:|=>|=)
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


class Atom(NamedTuple):
    """A number, string or word: its text, "" for nothing, and its line; holes are not written."""

    text: str
    line: int
    is_hole: bool = False


@dataclass(slots=True)
class Node:
    """A pair of brackets.

    Attributes:
        line: where it opens.
        items: what it holds, in order; where nothing stands between two commas, an empty atom.
        keys: the names of an object's values, in order; empty for a list.
        rows: after how many items semicolons stand.
        ends_empty: a comma ends it, and other fields are empty, too.
    """

    line: int
    items: list[Atom | Node] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    ends_empty: bool = False


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
    last = ""  # kind of the token before: "" at the beginning
    for kind, token, at in tokens:
        item: Atom | Node | None = None
        if kind == "close":
            break
        if kind == "open":
            if last == "word" and items:
                items.pop()  # the name of a constructor: array([…])
            item = _node(tokens, at, depth + 1)
        elif kind == "comma":
            if last in ("", "comma", "semicolon"):
                item = Atom("", at, is_hole=True)
        elif kind == "semicolon":
            node.rows.append(len(items))
        elif kind == "pair":
            if not items or not isinstance(items[-1], Atom) or last not in ("word", "value"):
                raise ValueError("expected a name before ':' or '='")
            key = items.pop().text  # type: ignore[union-attr]
        else:
            item = _atom(kind, token, at)
        if item is not None and key not in _IGNORED:
            items.append(item)
            node.keys += [key] if key is not None else []
        if item is not None:
            key = None
        last = kind if kind in ("word", "comma", "semicolon", "pair") else "value"
    if last == "comma":
        node.ends_empty = any(isinstance(i, Atom) and i.is_hole for i in items)
    if key is not None:
        raise ValueError("expected a value after the last name")
    if node.keys and len(node.keys) != len(items):
        raise ValueError("some of the values have names, others have none")
    return node


def _atom(kind: str, token: str, line: int) -> Atom:
    text = token
    if kind == "string":
        text = token[token.index(token[-1]) + 1 : -1]
        text = text if text.strip() else ""
    elif kind == "number":
        whole, _, fraction = token.partition(".")
        text = token if fraction.strip("0") else whole
    is_nothing = kind == "blank" or text.strip().lower() in _NOTHING
    return Atom("" if is_nothing else text, line)
