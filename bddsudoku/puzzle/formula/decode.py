"""Keys of variables to values by name and back, for sets of solutions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from bddsudoku.errors import PuzzleFormatError


class FormulaDecoder:
    """What a set of solutions needs to speak of names: a solution is a dictionary of values.

    Boolean variables are 0 or 1, integer variables their number; both stand in the order of their
    declaration. Under a projection only what is counted is there.

    Args:
        names: of the Boolean variables; the key is the position.
        integers: for every integer variable its name, its values and the position of its first
            Boolean.
        counted: positions of the variables that solutions speak of; None for all.
    """

    kind = "formula"

    def __init__(
        self,
        names: Sequence[str],
        integers: Iterable[tuple[str, Sequence[int], int]] = (),
        counted: Iterable[int] | None = None,
    ) -> None:
        self.names = tuple(names)
        self.integers = tuple((name, tuple(values), first) for name, values, first in integers)
        self.counted = None if counted is None else tuple(sorted(counted))
        self._number = {first: i for i, (_, _, first) in enumerate(self.integers)}
        self._key: dict[str, int] = {name: k for k, name in enumerate(self.names)}

    @property
    def space(self) -> Hashable:
        """Solutions over equal variables can be compared and combined."""
        return (self.kind, self.names, self.integers, self.counted)

    def decode(self, keys: Sequence[int]) -> dict[str, int]:
        """The values when exactly these variables are true."""
        true = {int(k) for k in keys}
        here = range(len(self.names)) if self.counted is None else self.counted
        found: dict[str, int] = {}
        within = -1
        for key in here:
            if key in self._number:
                name, values, first = self.integers[self._number[key]]
                within = first + len(values)
                chosen = [v for i, v in enumerate(values, first) if i in true]
                if len(chosen) == 1:
                    found[name] = chosen[0]
                    continue
                within = -1
            if key >= within:
                found[self.names[key]] = int(key in true)
        return found

    def encode(self, solution: Mapping[str, int] | Iterable[str]) -> Iterable[int]:
        """Keys of the variables that are true, from values by name or the names of what is true.

        Raises:
            PuzzleFormatError: a name is no variable, or a value is not in its domain.
        """
        given = solution if isinstance(solution, Mapping) else dict.fromkeys(solution, 1)
        domains = {name: (values, first) for name, values, first in self.integers}
        keys = []
        for name, value in given.items():
            if name in domains:
                values, first = domains[name]
                if value not in values:
                    raise PuzzleFormatError(f"expected a value of {name}, found {value!r}")
                keys.append(first + values.index(value))
            elif name not in self._key:
                raise PuzzleFormatError(f"expected the name of a variable, found {name!r}")
            elif value not in (0, 1):
                raise PuzzleFormatError(f"expected 0 or 1 for {name}, found {value!r}")
            elif value:
                keys.append(self._key[name])
        return sorted(keys)

    def merged(self, other: FormulaDecoder, both: bool) -> FormulaDecoder:
        """The same variables."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """The variables as JSON values."""
        return {
            "kind": self.kind,
            "names": list(self.names),
            "integers": [[name, list(values), first] for name, values, first in self.integers],
            "counted": None if self.counted is None else list(self.counted),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> FormulaDecoder:
        """The decoder that :meth:`to_dict` described.

        Raises:
            PuzzleFormatError: the data are of something else.
        """
        try:
            return cls(data["names"], map(tuple, data["integers"]), data["counted"])
        except (KeyError, TypeError, ValueError) as error:
            raise PuzzleFormatError(f"expected a formula's variables, found {error!r}") from error
