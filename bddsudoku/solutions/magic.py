"""How a saved set is recognised; apart from the rest, because every command line asks."""

from __future__ import annotations

from pathlib import Path

__all__ = ["MAGIC", "is_saved_set"]

MAGIC = b"\x89BSS\r\n\x1a\n"
"""The first bytes of a saved set: not text, and spoilt by any change of line ends."""


def is_saved_set(path: str | Path) -> bool:
    """Whether a file begins like a saved set. False for anything that cannot be read."""
    try:
        with Path(path).open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False
