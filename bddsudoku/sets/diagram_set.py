"""Base class of solution sets on a diagram: what is kept in files, and how it is loaded."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

from bddsudoku.argument_types import check_types
from bddsudoku.diagrams.counting import Counts
from bddsudoku.diagrams.dnnf import DecisionDnnf, DnnfCounts
from bddsudoku.diagrams.set_files import (
    DecoderFactory,
    StoredSet,
    decoding_errors_as_damage,
    load,
    save,
)
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import DamagedFileError, ModelError
from bddsudoku.jit.decorators import AnyArray
from bddsudoku.notebook_html import Facts
from bddsudoku.number_text import format_size
from bddsudoku.sets.decoder import Decoder, KeyDecoder, PlainGridDecoder, S_co
from bddsudoku.sets.solution_family import SolutionFamily


class DiagramSet(SolutionFamily[S_co]):
    """Base class of solution sets that are stored as a ZDD or a decision-DNNF.

    Attributes:
        diagram: the family of sets of variables.
        fixed: keys, not among the diagram's, that are true in every solution, ascending.
        info: further JSON values that the set's file keeps.
    """

    kind: ClassVar[str]
    """Name of the class in files."""
    default_decoder: ClassVar[type[KeyDecoder | PlainGridDecoder]]
    """The decoder that is used where the puzzle's own is not known."""
    diagram_type: ClassVar[type[Diagram | DecisionDnnf]]
    """Class of the diagram."""

    diagram: Any

    @check_types
    def __init__(
        self,
        diagram: Diagram | DecisionDnnf,
        decoder: Decoder[S_co] | None = None,
        *,
        fixed: Iterable[int] = (),
        info: Mapping[str, Any] | None = None,
        count: int | None = None,
    ) -> None:
        self.diagram = diagram
        self.decoder: Any = KeyDecoder() if decoder is None else decoder
        self.fixed: tuple[int, ...] = tuple(sorted({int(k) for k in fixed}))
        self.info: dict[str, Any] = dict(info or {})
        self._count = count
        twice = set(self.fixed).intersection(diagram.labels.tolist())
        if twice:
            raise ModelError(f"key {min(twice)} is fixed and a variable at the same time")

    @property
    def space(self) -> Hashable:
        """An identifier of the solutions' universe; sets with equal identifiers can be combined."""
        return self.decoder.space  # type: ignore[no-any-return]

    @property
    @abstractmethod
    def counts(self) -> Counts | DnnfCounts:
        """For each node of the diagram the number of solutions below that node."""

    def count(self) -> int:
        """The exact number of solutions, computed in one linear pass and cached."""
        if self._count is None:
            self._count = self.counts.total
        return self._count

    @cached_property
    def _level_by_key(self) -> dict[int, int]:
        """The level of the diagram's variable with each key."""
        return {key: i for i, key in enumerate(self.diagram.labels.tolist())}

    @cached_property
    def _marginals_by_level(self) -> AnyArray:
        """For each variable of the diagram, the number of solutions in which it is true."""
        return self.counts.marginals()

    @check_types
    def save(self, path: str | Path) -> None:
        """Write the set to a file in the format of :mod:`bddsudoku.diagrams.set_files`.

        >>> from bddsudoku import compile_set
        >>> compile_set("1...............").save("one.set")
        """
        decoder = self.decoder.to_dict()
        save(StoredSet(self.kind, self.diagram, self.fixed, self.count(), decoder, self.info), path)

    @classmethod
    @check_types
    def load(
        cls,
        path: str | Path,
        decoders: Mapping[str, DecoderFactory] | None = None,
        *,
        verify: bool = True,
    ) -> Self:
        """Load a set of this class from a file, with memory-mapped arrays.

        Raises:
            DamagedFileError: the file is damaged, or holds a set of another class.
        """
        return cls.from_stored(load(path, verify=verify), decoders)

    @classmethod
    def from_stored(
        cls, stored: StoredSet, decoders: Mapping[str, DecoderFactory] | None = None
    ) -> Self:
        """Make a set of this class from the content of a file; errors as for :meth:`load`."""
        with decoding_errors_as_damage(stored.source):
            if stored.kind != cls.kind or not isinstance(stored.diagram, cls.diagram_type):
                message = f"{stored.source}: holds a {stored.kind}, not a {cls.kind}"
                raise DamagedFileError(message)
            made: Any = (decoders or {}).get(
                stored.decoder["kind"], cls.default_decoder.from_description
            )
            return cls(stored.diagram, made(stored.decoder), fixed=stored.fixed, info=stored.info)

    def facts(self) -> Facts:
        """Yield the number of solutions and facts on the diagram as (name, value) pairs."""
        yield from super().facts()
        yield "variables", len(self.diagram.labels)
        yield "fixed variables", len(self.fixed)
        yield "order", self.info.get("order") or None
        yield "nodes", self.diagram.size - self.diagram_type.empty().size
        yield "memory", format_size(self.diagram.nbytes)
