"""Whether the loose ends on a frontier can still be joined below it without crossing.

The undecided cells are a disc. On its rim lie, in a circle, the plugs of the frontier (left to
right) and the terminals that stand at the rim of the board or directly below the frontier. Inside
float the other terminals. Paths below the frontier are disjoint, so they join points of the circle
in a non-crossing way (or end at a floating terminal, which crosses nothing). Together with the
brackets above (pairs of plugs that are ends of one path already) they must make up exactly the
wanted paths: no loop, nothing left over, both ends of a path of the same pair. How many paths fit
between two cells is not asked: what is ruled out here is ruled out by topology alone.

Two tests, both exact about what they ask:

* *parse*: brackets are jokers that match anything but their own partner. Intervals of the circle
  that can be joined within themselves are found as bit sets, from right to left.
* *search*: with the brackets' partners. A depth-first search scans the circle with a stack of
  chords begun; it follows through every chord to which pair a loose end now belongs.

Only joining two loose ends, reaching a terminal, or passing above a floating terminal can make the
answer "no" where it was "yes": extending a loose end or beginning a path leaves the circle as
it was, up to a bracket pair next to which some chord passes. So few states are asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Planarity", "joinable", "planarity"]

_MOST = 62
"""Points on the circle; with more, nothing is ruled out."""
_STEPS = 4000
"""Steps of the search after which it gives up, and nothing is ruled out."""
_PAIR = 3


class Planarity(NamedTuple):
    """Tables by level (the next cell to decide).

    Attributes:
        asked: int64 (levels,); 1: the test is needed after loose ends were joined; 2: at every
            state of the level.
        hung: int64 (levels, width + 1); code of the terminal that hangs below the frontier right
            after a plug, 0 if there is none.
        rim: int64 (levels, 1 + any); how many terminals stand at the rim, and their codes,
            clockwise from the right end of the frontier.
        floating: int64 (levels, codes); floating terminals of every pair; of all in column 0.
    """

    asked: NDArray[np.int64]
    hung: NDArray[np.int64]
    rim: NDArray[np.int64]
    floating: NDArray[np.int64]


def planarity(terminal: NDArray[np.int64]) -> Planarity:
    """The tables for a board.

    Args:
        terminal: shape (rows, columns); code of the terminal in a cell (3 + pair), else 0.
    """
    rows, columns = terminal.shape
    levels = rows * columns
    asked = np.ones(levels, np.int64)
    hung = np.zeros((levels, columns + 1), np.int64)
    floating = np.zeros((levels, int(terminal.max()) + 1), np.int64)
    rims: list[list[int]] = []
    clockwise = [
        *((r, columns - 1) for r in range(rows)),
        *((rows - 1, c) for c in range(columns - 2, -1, -1)),
        *((r, 0) for r in range(rows - 2, -1, -1)),
    ]
    everywhere = [(r, c) for r, c in np.argwhere(terminal).tolist()]
    for level in range(levels):
        i, j = divmod(level, columns)
        circle: set[tuple[int, int]] = set()
        rims.append([])
        for r, c in clockwise:
            if r * columns + c >= level and terminal[r, c] and (r, c) not in circle:
                circle.add((r, c))
                rims[-1].append(int(terminal[r, c]))
        for c in range(columns):
            r = i if c >= j else i + 1
            if r < rows and terminal[r, c] and (r, c) not in circle:
                circle.add((r, c))
                # after the plug that enters the terminal's cell from above
                hung[level, c + 1 if c >= j else c] = terminal[r, c]
        for r, c in everywhere:
            if r * columns + c >= level and (r, c) not in circle:
                floating[level, [0, terminal[r, c]]] += 1
        # the cell above a terminal has just been decided: it hangs from the frontier now
        if level and level - 1 + columns < levels and terminal.flat[level - 1 + columns]:
            asked[level] = 2
    rim = np.zeros((levels, 1 + max(map(len, rims))), np.int64)
    for level, codes in enumerate(rims):
        rim[level, 0] = len(codes)
        rim[level, 1 : 1 + len(codes)] = codes
    return Planarity(asked, hung, rim, floating)


@njit(cache=True, nogil=True)
def joinable(hung, rim, floating, states, row, level, bits):  # type: ignore[no-untyped-def]
    """Whether the plugs of a state pass both tests.

    Args:
        hung: see :class:`Planarity`.
        rim: likewise.
        floating: likewise.
        states: uint64, shape (any, words).
        row: the state.
        level: its level.
        bits: bits of a plug.
    """
    # rows of work: code of a point, its partner, a stack; the search needs four more
    work = np.empty((7, 64), np.int64)
    code, partner, stack = work[0], work[1], work[2]
    mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    a_word = 64 // bits
    n = 0
    open_ = 0
    brackets = False
    word = 0
    at = 0
    for q in range(hung.shape[1]):
        if at == a_word:
            word += 1
            at = 0
        c = np.int64((states[row, word] >> np.uint64(at * bits)) & mask)
        at += 1
        h = hung[level, q]
        if n + 2 > _MOST:
            return True
        if c:
            code[n] = c
            partner[n] = -1
            if c < _PAIR:
                brackets = True
                code[n] = 0
                if c == 1:
                    stack[open_] = n
                    open_ += 1
                else:
                    open_ -= 1
                    partner[n] = stack[open_]
                    partner[stack[open_]] = n
            n += 1
        if h:
            code[n] = h
            partner[n] = -1
            n += 1
    if n + rim[level, 0] > _MOST:
        return True
    for r in range(rim[level, 0]):
        code[n] = rim[level, 1 + r]
        partner[n] = -1
        n += 1

    reach = np.empty(n + 1, np.uint64)
    if not _parse(code, partner, n, floating[level], reach):
        return False
    if not brackets:
        return True
    return _search(work, n, floating[level].copy(), reach)


@njit(cache=True, nogil=True)
def _parse(code, partner, n, floating, reach):  # type: ignore[no-untyped-def]
    """The first test; ``reach[a]`` becomes the set of ``b`` so that [a, b) joins within itself."""
    one = np.uint64(1)
    zero = np.uint64(0)
    reach[n] = one << np.uint64(n)
    for a in range(n - 1, -1, -1):
        c = code[a]
        inner = reach[a + 1]
        found = one << np.uint64(a)
        if floating[c]:  # of its pair; for a bracket (code 0), any
            found |= inner
        left = inner >> np.uint64(a + 1)
        m = a + 1
        while left != zero and m < n:
            if left & one and (
                code[m] == c if c and code[m] else (c != 0 or code[m] != 0 or partner[a] != m)
            ):
                found |= reach[m + 1]
            left >>= one
            m += 1
        reach[a] = found
    return (reach[0] >> np.uint64(n)) & one != zero


@njit(cache=True, nogil=True)
def _search(work, n, floating, reach):  # type: ignore[no-untyped-def]
    """The second test. Rows of ``work``: code, partner, stack, then what is needed to go back."""
    code, partner, stack = work[0], work[1], work[2]
    option, kind, old_a, old_b = work[3], work[4], work[5], work[6]
    one = np.uint64(1)
    codes = floating.shape[0]
    depth = 0
    a = 0
    option[0] = 0
    for _ in range(_STEPS):
        if a == n:
            # the parse sees to it that nothing begun is left over, but the stack may be deeper
            if depth == 0:
                return True
        else:
            c = code[a]
            done = False
            # 0: end the chord begun last; 1: begin one; 2 …: go to a floating terminal
            if option[a] == 0:
                option[a] = 1
                if depth:
                    t = stack[depth - 1]
                    d = code[t]
                    if c and d:
                        if c == d:
                            kind[a] = -1
                            done = True
                    elif c or d:
                        # the loose end on the other side now belongs to that pair
                        u = a if d else t
                        y = partner[u]
                        kind[a] = y
                        code[y] = c if c else d
                        old_a[a] = u
                        done = True
                    elif partner[t] != a:
                        x, y = partner[t], partner[a]
                        partner[x], partner[y] = y, x
                        kind[a] = -2
                        done = True
                    if done:
                        depth -= 1
                        old_b[a] = t
            if not done and option[a] == 1:
                option[a] = 2
                left = reach[a + 1] >> np.uint64(a + 1)
                m = a + 1
                while left and m < n:
                    if left & one:
                        d = code[m]
                        if (c == d) if c and d else (c or d or partner[a] != m):
                            done = True
                            break
                    left >>= one
                    m += 1
                if done:
                    stack[depth] = a
                    depth += 1
                    kind[a] = -3
            if not done:
                k = c if c else max(option[a], _PAIR)
                if c and option[a] != 2:
                    k = codes
                while k < codes:
                    if floating[k]:
                        done = True
                        break
                    if c:
                        break
                    k += 1
                option[a] = k + 1
                if done:
                    floating[k] -= 1
                    kind[a] = -4
                    old_b[a] = k
                    if c == 0:
                        code[partner[a]] = k
            if done:
                a += 1
                option[a] = 0
                continue
        # back
        a -= 1
        if a < 0:
            return False
        what = kind[a]
        if what == -3:
            depth -= 1
        elif what == -4:
            floating[old_b[a]] += 1
            if code[a] == 0:
                code[partner[a]] = 0
        else:
            t = old_b[a]
            stack[depth] = t
            depth += 1
            if what >= 0:
                code[what] = 0
            elif what == -2:
                x, y = partner[t], partner[a]
                # their partners are each other now; t and a still know the old ones
                partner[x], partner[y] = t, a
    return True
