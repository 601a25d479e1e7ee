"""Flat arrays of the constraint search: the problem's tables, workspace, state and bounds."""

from __future__ import annotations

from typing import NamedTuple

from bddsudoku.engine.search.sums import SumTables, SumWorkspace
from bddsudoku.jit.decorators import F64, U32, U64, Flags

START, ENTER, LEAVE, DONE, FULL = range(5)
"""Where the search continues: at the root; down from a propagated row; up from a finished one;
nowhere, it is complete; or where it is, with more rows."""

# Fields of the search state, int64: phase and depth; totals of all calls; then the entries of
# ``out`` and ``ends`` that the last call has written.
PHASE, TOP, COUNT, NODES, WORK, USED, FOUND, FIELDS = range(8)

Words = U64


class SearchTables(NamedTuple):
    """Constant tables of a problem: candidates, items and MDDs.

    Lists of lists are flat; ``…_at`` says where each list begins. A row of the search holds the
    words of live candidates, as many of chosen ones, the live states of every MDD layer, the number
    of live candidates of every item, and last the number of items without a chosen candidate.
    """

    conflict: Words
    """(candidates, words): the candidates that exclude each candidate."""
    items_at: Words
    items: Words
    """The items of a candidate."""
    member_at: Words
    member: Words
    """The candidates of an item."""
    uses_at: Words
    uses: Words
    """The MDD levels that read a candidate."""
    owner: Words
    """The MDD of a level."""
    first: Words
    """(MDDs + 1,): the first level of each MDD, which has one level more than it reads, for its
    last layer."""
    once: Flags
    """Whether an MDD reads each of its candidates at one level only."""
    table_at: Words
    table: U32
    """The next state by state and choice; the last bit of the last word, which is never set, when
    there is none."""
    words_at: Words
    """(levels + 1,): where the words of a layer's states begin in a row."""
    base: Words
    """(levels,): the item whose candidates are the level's choices, or count as choice 0."""
    choice_at: Words
    choice: Words
    """The candidate of a level's choice; undefined for choice 0. A last layer has no choices."""
    others_at: Words
    others: Words
    """The other candidates of the level's item, which count as choice 0."""
    reach: Words
    """(items,): the most live candidates of an item with which another candidate can conflict all
    at once, but at least 2."""
    single_slot: Words
    reach_slot: Words
    mdd_slot: Words
    """Slots of the queue, in which work waits: of items with one live candidate, of items with at
    most ``reach``, of MDDs."""
    slot_entry: Words
    """The item of a slot, or the number of items plus the MDD. Low slots are served first."""
    variables: Words
    """(words,): the candidates that are variables, not complements."""
    sums: SumTables
    """The sums. They are numbered and queued as further MDDs, with their items as levels."""


class SearchWorkspace(NamedTuple):
    """Workspace of the kernel: queues, scratch arrays, item weights, candidates of solutions."""

    tried: Words
    """The candidate chosen at each depth."""
    gone: Words
    """Candidates to be removed."""
    queue: Words
    """The bit set of occupied slots."""
    low: Words
    high: Words
    """(MDDs,): first and last changed level of those in the queue."""
    reached: Words
    """The reached states of one layer."""
    picked: Words
    """Live choices of a level, or candidates of an item."""
    supported: Words
    """(choices,): 1 for the choices of a level that lie on a path."""
    weight: F64
    """(items,): 1 plus increments for the dead ends that an item had a part in."""
    increment: F64
    """(1,): what the next dead end counts; it grows, so that old dead ends fade."""
    witness: Words
    """Candidates that are true in some solution."""
    sums: SumWorkspace
    """Scratch arrays of the sums."""


class SearchBounds(NamedTuple):
    """Limits of one call of the kernel, and whether it looks only for new true candidates."""

    chunk: int
    """Steps before the next return."""
    max_count: int
    max_nodes: int
    """Totals of solutions and nodes at which the search pauses."""
    supports: bool
    """Look only for solutions with a candidate not in ``witness``, restarting after each."""
