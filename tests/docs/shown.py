"""Comparing what a page shows with what a run printed.

``[…]`` on a line of its own stands for any lines, within a line for any text. What differs from
run to run is taken out of both sides: times and sizes in memory (numbers with a unit behind them,
columns of tables whose head is a unit or says *seconds* or *memory*), rates, dates, versions,
temporary paths. Spaces at the end of lines and empty lines at either end do not count.
"""

from __future__ import annotations

import re

_NUMBER = r"(?<![\w.,])[\d,]+(?:\.\d+)?"
_VARYING = [
    (
        re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)?"),
        "DATE",
    ),
    (re.compile(r"(?:/private)?/tmp/[^\s'\":]+|/var/folders/[^\s'\":]+"), "PATH"),
    (re.compile(r"\b\d+\.\d+\.\d+(?:\.\w+)?\b"), "VERSION"),
    (re.compile(_NUMBER + r"(?=,? (?:[a-z]+ )?(?:a|per) (?:second|minute)\b)"), "RATE"),
    (re.compile(_NUMBER + r" ?(?:ns|µs|us|ms|s|min|h|seconds?|minutes?)\b(?!\w)"), "TIME"),
    (re.compile(_NUMBER + r" ?(?:KiB|MiB|GiB|kB|MB|GB)\b"), "MEMORY"),
]
_RULE = re.compile(r"^\s*-+(?:  +-+)*\s*$")
_HEADS = re.compile(r"(?:^|\s)(?:seconds?|s|ms|time|memory|MiB|GiB|started)$")


def steady(text: str) -> str:
    """The text without what differs from run to run."""
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    lines = _tables(lines)
    for pattern, word in _VARYING:
        lines = [pattern.sub(word, line) for line in lines]
    return "\n".join(lines)


def matches(shown: str, printed: str) -> bool:
    """Whether a run printed what is shown."""
    pattern = ""
    for line in steady(shown).splitlines():
        if line.strip() == "[…]":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split("[…]")) + r"\n"
    return re.fullmatch(pattern + r"\n*", steady(printed) + "\n") is not None


def _tables(lines: list[str]) -> list[str]:
    """Lines, cells in columns of times and memory replaced; such tables lose their widths."""
    out: list[str] = []
    spans: list[tuple[int, int]] = []
    timed: list[bool] = []
    for at, line in enumerate(lines):
        if at + 1 < len(lines) and _RULE.match(lines[at + 1]):
            spans = [match.span() for match in re.finditer(r"-+", lines[at + 1])]
            timed = [bool(_HEADS.search(line[a:b].strip())) for a, b in spans]
            if any(timed):
                out.append(_cells(line, spans, [False] * len(spans)))
                continue
        if not line.strip():
            spans = timed = []
        if not any(timed):
            out.append(line)
        elif _RULE.match(line):
            out.append("----")
        else:
            out.append(_cells(line, spans, timed))
    return out


def _cells(line: str, spans: list[tuple[int, int]], timed: list[bool]) -> str:
    """A row of a table, cells parted by bars."""
    cells = [line[a:b].strip() for a, b in spans]
    shown = [
        "TIME" if is_time and cell else cell for cell, is_time in zip(cells, timed, strict=True)
    ]
    return " | ".join(shown)
