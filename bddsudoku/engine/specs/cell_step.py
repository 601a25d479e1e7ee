"""What may be drawn at a cell, and what that does to the plugs around it.

All about a cell is packed into one integer, its *entry*: its column; the codes of the terminals in
it, in the cell to the right and in the one below; what is legal; when planarity is asked; what each
of the four choices draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.engine.specs.naming import PAIR, Naming
from bddsudoku.jit import part

if TYPE_CHECKING:
    from numpy.typing import NDArray

OPEN, CLOSE = 1, 2

# bit 4 * (1 if an end comes from the left) + 8 * (1 if from above) + pick: what may be drawn
_LEGAL_FREE = 0b0001_0110_0110_1001
_LEGAL_COVER = 0b0001_0110_0110_1000
_LEGAL_TERMINAL = 0b0000_0001_0001_0110

# where in an entry: the codes (0: none), what is legal, when planarity is asked (0 never, 1 after a
# joint, 2 always), what each of the four choices draws (bit 0 right, bit 1 down)
OWN, RIGHT, BELOW, LEGAL, ASKED, PICK = 8, 16, 24, 32, 48, 50


def entries(
    columns: int,
    names: Naming,
    picks: NDArray[np.int64],
    asked: NDArray[np.int64] | None,
    cover: bool,
) -> NDArray[np.int64]:
    """The entries of all cells.

    Args:
        columns: cells in a row.
        names: codes of the terminals.
        picks: what every choice draws, shape (cells, 4), from :func:`.lattice.blocks`.
        asked: when planarity is asked of a state that stands at a cell; None for never.
        cover: every cell must lie on a path.
    """
    info = np.arange(len(names.own)) % columns
    legal = np.where(names.own > 0, _LEGAL_TERMINAL, _LEGAL_COVER if cover else _LEGAL_FREE)
    for codes, place in (
        (names.own, OWN), (names.right, RIGHT), (names.below, BELOW), (legal, LEGAL)
    ):  # fmt: skip
        info |= codes << place
    if asked is not None:  # of the child, which stands at the next level; the last cell has none
        info[:-1] |= asked[1:] << ASKED
    for choice in range(4):
        info |= picks[:, choice] << (PICK + 2 * choice)
    return info.astype(np.int64)


@part
def draw(info, pick, left, up, above):  # type: ignore[no-untyped-def]
    """What a choice does to the plugs at a cell.

    Args:
        info: the cell's entry in the entries.
        pick: what is drawn, bit 0 to the right, bit 1 down; must be legal by the entry.
        left: the plug entering from the left.
        up: the plug entering from above.
        above: the plug entering the next cell from above.

    Returns:
        Whether it is allowed; the new plug below and the new one to the right; whose other end gets
        another code (0: none, 1: left's, 2: up's) and that code; whether loose ends were joined.
    """
    kind = (1 if left else 0) + (2 if up else 0)
    own = (info >> OWN) & 255
    end = left if left else up
    seek = 0
    code = 0
    joined = kind == 3 or (own != 0 and kind != 0)
    if kind == 3:
        if left >= PAIR and up >= PAIR:
            if left != up:
                return False, 0, 0, 0, 0, False
        elif left >= PAIR:
            seek, code = 2, left
        elif up >= PAIR:
            seek, code = 1, up
        elif left == OPEN and up == OPEN:
            seek, code = 2, OPEN
        elif left == CLOSE and up == CLOSE:
            seek, code = 1, CLOSE
        elif left == OPEN:
            return False, 0, 0, 0, 0, False  # its own other end: a loop
    elif joined:
        if end < PAIR:
            seek, code = kind, own
        elif end != own:
            return False, 0, 0, 0, 0, False
    to_below = 0
    to_right = 0
    if pick == 3:
        to_below, to_right = OPEN, CLOSE
    elif pick == 1:
        to_right = own if own else end
    elif pick == 2:
        to_below = own if own else end
    if to_right:
        there = (info >> RIGHT) & 255
        if there:
            if above or (to_right >= PAIR and to_right != there):
                return False, 0, 0, 0, 0, False
        elif above >= PAIR:
            if to_right >= PAIR and to_right != above:
                return False, 0, 0, 0, 0, False
        elif above == CLOSE and to_right == OPEN:
            return False, 0, 0, 0, 0, False
    if to_below >= PAIR:
        there = (info >> BELOW) & 255
        if there and there != to_below:
            return False, 0, 0, 0, 0, False
    return True, to_below, to_right, seek, code, joined
