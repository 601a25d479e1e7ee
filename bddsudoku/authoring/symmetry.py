"""Which cells go together when a puzzle's pattern is to be symmetric."""

from __future__ import annotations

from collections.abc import Callable

from bddsudoku.errors import BddSudokuError

__all__ = ["SYMMETRIES", "orbits"]

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
    "horizontal": ("mirror",),
    "vertical": ("flip",),
    "diagonal": ("diagonal",),
    "antidiagonal": ("antidiagonal",),
    "mirrors": ("mirror", "flip"),
    "diagonals": ("diagonal", "antidiagonal"),
    "full": ("quarter", "diagonal"),
}
"""Classes of patterns by name, each with the moves that make the rest of them: ``horizontal`` looks
the same when left and right are exchanged, ``vertical`` when top and bottom are, ``mirrors`` both
ways, ``diagonals`` in both diagonals, ``full`` has all eight symmetries of the square."""


def orbits(n: int, name: str) -> list[list[int]]:
    """The cells of a board of side n, parted into those that look alike; cells ascending.

    Raises:
        BddSudokuError: there is no such symmetry.
    """
    if name not in SYMMETRIES:
        raise BddSudokuError(f"no symmetry is called {name!r}; there are {', '.join(SYMMETRIES)}")
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
