"""How a saved set is recognised; apart from the rest, because every command line asks."""

from __future__ import annotations

__all__ = ["MAGIC"]

MAGIC = b"\x89BSS\r\n\x1a\n"
"""The first bytes of a saved set: not text, and spoilt by any change of line ends."""
