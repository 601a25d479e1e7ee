"""Which cells go together when a puzzle's pattern is to be symmetric."""

from __future__ import annotations

from collections.abc import Callable

from bddsudoku.errors import BddSudokuError

Turn = Callable[[int, int, int], tuple[int, int]]

_MOVES: dict[str, Turn] = {
    "half": lambda n, r, c: (n - 1 - r, n - 1 - c),
    "quarter": lambda n, r, c: (c, n - 1 - r),
    "flip": lambda n, r, c: (n - 1 - r, c),
    "mirror": lambda n, r, c: (r, n - 1 - c),
    "diagonal": lambda n, r, c: (c, r),
    "antidiagonal": lambda n, r, c: (n - 1 - c, n - 1 - r),
}
SYMMETRIES: dict[str, tuple[str, ...]] = {
    "none": (),
    "rotate180": ("half",),
    "rotate90": ("quarter",),
    "left-right": ("mirror",),
    "top-bottom": ("flip",),
    "diagonal": ("diagonal",),
    "antidiagonal": ("antidiagonal",),
    "mirrors": ("mirror", "flip"),
    "diagonals": ("diagonal", "antidiagonal"),
    "full": ("quarter", "diagonal"),
}
"""Classes of patterns by name, each with the moves that make the rest of them: ``left-right`` is
mirrored in the vertical axis (left and right change places), ``top-bottom`` in the horizontal one,
``mirrors`` in both, ``diagonal`` in the line from the top left, ``antidiagonal`` in that from the
top right, ``diagonals`` in both; ``full`` has all eight symmetries of the square."""

_RENAMED = {"horizontal": "left-right", "vertical": "top-bottom"}
"""Names of version 1. Other programs call a mirroring by its axis and mean the opposite by them."""


def require_symmetry(name: str) -> None:
    """Refuse what is not in :data:`SYMMETRIES`.

    Raises:
        BddSudokuError: there is no such symmetry; of a name of version 1, which it is now.
    """
    if name in _RENAMED:
        raise BddSudokuError(
            f"{name!r} means opposite things in different programs: say left-right (mirrored in "
            f"the vertical axis) or top-bottom; here it was {_RENAMED[name]}"
        )
    if name not in SYMMETRIES:
        raise BddSudokuError(f"no symmetry is called {name!r}; there are {', '.join(SYMMETRIES)}")


def orbits(n: int, name: str) -> list[list[int]]:
    """The cells of a board of side n, parted into those that look alike; cells ascending.

    Raises:
        BddSudokuError: there is no such symmetry.
    """
    require_symmetry(name)
    moves = [_MOVES[move] for move in SYMMETRIES[name]]
    found: list[list[int]] = []
    seen: set[int] = set()
    for cell in range(n * n):
        if cell in seen:
            continue
        orbit = [cell]
        for member in orbit:  # grows while it is gone through
            for move in moves:
                row, column = move(n, *divmod(member, n))
                if (image := row * n + column) not in orbit:
                    orbit.append(image)
        seen.update(orbit)
        found.append(sorted(orbit))
    return found
