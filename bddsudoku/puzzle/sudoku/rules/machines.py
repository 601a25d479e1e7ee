"""State machines that the puzzle itself states, as a table or in a packed code.

A table has the states between semicolons, each with what it reads and where that leads::

    even*: 2468 even, 13579 odd; odd: 13579 even

``*`` stands behind accepting states: a line of cells obeys the rule if one of them is reached with
its last digit. The first state is the start, unless ``>`` stands before one or several others. What
is read is a digit (``A`` is 10), several (``2468``, ``1-3``), any other than these (``^19``) or any
(``.``); digits that lead nowhere are rejected. A digit may lead to several states: a line is
accepted if one way through the table accepts it. ``/`` is a break between segments of a line, which
the machine reads like a digit. A name may stand before the table: ``parity = even*: …``.

The packed code is that of Interactive-Sudoku-Solver's constraint ``NFA``, base64 of these bits: 2
for the format, 4 for the bits b of a state's number and 4 for the number of symbols (each less 1),
b for the number of start states and b for that of other accepting ones (the states are in this
order), 1 for each start whether it accepts. In format 0 there are 4 more for the bits of a number
of moves; then each state has this number, and for each move symbol and state. In format 1 each
state has a bit for each symbol, and the state to which each of these leads.

Sources: M. O. Rabin and D. Scott, *Finite automata and their decision problems*, IBM Journal of
Research and Development 3 (1959), for the sets of states; https://github.com/sigh/Interactive-Sudoku-Solver
(``js/nfa_builder.js``) for the code.
"""

from __future__ import annotations

import re
from base64 import b64decode, urlsafe_b64encode
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain, groupby, islice
from typing import Any, NamedTuple, Self

from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.model.constraints import Constraint
from bddsudoku.model.mdd import Mdd, WidthLimit, mdd_from_level_steps
from bddsudoku.number_text import short_repr
from bddsudoku.puzzle.sudoku.layout import VALUE_SYMBOLS, Layout, written_digits
from bddsudoku.puzzle.sudoku.rules.places_and_marks import (
    Mark,
    Place,
    Places,
    Stroke,
    centre_path,
    is_place,
)
from bddsudoku.puzzle.sudoku.rules.rule import GROUPS, CellRule, FilledGrid, Quoted, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import accept_all, mdd_constraint

BREAK = "/"
"""The break between two segments of a line, as a symbol and in a rule's text."""
MAX_STATES = 20_000
"""Greatest number of sets of states in which a machine may be behind some cell."""
_MAX_CODED = 1 << 16
"""Greatest number of states of a machine."""
_MAX_SYMBOLS = 16
_MAX_STARTS = 32
"""Greatest numbers of symbols and of start states in a code."""
_EXAMPLE = "even*: 2468 even, 13579 odd; odd: 13579 even"
_READ = rf"\.|{BREAK}|\^?(?:[{VALUE_SYMBOLS}](?:-[{VALUE_SYMBOLS}])?)+"
_NAME = r"[^\s:;,*>=\"]+"
_STATE = re.compile(rf"\s*(>?)\s*({_NAME})(\*?)\s*:(.*)", re.DOTALL)
_MOVE = re.compile(rf"\s*({_READ})\s+({_NAME})\s*", re.IGNORECASE)
_SIGNS = BREAK, GROUPS
_LINES = re.compile(rf"\d{{1,4}}(?:[{BREAK}{GROUPS}]\d{{1,4}})*")


class StateTable(NamedTuple):
    """A machine, whose states are numbered from 0; it may have several ways to read a word.

    Attributes:
        starts: the states in which it may begin.
        accepting: those in which a word may end.
        moves: for each state the states to which each symbol leads: the number of a digit among
            those of the board, from 0, or behind these the break.
    """

    starts: Sequence[int]
    accepting: frozenset[int]
    moves: Sequence[Mapping[int, Collection[int]]]

    def accepts(self, word: Iterable[int]) -> bool:
        """Whether some way through the table reads a word and ends in an accepting state."""
        states = {*self.starts}
        for symbol in word:
            states = {to for state in states for to in self.moves[state].get(symbol, ())}
        return not self.accepting.isdisjoint(states)


@lru_cache(maxsize=256)
def read_machine(machine: str, values: range) -> StateTable:
    """Read a machine, a table or a code without a name, for a board's digits.

    Raises:
        PuzzleFormatError: it is malformed, or the table has digits that the board has not.
    """
    if ":" in machine:
        return _read_table(machine, values)
    try:
        return _read_code(machine)
    except PuzzleFormatError as error:
        raise PuzzleFormatError(
            f"expected a table such as '{_EXAMPLE}', or a code: {error.expected}"
        ) from None


def _read_table(text: str, values: range) -> StateTable:
    """Read a table of states."""
    rows: dict[str, re.Match[str]] = {}
    for part in text.split(";"):
        row = _STATE.fullmatch(part)
        if row is None or row[2] in rows:
            wanted = "another name" if row else f"states such as '{_EXAMPLE}'"
            raise PuzzleFormatError(f"expected {wanted}, found {short_repr(part.strip()[:40])}")
        rows[row[2]] = row
    number = {name: i for i, name in enumerate(rows)}
    moves = [defaultdict[int, set[int]](set) for _ in rows]
    for name, row in rows.items():
        for part in row[4].split(",") if row[4].strip() else ():
            move = _MOVE.fullmatch(part)
            if move is None or move[2] not in rows:
                wanted = "a state of the table" if move else "digits and a state such as '2468 odd'"
                found = short_repr((move[2] if move else part.strip())[:40])
                raise PuzzleFormatError(f"state {name}: expected {wanted}, found {found}")
            for symbol in _symbols(move[1].upper(), values):
                moves[number[name]][symbol].add(number[move[2]])
    starts = [number[name] for name, row in rows.items() if row[1]] or [0]
    return StateTable(starts, frozenset(number[name] for name in rows if rows[name][3]), moves)


def _symbols(read: str, values: range) -> Iterable[int]:
    """The numbers of the symbols that a text such as ``1-35`` or ``^19`` stands for."""
    if read == BREAK:
        return (len(values),)
    if not written_digits(read.strip("^.")) <= {*values}:
        known = f"{VALUE_SYMBOLS[values[0]]} to {VALUE_SYMBOLS[values[-1]]}"
        raise PuzzleFormatError(f"expected digits {known}, found {read!r}")
    return map(values.index, written_digits(read).intersection(values))


def _read_code(code: str) -> StateTable:
    """Read a packed code."""
    try:
        raw = b64decode(code + "=" * (-len(code) % 4), b"-_", validate=True)
    except ValueError:
        raise PuzzleFormatError(f"expected base64, found {code[:20]!r}") from None
    bits, at = "".join(f"{byte:08b}" for byte in raw), 0

    def take(width: int) -> int:
        nonlocal at
        at += width
        if at > len(bits):
            raise PuzzleFormatError("expected a machine's code, found the beginning of one")
        return int(bits[at - width : at] or "0", 2)

    if not code:  # a machine that accepts nothing
        return StateTable((), frozenset(), ())
    kind, wide, symbols = take(2), 1 + take(4), 1 + take(4)
    if kind > 1:
        raise PuzzleFormatError(f"expected the format 0 or 1 of a machine's code, found {kind}")
    starts, others = take(wide), take(wide)
    # Beyond 32 starts their bits are those of JavaScript's shifts.
    first = take(starts)
    accepting = {i for i in range(starts) if first >> i % _MAX_STARTS & 1}
    accepting.update(range(starts, starts + others))
    size = symbols if kind else take(4)
    moves: list[dict[int, set[int]]] = []
    while size and len(bits) - at >= size:
        here = take(size)
        moves.append(defaultdict(set))
        for i in range(symbols if kind else here):
            if not kind or here >> i & 1:
                symbol = i if kind else take((symbols - 1).bit_length())
                moves[-1][symbol].add(take(wide))
    if "1" in bits[at:]:
        raise PuzzleFormatError("expected the end of a machine's code, found more bits")
    named = {s for i, row in enumerate(moves) if row for s in (i, *chain(*row.values()))}
    count = max(starts + others, 1 + max(named, default=-1))
    moves += [{}] * (count - len(moves))
    return StateTable(range(starts), frozenset(accepting), moves[:count])


def write_code(table: StateTable) -> str:
    """The packed code of a machine.

    Raises:
        PuzzleFormatError: the code has no room for so many symbols, states or start states.
    """
    symbols = 1 + max((symbol for row in table.moves for symbol in row), default=0)
    starts = [*dict.fromkeys(table.starts)]
    states = range(len(table.moves))
    others = [s for s in states if s in table.accepting and s not in starts]
    order = [*starts, *others, *({*states} - {*starts, *others})]
    number = {state: i for i, state in enumerate(order)}
    wide = max(1, (len(order) - 1).bit_length(), len(starts).bit_length())
    if symbols > _MAX_SYMBOLS or len(starts) > _MAX_STARTS or wide > _MAX_SYMBOLS:
        raise PuzzleFormatError(
            f"at most {_MAX_SYMBOLS} symbols with the break, {_MAX_STARTS} start states and "
            f"{_MAX_CODED - 1:,} states"
        )
    if not order:
        return ""
    rows = [
        [(symbol, number[to]) for symbol in sorted(row) for to in sorted(row[symbol])]
        for row in map(table.moves.__getitem__, order)
    ]
    first = sum(1 << i for i, state in enumerate(starts) if state in table.accepting)
    size = max(map(len, rows)).bit_length()
    fields = [(0, 2), (wide - 1, 4), (symbols - 1, 4), (len(starts), wide), (len(others), wide)]
    fields += [(first, len(starts)), (size, 4)]
    for row in rows:
        fields.append((len(row), size))
        for symbol, to in row:
            fields += [(symbol, (symbols - 1).bit_length()), (to, wide)]
    bits = "".join(f"{value:0{width}b}" for value, width in fields if width)
    bits += "0" * (-len(bits) % 8)
    raw = int(bits, 2).to_bytes(len(bits) // 8)
    return urlsafe_b64encode(raw).decode("ascii").rstrip("=")


@lru_cache(maxsize=1024)
def _machine_mdd(machine: str, values: range, breaks: tuple[int, ...]) -> Mdd:
    """The MDD of the digits along a line that a machine accepts.

    Args:
        machine: as for :func:`read_machine`.
        values: the digits of the board.
        breaks: how many breaks stand before each cell, and behind the last one.

    Raises:
        LimitReached: there are more than :data:`MAX_STATES` sets of states behind some cell.
    """
    table, end = read_machine(machine, values), len(values)

    @cache
    def read(states: frozenset[int], *symbols: int) -> frozenset[int]:
        for symbol in symbols:
            states = frozenset(to for state in states for to in table.moves[state].get(symbol, ()))
        return states

    def step(level: int, states: frozenset[int], choice: int) -> frozenset[int] | None:
        after = read(states, *[end] * breaks[level], choice - 1)
        if level == len(breaks) - 2:
            after = read(after, *[end] * breaks[-1]) & table.accepting
        return after or None

    limit = WidthLimit(MAX_STATES, "sets of states of the machine")
    choices = [1 + len(values)] * (len(breaks) - 1)
    return mdd_from_level_steps(choices, frozenset(table.starts), step, limit)


@rule("machine", "along each line of cells a state machine accepts the digits", "statemachine")
class Machine(CellRule):
    """A state machine that accepts the digits along one or several lines of cells.

    Attributes:
        cells: those of all lines, one line after the other.
        machine: a table or a packed code (:mod:`.machines`), perhaps behind a name and ``=``.
        lines: how many cells each line has, with ``>`` between lines and ``/`` between the segments
            of one, as in ``4/3>5``; "" for one line in one segment. In texts these signs stand
            between the cells.
    """

    machine: Quoted
    lines: str = ""
    drawn_on = "line"
    loops = True

    @classmethod
    def from_step(
        cls,
        cells: Places,
        start: Hashable,
        step: Callable[[Any, Any], Hashable | None],
        accepts: Callable[[Any], bool] = accept_all,
        *,
        lines: str = "",
        values: range = range(1, 10),
        name: str = "",
    ) -> Self:
        """The rule of the machine that a function describes.

        Args:
            cells: the cells of all lines.
            start: the first state, any hashable value.
            step: the state after a state and a digit, or ``"/"`` between segments; None if no word
                goes on like that. It is called once for each state and symbol.
            accepts: whether a word may end in a state.
            lines: see :attr:`lines`.
            values: the digits of the board.
            name: the machine's name.

        Raises:
            LimitReached: more than :data:`MAX_STATES` states are reached in the longest line.
            PuzzleFormatError: more than 16 symbols, the break included.
        """
        shape = cls(cells, "", lines)
        symbols = [*values, *([BREAK] if BREAK in lines else ())]
        number: dict[Hashable, int] = {start: 0}
        moves: list[dict[int, list[int]]] = []
        for _ in range(max(map(len, shape.steps))):
            for state in [*number][len(moves) :]:
                after = {i: step(state, symbol) for i, symbol in enumerate(symbols)}
                found = {i: s for i, s in after.items() if s is not None}
                moves.append({i: [number.setdefault(s, len(number))] for i, s in found.items()})
                if len(number) > MAX_STATES:
                    message = f"a machine of more than {MAX_STATES:,} states"
                    raise LimitReached(message, limit="states")
        moves += [{}] * (len(number) - len(moves))
        accepting = frozenset(i for state, i in number.items() if accepts(state))
        code = write_code(StateTable((0,), accepting, moves))
        return replace(shape, machine=f"{name} = {code}" if name else code)

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """The rule of a line of text; see :meth:`Rule.from_words`."""
        found = super().from_words([word for word in words if word not in _SIGNS])
        if found.lines:
            raise PuzzleFormatError(f"{cls.name}: {found.lines[:20]!r} does not belong there")
        marks = "".join(word if word in _SIGNS else "." * is_place(word) for word in words)
        lines = GROUPS.join(
            BREAK.join(str(len(part)) for part in line.split(BREAK)) for line in marks.split(GROUPS)
        )
        return replace(found, lines="" if lines.isdigit() else lines)

    @property
    def label(self) -> str:
        """The rule's line of text without its name."""
        lines = [[BREAK if place is None else str(place) for place in line] for line in self.steps]
        return f'"{self.machine}" ' + f" {GROUPS} ".join(map(" ".join, lines))

    @property
    def steps(self) -> list[list[Place | None]]:
        """What the machine reads along each line: cells, and None for breaks."""
        left, found = iter(self.cells), []
        for sizes in (self.lines or str(len(self.cells))).split(GROUPS):
            line = list[Place | None]()
            for size in sizes.split(BREAK):
                line += [None, *islice(left, int(size))]
            found.append(line[1:])
        return found

    @property
    def table(self) -> str:
        """The machine's table or code, without its name."""
        return self.machine.rpartition("=")[2].strip()

    def faults(self, layout: Layout) -> Iterator[str]:
        """Lines or a machine that make no sense."""
        if self.lines and not _LINES.fullmatch(self.lines):
            found = short_repr(self.lines)
            raise PuzzleFormatError(f"{self.name}: expected lines such as 4/3>5, found {found}")
        total = sum(map(int, re.findall(r"\d+", self.lines or str(len(self.cells)))))
        if total != len(self.cells) or not all(map(any, self.steps)):
            yield f"expected {total} cells, one or more in each line"
        try:
            table = read_machine(self.table, layout.values)
        except PuzzleFormatError as error:
            raise self.error(error.expected) from None
        if BREAK in self.lines and not any(layout.digit_count in row for row in table.moves):
            yield f"the machine reads no {BREAK} between segments"

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton for each line."""
        found: list[Constraint] = []
        for i, line in enumerate(self.steps, 1):
            signs = "".join(BREAK if place is None else "." for place in line)
            mdd = _machine_mdd(self.table, layout.values, tuple(map(len, signs.split("."))))
            label = f"{self.label} {i}" if GROUPS in self.lines else self.label
            cells = [place for place in line if place is not None]
            found.append(mdd_constraint(self, layout, cells, mdd, label=label))
        return found

    def holds(self, grid: FilledGrid) -> bool:
        """Whether some way through the machine's table accepts the digits of each line."""
        values = grid.layout.values
        table, end = read_machine(self.table, values), len(values)
        return all(
            table.accepts(end if place is None else values.index(grid[place]) for place in line)
            for line in self.steps
        )

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """A thin line for each segment."""
        for line in self.steps:
            for _, places in groupby(line, bool):
                if cells := tuple(place for place in places if place is not None):
                    yield Stroke(centre_path(cells), "purple", 0.08)
