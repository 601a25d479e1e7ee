"""The least form of a board with blocks under its symmetries, found row by row.

A search chooses the next row of the form, and settles columns and the labels of digits only as far
as the signs of that row depend on them. A state stands for all ways that have the same rows so far:

* Columns of a stack that have the same signs in all chosen rows form a *class*, which shares its
  positions in any order. Stacks without a hint in these rows stand first, in any order, too.
* In the *first row*, the first chosen one that has hints, all digits are new. So they and their
  columns are not ordered within a class. The label of such a digit is the sign that the form has in
  that row at the digit's *home*, its column there.

A way is given up at its first sign above the least line that is known. All ways to the least form
are followed: their number, and what the classes left open, is the number of automorphisms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bddsudoku.jit import kernel, subroutine
from bddsudoku.jit.decorators import I64, U8, AnyArray

COLUMN, POSITION, START, LABEL, HOME, USED, NUMBERS = range(7)
"""The rows of a state: the column at each position; the position of each column; where the class at
each position starts; the label of each digit (0: none yet), its home + 1 (0: none); whether each
row of the board is chosen, as its row of the form + 1; and these numbers:"""
TRANSPOSED, ROW, CHOSEN, PLACE, LABELS, FIRST_ROW, UNTOUCHED, SETTLED, TOUCHED = range(9)
"""Whether rows are the board's columns; where the search goes on: the row of the form, the row of
the board that is chosen for it, and the position; labels that are given; the first row + 1; stacks
that no chosen row touches; the stacks that have been put in order, and the end of those that are
not yet."""
UNKNOWN = 255
"""A sign of the least line that is not known yet."""


class LeastForms(NamedTuple):
    """Results of :func:`least_forms`, for boards of n × n cells.

    Attributes:
        lines: uint8, (boards, n²): the least lines.
        ways: int64, (boards,): the number of ways of the search that lead there; 0 where digits are
            exchanged and one stands twice in a row, a column or a block.
        states: int8, (boards, 7, n + 1 or more): the end of one of these ways.
    """

    lines: U8
    ways: I64
    states: NDArray[np.int8]


def least_forms(boards: AnyArray, box: tuple[int, int], pattern: bool = False) -> LeastForms:
    """Find the least forms of boards, uint8, (boards, n²), with 0 for an open cell.

    Args:
        boards: any number.
        box: rows and columns of a block.
        pattern: every digit stands for 1; otherwise digits are exchanged, too.
    """
    n, size = box[0] * box[1], len(boards)
    form = NUMBERS + 1, 16 * (n // 16 + 1)  # copied 16 bytes at a time
    found = LeastForms(
        np.empty((size, n * n + 1), np.uint8),
        np.zeros(size, np.int64),
        np.zeros((size, *form), np.int8),
    )
    # Rows push at most n states each, less than 13 n² in all; pairs of rows 648.
    stack = np.zeros((16 * n * n, *form), np.int8)
    signs = np.empty((3, n, n), np.uint8)
    # A new array: numba compiles once more for one that cannot be written.
    digits = np.minimum(boards, np.uint8(1 if pattern else n))
    _find_least_forms(digits, signs, stack, *box, not pattern, found)
    return found._replace(lines=found.lines[:, :-1])


@subroutine
def _copy(to, state):  # type: ignore[no-untyped-def]
    for i in range(state.shape[0]):
        for j in range(state.shape[1]):
            to[i, j] = state[i, j]


@subroutine
def _are_equal(row, other):  # type: ignore[no-untyped-def]
    equal = 0
    for i in range(len(row)):
        equal += row[i] == other[i]
    return equal == len(row)


@subroutine
def _exchange(state, p, q):  # type: ignore[no-untyped-def]
    """Exchange the columns at two positions."""
    a, b = state[COLUMN, p], state[COLUMN, q]
    state[COLUMN, p], state[COLUMN, q] = b, a
    state[POSITION, b], state[POSITION, a] = p, q


@subroutine
def _exchange_stacks(state, p, q, width):  # type: ignore[no-untyped-def]
    """Exchange the columns of two stacks, whose classes are the same."""
    for i in range(width if p != q else 0):
        _exchange(state, p * width + i, q * width + i)


@subroutine
def _class_end(state, start, n):  # type: ignore[no-untyped-def]
    end = start + 1
    while end < n and state[START, end] == start:
        end += 1
    return end


@subroutine
def _split(state, start, at, n):  # type: ignore[no-untyped-def]
    """Let a class begin at a position within the class that starts at another, or behind it."""
    for i in range(at, _class_end(state, start, n)):
        state[START, i] = at


@subroutine
def _place_first(state, column, n):  # type: ignore[no-untyped-def]
    """Give a column the first position of its class, of which the others form a class then."""
    at = state[POSITION, column]
    start = state[START, at]
    _exchange(state, start, at)
    _split(state, start, start + 1, n)


@subroutine
def _least_label(state, line, column, digit, start, n):  # type: ignore[no-untyped-def]
    """The least label that a digit can have if its column is the next of the class at ``start``."""
    if digit == 0 or state[LABEL, digit]:
        return state[LABEL, digit]
    home = state[HOME, digit] - 1
    if home < 0:
        return state[NUMBERS, LABELS] + 1
    at = state[START, state[POSITION, home]]
    if at == start and home != column:
        at += 1
    return line[(state[NUMBERS, FIRST_ROW] - 1) * n + at]


@subroutine
def _is_settled(state, digit, n):  # type: ignore[no-untyped-def]
    """Whether a sign has one label in all ways of a state."""
    if digit == 0 or state[LABEL, digit]:
        return True
    at = state[POSITION, state[HOME, digit] - 1]
    return state[HOME, digit] and state[START, at] == at and _class_end(state, at, n) == at + 1


@subroutine
def _hints_of_stack(state, row, stack, width):  # type: ignore[no-untyped-def]
    found = 0
    for at in range(stack * width, stack * width + width):
        found += row[state[COLUMN, at]] > 0
    return found


@subroutine
def _push_stacks(stack, depth, state, row, first, width):  # type: ignore[no-untyped-def]
    """Push the state with each stack that may be next: those with the fewest hints."""
    fewest, begin = width, depth
    for other in range(first, state[NUMBERS, TOUCHED]):
        hints = _hints_of_stack(state, row, other, width)
        if hints < fewest:
            fewest, depth = hints, begin
        if hints == fewest:
            _copy(stack[depth], state)
            _exchange_stacks(stack[depth], first, other, width)
            stack[depth, NUMBERS, SETTLED] = first + 1
            depth += 1
    return depth


@subroutine
def _push_columns(stack, depth, state, line, row, end, least, n):  # type: ignore[no-untyped-def]
    """Push the state with each column of a class that may be next: those with the least label."""
    start = state[NUMBERS, PLACE]
    for at in range(start, end):
        column = state[COLUMN, at]
        digit = row[column]
        if _least_label(state, line, column, digit, start, n) == least:
            child = stack[depth]
            _copy(child, state)
            _place_first(child, column, n)
            if child[HOME, digit]:
                _place_first(child, child[HOME, digit] - 1, n)
            else:
                child[LABEL, digit] = child[NUMBERS, LABELS] = least
            child[NUMBERS, PLACE] = start + 1
            depth += 1
    return depth


@subroutine
def _write_sign(line, at, sign, stack, depth, n):  # type: ignore[no-untyped-def]
    """Compare a sign with that of the least line, which it replaces if it is less.

    The states that are above the line then are marked by row n. Returns whether the sign is not.
    """
    if sign < line[at] < UNKNOWN:
        line[at + 1 :] = UNKNOWN
        for i in range(depth):
            numbers = stack[i, NUMBERS]
            if numbers[ROW] * n + numbers[PLACE] > at:
                numbers[ROW] = n
    line[at] = min(line[at], sign)
    return sign == line[at]


@subroutine
def _advance(state, line, row, stack, depth, width, n):  # type: ignore[no-untyped-def]
    """Push a state at the end of its row, or the states of its next choice, unless above the line.

    Returns:
        How many states the stack has then.
    """
    numbers = state[NUMBERS]
    empty = 0
    for other in range(numbers[UNTOUCHED]):
        if _hints_of_stack(state, row, other, width) == 0:
            _exchange_stacks(state, empty, other, width)
            empty += 1
    numbers[UNTOUCHED] = empty
    while numbers[PLACE] < n:
        start = numbers[PLACE]
        first = start // width
        is_open = empty <= first and numbers[SETTLED] <= first < numbers[TOUCHED] - 1
        if is_open and start % width == 0:
            return _push_stacks(stack, depth, state, row, first, width)
        end = _class_end(state, start, n)
        least, digit = UNKNOWN, 0
        for at in range(start, end):
            column = state[COLUMN, at]
            label = _least_label(state, line, column, row[column], start, n)
            if label < least:
                least, digit = label, row[column]
        after, step = start, 0
        if _is_settled(state, digit, n):
            for at in range(start, end):
                if row[state[COLUMN, at]] == digit:
                    _exchange(state, at, after)
                    after += 1
            if after < end:
                _split(state, start, after, n)
        elif state[HOME, digit] == 0 and numbers[FIRST_ROW] in (0, numbers[ROW] + 1):
            numbers[FIRST_ROW] = numbers[ROW] + 1
            numbers[LABELS] += end - start
            for at in range(start, end):
                state[HOME, row[state[COLUMN, at]]] = state[COLUMN, at] + 1
            after, step = end, 1
        for at in range(start, max(after, start + 1)):
            sign = least + step * (at - start)
            if not _write_sign(line, numbers[ROW] * n + at, sign, stack, depth, n):
                return depth
        if after == start:
            return _push_columns(stack, depth, state, line, row, end, least, n)
        numbers[PLACE] = after
    _copy(stack[depth], state)
    return depth + 1


@subroutine
def _push_rows(stack, depth, state, line, signs, height, width, n):  # type: ignore[no-untyped-def]
    """Push the state with each row that may be next, at that row's end or its first choice.

    So the line is low before one of them is followed.
    """
    numbers, child = state[NUMBERS], stack[len(stack) - 2]
    is_begun = numbers[ROW] % height > 0
    begun, first, last = numbers[CHOSEN] // height, numbers[TRANSPOSED], numbers[TRANSPOSED]
    if numbers[ROW] == 0 and height == width:
        last = 1
    for side in range(first, last + 1):
        for r in range(n):
            band, twin = r // height, signs[2, side, r]
            in_reach = band == begun if is_begun else state[USED, band * height] == 0
            if not in_reach or state[USED, r] or (twin < r and not state[USED, twin]):
                continue
            _copy(child, state)
            child[USED, r] = numbers[ROW] + 1
            child[NUMBERS, CHOSEN] = r
            child[NUMBERS, TRANSPOSED] = side
            depth = _advance(child, line, signs[side, r], stack, depth, width, n)
    return depth


@subroutine
def _has_clash(signs, height, width, n):  # type: ignore[no-untyped-def]
    """Whether a digit stands twice in a row, a column or a block."""
    for family in range(3):
        for house in range(n):
            seen = 0
            for i in range(n):
                r, c = (house, i) if family == 0 else (i, house)
                if family == 2:
                    r = house // height * height + i // width
                    c = house % height * width + i % width
                bit = 1 << signs[0, r, c]
                if seen & bit > 1:
                    return True
                seen |= bit
    return False


@subroutine
def _push_pairs(stack, state, line, signs):  # type: ignore[no-untyped-def]
    """Push the states of a complete 9x9 grid that have the least first two rows.

    The second row begins with 456 or 457. Two columns of a stack whose digits have their homes in
    the same stack, put first, settle all others: each stack sends two or three digits to the next.
    """
    depth, least, is_pure = 0, 1 << 36, False
    column, place, home, where = state[COLUMN], state[POSITION], state[HOME], state[LABEL]
    for pair in range(36):
        side, first = pair // 18, pair // 2 % 9
        second = first - first % 3 + (first + 1 + pair % 2) % 3
        for c in range(9):
            where[signs[side, first, c]] = c
        for c in range(9):
            home[c] = where[signs[side, second, c]]
        if home[0] // 3 == home[1] // 3 == home[2] // 3:
            is_pure = True
        elif is_pure:
            continue
        for choice in range(18):
            a = choice // 2
            begin = a - a % 3
            b = begin + (a + 1 + choice % 2) % 3
            following = home[a] // 3
            if home[b] // 3 != following:
                continue
            column[0], column[1], column[2] = a, b, 3 * begin + 3 - a - b
            column[3], column[4] = home[a], home[b]
            column[5] = 9 * following + 3 - home[a] - home[b]
            free = 6
            for at in range(2, 6):
                other = home[column[at]]
                if other // 3 != following and other // 3 != begin // 3:
                    column[free] = other
                    free += 1
            for at in range(9):
                place[column[at]] = at
            code = 0
            for at in range(9):
                code = code << 4 | place[home[column[at]]] + 1
                if code > least >> 32 - 4 * at:
                    code = least + 1
                    break
            if code < least:
                least, depth = code, 0
            if code > least:
                continue
            child = stack[depth]
            _copy(child, state)
            child[HOME] = 0
            for at in range(9):
                child[START, at] = at
                child[LABEL, signs[side, first, column[at]]] = at + 1
            child[USED, first], child[USED, second] = 1, 2
            numbers = child[NUMBERS]
            numbers[TRANSPOSED], numbers[CHOSEN] = side, second
            numbers[ROW], numbers[PLACE], numbers[LABELS] = 1, 9, 9
            numbers[UNTOUCHED] = numbers[TOUCHED] = 0
            depth += 1
    for at in range(9):
        line[at], line[9 + at] = at + 1, least >> 32 - 4 * at & 15
    return depth


@kernel
def _find_least_forms(boards, signs, stack, height, width, relabel, found):  # type: ignore[no-untyped-def]
    """Write the results of :func:`least_forms`."""
    n = height * width
    state = stack[len(stack) - 1]
    numbers = state[NUMBERS]
    for board in range(len(boards)):
        line, open_cells = found.lines[board], 0
        for r in range(n):
            for c in range(n):
                sign = boards[board, r * n + c]
                signs[0, r, c] = signs[1, c, r] = sign
                open_cells += sign == 0
        if relabel and _has_clash(signs, height, width, n):
            continue
        for side in range(2):  # the last equal row above in the band, or the row itself
            for r in range(n):
                signs[2, side, r] = r
                for other in range(r - r % height, r):
                    if _are_equal(signs[side, r], signs[side, other]):
                        signs[2, side, r] = other
        line[:] = UNKNOWN
        state[:] = 0
        for i in range(n):
            state[COLUMN, i] = state[POSITION, i] = i
            state[START, i] = i - i % width
            if not relabel:
                state[LABEL, i] = i
        numbers[UNTOUCHED] = numbers[TOUCHED] = height
        if height == width == 3 and relabel and open_cells == 0:
            depth = _push_pairs(stack, state, line, signs)
        else:
            depth = _push_rows(stack, 0, state, line, signs, height, width, n)
        while depth:
            depth -= 1
            _copy(state, stack[depth])
            if numbers[ROW] == n:
                continue
            if numbers[PLACE] < n:
                row = signs[numbers[TRANSPOSED], numbers[CHOSEN]]
                depth = _advance(state, line, row, stack, depth, width, n)
                continue
            numbers[ROW] += 1
            numbers[PLACE] = numbers[SETTLED] = 0
            numbers[TOUCHED] = numbers[UNTOUCHED]
            if numbers[ROW] < n:
                depth = _push_rows(stack, depth, state, line, signs, height, width, n)
                continue
            if line[n * n] == UNKNOWN:
                line[n * n] = found.ways[board] = 0
                _copy(found.states[board], state)
            found.ways[board] += 1
