"""One line of a grid: cells, or a rule that only draws a border."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_RULE = frozenset("+=|!:'` \t")
_DASHED = _RULE | {"-"}
_HOLLOW = frozenset("|! \t")
_FRAME = re.compile(r"[.*,]-[-.*,]*-[.*,]|[.*,]-+[.*,]")
_BARS = re.compile(r"[|!]+")
_BAR = re.compile(r"[|!]")
_GAPS = re.compile(r"[ \t,;]+")
_SEPARATORS = frozenset(("", *",;|! \t"))
_ROW_END = re.compile(r"[ \t]*\\\\[^&]*$")
_STRING = re.compile(
    r"""(?:[A-Za-z_]\w*[ \t]*[:=][ \t]*)?[rbuf]{0,2}"""
    r"""(?:"{1,3}([^"]*)"{1,3}|'{1,3}([^']*)'{1,3}|`([^`]*)`)"""
    r"""[ \t]*[,;+\\)]*[ \t]*(?:\#.*)?"""
)


@dataclass(eq=False, slots=True)
class Row:
    """A line that holds cells, or may hold them.

    Attributes:
        line: line number from 1.
        text: the line after folding.
        groups: tokens between vertical bars, one list for each stretch; fields left empty are "".
        tokens: all tokens in order.
        symbols: all symbols in order, an empty field as an open cell.
        doubtful: only dashes (and frame corners): a border, or open cells written as dashes.
        hollow: only bars and spaces, or only tabs: a border, or a row of open cells left blank.
    """

    line: int
    text: str
    groups: list[list[str]]
    doubtful: bool = False
    hollow: bool = False

    tokens: list[str] = field(init=False)
    symbols: str = field(init=False)

    def __post_init__(self) -> None:
        self._flatten()

    def _flatten(self) -> None:
        groups = self.groups
        self.tokens = groups[0] if len(groups) == 1 else [t for group in groups for t in group]
        self.symbols = "".join([t or "." for t in self.tokens])

    @property
    def bare(self) -> bool:
        """True when no vertical bar parts the cells."""
        return "|" not in self.text and "!" not in self.text

    @property
    def gapped(self) -> bool:
        """True when spaces, and nothing else but bars, stand between the symbols."""
        text = self.text.strip(" ")
        return " " in text and not any(c in text for c in ",;\t")

    @property
    def columns(self) -> tuple[int, ...]:
        """Where in the line its symbols stand."""
        return tuple(i for i, c in enumerate(self.text) if c not in " \t|!")

    def drop_last_field(self) -> None:
        """Forget the empty field after a comma at the end of the line."""
        self.groups[-1].pop()
        self._flatten()


def stretches(text: str) -> list[str]:
    """What stands between single vertical bars; outer bars bound and do not part."""
    parts = _BAR.split(text.strip(" \t"))
    if len(parts) > 1 and not parts[0]:
        del parts[0]
    if len(parts) > 1 and not parts[-1]:
        del parts[-1]
    return parts


def unquoted(text: str) -> str:
    """A line without the quotes of a program's string, or of a spreadsheet's fields."""
    if '"' not in text and "'" not in text and "`" not in text:
        return text
    if not any(c.isalnum() for c in text):
        return text  # the corners of a frame, perhaps
    if match := _STRING.fullmatch(text.strip(" \t")):
        return (match[1] or match[2] or match[3] or "").removesuffix("\\n")
    for mark in "\"'":
        if text.count(mark) >= 4 and _around_fields(text, mark):
            return text.replace(mark, "")
    return text


def untabbed(text: str) -> str:
    """A row of a LaTeX table with its cells parted by commas; other lines as they are."""
    if text.count("&") < 3:
        return text
    return _ROW_END.sub("", text).replace("&", ",")


def _around_fields(text: str, mark: str) -> bool:
    """Whether quotes stand around whole fields only."""
    inside = False
    for at, c in enumerate(text):
        if c != mark:
            continue
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        # a quote opens behind a separator, and closes before one
        if (after if inside else before) not in _SEPARATORS:
            return False
        inside = not inside
    return not inside


def _fields(body: str) -> list[str] | None:
    """The fields of a line that leaves some of them empty (``5,3,,,7``); None for other lines."""
    for separator in ",;\t":
        if separator not in body:
            continue
        fields = [f.strip(" \t") for f in body.split(separator)]
        if len(fields) >= 4 and "" in fields and not any(_GAPS.search(f) for f in fields):
            return fields
        return None
    return None


def scan(text: str, line: int) -> Row | None:
    """A folded line as cells; None when it is a rule.

    A comment at the end is cut off.
    """
    if "#" in text:
        text = text[: text.index("#")].rstrip(" \t")
    chars = set(text)
    if chars <= _RULE:
        is_hollow = chars <= _HOLLOW and " " in chars and len(stretches(text)) > 1
        return Row(line, text, [[]], hollow=True) if is_hollow else None
    doubtful = False
    if "-" in chars:
        stripped = text.strip(" \t")
        if chars <= _DASHED:
            if chars & set("+=:'`"):
                return None
            # Single dashes between bars are cells; a border's dashes touch.
            doubtful = "--" in text or not chars & set("|!")
        elif chars <= _DASHED | set(".*,"):
            if chars & set("+=:'`"):
                return None
            doubtful = _FRAME.fullmatch(stripped) is not None
    if "|" in text or "!" in text:
        groups = [
            [t for t in _GAPS.split(stretch) if t]
            for stretch in _BARS.split(text)
            if stretch.strip(" \t")
        ]
    elif (fields := _fields(text)) is not None:
        groups = [fields]
    else:
        groups = [[t for t in _GAPS.split(text) if t]]
    return Row(line, text, groups, doubtful)
