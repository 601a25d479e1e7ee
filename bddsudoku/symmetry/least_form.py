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

from bddsudoku.jit import kernel, subroutine
from bddsudoku.jit.decorators import I64, U8, AnyArray

COLUMN, POSITION, START, LABEL, HOME, USED, NUMBERS = range(7)
"""The rows of a state: the column at each position; the position of each column; where the class at
each position starts; the label of each digit (0: none yet), its home + 1 (0: none); the row of the
form that each row of the board is + 1 (0: none yet); and these numbers:"""
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
        states: uint8, (boards, 7, n + 1 or more): the end of one of these ways.
    """

    lines: U8
    ways: I64
    states: U8


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
        np.zeros((size, *form), np.uint8),
    )
    stack = np.zeros((16 * n * n, *form), np.uint8)
    signs = np.empty((3, n, n), np.uint8)
    # A new array: numba compiles once more for one that cannot be written.
    boards = np.minimum(boards, np.uint8(1 if pattern else n))
    _find_least_forms(boards, signs, stack, *box, not pattern, found)
    return found._replace(lines=found.lines[:, :-1])


@subroutine
def _copy(to, state):  # type: ignore[no-untyped-def]
    for i in range(state.shape[0]):
        for j in range(state.shape[1]):
            to[i, j] = state[i, j]


@subroutine
def _exchange(state, p, q):  # type: ignore[no-untyped-def]
    """Exchange the columns at two positions."""
    a, b = state[COLUMN, p], state[COLUMN, q]
    state[COLUMN, p], state[COLUMN, q] = b, a
    state[POSITION, b], state[POSITION, a] = p, q


@subroutine
def _split(state, start, at, n):  # type: ignore[no-untyped-def]
    """Let a class begin at a position within the class that starts at another, or behind it."""
    first = at
    while at < n and state[START, at] == start:
        state[START, at] = first
        at += 1


@subroutine
def _class_end(state, start, n):  # type: ignore[no-untyped-def]
    end = start + 1
    while end < n and state[START, end] == start:
        end += 1
    return end


@subroutine
def _hints_at(state, row, start, end):  # type: ignore[no-untyped-def]
    """The number of hints that a row has at some positions."""
    found = 0
    for at in range(start, end):
        found += row[state[COLUMN, at]] > 0
    return found


@subroutine
def _least_label(state, line, row, column, start, with_hints, n):  # type: ignore[no-untyped-def]
    """The least label that the digit in a column can have, if its class places that column next.

    The class starts at ``start``; those of its columns that have hints, at ``with_hints``.
    """
    digit = row[column]
    if state[LABEL, digit] > 0:
        return np.int64(state[LABEL, digit])
    if state[HOME, digit] == 0:
        return np.int64(state[NUMBERS, LABELS]) + 1
    home = np.int64(state[HOME, digit]) - 1
    at = np.int64(state[START, state[POSITION, home]])
    if at == start and row[home] > 0:
        at = with_hints + (home != column)
    return np.int64(line[(np.int64(state[NUMBERS, FIRST_ROW]) - 1) * n + at])


@subroutine
def _is_settled(state, digit, n):  # type: ignore[no-untyped-def]
    """Whether a sign has one label in all ways of a state."""
    if digit == 0 or state[LABEL, digit] > 0:
        return True
    if state[HOME, digit] == 0:
        return False
    at = np.int64(state[POSITION, state[HOME, digit] - 1])
    return state[START, at] == at and _class_end(state, at, n) == at + 1


@subroutine
def _first_hint(state, line, row, width, n):  # type: ignore[no-untyped-def]
    """The place and the label of the first hint that a row has if it is next; the less, the better.

    Places are counted from the end.
    """
    stacks = np.int64(state[NUMBERS, UNTOUCHED])
    fewest, least, empty = width + 1, np.int64(UNKNOWN), 0
    for start in range(0, stacks * width, width):
        hints = _hints_at(state, row, start, start + width)
        empty += hints == 0
        if 0 < hints <= fewest:
            least = np.int64(UNKNOWN) if hints < fewest else least
            fewest = hints
            for at in range(start, start + width):
                column = np.int64(state[COLUMN, at])
                if row[column]:
                    least = min(least, _least_label(state, line, row, column, n, n, n))
    if empty < stacks:
        return (n - (empty + 1) * width + fewest) * (UNKNOWN + 1) + least
    start = stacks * width
    while start < n:
        end = _class_end(state, start, n)
        hints = _hints_at(state, row, start, end)
        if hints:
            for at in range(start, end):
                column = np.int64(state[COLUMN, at])
                if row[column]:
                    label = _least_label(state, line, row, column, start, end - hints, n)
                    least = min(least, label)
            return (n - end + hints) * (UNKNOWN + 1) + least
        start = end
    return np.int64(0)


@subroutine
def _push_rows(stack, depth, state, line, signs, height, width, n):  # type: ignore[no-untyped-def]
    """Push the state with each row that may be next and has its first hint at the best place."""
    begin, best = depth, np.int64(-1)
    number = np.int64(state[NUMBERS, ROW])
    chosen = np.int64(state[NUMBERS, CHOSEN])
    first = chosen - chosen % height if number % height else 0
    last = first + height if number % height else n
    for t in range(2 if number == 0 and height == width else 1):
        side = t if number == 0 else np.int64(state[NUMBERS, TRANSPOSED])
        for r in range(first, last):
            twin = signs[2, side, r]
            if state[USED, r] or (twin < r and state[USED, twin] == 0):
                continue
            if last - first == n and state[USED, r - r % height]:
                continue
            key = _first_hint(state, line, signs[side, r], width, n)
            if best < 0 or key < best:
                best, depth = key, begin
            if key == best:
                child = stack[depth]
                _copy(child, state)
                child[USED, r] = number + 1
                child[NUMBERS, CHOSEN] = r
                child[NUMBERS, TRANSPOSED] = side
                depth += 1
    return depth


@subroutine
def _gather_empty_stacks(state, row, width):  # type: ignore[no-untyped-def]
    """Move those of the stacks without a hint that have none in this row, either, to the front."""
    empty = 0
    for stack in range(state[NUMBERS, UNTOUCHED]):
        if _hints_at(state, row, stack * width, stack * width + width) == 0:
            if empty < stack:
                for i in range(width):
                    _exchange(state, empty * width + i, stack * width + i)
            empty += 1
    state[NUMBERS, UNTOUCHED] = empty


@subroutine
def _push_stacks(stack, depth, state, row, width):  # type: ignore[no-untyped-def]
    """Push the state with each stack that may be next: those with the fewest hints."""
    first = np.int64(state[NUMBERS, PLACE])
    end = np.int64(state[NUMBERS, TOUCHED]) * width
    fewest = width + 1
    for start in range(first, end, width):
        fewest = min(fewest, _hints_at(state, row, start, start + width))
    for start in range(first, end, width):
        if _hints_at(state, row, start, start + width) == fewest:
            child = stack[depth]
            _copy(child, state)
            if start > first:
                for i in range(width):
                    _exchange(child, first + i, start + i)
            child[NUMBERS, SETTLED] = first // width + 1
            depth += 1
    return depth


@subroutine
def _push_columns(stack, depth, state, line, row, end, least, n):  # type: ignore[no-untyped-def]
    """Push the state with each column of a class that may be next: those with the least label."""
    start = np.int64(state[NUMBERS, PLACE])
    for at in range(start, end):
        column = np.int64(state[COLUMN, at])
        if _least_label(state, line, row, column, start, start, n) != least:
            continue
        child = stack[depth]
        _copy(child, state)
        _exchange(child, start, at)
        _split(child, start, start + 1, n)
        digit = row[column]
        if child[HOME, digit] > 0:
            place = np.int64(child[POSITION, child[HOME, digit] - 1])
            first = np.int64(child[START, place])
            _exchange(child, first, place)
            _split(child, first, first + 1, n)
        else:
            child[LABEL, digit] = least
            child[NUMBERS, LABELS] = least
        child[NUMBERS, PLACE] = start + 1
        depth += 1
    return depth


@subroutine
def _write_sign(line, at, sign, stack, depth, n):  # type: ignore[no-untyped-def]
    """Compare a sign with that of the least line, which it replaces if it is less.

    Returns:
        How many states of the stack are not above the line then; -1 if the sign is.
    """
    if sign < line[at]:
        line[at] = sign
        for i in range(at + 1, len(line)):
            line[i] = UNKNOWN
        while depth:
            numbers = stack[depth - 1, NUMBERS]
            if np.int64(numbers[ROW]) * n + numbers[PLACE] <= at:
                break
            depth -= 1
    return depth if sign == line[at] else -1


@subroutine
def _settle_signs(state, row, end, digit, n):  # type: ignore[no-untyped-def]
    """Give the next positions of a class to its columns with a sign; return where these end."""
    start = np.int64(state[NUMBERS, PLACE])
    after = start
    for at in range(start, end):
        if row[state[COLUMN, at]] == digit:
            _exchange(state, at, after)
            after += 1
    _split(state, start, after, n)
    return after


@subroutine
def _advance(state, line, row, stack, depth, width, n):  # type: ignore[no-untyped-def]
    """Go on with a state to the end of its row or to its next choice, whose states are pushed.

    Returns:
        The height of the stack, and whether the row is at its end.
    """
    _gather_empty_stacks(state, row, width)
    number = np.int64(state[NUMBERS, ROW])
    while True:
        start = np.int64(state[NUMBERS, PLACE])
        if start == n:
            return depth, True
        stage = start // width
        is_open = state[NUMBERS, UNTOUCHED] <= stage < np.int64(state[NUMBERS, TOUCHED]) - 1
        if start % width == 0 and is_open and state[NUMBERS, SETTLED] <= stage:
            return _push_stacks(stack, depth, state, row, width), False
        end = _class_end(state, start, n)
        least, digit = np.int64(UNKNOWN), row[0]
        for at in range(start, end):
            column = np.int64(state[COLUMN, at])
            label = np.int64(0)
            if row[column]:
                label = _least_label(state, line, row, column, start, start, n)
            if label < least:
                least, digit = label, row[column]
        after, step = start + 1, 0
        choice = False
        if _is_settled(state, digit, n):
            after = _settle_signs(state, row, end, digit, n)
        elif state[HOME, digit] == 0 and state[NUMBERS, FIRST_ROW] in (0, number + 1):
            state[NUMBERS, FIRST_ROW] = number + 1
            state[NUMBERS, LABELS] += end - start
            for at in range(start, end):
                state[HOME, row[state[COLUMN, at]]] = state[COLUMN, at] + 1
            after, step = end, 1
        else:
            choice = True
        for at in range(start, after):
            left = _write_sign(line, number * n + at, least, stack, depth, n)
            if left < 0:
                return depth, False
            depth = left
            least += step
        if choice:
            return _push_columns(stack, depth, state, line, row, end, least, n), False
        state[NUMBERS, PLACE] = after


@subroutine
def _has_clash(signs, height, width, n):  # type: ignore[no-untyped-def]
    """Whether a digit stands twice in a row, a column or a block."""
    for family in range(3):
        for house in range(n):
            seen = np.int64(0)
            for i in range(n):
                r, c = (house, i) if family == 0 else (i, house)
                if family == 2:
                    r = house // height * height + i // width
                    c = house % height * width + i % width
                digit = np.int64(signs[0, r, c])
                if digit and seen >> digit & 1:
                    return True
                seen |= np.int64(1) << digit
    return False


@subroutine
def _push_pairs(stack, work, line, signs):  # type: ignore[no-untyped-def]
    """Push the states of a complete 9x9 grid that have the least first two rows.

    The second row begins with 456 or 457. Two columns of a stack whose digits have their homes in
    the same stack, put first, settle all others: each stack sends two or three digits to the next.
    """
    depth, least, any_pure = 0, np.int64(1) << 36, False
    column, place, home, where = work[COLUMN], work[POSITION], work[HOME], work[LABEL]
    for pair in range(36):
        side, first, second = pair // 18, pair // 2 % 9, pair % 2
        second = first - first % 3 + (first + 1 + second) % 3
        for c in range(9):
            where[signs[side, first, c]] = c
        for c in range(9):
            home[c] = where[signs[side, second, c]]
        pure = home[0] // 3 == home[1] // 3 == home[2] // 3
        if any_pure and not pure:
            continue
        any_pure = pure
        for choice in range(18):
            a, b = choice // 2, choice // 2 - choice // 2 % 3
            b, c = b + (a + 1 + choice % 2) % 3, b + (a + 2 - choice % 2) % 3
            third, next_stack = home[c], home[a] // 3
            if home[b] // 3 != next_stack:
                continue
            column[0], column[1], column[2], column[3], column[4] = a, b, c, home[a], home[b]
            column[5] = 9 * next_stack + 3 - home[a] - home[b]
            free = 6
            if third // 3 != next_stack:
                column[free] = third
                free += 1
            for at in range(3, 6):
                other = home[column[at]]
                if other // 3 != a // 3:
                    column[free] = other
                    free += 1
            for at in range(9):
                place[column[at]] = at
            code = np.int64(0)
            for at in range(9):
                code = code << 4 | place[home[column[at]]] + 1
            if code > least:
                continue
            if code < least:
                least, depth = code, 0
            child = stack[depth]
            _copy(child, work)
            for at in range(9):
                child[START, at] = at
                child[LABEL, signs[side, first, column[at]]] = at + 1
                child[USED, at] = child[HOME, at] = 0
            child[HOME, 9] = 0
            last = 3 * (first - first % 3) + 3 - first - second
            child[USED, first], child[USED, second], child[USED, last] = 1, 2, 3
            for i, number in enumerate((side, 2, last, 0, 9, 1, 0, 0, 0)):
                child[NUMBERS, i] = number
            depth += 1
    for at in range(9):
        line[at] = at + 1
        line[9 + at] = least >> 32 - 4 * at & 15
    return depth


@kernel
def _find_least_forms(boards, signs, stack, height, width, relabel, found):  # type: ignore[no-untyped-def]
    """Write the results of :func:`least_forms`."""
    n = height * width
    for board in range(len(boards)):
        line, state = found.lines[board], found.states[board]
        hints = 0
        for r in range(n):
            for c in range(n):
                sign = boards[board, r * n + c]
                signs[0, r, c] = signs[1, c, r] = sign
                hints += sign > 0
        if relabel and _has_clash(signs, height, width, n):
            continue
        for i in range(len(line)):
            line[i] = UNKNOWN
        for side in range(2):  # the last equal row above in the band, or the row itself
            for r in range(n):
                signs[2, side, r] = r
                for other in range(r - r % height, r):
                    equal = True
                    for c in range(n):
                        equal &= signs[side, r, c] == signs[side, other, c]
                    if equal:
                        signs[2, side, r] = other
        work = stack[len(stack) - 1]
        for i in range(n + 1):
            work[LABEL, i] = 0 if relabel else i
            work[HOME, i] = 0
            if i < n:
                work[COLUMN, i] = work[POSITION, i] = i
                work[START, i] = i - i % width
                work[USED, i] = 0
        for i in range(TOUCHED):
            work[NUMBERS, i] = 0
        work[NUMBERS, UNTOUCHED] = work[NUMBERS, TOUCHED] = height
        if height == width == 3 and hints == 81 and relabel:
            depth = _push_pairs(stack, work, line, signs)
        else:
            depth = _push_rows(stack, 0, work, line, signs, height, width, n)
        while depth:
            depth -= 1
            _copy(work, stack[depth])
            row = signs[work[NUMBERS, TRANSPOSED], work[NUMBERS, CHOSEN]]
            depth, ended = _advance(work, line, row, stack, depth, width, n)
            if not ended:
                continue
            work[NUMBERS, ROW] += 1
            work[NUMBERS, PLACE] = work[NUMBERS, SETTLED] = 0
            work[NUMBERS, TOUCHED] = work[NUMBERS, UNTOUCHED]
            if work[NUMBERS, ROW] < n:
                depth = _push_rows(stack, depth, work, line, signs, height, width, n)
                continue
            if line[n * n] == UNKNOWN:
                line[n * n] = found.ways[board] = 0
                _copy(state, work)
            found.ways[board] += 1
