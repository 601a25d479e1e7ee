"""Text in brackets, as programs write and print lists, as a tree.

Python's, JSON's, JavaScript's, C's, Java's, MATLAB's, Prolog's and Lisp's lists and numpy's prints
differ in brackets, separators and in how they write nothing; here they are one. What the tree
means is told in :mod:`bddsudoku.puzzle.sudoku.text.nested`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.text.forms import MOST_IN_BRACKETS, form_of
from bddsudoku.puzzle.sudoku.text.symbols import show

_DEEPEST = 8
_BEGINNING = 400
"""A declaration's characters before its first bracket."""
_NAME = r"[A-Za-z_$][\w.$:<>*&]*"
_SIZES = r"(?:\[\d*\])*"
_DECLARED = rf"{_NAME}{_SIZES}(?:\s+{_NAME}{_SIZES})*(?:\s?:[^=]{{0,80}})?\s*(?:=|:=|<-|:)\s*"
_BEGIN = re.compile(
    # YAML's dash; a declaration; a constructor with its sizes (Java's, or Go's [9][9]int); a quote
    rf"(?:-\s+)?(?:{_DECLARED})?(?:new\s+)?(?:(?:\[\d+\])*{_NAME}{_SIZES}!?\s?)?'?(?=[\[({{])"
)
_BRACED_ROW = re.compile(r"(?:(?:\{\w*\}|\w)[ \t|]+){3}")
"""The beginning of a row of cells, each with its candidates in braces."""
_WAITS = re.compile(rf"{_DECLARED}(?:new\s+{_NAME}{_SIZES})?")
_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f\v\n]+ | (?:\#|//|%)[^\n]*)
    | (?P<string>[rbuf]?(?:"(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | `(?:[^`\\\n]|\\.)*`))
    | (?P<number>[-+]?\d+(?:\.\d*)?)
    | (?P<word>[A-Za-z_$][\w.$!]*)
    | (?P<blank>--|[.*?-])
    | (?P<open>[\[({]) | (?P<close>[\])}])
    | (?P<comma>,) | (?P<semicolon>;) | (?P<pair>:|=>|=)
    | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_NO_BRACKETS = re.compile(
    r"""(?:\#|//)[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\\n]|\\.)*`|[^\[\](){}]"""
)
_END = re.compile(r"(?:\.(?:reshape|astype)\([\w\s.,()-]*\)|\s|[;,.)]|(?:\#|//|%)[^\n]*)*")
_NOTHING = frozenset(("none", "null", "nil", "undefined", "nan", "na", "n/a", "nothing", "x", "_"))
_IGNORED = frozenset(("dtype", "copy", "ndmin"))
"""Arguments of a constructor that say nothing about the cells."""


@dataclass(slots=True)
class Atom:
    """A number, string or word.

    Attributes:
        text: without quotes; "" for nothing, a blank string among it.
        line: line number.
        quoted: it was a string.
        is_hole: it was not even written.
    """

    text: str
    line: int
    quoted: bool = False
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


class Brackets:
    """Collects the lines from the one that opens brackets to the one that closes them.

    Attributes:
        line: the first line's number.
        first: the first line.
    """

    def __init__(self, line: int, first: str, source: str | None) -> None:
        self.line = line
        self.first = first
        self._source = source
        self._lines: list[str] = []
        self._depth = self._length = 0
        self._begun = False

    def take(self, text: str) -> bool:
        """Add a line; True when it closes the brackets.

        Raises:
            PuzzleFormatError: there are too many characters, or no brackets after all.
        """
        self._length += len(text)
        if self._length > MOST_IN_BRACKETS:
            raise self._refusal(f"more than {MOST_IN_BRACKETS:,} characters in brackets")
        if not self._begun:
            match = _BEGIN.match(text.lstrip(" \t"))
            if match is None:
                if self._lines:
                    raise self._refusal(f"expected brackets after {show(self.first)}")
                self._lines.append("")
                return False
            text = text.lstrip(" \t")[match.end() :]
            self._begun = True
        self._lines.append(text)
        bare = _NO_BRACKETS.sub("", text)
        self._depth += sum(1 if c in "[({" else -1 for c in bare)
        return self._depth <= 0

    def _refusal(self, what: str) -> PuzzleFormatError:
        return PuzzleFormatError(what, source=self._source, line=self.line)

    @property
    def text(self) -> str:
        """What was taken, from the first bracket on, line for line."""
        return "\n".join(self._lines)


class _Builder:
    """Builds the tree token by token."""

    def __init__(self) -> None:
        self.stack: list[Node] = []
        self._last: list[str] = []
        self._key: list[str | None] = []

    def open(self, line: int, bracket: str) -> None:
        if len(self.stack) >= _DEEPEST:
            raise ValueError("brackets are nested too deep for a board")
        if self.stack and self._last[-1] == "word" and self.stack[-1].items:
            self.stack[-1].items.pop()  # the name of a constructor: array([…])
        self.stack.append(Node(line))
        self._last.append("start")
        self._key.append(None)

    def close(self) -> Node:
        node = self.stack.pop()
        if self._last.pop() == "comma":
            node.ends_empty = any(isinstance(i, Atom) and i.is_hole for i in node.items)
        if self._key.pop() is not None:
            raise ValueError("expected a value after the last name")
        if node.keys and len(node.keys) != len(node.items):
            raise ValueError("some of the values have names, others have none")
        if self.stack:
            self.put(node, "list")
        return node

    def put(self, item: Atom | Node, kind: str) -> None:
        node = self.stack[-1]
        self._last[-1] = kind
        key, self._key[-1] = self._key[-1], None
        if key in _IGNORED:
            return
        node.items.append(item)
        if key is not None:
            node.keys.append(key)

    def comma(self, line: int) -> None:
        if self._last[-1] in ("start", "comma", "semicolon"):
            self.put(Atom("", line, is_hole=True), "value")
        self._last[-1] = "comma"

    def semicolon(self) -> None:
        self.stack[-1].rows.append(len(self.stack[-1].items))
        self._last[-1] = "semicolon"

    def pair(self) -> None:
        items = self.stack[-1].items
        if not items or not isinstance(items[-1], Atom) or self._last[-1] not in ("word", "value"):
            raise ValueError("expected a name before ':' or '='")
        name = items.pop()
        assert isinstance(name, Atom)
        self._key[-1] = name.text


def tree(brackets: Brackets, source: str | None) -> Node:
    """The text in brackets as a tree.

    Raises:
        PuzzleFormatError: they are not balanced, too deep, or hold what no list of cells holds.
    """
    text, line = brackets.text, brackets.line
    build = _Builder()
    done: Node | None = None
    at = 0
    try:
        for match in _TOKEN.finditer(text):
            kind, token, at = str(match.lastgroup), match[0], match.end()
            if kind == "space":
                line += token.count("\n")
            elif kind == "open":
                build.open(line, token)
            elif kind == "close":
                done = build.close()
                if not build.stack:
                    break
            elif kind == "comma":
                build.comma(line)
            elif kind == "semicolon":
                build.semicolon()
            elif kind == "pair":
                build.pair()
            elif kind == "other":
                raise ValueError(f"expected a list of cells, found {show(token)}")
            else:
                build.put(_atom(kind, token, line), "word" if kind == "word" else "value")
        if build.stack or done is None:
            raise ValueError("the brackets are not closed")
        end = _END.match(text, at)
        if end is None or end.end() != len(text):
            rest = text[at if end is None else end.end() :].split("\n")[0]
            raise ValueError(f"expected the end after the last bracket, found {show(rest)}")
    except ValueError as error:
        form = form_of(brackets.first)
        what = f"this looks like {form}: {error}" if form else str(error)
        raise PuzzleFormatError(what, source=source, line=line) from None
    return done


def _atom(kind: str, token: str, line: int) -> Atom:
    if kind == "string":
        text = token[token.index(token[-1]) + 1 : -1]
        text = text if text.strip() else ""
    elif kind == "number":
        text = token.partition(".")[0] if not token.partition(".")[2].strip("0") else token
    else:
        text = token
    nothing = kind == "blank" or text.strip().lower() in (*_NOTHING, ".", "*", "?", "-")
    return Atom("" if nothing else text, line, kind == "string")
