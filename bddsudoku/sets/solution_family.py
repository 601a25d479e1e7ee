"""Base classes of solution sets: counting, ranking, sampling, slicing and export.

A set implements four operations: the count (:meth:`~SolutionFamily.count`), the marginals
(:meth:`~SolutionFamily.marginals`), rank and unrank, and the subset that agrees with further hints.
The base classes derive everything else from these four: single solutions, slices, samples, files,
the backbone, and pairs of cells that are always equal or always different.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import cached_property
from operator import index
from pathlib import Path
from typing import Any, BinaryIO, Generic, Self, overload

import numpy as np
from numpy.typing import ArrayLike

from bddsudoku.argument_types import check_types
from bddsudoku.context import Progress, ProgressBar, progress_callback
from bddsudoku.diagrams.counting import draw_ranks, from_limbs
from bddsudoku.diagrams.measures import default_variable_name
from bddsudoku.errors import ModelError
from bddsudoku.file_io import open_atomic
from bddsudoku.jit.decorators import U8, AnyArray, Flags
from bddsudoku.model.constraints import Constraint
from bddsudoku.notebook_html import Facts, facts_html
from bddsudoku.number_text import format_integer, short_repr
from bddsudoku.sets.decoder import S_co
from bddsudoku.sets.solution_writer import (
    SolutionWriter,
    arrow_reader,
    form_of_file,
)

_BATCH_ROWS = 4096


def _index(number: Any) -> int:
    """A whole number of any type."""
    try:
        return index(number)
    except TypeError:
        raise TypeError(f"expected a whole number, found {short_repr(number)}") from None


class SolutionFamily(ABC, Generic[S_co]):
    """A set of solutions that is read like a sequence, in an order that the set defines.

    Solutions are objects of the puzzle or *rows* of bytes. There is no ``len()``, because Python's
    overflows past 2**63: use :meth:`count`.

    Attributes:
        decoder: turns rows into the puzzle's objects (:mod:`bddsudoku.sets.decoder`).
    """

    decoder: Any  # each kind of set knows its own decoder class

    @abstractmethod
    def count(self) -> int:
        """Number of solutions, exact."""

    @abstractmethod
    def marginals(self) -> AnyArray:
        """For every variable, the exact number of solutions in which the variable is true.

        int64 while the count stays below 2**63, otherwise Python integers (dtype object).
        """

    @abstractmethod
    def _unrank_rows(self, ranks: Sequence[int]) -> U8:
        """The rows of the solutions with given valid ranks, as a uint8 array (n, row width)."""

    @abstractmethod
    def _rank_rows(self, rows: U8) -> Sequence[int | None]:
        """The rank of each of several rows; None for a row that is not in the set."""

    @abstractmethod
    def decode_row(self, row: U8) -> S_co:
        """Decode a row of bytes, such as :meth:`to_numpy` returns, to a solution object."""

    @abstractmethod
    def _encode_row(self, solution: Any) -> ArrayLike:
        """The row of bytes of a solution object; the inverse of :meth:`decode_row`.

        Raises:
            LookupError, TypeError, ValueError: this cannot be a solution.
        """

    @abstractmethod
    def column_names(self) -> list[str]:
        """Names of the columns of a table of the solutions (CSV, Parquet, Arrow)."""

    @abstractmethod
    def format_lines(self, rows: U8) -> bytes:
        """Solutions, given as rows of bytes, as lines of text."""

    def __bool__(self) -> bool:
        return self.count() > 0

    @property
    @abstractmethod
    def _key_by_name(self) -> dict[str, int]:
        """The key of every variable, by its name."""

    @cached_property
    def _name_by_key(self) -> dict[int, str]:
        """The name of every variable, by its key."""
        return {key: name for name, key in self._key_by_name.items()}

    @check_types
    def variable_name(self, key: int) -> str:
        """The name of a variable: as the problem calls it, of a grid ``r1c2=3``, or ``x7``."""
        return self._name_by_key.get(key) or default_variable_name(key)

    def read_key(self, key: Any) -> int:
        """The key that is given as such or as its variable's name.

        Raises:
            ModelError: it is neither.
        """
        if isinstance(key, str) and key in self._key_by_name:
            return self._key_by_name[key]
        try:
            return index(key)
        except TypeError:
            example = next(iter(self._key_by_name), "x1")
            raise ModelError(
                f"expected a key (a whole number) or a name such as {example}, found {key!r}"
            ) from None

    def where(self, constraint: Constraint) -> Self:
        """The subset of the solutions that satisfy one more constraint.

        Arguments as for :meth:`bddsudoku.sets.SolutionSet.where`.

        Raises:
            ModelError: the set is neither a ZDD nor a list: :func:`bddsudoku.compile_set` makes a
                ZDD.
        """
        found = type(self).__name__
        raise ModelError(f"expected a set on a ZDD, as compile_set makes it, found a {found}")

    def true_candidates(self) -> Flags:
        """Which variables are true in some solution, as a bool array like :meth:`marginals`."""
        return np.asarray(self.marginals() != 0, dtype=np.bool_)

    # -- single solutions ------------------------------------------------------------------------

    def _ranks_of_solutions(self, solutions: Iterable[Any]) -> list[int | None]:
        """Ranks of solution objects; None for an object that is not in the set."""
        rows: list[ArrayLike] = []
        found: list[int | None] = []  # each solution's position among the rows
        for solution in solutions:
            try:
                rows.append(self._encode_row(solution))
                found.append(len(rows) - 1)
            except (LookupError, TypeError, ValueError):
                found.append(None)
        ranks = self._rank_rows(np.array(rows, dtype=np.uint8)) if rows else ()
        return [None if at is None else ranks[at] for at in found]

    def __contains__(self, solution: object) -> bool:
        return self._ranks_of_solutions([solution])[0] is not None

    def rank(self, solution: Any) -> int:
        """Rank of a solution: its position, from 0, in the set's order.

        Raises:
            ValueError: the solution is not in the set.

        >>> from bddsudoku import compile_set
        >>> compile_set("1...............", "rows").rank("1432324141232314")
        71
        """
        (found,) = self._ranks_of_solutions([solution])
        if found is None:
            raise ValueError(
                f"{solution!r} is not one of the {format_integer(self.count())} solutions"
            )
        return found

    @check_types
    def unrank_many(self, indices: Iterable[int]) -> U8:
        """Rows of the solutions with given ranks, as in :meth:`to_numpy`.

        Raises:
            IndexError: a rank is negative, or not below the count.
        """
        total = self.count()
        wanted = [*map(_index, indices)]
        for i in wanted:
            if not 0 <= i < total:
                raise IndexError(
                    f"no solution has number {format_integer(i)}: there are {format_integer(total)}"
                )
        return self._unrank_rows(wanted)

    def unrank(self, index: int) -> S_co:
        """The solution with a given rank, from 0.

        Raises:
            IndexError: the rank is negative, or not below the count.

        >>> from bddsudoku import compile_set
        >>> compile_set("1...............", "rows").unrank(71).line
        '1432324141232314'
        """
        return self.decode_row(self.unrank_many([index])[0])

    @overload
    def __getitem__(self, index: int) -> S_co: ...
    @overload
    def __getitem__(self, index: slice) -> SolutionSlice[S_co]: ...
    def __getitem__(self, index: int | slice) -> S_co | SolutionSlice[S_co]:
        total = self.count()
        if isinstance(index, slice):
            return SolutionSlice(self, range(total)[index])
        i = _index(index)
        return self.unrank(i + total if -total <= i < 0 else i)

    # -- in notebooks ----------------------------------------------------------------------------

    @property
    def _count_if_known(self) -> int | None:
        """The number of solutions; None where it is not known yet and takes long to compute."""
        return self.count()

    def facts(self) -> Facts:
        """Yield (name, value) pairs that describe the set, such as the number of solutions."""
        known = self._count_if_known
        yield "solutions", "not counted yet" if known is None else known

    def _repr_html_(self) -> str:
        """The facts about the set as a table, for notebooks."""
        return facts_html(type(self).__name__, self.facts())

    # -- many solutions --------------------------------------------------------------------------

    @check_types
    def batches(self, size: int = 65536, start: int = 0, stop: int | None = None) -> Iterator[U8]:
        """Yield the solutions in order, as arrays of at most ``size`` rows.

        Args:
            size: rows in a batch. The array may be used again for the next batch: copy what you
                keep.
            start: rank of the first solution.
            stop: rank behind the last one.
        """
        total = self.count()
        stop = total if stop is None else min(stop, total)
        step = 1  # a caller that needs only one solution does not wait for thousands
        while start < stop:
            end = min(start + min(step, size), stop)
            yield self._unrank_rows(range(start, end))
            start, step = end, 2 * step

    def __iter__(self) -> Iterator[S_co]:
        return iter(self[:])

    def to_numpy(self) -> U8:
        """All solutions in order, as the rows of a uint8 array (count, width of a row).

        Raises:
            MemoryError: there are too many (:meth:`batches` and export stream them).
        """
        return self[:].to_numpy()

    @check_types
    def sample_rows(self, n: int, rng: np.random.Generator | int | None = None) -> U8:
        """The rows of ``n`` random solutions, drawn independently and exactly uniformly.

        Args:
            n: how many, with replacement.
            rng: a generator, a seed, or None for fresh randomness.

        Raises:
            ValueError: the set is empty and ``n`` is not 0, or n is negative.
        """
        if _index(n) < 0:
            raise ValueError(f"expected a number of samples, found {n}")
        if n == 0:
            return self._unrank_rows(())
        if not self.count():
            raise ValueError("there is nothing to draw from an empty set")
        return self._draw_rows(n, np.random.default_rng(rng))

    def _draw_rows(self, n: int, rng: np.random.Generator) -> U8:
        """Rows of ``n`` uniformly drawn solutions of a non-empty set."""
        return self._unrank_rows([from_limbs(rank) for rank in draw_ranks(self.count(), n, rng)])

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> Any:
        """Draw ``n`` solutions independently and exactly uniformly; see :meth:`sample_rows`."""
        return [self.decode_row(row) for row in self.sample_rows(n, rng)]

    # -- files -----------------------------------------------------------------------------------

    @check_types
    def export(
        self,
        target: str | Path | BinaryIO,
        form: str | None = None,
        *,
        limit: int | None = None,
        progress: Progress | ProgressBar | None = None,
    ) -> int:
        """Write the solutions to a file, in the set's order, batch by batch.

        Args:
            target: a path, which appears when it is complete, or a file open for binary writing.
            form: ``line``: one line a grid, its symbols as the puzzle writes them (the keys of the
                true variables, space-separated, for sets that are no grids). ``csv``: a header,
                then one column a cell with the symbol's number (a column a variable with 0 and 1).
                ``npy``: uint8, shape (solutions, cells) or (solutions, variables). ``parquet``: a
                table with the columns of ``csv``, of type uint8; it needs pyarrow. By default the
                form that the path's ending names, or ``csv``.
            limit: write only the first ``limit`` solutions; None writes all.
            progress: called with (done, total) after every batch; or a progress bar of tqdm.

        Returns:
            The number of solutions written.

        Raises:
            ValueError: an unknown form, or a path with the ending of another.
            BackendUnavailable: Parquet without pyarrow.
            OSError: the file cannot be written.
        """
        writer = SolutionWriter(form_of_file(target, form, "csv"))
        total = self.count() if limit is None else min(limit, self.count())
        opened: Any = open_atomic(target) if isinstance(target, str | Path) else nullcontext(target)
        done, report = 0, progress_callback(progress)
        with opened as file:
            file.write(writer.begin(self, total))
            for k, data in writer.batches(self, total):
                file.write(data)
                done += k
                if report is not None:
                    report(done, total)
            file.write(writer.end())
        return done

    @check_types
    def to_arrow(self, start: int = 0, stop: int | None = None) -> Any:
        """The solutions as a stream of Arrow, for DuckDB, Polars, pandas and the like.

        Args:
            start: rank of the first solution.
            stop: rank behind the last one; None for all.

        Returns:
            A ``pyarrow.RecordBatchReader`` with the columns of a CSV file, of type uint8. It
            computes batch by batch as it is read; its ``read_all()`` is a ``pyarrow.Table``.

        Raises:
            BackendUnavailable: pyarrow is not installed.
        """
        return arrow_reader(self.column_names(), self.batches(start=start, stop=stop))


class SolutionSlice(Generic[S_co]):
    """A lazy view of a slice ``solutions[a:b:c]`` of a solution set.

    Attributes:
        solutions: the underlying set.
        ranks: a range; the ranks of the slice's solutions.
    """

    def __init__(self, solutions: SolutionFamily[S_co], ranks: range) -> None:
        self.solutions = solutions
        self.ranks = ranks

    def count(self) -> int:
        """Number of solutions in the slice."""
        r = self.ranks
        return max(0, -((r.start - r.stop) // r.step))

    def __bool__(self) -> bool:
        return bool(self.ranks)

    def batches(self, size: int = 65536) -> Iterator[U8]:
        """Yield the slice's solutions in order as arrays of at most ``size`` rows."""
        r = self.ranks
        if r.step == 1:
            yield from self.solutions.batches(size, r.start, r.stop)
            return
        for at in range(0, self.count(), size):
            yield self.solutions.unrank_many(r[at : at + size])

    def to_numpy(self) -> U8:
        """All solutions of the slice, as the rows of a uint8 array (count, width of a row).

        Raises:
            MemoryError: there are too many.
        """
        shape = (self.count(), self.solutions.unrank_many(()).shape[1])
        if shape[0] * max(1, shape[1]) > 1 << 40:
            raise MemoryError(
                f"{format_integer(shape[0])} solutions do not fit into memory; export streams them"
            )
        out, done = np.empty(shape, dtype=np.uint8), 0
        for batch in self.batches():
            out[done : done + len(batch)] = batch
            done += len(batch)
        return out

    def __iter__(self) -> Iterator[S_co]:
        for batch in self.batches(_BATCH_ROWS):
            for row in batch:
                yield self.solutions.decode_row(row)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return SolutionSlice(self.solutions, self.ranks[index])
        return self.solutions.unrank(self.ranks[index])

    def __contains__(self, solution: object) -> bool:
        return solution in self.solutions and self.solutions.rank(solution) in self.ranks

    def __repr__(self) -> str:
        return f"<{format_integer(self.count())} of the solutions of {self.solutions!r}>"
