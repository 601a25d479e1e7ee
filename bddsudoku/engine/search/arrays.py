"""Flat arrays of the constraint search: the problem's tables, workspace, state and bounds."""

from __future__ import annotations

from typing import NamedTuple

from bddsudoku.engine.search.choices import ChoiceTables
from bddsudoku.engine.search.connected import RegionTables, RegionWorkspace
from bddsudoku.engine.search.houses import HouseTables
from bddsudoku.engine.search.mdds import MddTables
from bddsudoku.engine.search.partitions import PartitionTables
from bddsudoku.engine.search.relations import RelationTables
from bddsudoku.engine.search.sets import SetTables
from bddsudoku.engine.search.sums import SumTables, SumWorkspace
from bddsudoku.jit.decorators import F64, I32, U64

START, ENTER, LEAVE, DONE, FULL = range(5)
"""Where the search continues: at the root; down from a propagated row; up from a finished one;
nowhere, it is complete; or where it is, with more rows."""

# Fields of the search state, int64: phase and depth; totals of all calls; then the entries of
# ``out`` and ``ends`` that the last call has written.
PHASE, TOP, COUNT, NODES, WORK, USED, FOUND, FIELDS = range(8)

RELATION, SET, HOUSE, CHOICE, PARTITION, REGION, SUM, MDD = range(8)
"""Kinds of propagators."""


class SearchTables(NamedTuple):
    """Constant tables of a problem.

    Lists of lists are flat; ``…_at`` says where each list begins. A row of the search holds the
    possible values of every cell, as the bits of a word, and then the live states of every layer of
    the MDDs.
    """

    variable: I32
    """(cells, values): the variable that is true when a cell has a value; -1 for none."""
    wake_at: U64
    wake_word: U64
    wake: U64
    """The slots of the propagators that read a cell: words of the queue and bits in them."""
    kind: U64
    entry: U64
    """The kind and the number of the propagator of a slot. Low slots are served first."""
    house_values: U64
    """(2,): the word of the queue in which every value has a slot for its houses; those values."""
    scope_at: U64
    scope: U64
    """The cells of the propagator of a slot; after all slots, those of each house."""
    relations: RelationTables
    houses: HouseTables
    sets: SetTables
    choices: ChoiceTables
    partitions: PartitionTables | None
    regions: RegionTables | None
    """None for a problem without regions, whose kernel has no code for them."""
    mdds: MddTables
    sums: SumTables


class SearchWorkspace(NamedTuple):
    """Workspace of the kernel: queues, scratch arrays, weights, values of solutions."""

    cell: U64
    value: U64
    """The cell and the value chosen at each depth."""
    changed: U64
    """The cells that have lost values since the last time that propagators were woken."""
    queue: U64
    """The bit set of the slots that wait."""
    weight: F64
    """(cells,): what the dead ends count that a cell had a part in."""
    before: U64
    """(cells,): the possible values of each cell when the places of values were last updated."""
    pending: U64
    """(values, words): the bit set of the houses in which a value has lost a place since then."""
    increment: F64
    """(1,): what the next dead end counts; it grows, so that old dead ends fade."""
    witness: U64
    """(cells,): values in some solution."""
    possible: U64
    """(2, cells of the largest set constraint): the values of each cell; those that it leaves."""
    regions: RegionWorkspace | None
    reached: U64
    """(words of the widest layer,): states of a layer of an MDD."""
    sums: SumWorkspace


class SearchBounds(NamedTuple):
    """Limits of one call of the kernel, and whether it looks only for new true candidates."""

    chunk: int
    """Steps before the next return."""
    max_count: int
    max_nodes: int
    """Totals of solutions and nodes at which the search pauses."""
    supports: bool
    """Look only for solutions with a value not in ``witness``, restarting after each."""
