"""Numbers of options to covers and back, for sets of covers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.exact_cover.problem import ExactCover

__all__ = ["CoverDecoder"]


class CoverDecoder:
    """What a set of covers needs to speak of options: a cover is the tuple of their labels.

    Args:
        problem: the problem solved.
    """

    kind = "exact-cover"

    def __init__(self, problem: ExactCover) -> None:
        self.problem = problem
        self._number = {label: o for o, label in enumerate(problem.labels)}

    @property
    def space(self) -> Hashable:
        """Covers of equal problems can be compared and combined."""
        return (self.kind, self.problem)

    def decode(self, keys: Sequence[int]) -> tuple[str, ...]:
        """The labels of these options, in the problem's order."""
        return tuple(self.problem.labels[int(k)] for k in keys)

    def encode(self, solution: Iterable[str | int]) -> Iterable[int]:
        """Options by label or number.

        Raises:
            PuzzleFormatError: one of them is no option.
        """
        numbers = []
        for option in solution:
            number = self._number.get(option) if isinstance(option, str) else int(option)
            if number is None or not 0 <= number < len(self.problem.options):
                raise PuzzleFormatError(f"expected an option, found {option!r}")
            numbers.append(number)
        return numbers

    def merged(self, other: CoverDecoder, both: bool) -> CoverDecoder:
        """The same problem."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """The problem as JSON values."""
        return {"kind": self.kind, "problem": self.problem.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CoverDecoder:
        """The decoder that :meth:`to_dict` described.

        Raises:
            PuzzleFormatError: the problem is not one.
        """
        return cls(ExactCover.from_dict(data["problem"]))
