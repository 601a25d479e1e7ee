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

from bddsudoku.engine.frontier.spec import Stamp, stamp

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
        stamp: see :func:`bddsudoku.engine.frontier.spec.stamp`.
        active: 0 turns the test off.
        always: uint8 (levels,); the test is needed at every state of the level.
        hung: int64 (levels, width + 1); code of the terminal that hangs below the frontier right
            after a plug, 0 if there is none.
        rim_start: int64 (levels + 1,); where a level's terminals at the rim begin.
        rim: int64; their codes, clockwise from the right end of the frontier.
        floating: int64 (levels, codes); floating terminals of every pair.
        afloat: uint8 (levels,); whether there are any.
    """

    stamp: Stamp
    active: int
    always: NDArray[np.uint8]
    hung: NDArray[np.int64]
    rim_start: NDArray[np.int64]
    rim: NDArray[np.int64]
    floating: NDArray[np.int64]
    afloat: NDArray[np.uint8]


def planarity(terminal: NDArray[np.int64], *, active: bool = True) -> Planarity:
    """The tables for a board.

    Args:
        terminal: shape (rows, columns); code of the terminal in a cell (3 + pair), else 0.
        active: whether to test at all.
    """
    rows, columns = terminal.shape
    levels = rows * columns if active else 0
    codes = int(terminal.max()) + 1
    always = np.zeros(max(levels, 1), np.uint8)
    hung = np.zeros((max(levels, 1), columns + 1), np.int64)
    floating = np.zeros((max(levels, 1), codes), np.int64)
    rim_start = np.zeros(max(levels, 1) + 1, np.int64)
    rim: list[int] = []
    clockwise = [
        *((r, columns - 1) for r in range(rows)),
        *((rows - 1, c) for c in range(columns - 2, -1, -1)),
        *((r, 0) for r in range(rows - 2, -1, -1)),
    ]
    for level in range(levels):
        i, j = divmod(level, columns)
        at_rim: set[tuple[int, int]] = set()
        for r, c in clockwise:
            if r * columns + c >= level and terminal[r, c] and (r, c) not in at_rim:
                at_rim.add((r, c))
                rim.append(int(terminal[r, c]))
        rim_start[level + 1] = len(rim)
        for c in range(columns):
            r = i if c >= j else i + 1
            if r < rows and terminal[r, c] and (r, c) not in at_rim:
                at_rim.add((r, c))
                # after the plug that enters the terminal's cell from above
                hung[level, c + 1 if c >= j else c] = terminal[r, c]
        for r, c in np.argwhere(terminal).tolist():
            if r * columns + c >= level and (r, c) not in at_rim:
                floating[level, terminal[r, c]] += 1
        # the cell above a terminal has just been decided: it hangs from the frontier now
        if level and (level - 1) // columns + 1 < rows:
            always[level] = terminal[(level - 1) // columns + 1, (level - 1) % columns] > 0
    return Planarity(
        stamp(__file__),
        int(active),
        always,
        hung,
        rim_start,
        np.array(rim, np.int64).reshape(-1),
        floating,
        np.asarray(floating.any(axis=1), np.uint8),
    )


@njit(cache=True, nogil=True)
def joinable(params, states, row, level):  # type: ignore[no-untyped-def]
    """Whether the state of a level passes both tests.

    Args:
        params: a spec's parameters with the fields ``planar``, ``width``, ``word``, ``shift`` and
            ``mask`` (see :class:`bddsudoku.engine.specs.numberlink.PathParams`).
        states: uint64, shape (any, words).
        row: the state.
        level: its level.
    """
    planar = params.planar
    if not planar.active:
        return True
    # work[0]: code of a point, work[1]: its partner, the other end of the path that it belongs to
    work = np.empty((7, 64), np.int64)
    code, partner, stack = work[0], work[1], work[2]
    n = 0
    open_ = 0
    for q in range(params.width + 1):
        c = np.int64((states[row, params.word[q]] >> params.shift[q]) & params.mask)
        h = planar.hung[level, q]
        if n + 2 > _MOST:
            return True
        if c:
            code[n] = c
            partner[n] = -1
            if c == 1:
                stack[open_] = n
                open_ += 1
            elif c == 2:
                open_ -= 1
                partner[n] = stack[open_]
                partner[stack[open_]] = n
            n += 1
        if h:
            code[n] = h
            partner[n] = -1
            n += 1
    if n + planar.rim_start[level + 1] - planar.rim_start[level] > _MOST:
        return True
    brackets = False
    for r in range(planar.rim_start[level], planar.rim_start[level + 1]):
        code[n] = planar.rim[r]
        partner[n] = -1
        n += 1
    for p in range(n):
        if code[p] < _PAIR:
            code[p] = 0
            brackets = True

    reach = np.empty(n + 1, np.uint64)
    if not _parse(code, partner, n, planar.floating[level], planar.afloat[level], reach):
        return False
    if not brackets:
        return True
    return _search(work, n, planar.floating[level].copy(), reach)


@njit(cache=True, nogil=True)
def _parse(code, partner, n, floating, afloat, reach):  # type: ignore[no-untyped-def]
    """The first test; ``reach[a]`` becomes the set of ``b`` so that [a, b) joins within itself."""
    one = np.uint64(1)
    zero = np.uint64(0)
    reach[n] = one << np.uint64(n)
    for a in range(n - 1, -1, -1):
        c = code[a]
        inner = reach[a + 1]
        found = one << np.uint64(a)
        if (c and floating[c]) or (c == 0 and afloat):
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
