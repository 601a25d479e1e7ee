"""Rules about the digits along a line, one cell after the other.

Lines of which only the set of digits counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from itertools import pairwise as steps
from math import comb
from typing import ClassVar

from bddsudoku.model.constraints import Constraint, OneHot
from bddsudoku.model.mdd import Layers, State, unfold
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.rules.building import (
    MOST_SETS,
    different,
    reading,
    share_a_house,
    variables,
    words,
)
from bddsudoku.puzzle.sudoku.rules.places import Disc, Mark, Places, Stroke, middle, path
from bddsudoku.puzzle.sudoku.rules.rule import Grid, Rule, rule

_MOST_IN_TURN = 5
"""Kinds of digits whose order a machine may know: so many factorial are its states."""


class Line(Rule):
    """Cells one after the other, which usually touch; a line may jump.

    Attributes:
        least: fewest cells of which it says something.
        loops: whether it may come to a cell again, as closed lines do.
        colour, width: in which it is drawn.
        bulbs: discs on its first cell, or on that and the last: radius, fill, edge.
        ends: places in it that have a bulb.
    """

    cells: Places
    least: ClassVar[int] = 2
    loops: ClassVar[bool] = False
    colour: ClassVar[str] = "grey"
    width: ClassVar[float] = 0.18
    bulbs: ClassVar[tuple[float, str, str | None]] = (0, "", None)
    ends: ClassVar[tuple[int, ...]] = ()

    def check(self, layout: Layout) -> None:
        """A line that is not too short, of different cells unless it may loop."""
        cells = tuple(dict.fromkeys(self.cells)) if self.loops else self.cells
        self.check_places(cells, layout, self.least)
        for a, b in steps(self.cells):
            if a == b:
                raise self.refuse(f"{a} follows itself")

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """A line, and discs on its ends."""
        yield Stroke(path(self.cells), self.colour, self.width)
        for end in self.ends:
            yield Disc(middle(self.cells[end]), *self.bulbs)

    def digits(self, grid: Grid) -> list[int]:
        """What stands on it."""
        return [grid[place] for place in self.cells]


def _filled(
    step: Callable[[int, State, int], State | None],
) -> Callable[[int, State, int], State | None]:
    """A step that knows no empty cells."""
    return lambda level, state, digit: step(level, state, digit) if digit else None


@lru_cache(maxsize=1024)
def _rising(n: int, length: int) -> Layers:
    """Rising words; the state is the last digit."""

    def step(last: int, digit: int) -> int | None:
        return digit if digit > last else None

    return words(n, length, 0, step, bool)


@lru_cache(maxsize=1024)
def _never_falling(n: int, differs: tuple[int, ...]) -> Layers:
    """Words that never fall.

    Args:
        n: digits are 1 to n.
        differs: for every cell the last earlier one with which it shares a house, or -1.

    The state is the last digit, and the cell where it stood first.
    """

    def step(level: int, state: tuple[int, int], digit: int) -> tuple[int, int] | None:
        last, since = state
        if digit == last:
            return state if since > differs[level] else None
        return (digit, level) if digit > last else None

    return unfold([1 + n] * len(differs), (0, -1), _filled(step))


@lru_cache(maxsize=1024)
def _whispering(n: int, difference: int, differs: tuple[bool, ...]) -> Layers:
    """Words of digits far from the one before.

    Args:
        n: digits are 1 to n.
        difference: the least between neighbours.
        differs: for every cell whether it shares a house with the one before the one before.

    The state is the last digit, and the one before if it matters.
    """

    def step(level: int, state: tuple[int, int], digit: int) -> tuple[int, int] | None:
        before, last = state
        if digit == before or (last and abs(digit - last) < difference):
            return None
        matters = level + 1 < len(differs) and differs[level + 1]
        return last if matters else 0, digit

    return unfold([1 + n] * len(differs), (0, 0), _filled(step))


@lru_cache(maxsize=1024)
def _in_turn(length: int, kinds: tuple[int, ...], count: int) -> Layers:
    """Words of which any so many neighbours are of different kinds.

    Args:
        length: cells.
        kinds: of the digits from 1 on.
        count: neighbours; the state is the kinds of the last ones, one less.
    """

    def step(last: tuple[int, ...], digit: int) -> tuple[int, ...] | None:
        kind = kinds[digit - 1]
        return None if kind in last else (*last, kind)[-count + 1 :]

    start: tuple[int, ...] = ()
    return words(len(kinds), length, start, step, lambda _: True)


@lru_cache(maxsize=64)
def _equal(n: int) -> Layers:
    """Words of one digit, twice."""

    def step(last: int, digit: int) -> int | None:
        return digit if last in (0, digit) else None

    return words(n, 2, 0, step, bool)


def _turns(rule: Line, layout: Layout, kinds: Sequence[int], count: int) -> list[Constraint]:
    """Any so many neighbours on a line are of different kinds, of which there are so many."""
    cells = rule.cells
    if count <= _MOST_IN_TURN:
        return [reading(rule, layout, cells, _in_turn(len(cells), tuple(kinds), count))]
    found: list[Constraint] = []
    for i in range(max(1, len(cells) - count + 1)):
        window = cells[i : i + count]
        if len({*window}) < len(window):
            return [OneHot(rule.name, rule.label, (), 1)]
        for kind in range(count):
            some = sorted(
                v
                for p in window
                for v, k in zip(variables(layout, p), kinds, strict=True)
                if k == kind
            )
            label = f"{rule.label} {i + 1} {kind}"
            found.append(OneHot(rule.name, label, tuple(some), 1, len(window) < count))
    return found


@rule("thermo", "digits rise from the bulb to the end", "thermometer")
class Thermometer(Line):
    """Digits rise from the bulb, the first cell."""

    cells: Places
    width = 0.25
    bulbs = (0.38, "grey", None)
    ends = (0,)

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One machine that knows the last digit."""
        return [reading(self, layout, self.cells, _rising(layout.n, len(self.cells)))]

    def holds(self, grid: Grid) -> bool:
        """Compare each with the next."""
        return all(a < b for a, b in steps(self.digits(grid)))


@rule("slowthermo", "digits never fall from the bulb to the end", "slowthermometer")
class SlowThermometer(Line):
    """Digits never fall from the bulb, the first cell."""

    cells: Places
    colour = "blue"
    width = 0.25
    bulbs = (0.36, "white", "blue")
    ends = (0,)

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One machine that knows the last digit, and which cells differ."""
        cells = self.cells
        differs = tuple(
            max((j for j in range(i) if share_a_house(layout, cells[j], cells[i])), default=-1)
            for i in range(len(cells))
        )
        return [reading(self, layout, cells, _never_falling(layout.n, differs))]

    def holds(self, grid: Grid) -> bool:
        """Sorting changes nothing."""
        return sorted(self.digits(grid)) == self.digits(grid)


@rule("palindrome", "the line reads the same both ways", "palindromeline")
class Palindrome(Line):
    """Reads the same both ways."""

    cells: Places
    loops = True

    def constraints(self, layout: Layout) -> list[Constraint]:
        """A machine for each two cells that are equally far from the ends."""
        k, layers = len(self.cells), _equal(layout.n)
        both = [(self.cells[i], self.cells[k - 1 - i]) for i in range(k // 2)]
        return [
            reading(self, layout, pair, layers, commutative=True, label=f"{self.label} {i}")
            for i, pair in enumerate(both, 1)
            if pair[0] != pair[1]
        ]

    def holds(self, grid: Grid) -> bool:
        """Turn round."""
        return self.digits(grid)[::-1] == self.digits(grid)


@rule(
    "whispers",
    "neighbours on the line differ by the number at least (by half of n)",
    "whisper",
    "germanwhispers",
)
class Whispers(Line):
    """Neighbours on the line differ by at least something.

    Attributes:
        difference: None for half of n, rounded up: 5 on 9×9 boards (German whispers; the Dutch say
            4).
    """

    cells: Places
    difference: int | None = None
    colour = "green"
    loops = True

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One machine that knows the last digit, or two."""
        cells, n = self.cells, layout.n
        differs = tuple(
            i > 1 and share_a_house(layout, cells[i - 2], cells[i]) for i in range(len(cells))
        )
        far = (n + 1) // 2 if self.difference is None else self.difference
        return [reading(self, layout, cells, _whispering(n, far, differs))]

    def check(self, layout: Layout) -> None:
        """A line, and a difference that there is."""
        super().check(layout)
        if self.difference is not None:
            self.check_number(self.difference, 1, layout.n - 1, "a difference")

    def holds(self, grid: Grid) -> bool:
        """Subtract each from the next."""
        least = -(-grid.n // 2) if self.difference is None else self.difference
        return all(abs(a - b) >= least for a, b in steps(self.digits(grid)))


@rule(
    "entropic",
    "of any three cells in a row one is low, one in the middle, one high",
    "entropicline",
)
class Entropic(Line):
    """Any three cells in a row on the line hold a low, a middle and a high digit."""

    cells: Places
    colour = "orange"
    loops = True

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One machine that knows of the last two digits how high they are."""
        third = layout.n // 3
        return _turns(self, layout, [d // third for d in range(layout.n)], 3)

    def check(self, layout: Layout) -> None:
        """A line, and digits in three equal parts."""
        super().check(layout)
        if layout.n % 3:
            raise self.refuse(f"{layout.n} digits are not three equal parts")

    def holds(self, grid: Grid) -> bool:
        """Look at every three; at all where they are fewer."""
        high = [(3 * d - 1) // grid.n for d in self.digits(grid)]
        return all(len({*high[i : i + 3]}) == len(high[i : i + 3]) for i in range(len(high)))


@rule(
    "modular", "any so many cells in a row have different remainders by their number", "modularline"
)
class Modular(Line):
    """Any so many cells in a row on the line have different remainders, 3 where none is said."""

    cells: Places
    value: int = 3
    colour = "blue"
    loops = True

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One machine that knows the last remainders, or the windows where these are many."""
        kinds = [d % self.value for d in range(1, layout.n + 1)]
        return _turns(self, layout, kinds, self.value)

    def check(self, layout: Layout) -> None:
        """A line, and a divisor that there is."""
        super().check(layout)
        self.check_number(self.value, 2, layout.n, "a divisor")

    def holds(self, grid: Grid) -> bool:
        """Divide, and look at every window; at the whole line where it is shorter."""
        rest, m = [d % self.value for d in self.digits(grid)], self.value
        return all(len({*rest[i : i + m]}) == len(rest[i : i + m]) for i in range(len(rest)))


@lru_cache(maxsize=1024)
def _run(n: int, length: int) -> Layers:
    """Consecutive digits in any order; the state is the set of those that were read."""

    def add(state: int, digit: int) -> int | None:
        after = state | 1 << digit
        wide = after.bit_length() - (after & -after).bit_length() + 1
        return None if state >> digit & 1 or wide > length else after

    return words(n, length, 0, add, bool)


@lru_cache(maxsize=1024)
def _within(n: int, length: int) -> Layers:
    """Digits less than so many apart; the state is the least and the greatest."""

    def add(state: tuple[int, int], digit: int) -> tuple[int, int] | None:
        low, high = min(state[0], digit), max(state[1], digit)
        return (low, high) if high - low < length else None

    return words(n, length, (n, 1), add, bool)


@lru_cache(maxsize=1024)
def _scattered(n: int, length: int) -> Layers:
    """Digits no two of which are equal or consecutive; the state is the set of those read."""

    def add(state: int, digit: int) -> int | None:
        return None if state >> digit - 1 & 7 else state | 1 << digit

    return words(n, length, 0, add, bool)


@rule("renban", "consecutive digits, none twice, in any order", "renbanline")
class Renban(Line):
    """Consecutive digits, none twice, in any order."""

    cells: Places
    colour = "pink"
    loops = True

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One machine that knows the digits it has read, or the least and greatest of them."""
        n, cells = layout.n, tuple(dict.fromkeys(self.cells))
        k = len(cells)
        if k > n:
            return [OneHot(self.name, self.label, (), 1)]
        if k == n:
            return [*different(self, layout, cells)]
        if (n - k + 1) << k <= MOST_SETS:
            return [reading(self, layout, cells, _run(n, k), commutative=True)]
        near = reading(self, layout, cells, _within(n, k), commutative=True)
        return [*different(self, layout, cells), near]

    def holds(self, grid: Grid) -> bool:
        """Sort."""
        digits = sorted(grid[place] for place in {*self.cells})
        return digits == [*range(digits[0], digits[0] + len(digits))]


@rule("nabner", "no two digits on the line are equal or consecutive", "nabnerline")
class Nabner(Line):
    """No two digits are equal or consecutive."""

    cells: Places
    colour = "yellow"
    loops = True

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One machine that knows the digits it has read; or one of each two digits at most."""
        n, cells = layout.n, tuple(dict.fromkeys(self.cells))
        k = len(cells)
        if 2 * k - 1 > n:
            return [OneHot(self.name, self.label, (), 1)]
        if sum(comb(n - i + 1, i) for i in range(k + 1)) <= MOST_SETS:
            return [reading(self, layout, cells, _scattered(n, k), commutative=True)]
        found: list[Constraint] = []
        for d in range(n - 1):
            two = sorted(v for p in cells for v in variables(layout, p)[d : d + 2])
            label = f"{self.label} {SYMBOLS[d : d + 2]}"
            found.append(OneHot(self.name, label, tuple(two), 1, True))
        return found

    def holds(self, grid: Grid) -> bool:
        """Sort; each is two more than the one before, or farther."""
        digits = sorted(grid[place] for place in {*self.cells})
        return all(b > a + 1 for a, b in pairwise(digits))
