"""Fast reader of classic boards, one per line, from bytes into one array, for long files.

A line is *fast* if :func:`.reader.read_puzzles` reads it as a 9×9 board on one line in any
context: 81 symbols (digits, or any open cell), then nothing, or a space, a tab or one of
``, ; : | #`` and a name in printable ASCII of at most some 80 characters. Boards that look like a
map of regions, or like the candidates of some cells, and names that begin like a rule or a header,
are left to the general reader. A caller
reads the fast lines at the beginning of a file; from the first other line on (a comment, a blank
line, a grid, …) it calls the general reader, which also words the error messages.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bddsudoku.jit import kernel
from bddsudoku.puzzle.sudoku.text.rule_lines import may_be_no_name, why_no_name
from bddsudoku.puzzle.sudoku.text.symbols import make_alphabet

_CELLS, _SIDE = 81, 9
_MAX_LINE_BYTES = 160
"""Greatest length of fast lines; longer ones are left to the general reader."""
_SEPARATORS = " \t,;:|#"
_NEWLINE, _RETURN, _TAB, _DASH = 10, 13, 9, 45


class FastLines(NamedTuple):
    """Boards that :func:`read_fast_lines` found at the beginning of bytes, and where it stopped.

    Attributes:
        digits: uint8, (boards, 81): 0 in open cells; row ``i`` is line ``i``, from 0.
        spans: int64, (boards, 2): begin and end of each line in the bytes, without its line end.
        names: text behind the cells of each line.
        used: number of bytes of these lines, including line ends.
        more: whether more bytes are needed to classify the next line; if not, and bytes are
            left, the line at ``used`` is not fast.
    """

    digits: NDArray[np.uint8]
    spans: NDArray[np.int64]
    names: list[str]
    used: int
    more: bool


def read_fast_lines(
    data: bytes | memoryview, *, is_last: bool, rows: NDArray[np.uint8] | None = None
) -> FastLines:
    """Read classic boards, one per line, up to the first line that needs the general reader.

    If ``data`` is not the last piece of a file, an incomplete line is left for the next piece. The
    digits of at most ``n`` lines go to the array ``rows``, (n, 81), by default a new one for all.
    """
    found = np.frombuffer(data, dtype=np.uint8)
    most = len(found) // (_CELLS + 1) + 1 if rows is None else len(rows)
    digits = np.empty((most, _CELLS), dtype=np.uint8) if rows is None else rows
    spans = np.empty((most, 2), dtype=np.int64)
    lines, used, more = _read_boards(found, is_last, _TABLE, _KIND, digits, spans)
    names = _names_on_lines(data[:used], spans[:lines])
    for line, name in enumerate(names):
        if (
            name
            and not name[0].isdigit()
            and may_be_no_name(name.split(maxsplit=1)[0])
            and why_no_name(name)
        ):
            lines, used, more = line, spans[line, 0], False
            break
    digits, spans = digits[:lines], spans[:lines]
    if rows is None and 2 * lines < most:  # do not keep a large array alive for a few lines
        digits, spans = digits.copy(), spans.copy()
    return FastLines(digits, spans, names[:lines] or [""] * lines, int(used), bool(more))


def _names_on_lines(data: bytes | memoryview, spans: NDArray[np.int64]) -> list[str]:
    """The names behind the cells of lines; none at all if no line has one."""
    if not np.any(spans[:, 1] - spans[:, 0] > _CELLS):
        return []
    text = str(data, "latin-1")
    return [text[a + _CELLS : b].lstrip(_SEPARATORS).rstrip(" \t") for a, b in spans.tolist()]


def _kind_by_byte() -> NDArray[np.uint8]:
    """Flags of each byte: 1 if allowed in a name, 2 if allowed before a name, 4 if a line end."""
    kinds = np.zeros(256, dtype=np.uint8)
    kinds[32:127] = 1
    for separator in _SEPARATORS:
        kinds[ord(separator)] |= 2
    kinds[[_NEWLINE, _RETURN]] = 4
    return kinds


_TABLE = np.frombuffer(make_alphabet(9).table, dtype=np.uint8)
_KIND = _kind_by_byte()
_IN_NAME, _BEFORE, _END = 1, 2, 4
_R, _C = ord("r"), ord("c")


@kernel
def _read_boards(data: Any, is_last: bool, table: Any, kind: Any, digits: Any, spans: Any) -> Any:
    """Read boards into arrays; return (board count, byte count, whether more bytes are needed)."""
    size = len(data)
    lines = at = 0
    while at < size and lines < len(digits):
        behind = at + _CELLS
        if behind > size:
            # too short to classify, unless the line ends within
            end = at
            while end < size and kind[data[end]] != _END:
                end += 1
            return lines, at, end == size and not is_last
        wrong = hints = placed = upright = 0
        dashes = True
        line, row = data[at:behind], digits[lines]
        for k in range(_CELLS):
            symbol = line[k]
            digit = table[symbol]
            row[k] = digit
            wrong |= digit
            dashes &= symbol == _DASH
            hints += digit > 0
            placed += digit == k % _SIDE + 1
            upright += k >= _SIDE and digit == row[k - _SIDE]
        # A map of regions or candidates of a row of cells: left to the general reader.
        odd = hints > _CELLS - 2 * _SIDE and upright > 0
        if wrong > 15 or dashes or odd or placed == hints > 1:
            return lines, at, False
        # a name: separators, then printable characters
        end = behind
        allowed = _BEFORE
        while end < size and kind[data[end]] & allowed and end - at < _MAX_LINE_BYTES:
            if (
                data[end] | 32 == _C
                and end > behind + 2
                and 48 <= data[end - 1] < 58
                and (data[end - 2] | 32 == _R or data[end - 3] | 32 == _R)
            ):  # a cell (r1c1, r12c3), perhaps of a rule: left to the general reader
                return lines, at, False
            end += 1
            if end < size and not kind[data[end]] & _BEFORE:
                allowed = _IN_NAME
        if end == size and not is_last:
            return lines, at, end - at < _MAX_LINE_BYTES
        if end < size and kind[data[end]] != _END:
            return lines, at, False
        if end + 1 == size and data[end] == _RETURN and not is_last:
            return lines, at, True
        spans[lines, 0] = at
        spans[lines, 1] = end
        lines += 1
        at = end + 1
        if end + 1 < size and data[end] == _RETURN and data[end + 1] == _NEWLINE:
            at += 1
        at = min(at, size)
    return lines, at, not is_last
