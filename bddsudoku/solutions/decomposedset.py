"""The set of all solutions as a decomposable diagram: where an ordered one would be too wide."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bddsudoku.errors import DamagedFileError, ModelError
from bddsudoku.solutions.arrays import U8, AnyArray
from bddsudoku.solutions.counting import from_limbs, to_limbs
from bddsudoku.solutions.decoder import GridDecoder, PlainGridDecoder
from bddsudoku.solutions.decomposed import Decomposed, Totals
from bddsudoku.solutions.files import DecoderFactory, Stored, load, save, sensible
from bddsudoku.solutions.places import symbols_of
from bddsudoku.solutions.walk import draw_ranks
from bddsudoku.solutions.wording import number

__all__ = ["DecomposedSet"]


class DecomposedSet:
    """A set of grids: a decomposable diagram, symbols that all of them share, and a decoder.

    It answers what one pass over its branches answers: count, marginals, samples, numbers of
    solutions, membership, and all of these when more is known (:meth:`given`). It has no set
    algebra: for that compile an ordered diagram. Satisfies
    :class:`bddsudoku.solutions.protocol.SolutionFamily`.

    The order is that of the branches, the first component's fastest; the same problem always gives
    the same one, but it is not lexicographic.

    Args:
        diagram: over keys ``cell * symbols + symbol - 1``.
        decoder: of the puzzle.
        fixed: keys, not among the diagram's, that are true in every solution.
        info: anything about the set worth keeping in its file; JSON values.
        allowed: bool, one for each of the diagram's variables: those that may be true; None: all.

    Raises:
        ModelError: a fixed key is also a variable of the diagram.
    """

    kind: ClassVar[str] = "DecomposedSet"
    """What it is called in files."""

    def __init__(
        self,
        diagram: Decomposed,
        decoder: GridDecoder,
        *,
        fixed: Iterable[int] = (),
        info: Mapping[str, Any] | None = None,
        allowed: NDArray[np.bool_] | None = None,
    ) -> None:
        self.diagram = diagram
        self.decoder: Any = decoder
        self.fixed: tuple[int, ...] = tuple(sorted({int(k) for k in fixed}))
        self.info: dict[str, Any] = dict(info or {})
        levels = len(diagram.labels)
        self._allowed = np.ones(levels, dtype=bool) if allowed is None else allowed
        twice = set(self.fixed).intersection(diagram.labels.tolist())
        if twice:
            raise ModelError(f"key {min(twice)} is fixed and a variable at the same time")

    # -- counting --------------------------------------------------------------------------------

    @cached_property
    def _totals(self) -> Totals:
        return Totals(self.diagram, self._allowed)

    def count(self) -> int:
        """Number of solutions, exact. One linear pass at first, then remembered."""
        return self._totals.total

    def __bool__(self) -> bool:
        return self.count() > 0

    @property
    def space(self) -> Hashable:
        """What the solutions are about."""
        return self.decoder.space  # type: ignore[no-any-return]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns, symbols."""
        return self.decoder.rows, self.decoder.columns, len(self.decoder.symbols)

    @cached_property
    def _marginals(self) -> AnyArray:
        return self._totals.marginals()

    def marginals(self) -> AnyArray:
        """In how many solutions symbol s stands in a cell, exact: [row, column, s - 1].

        int64 while the count stays below 2**62, otherwise Python integers (dtype object).
        """
        counts = self._marginals
        out = np.zeros(int(np.prod(self.shape)), dtype=counts.dtype)
        out[self.diagram.labels] = counts
        out[list(self.fixed)] = self.count()
        return out.reshape(self.shape)

    def true_candidates(self) -> NDArray[np.bool_]:
        """Whether symbol s stands in a cell in some solution: [row, column, s - 1]."""
        return np.asarray(self.marginals() != 0, dtype=bool)

    def backbone(self) -> U8:
        """The symbol of cells that are the same in all solutions, else 0: shape (rows, columns).

        All 0 for an empty set.
        """
        always = (self.marginals() == self.count()).astype(bool) & bool(self)
        return np.where(always.any(axis=2), always.argmax(axis=2) + 1, 0).astype(np.uint8)

    # -- single solutions ------------------------------------------------------------------------

    def _keys_of(self, index: int) -> list[int]:
        true = self.diagram.labels[self._totals.unrank(index)].tolist()
        return sorted([*self.fixed, *true])

    def unrank(self, index: int) -> Any:
        """The solution with a number, from 0.

        Raises:
            IndexError: there is no such solution.
        """
        total = self.count()
        if not 0 <= index.__index__() < total:
            raise IndexError(f"no solution has number {number(index)}: there are {number(total)}")
        return self.decoder.decode(self._keys_of(index))

    def _number(self, solution: Any) -> int | None:
        try:
            held = {int(k) for k in self.decoder.encode(solution)}
        except (TypeError, ValueError):
            return None
        level = self._level_of
        rest = held.difference(self.fixed)
        if not held.issuperset(self.fixed) or not rest.issubset(level):
            return None
        return self._totals.rank({level[k] for k in rest})

    @cached_property
    def _level_of(self) -> dict[int, int]:
        return {key: i for i, key in enumerate(self.diagram.labels.tolist())}

    def rank(self, solution: Any) -> int:
        """Number of a solution, from 0, in the set's order.

        Raises:
            ValueError: it is not in the set.
        """
        found = self._number(solution)
        if found is None:
            raise ValueError(f"{solution!r} is not one of the {number(self.count())} solutions")
        return found

    def __contains__(self, solution: object) -> bool:
        return self._number(solution) is not None

    def __iter__(self) -> Iterator[Any]:
        return (self.unrank(i) for i in range(self.count()))

    def batches(self, size: int = 65536, start: int = 0, stop: int | None = None) -> Iterator[U8]:
        """The solutions as rows of symbols, uint8 (≤ size, cells), in order.

        Args:
            size: rows in a batch.
            start: number of the first solution.
            stop: number behind the last one.
        """
        total = self.count()
        stop = total if stop is None else min(stop, total)
        for begin in range(start, stop, size):
            yield self._rows(map(self._keys_of, range(begin, min(begin + size, stop))))

    def _rows(self, solutions: Iterable[list[int]]) -> U8:
        rows, columns, symbols = self.shape
        cell, symbol = np.divmod(np.array(list(solutions), dtype=np.int64), symbols)
        out = np.zeros((len(cell), rows * columns), dtype=np.uint8)
        if len(cell):
            np.put_along_axis(out, cell, (symbol + 1).astype(np.uint8), axis=1)
        return out

    def _drawn(self, n: int, rng: np.random.Generator | int | None) -> list[list[int]]:
        if n < 0:
            raise ValueError(f"expected a number of samples, found {n}")
        total = self.count()
        if n and not total:
            raise ValueError("there is nothing to draw from an empty set")
        if n == 0:
            return []
        limbs = to_limbs([total], -(-total.bit_length() // 64)).shape[1]
        ranks = draw_ranks(total, limbs, n, np.random.default_rng(rng))
        return [self._keys_of(from_limbs(rank)) for rank in ranks]

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> U8:
        """Independent solutions, each exactly as likely as any other: uint8, shape (n, cells)."""
        return self._rows(self._drawn(n, rng))

    # -- smaller sets ----------------------------------------------------------------------------

    def given(self, hints: Any) -> Self:
        """The solutions that agree with more hints.

        Args:
            hints: as for :meth:`bddsudoku.solutions.gridset.GridSet.given`.

        Raises:
            ValueError: a cell or symbol that does not exist.

        Cost: none; the diagram is shared, and what is asked passes over the branches that are out.
        """
        symbols = self.shape[2]
        wanted = symbols_of(hints, self.shape)
        masks = getattr(hints, "candidates", None)

        def fits(key: int) -> bool:
            cell, symbol = divmod(key, symbols)
            return wanted.get(cell, symbol + 1) == symbol + 1 and (
                masks is None or bool(masks[cell] >> symbol & 1)
            )

        allowed = self._allowed & np.fromiter(map(fits, self.diagram.labels.tolist()), bool)
        diagram = self.diagram
        if not all(map(fits, self.fixed)):
            diagram, allowed = Decomposed.empty(), np.zeros(0, dtype=bool)
        return type(self)(
            diagram,
            self.decoder.narrowed(wanted, masks),
            fixed=self.fixed,
            info=self.info,
            allowed=allowed,
        )

    # -- files and display -----------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the set to a file (:mod:`bddsudoku.solutions.files`: the format)."""
        info = self.info
        barred = self.diagram.labels[~self._allowed].tolist()
        if barred:
            info = {**info, "barred": barred}
        described = self.decoder.to_dict()
        save(Stored(self.kind, self.diagram, self.fixed, self.count(), described, info), path)

    @classmethod
    def load(
        cls,
        path: str | Path,
        decoders: Mapping[str, DecoderFactory] | None = None,
        *,
        verify: bool = True,
    ) -> Self:
        """A set of this kind from a file, memory-mapped; see :func:`.saved.load`.

        Raises:
            DamagedFileError: the file is damaged, or holds a set of another kind.
        """
        return cls.restored(load(path, verify=verify), decoders)

    @classmethod
    def restored(cls, stored: Stored, decoders: Mapping[str, DecoderFactory] | None = None) -> Self:
        """The set that a file keeps; arguments and errors as for :meth:`load`."""
        diagram = stored.diagram
        if stored.kind != cls.kind or not isinstance(diagram, Decomposed):
            found = f"holds a {stored.kind}, not a {cls.__name__}"
            raise DamagedFileError(f"{stored.source}: {found}")
        with sensible(stored.source):
            made: DecoderFactory = (decoders or {}).get(
                stored.decoder["kind"], PlainGridDecoder.of_any
            )
            info = dict(stored.info)
            allowed = ~np.isin(diagram.labels, np.array(info.pop("barred", []), dtype=np.int64))
            return cls(
                diagram, made(stored.decoder), fixed=stored.fixed, info=info, allowed=allowed
            )

    def __repr__(self) -> str:
        d = self.diagram
        return f"<{type(self).__name__}: {len(d.labels)} variables, {d.size - 1} nodes>"
