"""What a picture needs before the work for it starts: a known ending, and matplotlib."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from bddsudoku.errors import BackendUnavailable, PuzzleFormatError

ENDINGS = (".png", ".svg", ".pdf")
MISSING = "pictures need matplotlib: pip install 'bddsudoku[plot]'"


def require_matplotlib() -> None:
    """Cheap: nothing is imported.

    Raises:
        BackendUnavailable: matplotlib is not installed.
    """
    try:
        found = find_spec("matplotlib")
    except ValueError:  # hidden by a None in sys.modules
        found = None
    if found is None:
        raise BackendUnavailable(MISSING)


def require_picture(path: str | Path) -> str:
    """The ending of a picture's file name, in lower case.

    Raises:
        PuzzleFormatError: it is not one of :data:`ENDINGS`.
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise PuzzleFormatError(f"expected a picture ending in .png, .svg or .pdf, found {path}")
    return ending
