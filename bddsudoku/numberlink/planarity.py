"""Test whether the path ends on a frontier can still be joined without crossings.

The undecided cells are a disc. On its rim lie, in a circle, the mates of the frontier (left to
right) and the terminals at the rim of the board or directly below the frontier; the other terminals
*float* inside. Paths below the frontier are disjoint, so they join points of the circle
in a non-crossing way (or end at a floating terminal, which crosses nothing). Together with the
brackets above (pairs of mates that are ends of one path already) they must make up exactly the
wanted paths: no loop, no end left over, both ends of a path of the same pair. How many paths fit
between two cells is ignored: only topology excludes states here.

There are two tests, each exact for its relaxation:

* *parse*: brackets are jokers that match anything but their own partner. Intervals of the circle
  that can be joined within themselves are found as bit sets, from right to left.
* *search*: brackets keep their partners. A depth-first search scans the circle with a stack of
  chords begun; through every chord it updates the pair that a path end belongs to.

Only joining two path ends, reaching a terminal, or passing above a floating terminal can change the
answer from "yes" to "no": extending or beginning a path leaves the circle as it was, up to a
bracket pair next to which some chord passes. So few states are tested.

Results of :func:`can_join_path_ends` are cached: the test depends on the order of a state's path
ends, not on their distances, so many states of a level have the same circle. The cache has a fixed
size (a newer result replaces an older one with the same hash) and is exact, for it compares the
whole circle and the level.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import I64, lowest_bit_index

_MAX_MATES = 62
"""Largest number of points on the circle; states with more pass untested."""
_MAX_FLOATING = 5
"""Largest number of floating terminals with which states are tested: a path end may go to any of
them, so that with more the test excludes little and searches long (measured from 3 to 6: with 5
NL_Q07 has a sixth fewer states than with 3, in the same time)."""
_MAX_STEPS = 4000
"""Number of steps after which the search gives up, and the state passes."""
PAIR = 3
"""Least code of a pair; 0 is no path end, 1 and 2 are the two brackets."""

# offsets in the workspace: sets, then numbers by point, then by code
_REACH, _MASKS, _CODE, _PARTNER, _STACK, _OPTION, _KIND, _OLD_A, _OLD_B, _FLOATING = (
    0, 64, 320, 384, 448, 512, 576, 640, 704, 768,
)  # fmt: skip
CODES = 256
"""Upper bound of the codes of pairs, itself excluded."""
SCRATCH = 1024
"""64-bit words of workspace of :func:`can_join_path_ends`."""


class PlanarityTables(NamedTuple):
    """Tables of the planarity test by level, that is, by the next cell to decide.

    Attributes:
        is_tested: int64 (levels,); 0: the test is not worth its time
            (:data:`_MAX_FLOATING`); 1: the test is needed after path ends were joined; 2: at
            every state of the level.
        hung: int64 (levels, width + 1); code of the terminal directly below the frontier right
            after a mate, 0 if there is none.
        rim: int64 (levels, 1 + any); how many terminals stand at the rim, and their codes,
            clockwise from the right end of the frontier.
        floating: int64 (levels, codes); floating terminals of every pair; of all in column 0.
    """

    is_tested: I64
    hung: I64
    rim: I64
    floating: I64


def make_planarity_tables(terminal: I64, code_by_pair: I64) -> PlanarityTables:
    """Make the tables of the planarity test for a board.

    Args:
        terminal: shape (rows, columns); 3 + pair in the cells of terminals, else 0.
        code_by_pair: int64 (levels, 3 + pairs); see :class:`.path_steps.PairCodes`.
    """
    rows, columns = terminal.shape
    levels = rows * columns
    flat = terminal.reshape(-1)
    clockwise = [
        *((r, columns - 1) for r in range(rows)),
        *((rows - 1, c) for c in range(columns - 2, -1, -1)),
        *((r, 0) for r in range(rows - 2, -1, -1)),
    ]
    around = [r * columns + c for r, c in dict.fromkeys(clockwise) if terminal[r, c]]
    hung = np.zeros((levels, columns + 1), np.int64)
    floating = np.zeros((levels, int(code_by_pair.max()) + 1), np.int64)
    for cell in set(np.flatnonzero(flat).tolist()).difference(around):
        pair, column = int(flat[cell]), cell % columns
        # directly below the frontier from one row above on, after the plug that enters from above
        near = np.arange(max(0, cell - columns + 1), cell + 1)
        hung[near, column + (column >= near % columns)] = code_by_pair[near, pair]
        before = np.arange(near[0])
        floating[before, 0] += 1
        floating[before, code_by_pair[before, pair]] += 1
    rim = np.zeros((levels, 1 + len(around)), np.int64)
    begin = 0
    for last in sorted(around):
        left = [int(flat[cell]) for cell in around if cell >= last]
        rim[begin : last + 1, 0] = len(left)
        rim[begin : last + 1, 1 : 1 + len(left)] = code_by_pair[begin : last + 1, left]
        begin = last + 1
    # a terminal below the cell just decided is now directly below the frontier
    fresh = np.zeros(levels, bool)
    fresh[1 : levels - columns + 1] = flat[columns:] > 0
    asked = np.where(floating[:, 0] > _MAX_FLOATING, 0, np.where(fresh, 2, 1))
    asked[0] = 0
    return PlanarityTables(asked, hung, rim, floating)


@subroutine
def can_join_path_ends(tables, states, row, level, bits, scratch):  # type: ignore[no-untyped-def]
    """Whether a state's path ends can be joined without crossings; True if undecided.

    Args:
        tables: of the board, a :class:`PlanarityTables`.
        states: uint64, shape (any, words).
        row: the state.
        level: its level.
        bits: bits of a mate.
        scratch: uint64 (:data:`SCRATCH`,); workspace.
    """
    one = np.uint64(1)
    zero = np.uint64(0)
    work = scratch.view(np.int64)
    mask = (one << np.uint64(bits)) - one
    a_word = 64 // bits
    codes = tables.floating.shape[1]
    for c in range(codes):
        scratch[_MASKS + c] = zero
    n = np.int64(0)
    open_ = 0
    word = 0
    at = 0
    for q in range(tables.hung.shape[1]):
        if at == a_word:
            word += 1
            at = 0
        value = np.int64((states[row, word] >> np.uint64(at * bits)) & mask)
        at += 1
        h = tables.hung[level, q]
        if n + 2 > _MAX_MATES:
            return True
        if value:
            code = value if value >= PAIR else 0
            if code == 0:
                if value == 1:
                    work[_STACK + open_] = n
                    open_ += 1
                else:
                    open_ -= 1
                    other = work[_STACK + open_]
                    work[_PARTNER + n] = other
                    work[_PARTNER + other] = n
            work[_CODE + n] = code
            scratch[_MASKS + code] |= one << np.uint64(n)
            n += 1
        if h:
            work[_CODE + n] = h
            scratch[_MASKS + h] |= one << np.uint64(n)
            n += 1
    if n + tables.rim[level, 0] > _MAX_MATES:
        return True
    for r in range(1, tables.rim[level, 0] + 1):
        h = tables.rim[level, r]
        work[_CODE + n] = h
        scratch[_MASKS + h] |= one << np.uint64(n)
        n += 1

    # the parse, from right to left: REACH + a is the set of b so that [a, b) joins within itself
    brackets = scratch[_MASKS]
    everything = (one << np.uint64(n)) - one
    scratch[_REACH + n] = one << np.uint64(n)
    for a in range(n - 1, -1, -1):
        c = work[_CODE + a]
        point_bit = one << np.uint64(a)
        inner = scratch[_REACH + a + 1]
        found = point_bit
        if tables.floating[level, c]:  # of its pair; for a bracket (code 0), any
            found |= inner
        if c:
            fits = brackets | scratch[_MASKS + c]
        else:
            fits = everything & ~(one << np.uint64(work[_PARTNER + a]))
        left = inner & fits & ~(point_bit | (point_bit - one))
        while left != zero:
            found |= scratch[_REACH + np.int64(lowest_bit_index(left)) + 1]
            left &= left - one
        scratch[_REACH + a] = found
    if (scratch[_REACH] >> np.uint64(n)) & one == zero:
        return False
    if brackets == zero:
        return True
    for c in range(codes):
        work[_FLOATING + c] = tables.floating[level, c]
    return _has_noncrossing_matching(work, scratch, n, codes)


@subroutine
def _can_close_chords(work, scratch, point_count, open_count, first_point):  # type: ignore[no-untyped-def]
    """Whether the points that are left may suffice to end all open chords; False is certain."""
    one = np.uint64(1)
    zero = np.uint64(0)
    found = scratch[_REACH + first_point]
    while open_count:
        open_count -= 1
        t = work[_STACK + open_count]
        c = work[_CODE + t]
        if c:
            fits = scratch[_MASKS] | scratch[_MASKS + c]
        else:
            fits = ((one << np.uint64(point_count)) - one) & ~(one << np.uint64(work[_PARTNER + t]))
        left = found & fits
        found = zero
        while left != zero:
            found |= scratch[_REACH + np.int64(lowest_bit_index(left)) + 1]
            left &= left - one
        if found == zero:
            return False
    return found >> np.uint64(point_count) & one != zero


@subroutine
def _has_noncrossing_matching(work, scratch, n, codes):  # type: ignore[no-untyped-def]
    """Whether the circle's points have a non-crossing matching, by search; True if undecided.

    The rows OPTION, KIND, OLD_A and OLD_B of the workspace allow backtracking.
    """
    one = np.uint64(1)
    zero = np.uint64(0)
    depth = np.int64(0)
    a = np.int64(0)
    work[_OPTION] = -1
    for _ in range(_MAX_STEPS):
        if a == n:
            # the parse excludes chords that are never ended, but the stack may be deeper
            if depth == 0:
                return True
        elif work[_OPTION + a] != -1 or _can_close_chords(work, scratch, n, depth, a):
            c = work[_CODE + a]
            done = False
            # a pair's end tries its floating terminal (-1), to end the chord begun last (0), to
            # begin one (1); a bracket the same, but floating terminals last (2 …: those of pair k)
            if work[_OPTION + a] == -1:
                work[_OPTION + a] = 0
                if c and work[_FLOATING + c]:
                    work[_FLOATING + c] -= 1
                    work[_KIND + a] = -4
                    work[_OLD_B + a] = c
                    done = True
            if not done and work[_OPTION + a] == 0:
                work[_OPTION + a] = 1
                if depth:
                    t = work[_STACK + depth - 1]
                    d = work[_CODE + t]
                    if c and d:
                        if c == d:
                            work[_KIND + a] = -1
                            done = True
                    elif c or d:
                        # the path end on the other side now belongs to that pair
                        u = a if d else t
                        y = work[_PARTNER + u]
                        work[_KIND + a] = y
                        work[_CODE + y] = c if c else d
                        work[_OLD_A + a] = u
                        done = True
                    elif work[_PARTNER + t] != a:
                        x, y = work[_PARTNER + t], work[_PARTNER + a]
                        work[_PARTNER + x], work[_PARTNER + y] = y, x
                        work[_KIND + a] = -2
                        done = True
                    if done:
                        depth -= 1
                        work[_OLD_B + a] = t
            if not done and work[_OPTION + a] == 1:
                work[_OPTION + a] = 2
                left = scratch[_REACH + a + 1] & ~((one << np.uint64(a + 1)) - one)
                left &= (one << np.uint64(n)) - one
                while left != zero:
                    m = np.int64(lowest_bit_index(left))
                    left &= left - one
                    d = work[_CODE + m]
                    if (c == d) if c and d else (c or d or work[_PARTNER + a] != m):
                        done = True
                        break
                if done:
                    work[_STACK + depth] = a
                    depth += 1
                    work[_KIND + a] = -3
            if not done and c == 0:
                k = max(work[_OPTION + a], PAIR)
                while k < codes and work[_FLOATING + k] == 0:
                    k += 1
                work[_OPTION + a] = k + 1
                if k < codes:
                    work[_FLOATING + k] -= 1
                    work[_KIND + a] = -4
                    work[_OLD_B + a] = k
                    work[_CODE + work[_PARTNER + a]] = k
                    done = True
            if done:
                a += 1
                work[_OPTION + a] = -1
                continue
        # backtrack
        a -= 1
        if a < 0:
            return False
        what = work[_KIND + a]
        if what == -3:
            depth -= 1
        elif what == -4:
            work[_FLOATING + work[_OLD_B + a]] += 1
            if work[_CODE + a] == 0:
                work[_CODE + work[_PARTNER + a]] = 0
        else:
            t = work[_OLD_B + a]
            work[_STACK + depth] = t
            depth += 1
            if what >= 0:
                work[_CODE + what] = 0
            elif what == -2:
                x, y = work[_PARTNER + t], work[_PARTNER + a]
                # their partners are each other now; t and a still know the old ones
                work[_PARTNER + x], work[_PARTNER + y] = t, a
    return True


_BITS = 12
WORK = SCRATCH + (3 << _BITS)
"""64-bit words of workspace of :func:`can_join_path_ends_cached`; zero at first, and then for one
board only. A cached result takes three: the circle in two, then 2 * (level + 1) + 1 if joinable."""

_M1 = np.uint64(0x9E3779B97F4A7C15)
_M2 = np.uint64(0xC2B2AE3D27D4EB4F)


@subroutine
def can_join_path_ends_cached(tables, states, row, level, bits, scratch):  # type: ignore[no-untyped-def]
    """The result of :func:`can_join_path_ends`, looked up in a cache or computed and stored.

    No mate has all its bits set; ``scratch`` has :data:`WORK` words.
    """
    mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    a_word = 64 // bits
    low = np.uint64(0)
    high = np.uint64(0)
    n = 0
    word = 0
    at = 0
    for q in range(tables.hung.shape[1]):
        if at == a_word:
            word += 1
            at = 0
        value = (states[row, word] >> np.uint64(at * bits)) & mask
        at += 1
        for _ in range(2):
            if value:
                if n < a_word:
                    low |= value << np.uint64(n * bits)
                elif n < 2 * a_word:
                    high |= value << np.uint64((n - a_word) * bits)
                n += 1
            # the terminal after a mate is the same in all states of the level: a mark suffices
            value = mask if tables.hung[level, q] else np.uint64(0)
    if n > 2 * a_word:
        return can_join_path_ends(tables, states, row, level, bits, scratch)
    h = (low * _M1) ^ (high * _M2)
    place = SCRATCH + 3 * np.int64((h ^ (h >> np.uint64(29))) >> np.uint64(64 - _BITS))
    tag = np.uint64(2 * (level + 1))
    known = scratch[place + 2]
    if known & ~np.uint64(1) == tag and scratch[place] == low and scratch[place + 1] == high:
        return known != tag
    verdict = can_join_path_ends(tables, states, row, level, bits, scratch)
    scratch[place] = low
    scratch[place + 1] = high
    scratch[place + 2] = tag + np.uint64(verdict)
    return verdict
