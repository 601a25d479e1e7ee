"""SIMD vectors for kernels: LLVM code that numba does not generate by itself.

A function written with ``& | ^ ~ + - * << >>`` and ``take`` of a :class:`Vector` generates code for
a whole register. LLVM splits vectors of any length into the processor's registers of 512, 256 or
128 bits. ``Any`` stands where llvmlite and numba have no types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from inspect import signature
from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

HALF: Any
WORD: Any
LONG: Any
HALF, WORD, LONG = (ir.IntType(bits) for bits in (16, 32, 64))

VectorOperand: TypeAlias = "Vector | int | NDArray[np.uint32]"


def llvm_intrinsic(result_type: Any = types.void) -> Callable[[Callable[..., Any]], Any]:
    """Decorator that turns a generator of LLVM code into a function that kernels can call.

    The generator takes LLVM's builder and the arguments: for a C-contiguous array a pointer to its
    first entry, for any other argument a 64-bit integer. It returns the value, or a list of values
    for a tuple. Nothing is checked.

    Args:
        result_type: numba's type of the result.
    """

    def decorate(write: Callable[..., Any]) -> Any:
        """Turn the generator ``write`` into an intrinsic of numba."""

        def typed(typing_context, *kinds):  # type: ignore[no-untyped-def]
            arrays = [isinstance(kind, types.Array) for kind in kinds]
            argument_types = [
                k if array else types.int64 for k, array in zip(kinds, arrays, strict=True)
            ]

            def code(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
                operands = [
                    context.make_array(kind)(context, builder, value).data if array else value
                    for kind, value, array in zip(argument_types, arguments, arrays, strict=True)
                ]
                written = write(builder, *operands)
                if isinstance(written, list):
                    return context.make_tuple(builder, result_type, written)
                return context.get_dummy_value() if written is None else written

            return result_type(*argument_types), code

        signed: Any = typed
        signed.__signature__ = signature(write)  # the builder stands for the typing context
        signed.__doc__ = write.__doc__
        return intrinsic(typed)

    return decorate


def _operator(write: Callable[..., Any]) -> Callable[[Vector, VectorOperand], Vector]:
    """Make the operator of vectors that an instruction of LLVM's builder computes."""

    def apply(vector: Vector, other: VectorOperand) -> Vector:
        return vector._as_vector(write(vector._builder, vector.value, vector._operand_value(other)))

    return apply


class Vector:
    """A vector of integers in LLVM code that is being generated.

    Args:
        builder: LLVM's builder, to which instructions are appended.
        value: LLVM's value, of a vector type.
    """

    def __init__(self, builder: ir.IRBuilder, value: ir.Value) -> None:
        self._builder = builder
        self.value = value

    def __len__(self) -> int:
        count: int = self.value.type.count
        return count

    def __getitem__(self, lane: int) -> ir.Value:
        """The word in one lane."""
        return self._builder.extract_element(self.value, WORD(lane))

    # Vectors from memory and from words

    @classmethod
    def load(
        cls, builder: ir.IRBuilder, pointer: ir.Value, offset: Any, lanes: int, align: int = 0
    ) -> Vector:
        """Load a vector of ``lanes`` consecutive words, starting ``offset`` words after a pointer.

        Args:
            align: known alignment of the address in bytes; by default that of a word.
        """
        place, least = _vector_pointer(
            builder, pointer, offset, ir.VectorType(pointer.type.pointee, lanes)
        )
        return cls(builder, builder.load(place, align=align or least))

    @classmethod
    def from_words(cls, builder: ir.IRBuilder, words: Sequence[ir.Value]) -> Vector:
        """Make a vector whose lanes are the given words."""
        value = ir.Constant(ir.VectorType(words[0].type, len(words)), ir.Undefined)
        for lane, word in enumerate(words):
            value = builder.insert_element(value, word, WORD(lane))
        return cls(builder, value)

    def splat(self, word: ir.Value) -> Vector:
        """Make a vector of this type with the same word in all lanes."""
        return self._as_vector(
            self._builder.insert_element(self._undefined_vector(), word, WORD(0))
        ).take([0] * len(self))

    def store(self, pointer: ir.Value, offset: Any, align: int = 0) -> None:
        """Store the vector in memory, starting ``offset`` words after a pointer."""
        place, least = _vector_pointer(self._builder, pointer, offset, self.value.type)
        self._builder.store(self.value, place, align=align or least)

    def bitcast(self, element: ir.IntType) -> Vector:
        """Reinterpret the bits of the vector as words of another length, as LLVM's bitcast does."""
        bits = len(self) * self.value.type.element.width
        kind = ir.VectorType(element, bits // element.width)
        return self._as_vector(self._builder.bitcast(self.value, kind))

    # Operators, as numpy has them

    __and__ = _operator(ir.IRBuilder.and_)
    __or__ = _operator(ir.IRBuilder.or_)
    __xor__ = _operator(ir.IRBuilder.xor)
    __add__ = _operator(ir.IRBuilder.add)
    __sub__ = _operator(ir.IRBuilder.sub)
    __mul__ = _operator(ir.IRBuilder.mul)
    __lshift__ = _operator(ir.IRBuilder.shl)
    __rshift__ = _operator(ir.IRBuilder.lshr)

    def __invert__(self) -> Vector:
        return self._as_vector(self._builder.not_(self.value))

    def take(self, lanes: Sequence[int], other: Vector | None = None) -> Vector:
        """Make a vector of selected lanes; those of ``other`` are numbered after this vector's."""
        mask = ir.Constant(ir.VectorType(WORD, len(lanes)), list(lanes))
        more = self._undefined_vector() if other is None else other.value
        return self._as_vector(self._builder.shuffle_vector(self.value, more, mask))

    # Comparisons

    def equal_lanes(self, other: VectorOperand) -> ir.Value:
        """A bit mask of the lanes in which two vectors are equal; the first lane has bit 0."""
        return self._compare_lanes("==", other)

    def nonzero_lanes(self) -> ir.Value:
        """A bit mask of the lanes that are not 0; the first lane has bit 0."""
        return self._compare_lanes("!=", 0)

    def any(self) -> ir.Value:
        """Whether any lane is not 0, as an integer of one bit."""
        bits = self.nonzero_lanes()
        return self._builder.icmp_unsigned("!=", bits, bits.type(0))

    def replace_lane(self, lane: ir.Value, source: Vector) -> Vector:
        """A copy of this vector in which lane number ``lane`` is taken from ``source``.

        A number that no lane has changes nothing.
        """
        element = self.value.type.element
        is_chosen = self._builder.icmp_unsigned(
            "==",
            self.splat(lane).value,
            self._constant_vector(element(i) for i in range(len(self))),
        )
        return self._as_vector(self._builder.select(is_chosen, source.value, self.value))

    def _compare_lanes(self, relation: str, other: VectorOperand) -> ir.Value:
        """A bit mask of the lanes in which the relation to ``other`` holds."""
        found = self._builder.icmp_unsigned(relation, self.value, self._operand_value(other))
        return self._builder.bitcast(found, ir.IntType(len(self)))

    def _operand_value(self, other: VectorOperand) -> ir.Value:
        """The LLVM value of an operand: a vector, an array, or a number copied to all lanes."""
        if isinstance(other, Vector):
            return other.value
        element = self.value.type.element
        if isinstance(other, np.ndarray):
            return self._constant_vector(element(int(word)) for word in other)
        return self._constant_vector([element(other)] * len(self))

    def _constant_vector(self, words: Iterable[Any]) -> ir.Constant:
        return ir.Constant(self.value.type, list(words))

    def _undefined_vector(self) -> ir.Constant:
        return ir.Constant(self.value.type, ir.Undefined)

    def _as_vector(self, value: ir.Value) -> Vector:
        return Vector(self._builder, value)


def _vector_pointer(
    builder: Any, pointer: ir.Value, offset: Any, vector_type: ir.VectorType
) -> tuple[ir.Value, int]:
    """Generate a pointer to a vector in memory; return the pointer and the word size in bytes."""
    address = builder.gep(pointer, [LONG(offset) if isinstance(offset, int) else offset])
    return builder.bitcast(address, vector_type.as_pointer()), vector_type.element.width // 8
