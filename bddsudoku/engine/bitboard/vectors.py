"""Vectors of words in machine code: what the rules need of LLVM, behind Python's operators.

A rule that is written with ``& | ^ ~ + - << >>`` and ``take`` works on a numpy array, where it can
be tested, and on a :class:`Vector`, where the same lines write machine code for a whole register.
LLVM knows vectors of any length and cuts them to what the processor has: 512 bits, 256, 128.

Where the candidates of a board stand in memory.

A *state* is 36 words of 32 bits, four for each digit: a word for each of the three bands, and one
that stays 0, so that a digit fills 128 bits. In a word, bit 10 r + c stands for the cell in row r
of the band (0 to 2) and column c (0 to 8); the tenth bit of each row is free and takes carries.

Loops over single cells see the same memory as 18 words of 64 bits: ``state[2 d]`` holds digit
d + 1 in the first two bands, ``state[2 d + 1]`` in the third. So a cell is a *half* (0 or 1) and a
bit. The order of the halves is that of a little-endian machine, which numba's are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self, TypeAlias

import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

BIT, BYTE, HALF, WORD, LONG = (ir.IntType(bits) for bits in (1, 8, 16, 32, 64))

Operand: TypeAlias = "Vector | int | NDArray[np.uint32]"


class Vector:
    """A vector of integers while machine code is written.

    Args:
        builder: where instructions go.
        value: LLVM's value, of a vector type.
    """

    def __init__(self, builder: ir.IRBuilder, value: ir.Value) -> None:
        self._builder = builder
        self.value = value

    def __len__(self) -> int:
        count: int = self.value.type.count
        return count

    def __getitem__(self, lane: int) -> ir.Value:
        """One word."""
        return self._builder.extract_element(self.value, WORD(lane))

    # Made from memory and from numbers

    @classmethod
    def load(
        cls, builder: ir.IRBuilder, pointer: ir.Value, at: int, lanes: int, element: ir.IntType
    ) -> Self:
        """Neighbouring words, ``at`` so many elements behind a pointer to the first."""
        place = builder.bitcast(
            builder.gep(pointer, [LONG(at)]), ir.VectorType(element, lanes).as_pointer()
        )
        return cls(builder, builder.load(place, align=element.width // 8))

    @classmethod
    def gather(cls, builder: ir.IRBuilder, words: Sequence[ir.Value]) -> Self:
        """A vector of some words."""
        value = ir.Constant(ir.VectorType(words[0].type, len(words)), ir.Undefined)
        for lane, word in enumerate(words):
            value = builder.insert_element(value, word, WORD(lane))
        return cls(builder, value)

    def splat(self, word: ir.Value) -> Self:
        """A vector like this one that has the same word in all lanes."""
        return self._with(self._builder.insert_element(self._undefined(), word, WORD(0))).take(
            [0] * len(self)
        )

    def store(self, pointer: ir.Value, at: int) -> None:
        """Write to memory, where :meth:`load` reads."""
        kind = self.value.type
        place = self._builder.bitcast(self._builder.gep(pointer, [LONG(at)]), kind.as_pointer())
        self._builder.store(self.value, place, align=kind.element.width // 8)

    def cast(self, element: ir.IntType) -> Self:
        """The same bits as words of another length."""
        bits = len(self) * self.value.type.element.width
        kind = ir.VectorType(element, bits // element.width)
        return self._with(self._builder.bitcast(self.value, kind))

    # What rules are written with

    def __and__(self, other: Operand) -> Self:
        return self._with(self._builder.and_(self.value, self._operand(other)))

    def __or__(self, other: Operand) -> Self:
        return self._with(self._builder.or_(self.value, self._operand(other)))

    def __xor__(self, other: Operand) -> Self:
        return self._with(self._builder.xor(self.value, self._operand(other)))

    def __add__(self, other: Operand) -> Self:
        return self._with(self._builder.add(self.value, self._operand(other)))

    def __sub__(self, other: Operand) -> Self:
        return self._with(self._builder.sub(self.value, self._operand(other)))

    def __lshift__(self, places: int) -> Self:
        return self._with(self._builder.shl(self.value, self._operand(places)))

    def __rshift__(self, places: int) -> Self:
        return self._with(self._builder.lshr(self.value, self._operand(places)))

    def __invert__(self) -> Self:
        return self._with(self._builder.not_(self.value))

    def take(self, lanes: Sequence[int]) -> Self:
        """A vector of some of the lanes, as in numpy."""
        mask = ir.Constant(ir.VectorType(WORD, len(lanes)), list(lanes))
        return self._with(self._builder.shuffle_vector(self.value, self._undefined(), mask))

    # Questions

    def equals(self, other: Operand) -> ir.Value:
        """A bit for every lane, the first lane lowest: whether it is the same in both."""
        return self._bits("==", other)

    def holds(self) -> ir.Value:
        """A bit for every lane, the first lane lowest: whether it is not 0."""
        return self._bits("!=", 0)

    def any(self) -> ir.Value:
        """One bit: whether any lane is not 0."""
        bits = self.holds()
        return self._builder.icmp_unsigned("!=", bits, bits.type(0))

    def select(self, lane: ir.Value, other: Self) -> Self:
        """This vector with the lane of some number (if there is one) taken from another."""
        element = self.value.type.element
        here = self._builder.icmp_unsigned(
            "==", self.splat(lane).value, self._constant(element(i) for i in range(len(self)))
        )
        return self._with(self._builder.select(here, other.value, self.value))

    def _bits(self, relation: str, other: Operand) -> ir.Value:
        found = self._builder.icmp_unsigned(relation, self.value, self._operand(other))
        return self._builder.bitcast(found, ir.IntType(len(self)))

    def _operand(self, other: Operand) -> ir.Value:
        if isinstance(other, Vector):
            return other.value
        element = self.value.type.element
        if isinstance(other, np.ndarray):
            return self._constant(element(int(word)) for word in other)
        return self._constant([element(other)] * len(self))

    def _constant(self, words: Iterable[Any]) -> ir.Constant:
        return ir.Constant(self.value.type, list(words))

    def _undefined(self) -> ir.Constant:
        return ir.Constant(self.value.type, ir.Undefined)

    def _with(self, value: ir.Value) -> Self:
        return type(self)(self._builder, value)


DIGITS = 9
CELLS = 81
ROW = 10
"""Bits from one row of a band to the next."""
LANES = 4
"""Words of 32 bits for a digit: three bands and a zero."""
STATE = DIGITS * LANES // 2
"""Words of 64 bits in a state."""
STRIDE = 24
"""Words of 64 bits from one state on the stack to the next: whole lines of the cache."""
LEVELS = CELLS + 3
"""States on the stack; one more cell is settled on every level, and one state is to spare."""


def place_of(cell: int) -> tuple[int, int]:
    """Half and bit of a cell (0 to 80, row by row)."""
    row, column = divmod(cell, 9)
    band = row // 3
    return band // 2, 32 * (band % 2) + ROW * (row % 3) + column


def _cells() -> NDArray[np.int64]:
    table = np.zeros((2, 64), dtype=np.int64)
    for cell in range(CELLS):
        table[place_of(cell)] = cell
    return table


def _houses() -> list[list[int]]:
    rows = [[9 * r + c for c in range(9)] for r in range(9)]
    columns = [[9 * r + c for r in range(9)] for c in range(9)]
    blocks = [[9 * (b // 3 * 3 + i // 3) + b % 3 * 3 + i % 3 for i in range(9)] for b in range(9)]
    return rows + columns + blocks


def _masks(sets: list[list[int]]) -> NDArray[np.uint64]:
    """Sets of cells as bits."""
    table = np.zeros((len(sets), 2), dtype=np.uint64)
    for number, cells in enumerate(sets):
        for cell in cells:
            half, bit = place_of(cell)
            table[number, half] |= np.uint64(1 << bit)
    return table


def _peers() -> NDArray[np.uint64]:
    table = np.zeros((2, 64, 2), dtype=np.uint64)
    for cell in range(CELLS):
        seen = {other for house in _houses() if cell in house for other in house} - {cell}
        table[place_of(cell)] = _masks([sorted(seen)])[0]
    return table


CELL = _cells()
"""The cell of a half and a bit, shape (2, 64); 0 where there is none."""
PLACE = np.array([place_of(cell) for cell in range(CELLS)])
"""The half and bit of a cell, shape (81, 2)."""
HOUSES = _masks(_houses())
"""The cells of rows, columns and blocks as bits, shape (27, 2)."""
PEERS = _peers()
"""The 20 cells that share a house with one, as bits: by its half and bit, shape (2, 64, 2)."""
