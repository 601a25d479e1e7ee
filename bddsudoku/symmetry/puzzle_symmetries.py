"""The symmetries of a puzzle: permutations of its cells and digits that keep all that it states.

A symmetry moves the content of every cell to a cell and replaces every digit by a digit, such that

* the digits that hints, candidates and rules on single cells allow in a cell become those that are
  allowed in its image;
* the constraints on each other set of cells (a row, a block, an extra house, the cells of a rule)
  become those on a set of cells, whatever their names.

It maps solutions to solutions. Nothing is deduced: what holds by chance, as hints exclude
the rest, is no symmetry. The digits are permuted in any way if the constraints on several cells
keep their meaning in all ways; otherwise they stay or are reversed (1 becomes 9).

The permutations are found by the refinement of colours with backtracking (McKay, "Practical graph
isomorphism", 1981): cells, digits and sets of cells are points of a graph, of which points can be
images of each other only if their neighbours can. The group is a chain of stabilisers (Sims).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain, pairwise, product
from math import factorial, prod
from typing import TYPE_CHECKING, TypeAlias

from bddsudoku.model.connectivity import Connected, DistinctInRegions
from bddsudoku.model.constraints import Constraint, OneHot, rename_constraint
from bddsudoku.model.mdd import Mdd, restrict_mdd
from bddsudoku.model.to_mdd import ConstraintMdd, constraint_mdd
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.sudoku_model import constraint_families, empty_board_model

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.places import Place

Permutation: TypeAlias = "tuple[int, ...]"
"""The image of every point: the cells by their numbers, then the digits in their order."""
Colours: TypeAlias = "list[int]"
"""The colour of every point of a board; points of different colours are no images of each other."""


@dataclass(frozen=True)
class Symmetry:
    """A permutation of a board's cells and digits.

    Attributes:
        cells: for every cell the number of the cell to which its content moves.
        digits: for every digit, in ascending order, the digit that replaces it.
    """

    cells: tuple[int, ...]
    digits: tuple[int, ...]

    def apply(self, puzzle: Puzzle) -> Puzzle:
        """The puzzle with its hints and candidates moved and replaced; its rules stay."""
        values = puzzle.layout.values
        masks = [0] * len(self.cells)
        for cell, mask in enumerate(puzzle.masks):
            for i, digit in enumerate(self.digits):
                masks[self.cells[cell]] |= (mask >> i & 1) << values.index(digit)
        return Puzzle.from_masks(masks, puzzle.layout, puzzle.rules)


@dataclass(frozen=True)
class PuzzleSymmetries:
    """The group of symmetries of a puzzle.

    Every symmetry is one of :attr:`representatives` after a permutation of digits within
    :attr:`interchangeable`. The representatives are a group of their own: they keep the order of
    interchangeable digits.

    Attributes:
        puzzle: the puzzle.
        interchangeable: classes of digits, as positions in ``layout.values``: exchanging two of a
            class is a symmetry. Every digit is in one class.
        chain: the representatives as a chain of stabilisers: each is the product of one
            permutation of every member, in their order (the last one acts first).
        strong_generators: permutations that generate the representatives.
    """

    puzzle: Puzzle
    interchangeable: tuple[tuple[int, ...], ...]
    chain: tuple[tuple[Permutation, ...], ...] = field(repr=False)
    strong_generators: tuple[Permutation, ...] = field(repr=False)

    @property
    def representatives(self) -> int:
        """The number of symmetries that keep the order of interchangeable digits."""
        return prod(map(len, self.chain))

    @property
    def relabellings(self) -> int:
        """The number of symmetries that keep every cell and permute interchangeable digits."""
        return prod(factorial(len(some)) for some in self.interchangeable)

    @property
    def order(self) -> int:
        """The number of symmetries, the identity included."""
        return self.representatives * self.relabellings

    @cached_property
    def generators(self) -> tuple[Symmetry, ...]:
        """Symmetries that generate all others, those that move cells first."""
        layout = self.puzzle.layout
        cells = layout.cell_count
        identity = tuple(range(cells + layout.digit_count))
        found = [*self.strong_generators]
        for some in self.interchangeable:
            for i, j in pairwise(some):
                moved = [*identity]
                moved[cells + i], moved[cells + j] = cells + j, cells + i
                found.append(tuple(moved))
        return tuple(
            Symmetry(g[:cells], tuple(layout.values[d - cells] for d in g[cells:])) for g in found
        )

    @cached_property
    def cell_orbits(self) -> tuple[tuple[Place, ...], ...]:
        """The cells, each with those to which symmetries move it; in the order of first cells."""
        places = self.puzzle.layout.places
        left = dict.fromkeys(range(len(places)))
        found = []
        while left:
            orbit = _orbit(next(iter(left)), self.strong_generators)
            found.append(tuple(places[cell] for cell in sorted(orbit)))
            for cell in orbit:
                del left[cell]
        return tuple(found)


def _orbit(point: int, generators: Sequence[Permutation]) -> dict[int, Permutation | None]:
    """The images of a point, each with a product of generators that moves it there.

    None for the point itself, which needs none.
    """
    found: dict[int, Permutation | None] = {point: None}
    ahead = [point]
    for at in ahead:
        for generator in generators:
            if generator[at] not in found:
                before = found[at]
                found[generator[at]] = (
                    generator if before is None else tuple(generator[x] for x in before)
                )
                ahead.append(generator[at])
    return found


class _Board:
    """A puzzle as a coloured graph: its cells, its digits, and sets of cells with constraints.

    A set and its cells are neighbours, and a cell with fewer than all digits and those digits.

    Attributes:
        cells, n: the numbers of cells and of digits.
        same: the digits by their positions, all unchanged.
        sets: the sets of cells, as a constraint reads them, and their constraints.
        reads_digits: whether some permutation of the digits changes what a constraint means.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        layout = puzzle.layout
        self.cells, self.n = layout.cell_count, layout.digit_count
        self.same = tuple(range(self.n))
        every = [(1 << self.n) - 1] * self.cells
        possible = [*every]  # by rules on single cells
        sets: dict[frozenset[int], tuple[tuple[int, ...], list[Constraint]]] = {}
        for c in empty_board_model(layout, constraint_families(layout), puzzle.rules).constraints:
            read = (v for group in getattr(c, "groups", [c.variables]) for v in group)
            cells = tuple(dict.fromkeys(v // self.n for v in read))
            if len(cells) == 1:
                first = cells[0] * self.n
                for d in self.same:
                    if not c.holds({v: v == first + d for v in c.variables}):
                        possible[cells[0]] &= ~(1 << d)
            elif cells:
                sets.setdefault(frozenset(cells), (cells, []))[1].append(c)
        self.masks = [a & b for a, b in zip(puzzle.masks, possible, strict=True)]
        self.sets = [*sets.values()]
        self._number_of_set = {cells: i for i, cells in enumerate(sets)}
        self._names: dict[Hashable, int] = {}
        self._meaning = lru_cache(maxsize=None)(self._uncached_meaning)
        self._pairs = lru_cache(maxsize=None)(self._uncached_pairs)
        self._roles = lru_cache(maxsize=None)(self._uncached_roles)
        self._neighbours = lru_cache(maxsize=None)(self._uncached_neighbours)
        self._paired = every
        self.reads_digits = any(
            self._meaning(i, ranks, (*self.same[:d], d + 1, d, *self.same[d + 2 :]))
            != self._meaning(i, ranks, self.same)
            for i, (cells, _) in enumerate(self.sets)
            for ranks in [tuple(range(len(cells)))]
            for d in range(self.n - 1)
        )
        if self.reads_digits:  # then of digits that are not possible a rule may say anything
            self._paired = possible
            self._pairs.cache_clear()
            self._meaning.cache_clear()

    def _uncached_neighbours(self, digits: tuple[int, ...]) -> list[list[tuple[int, int]]]:
        """The neighbours of every point, each with what the edge to it is like.

        The digit that each digit replaces has to be ``digits[d]``: edges of points and of their
        images are then alike.
        """
        n = self.n
        found: list[list[tuple[int, int]]] = [[] for _ in range(self.cells + n + len(self.sets))]
        edges: list[tuple[int, int, Hashable]] = [
            (cell, self.cells + d, ())
            for cell, mask in enumerate(self.masks)
            for d in self.same
            if mask >> d & 1 and mask != (1 << n) - 1
        ]
        for i, (_, constraints) in enumerate(self.sets):
            for cell, role in self._roles(i).items():
                edges.append((self.cells + n + i, cell, tuple(role[d] for d in digits)))
            for c in constraints:
                if isinstance(c, Connected):
                    at = [group[0] // n for group in c.groups]
                    beside = ((at[a], at[b]) for a, near in enumerate(c.neighbours) for b in near)
                    edges += [(a, b, "beside") for a, b in beside if a < b]
        for a, b, like in edges:
            name = self._names.setdefault(like, len(self._names))
            found[a].append((b, name))
            found[b].append((a, name))
        return found

    def _uncached_roles(self, number: int) -> dict[int, list[tuple[tuple[int, ...], ...]]]:
        """What each cell of a set means to the constraints there: for each digit some numbers.

        Cells whose numbers differ are no images of each other. Where an MDD tells the words of the
        cells, it is how many of them have the digit there.
        """
        cells, constraints = self.sets[number]
        found: dict[int, list[list[tuple[int, ...]]]] = {c: [[] for _ in self.same] for c in cells}
        if len(cells) == 2:
            pairs = self._pairs(number)
            for (cell, d), times in Counter(
                chain(*(zip(cells, pair, strict=True) for pair in pairs))
            ).items():
                found[cell][d].append((times,))
            constraints = []
        levels = [range(cell * self.n, cell * self.n + self.n) for cell in cells]
        for c in constraints:
            if isinstance(c, OneHot):
                for v in c.variables:
                    found[v // self.n][v % self.n].append((len(c.variables), c.total, c.at_most))
            elif (made := _mdd_or_none(c, levels)) is not None:
                for level, some in zip(made.levels, _word_counts(made.mdd), strict=True):
                    for v, words in zip(level, some[1:], strict=True):
                        found[v // self.n][v % self.n].append((words,))
        # Sets, as a constraint that is stated twice says nothing more.
        return {cell: [tuple(sorted({*one})) for one in role] for cell, role in found.items()}

    def _uncached_meaning(
        self, number: int, ranks: tuple[int, ...], digits: tuple[int, ...]
    ) -> Hashable:
        """What the constraints on a set of cells mean: equal results for equal constraints.

        Args:
            number: of the set.
            ranks: the places of its cells in the order in which the result reads them.
            digits: the digit that replaces each digit.
        """
        cells, constraints = self.sets[number]
        if len(cells) == 2:  # often several constraints that only together are the relation
            turn = 1 if ranks == (0, 1) else -1
            return frozenset((digits[d], digits[e])[::turn] for d, e in self._pairs(number))
        n, rank = self.n, dict(zip(cells, ranks, strict=True))
        moved = [
            c.renumber({v: rank[v // n] * n + digits[v % n] for v in c.variables})
            for c in constraints
        ]
        levels = [range(i * n, i * n + n) for i in range(len(cells))]
        return frozenset(_meaning_of_one(c, levels) for c in moved)

    def _uncached_pairs(self, number: int) -> list[tuple[int, int]]:
        """The digits that the constraints on a set of two cells allow them together."""
        (a, b), constraints = self.sets[number]
        found = []
        left = ([d for d in self.same if self._paired[cell] >> d & 1] for cell in (a, b))
        for d, e in product(*left):
            true = {a * self.n + d, b * self.n + e}
            if all(c.holds({v: v in true for v in c.variables}) for c in constraints):
                found.append((d, e))
        return found

    def colours(self, digits: Sequence[int] | None) -> Colours:
        """The first colours; of the digits their own, where the digit has to be ``digits[d]``."""
        own = [2] * self.n if digits is None else [2 + d for d in digits]
        beyond = 2 + self.n
        is_open = [mask == (1 << self.n) - 1 for mask in self.masks]
        return [*is_open, *own, *(beyond + len(cells) for cells, _ in self.sets)]

    def refine(self, colours: Colours, digits: tuple[int, ...]) -> tuple[Colours, list[Hashable]]:
        """Refine colours until points of one colour have neighbours of the same colours.

        Returns: the colours, and how they came about. Points of two colourings are possible images
            of each other where both are equal.
        """
        way: list[Hashable] = []
        count = 0
        while True:
            signs = [
                (colours[v], *sorted((colours[w], like) for w, like in near))
                for v, near in enumerate(self._neighbours(digits))
            ]
            way.append(tuple(sorted(signs)))
            names = {sign: i for i, sign in enumerate(sorted({*signs}))}
            colours = [names[sign] for sign in signs]
            if len(names) == count:
                return colours, way
            count = len(names)

    def branching_point(self, colours: Colours) -> int | None:
        """The first cell of which another one has the colour; None if there is none."""
        tally = Counter(colours[: self.cells])
        return next((cell for cell in range(self.cells) if tally[colours[cell]] > 1), None)

    def images(
        self, here: Colours, there: Colours, digits: tuple[int, ...]
    ) -> Iterator[Permutation]:
        """Yield the symmetries that map each point to one of its colour.

        Args:
            here, there: colours of the points and of their images.
            digits: how constraints on several cells have to be read.
        """
        here, way = self.refine(here, self.same)
        there, other_way = self.refine(there, digits)
        at = self.branching_point(here)
        if way != other_way:
            return
        tally = Counter(there)
        only = {colour: v for v, colour in enumerate(there) if tally[colour] == 1}
        image = {v: only[here[v]] for v in range(self.cells) if here[v] in only}
        for number, (cells, _) in enumerate(self.sets):
            if image.keys() >= {*cells} and not self._is_kept(number, image, digits):
                return
        if at is None:
            yield self._permutation(image, here, there)
            return
        for other in range(self.cells):
            if there[other] == here[at]:
                yield from self.images(marked(here, at), marked(there, other), digits)

    def _is_kept(self, number: int, image: dict[int, int], digits: tuple[int, ...]) -> bool:
        """Whether the image of a set has the images of its constraints."""
        moved = [image[cell] for cell in self.sets[number][0]]
        other = self._number_of_set.get(frozenset(moved))
        if other is None:
            return False
        there = self.sets[other][0]
        ranks, own = tuple(map(there.index, moved)), tuple(range(len(there)))
        return self._meaning(number, ranks, digits) == self._meaning(other, own, self.same)

    def _permutation(self, image: dict[int, int], here: Colours, there: Colours) -> Permutation:
        """The permutation with given images of the cells that keeps the order of digits."""
        digits = range(self.cells, self.cells + self.n)
        by_colour = [sorted(digits, key=lambda d: (colour[d], d)) for colour in (here, there)]
        moved = dict(zip(*by_colour, strict=True))
        return (*(image[c] for c in range(self.cells)), *(moved[d] for d in digits))


def _meaning_of_one(c: Constraint, levels: Sequence[Sequence[int]]) -> Hashable:
    """What a constraint on cells means: of a one-hot constraint its variables, else its MDD."""
    if isinstance(c, OneHot):
        return c.variables, c.total, c.at_most
    if isinstance(c, Connected):  # its MDD may be large in the order of other cells
        joined = (frozenset(c.groups[j] for j in near) for near in c.neighbours)
        return c.size, frozenset(zip(c.groups, joined, strict=True))
    made = _mdd_or_none(c, levels)
    return repr(rename_constraint(c, "", "")) if made is None else made.mdd


def _mdd_or_none(c: Constraint, levels: Sequence[Sequence[int]]) -> ConstraintMdd | None:
    """The MDD of a constraint; None if none reads constraints of its kind, or not in this way."""
    if isinstance(c, Connected | DistinctInRegions):
        return None
    return constraint_mdd(c, levels, exact=range(len(levels)))


@lru_cache(maxsize=256)
def _word_counts(mdd: Mdd) -> list[list[int]]:
    """For every level of an MDD, and every choice there: how many accepted words have it."""
    every = tuple(tuple(range(choices)) for choices in mdd.choices)
    return [
        [restrict_mdd(mdd, (*every[:i], k, *every[i + 1 :])).count() for k in some]
        for i, some in enumerate(every)
    ]


def marked(colours: Colours, point: int) -> Colours:
    """The colours, with one of its own for a point."""
    return [*colours[:point], -1, *colours[point + 1 :]]


def find_symmetries(puzzle: Puzzle) -> PuzzleSymmetries:
    """The group of symmetries of a puzzle of any layout, with any rules.

    Raises:
        LimitReached: the meaning of a rule is too large to be compared.

    Cost: some tenths of a second for a 9×9 board, seconds for larger ones and for hundreds of
    rules.
    """
    board = _Board(puzzle)
    fixed = board.same if board.reads_digits else None
    first = board.colours(fixed)
    path = []
    here, _ = board.refine(first, board.same)
    while (at := board.branching_point(here)) is not None:
        path.append((at, here))
        here, _ = board.refine(marked(here, at), board.same)
    classes: dict[int, list[int]] = {}
    for d in range(board.n):
        classes.setdefault(here[board.cells + d], []).append(d)
    identity = tuple(range(board.cells + board.n))
    generators: list[Permutation] = []
    chain: list[tuple[Permutation, ...]] = []
    for at, colours in reversed(path):
        orbit = _orbit(at, generators)
        for other in range(board.cells):
            if colours[other] == colours[at] and other not in orbit:
                start = marked(colours, at), marked(colours, other)
                found = next(board.images(*start, board.same), None)
                if found is not None:
                    generators.append(found)
                    orbit = _orbit(at, generators)
        if len(orbit) > 1:
            chain.append(tuple(move or identity for move in orbit.values()))
    if fixed is not None:
        reversal = fixed[::-1]
        turned = next(board.images(first, board.colours(reversal), reversal), None)
        if turned is not None:
            generators.append(turned)
            chain.append((identity, turned))
    return PuzzleSymmetries(
        puzzle, tuple(map(tuple, classes.values())), tuple(reversed(chain)), tuple(generators)
    )
