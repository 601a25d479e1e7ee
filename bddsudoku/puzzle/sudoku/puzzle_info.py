"""What a puzzle is called, who made it, and its rules in words: beside the puzzle, never read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class PuzzleInfo(NamedTuple):
    """Title, author and rules in words; each "" where there is none.

    In texts these are comments above the board (``# title: Rings``), in f-puzzles' JSON ``title``,
    ``author`` and ``ruleset``.
    """

    title: str = ""
    author: str = ""
    rules: str = ""

    @property
    def comments(self) -> tuple[str, ...]:
        """The comments that say the same, without their ``#``; one for each line of the rules."""
        lines = ((name, line) for name in self._fields for line in getattr(self, name).split("\n"))
        return tuple(f"{name}: {line.strip()}" for name, line in lines if line.strip())

    @classmethod
    def from_comments(cls, comments: Iterable[str]) -> PuzzleInfo:
        """What comments say; of a title or an author the last one counts."""
        found = dict.fromkeys(cls._fields, "")
        for comment in comments:
            name, colon, words = comment.partition(":")
            name, words = name.strip().lower(), words.strip()
            if colon and name in found:
                is_next = name == "rules" and found[name]
                found[name] = f"{found[name]}\n{words}" if is_next else words
        return cls(**found)


NO_INFO = PuzzleInfo()
"""Neither a title nor an author nor rules in words."""
