"""Many ordinary boards, one a line, from bytes into one array: the short way for long files.

A line is *fast* if :func:`.reader.read_puzzles` would take it for a 9×9 board on one line, whatever
stands around it: 81 symbols (digits, or any open cell), then nothing, or a space, a tab or one of
``, ; : | #`` and a name in printable ASCII of no more than some 80 signs. Boards that look like a
map of regions, or like the candidates of some cells, are left to the general reader. Whoever reads
a file takes the fast lines from its beginning; from the first other line on (a comment, a blank
line, a grid, …) the general reader is asked, which also finds the words for what is wrong.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bddsudoku.jit import kernel
from bddsudoku.puzzle.sudoku.text.symbols import make_alphabet

_CELLS, _SIDE = 81, 9
_MAX_LINE_BYTES = 160
"""Longer lines are left to the general reader."""
_SEPARATORS = " \t,;:|#"
_NEWLINE, _RETURN, _TAB, _DASH = 10, 13, 9, 45


class FastLines(NamedTuple):
    """Boards from the beginning of some bytes.

    Attributes:
        digits: uint8, (n, 81): 0 where open; row ``i`` comes from line ``i``, the first being 0.
        spans: int64, (n, 2): where each line begins and ends in the bytes, without its line end.
        used: bytes that these lines take, line ends included.
        more: whether more bytes are needed to tell what the next line is; if not, and there are
            bytes left, the line at ``used`` is not fast.
    """

    digits: NDArray[np.uint8]
    spans: NDArray[np.int64]
    used: int
    more: bool

    def name(self, data: bytes | memoryview, line: int) -> str:
        """What stands behind the cells of a line; ``data`` as it was read."""
        begin, end = self.spans[line].tolist()
        rest = bytes(data[begin + _CELLS : end]).decode("ascii")
        return rest.lstrip(_SEPARATORS).rstrip(" \t")


def read_lines(data: bytes | memoryview, *, last: bool) -> FastLines:
    """Take fast lines as long as there are any: some 10⁷ a second.

    Args:
        data: a piece of a file, from the beginning of a line on.
        last: whether the file ends with it; otherwise a line without its end is left for the next
            piece.
    """
    found = np.frombuffer(data, dtype=np.uint8)
    most = len(found) // (_CELLS + 1) + 1
    digits = np.empty((most, _CELLS), dtype=np.uint8)
    spans = np.empty((most, 2), dtype=np.int64)
    lines, used, more = _read_lines(found, last, _TABLE, _KIND, digits, spans)
    digits, spans = digits[:lines], spans[:lines]
    if 2 * lines < most:  # a few lines keep no large array
        digits, spans = digits.copy(), spans.copy()
    return FastLines(digits, spans, int(used), bool(more))


def _byte_kinds() -> NDArray[np.uint8]:
    """What a byte may be behind the cells: 1 in a name, 2 before one, 3 both, 4 a line end."""
    kinds = np.zeros(256, dtype=np.uint8)
    kinds[32:127] = 1
    for separator in _SEPARATORS:
        kinds[ord(separator)] |= 2
    kinds[[_NEWLINE, _RETURN]] = 4
    return kinds


_TABLE = np.frombuffer(make_alphabet(9).table, dtype=np.uint8)
_KIND = _byte_kinds()
_IN_NAME, _BEFORE, _END = 1, 2, 4
_R, _C = ord("r"), ord("c")


@kernel
def _read_lines(data: Any, last: bool, table: Any, kind: Any, digits: Any, spans: Any) -> Any:
    """Lines read, bytes used, and whether the next line is cut off."""
    size = len(data)
    lines = at = 0
    while at < size:
        behind = at + _CELLS
        if behind > size:
            # too short to tell, unless the line ends within
            end = at
            while end < size and kind[data[end]] != _END:
                end += 1
            return lines, at, end == size and not last
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
        # A map of regions, or the candidates of a row of cells: the general reader knows.
        odd = hints > _CELLS - 2 * _SIDE and upright > 0
        if wrong > 15 or dashes or odd or placed == hints > 1:
            return lines, at, False
        # a name: separators, then anything printable
        end = behind
        allowed = _BEFORE
        while end < size and kind[data[end]] & allowed and end - at < _MAX_LINE_BYTES:
            if (
                data[end] | 32 == _C
                and end > behind + 2
                and 48 <= data[end - 1] < 58
                and (data[end - 2] | 32 == _R or data[end - 3] | 32 == _R)
            ):  # a cell (r1c1, r12c3): the general reader knows whether it is a rule
                return lines, at, False
            end += 1
            if end < size and not kind[data[end]] & _BEFORE:
                allowed = _IN_NAME
        if end == size and not last:
            return lines, at, end - at < _MAX_LINE_BYTES
        if end < size and kind[data[end]] != _END:
            return lines, at, False
        if end + 1 == size and data[end] == _RETURN and not last:
            return lines, at, True
        spans[lines, 0] = at
        spans[lines, 1] = end
        lines += 1
        at = end + 1
        if end + 1 < size and data[end] == _RETURN and data[end + 1] == _NEWLINE:
            at += 1
        at = min(at, size)
    return lines, at, not last
