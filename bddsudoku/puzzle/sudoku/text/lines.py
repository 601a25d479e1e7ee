"""One line of a grid: cells, or a rule that only draws a border."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["Row", "scan"]

_RULE = frozenset("+=|!:'` \t")
_DASHED = _RULE | {"-"}
_FRAME = re.compile(r"[.*,]-[-.*,]*-[.*,]|[.*,]-+[.*,]")
_BARS = re.compile(r"[|!]+")
_GAPS = re.compile(r"[ \t,;]+")


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
    """

    line: int
    text: str
    groups: list[list[str]]
    doubtful: bool = False

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

    def drop_last_field(self) -> None:
        """Forget the empty field after a comma at the end of the line."""
        self.groups[-1].pop()
        self._flatten()


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
        return None
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
