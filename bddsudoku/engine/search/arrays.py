"""What the inner loop knows, works on and leaves behind: flat arrays (:mod:`.kernel`)."""

from __future__ import annotations

from typing import NamedTuple

from bddsudoku.jit.decorators import F64, U32, U64, Flags

START, ENTER, LEAVE, DONE, FULL = range(5)
"""Where the search goes on: at its very beginning, down from a settled row, back from a finished
one, nowhere; or it needs more rows first."""

# Fields of the search state, int64: branchings under way, and sums of all calls; then entries of
# ``out`` and ``ends`` that the last call has written.
PHASE, TOP, COUNT, NODES, WORK, USED, FOUND, FIELDS = range(8)

Words = U64


class SearchTables(NamedTuple):
    """What does not change. Lists of lists are flat, with their beginnings in ``…_at``.

    A row of the search holds words of live candidates, as many of chosen ones, those of the live
    states of every layer, the number of live candidates of every item, and last the number of
    items whose candidate is not chosen yet.
    """

    conflict: Words
    """(candidates, words): those that cannot hold together with it."""
    items_at: Words
    items: Words
    """The items of a candidate."""
    member_at: Words
    member: Words
    """The candidates of an item."""
    uses_at: Words
    uses: Words
    """The levels that a candidate has something to say at."""
    owner: Words
    """The machine of a level."""
    first: Words
    """(machines + 1,): a machine's first level. It has one more than it reads, for its last
    layer."""
    once: Flags
    """Whether a machine meets each candidate at one level only."""
    table_at: Words
    table: U32
    """The next state for a state and a choice; the last bit of the last word, which is never set,
    when there is none."""
    words_at: Words
    """(levels + 1,): the words of a layer's states in a row."""
    base: Words
    """(levels,): the item whose candidates are the level's choices, or stand for none of them."""
    choice_at: Words
    choice: Words
    """The candidate of a choice of a level; anything for choice 0. A last layer has no choices."""
    others_at: Words
    others: Words
    """The candidates that stand for choice 0."""
    variables: Words
    """(words,): the candidates that are variables."""


class SearchWorkspace(NamedTuple):
    """Queues, scratch, and what the search learns."""

    tried: Words
    """The candidate that each branching has chosen."""
    gone: Words
    """Candidates to be taken away."""
    queue: Words
    """Bit sets: items with one live candidate, items with two, machines that have changed."""
    low: Words
    high: Words
    """(machines,): first and last changed level of those in the queue."""
    reached: Words
    """One layer's states."""
    picked: Words
    """Live choices of a level, or candidates of an item."""
    supported: Words
    """(choices,): 1 for those of a level that lie on a path."""
    weight: F64
    """(items,): one more than how often an item was at a dead end."""
    witness: Words
    """Candidates that some solution holds."""


class SearchBounds(NamedTuple):
    """How far a call goes, and what it looks for."""

    chunk: int
    """Steps before the next return."""
    max_count: int
    max_nodes: int
    """Totals at which the search pauses."""
    supports: bool
    """Look for solutions that hold something new; each ends the branch."""
