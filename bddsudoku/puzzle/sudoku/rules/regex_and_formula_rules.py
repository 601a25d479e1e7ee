"""Rules whose condition the puzzle itself states: regular expressions, formulas, weighted sums.

In a regular expression over digits ``4`` is a digit (``A`` is 10, ``B`` 11, …), ``.`` any digit,
``[1-46]`` one of several, ``[^12]`` any other; ``(…)`` groups, ``|`` separates alternatives, and
``* + ? {3} {2,} {2,5} {,5}`` say how often. The meaning is that of Python's :mod:`re`, of which
these signs are a part. A state of the automaton is a set of rests of the expression, of which one
must match what follows.

Source: V. Antimirov, *Partial derivatives of regular expressions and finite automaton
constructions*, Theoretical Computer Science 155 (1996).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import combinations, pairwise
from math import inf
from typing import TYPE_CHECKING, TypeAlias

from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.model.constraints import Constraint, Linear
from bddsudoku.model.expression import evaluate
from bddsudoku.model.mdd import Mdd, WidthLimit, mdd_from_automaton
from bddsudoku.puzzle.sudoku.layout import VALUE_SYMBOLS, Layout, written_digits
from bddsudoku.puzzle.sudoku.rules.any_of_all_of import AnyOf
from bddsudoku.puzzle.sudoku.rules.line_rules import LineRule
from bddsudoku.puzzle.sudoku.rules.places_and_marks import Place, Places, parse_place
from bddsudoku.puzzle.sudoku.rules.rule import FilledGrid, Quoted, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import (
    accept_all,
    all_pairs_allowed,
    cell_variables,
    constraint_of_rule,
    digit_weights,
    mdd_constraint,
    word_mdd,
)

if TYPE_CHECKING:
    from bddsudoku.puzzle.formula.problem_draft import Draft


MAX_PATTERN = 500
"""Largest number of characters of a pattern."""
_MAX_STATES = 4_000
"""Greatest number of states of an automaton."""
_MAX_SIZE = 4_000_000
"""Greatest number of states in the sets after all steps together."""
MAX_WIDTH = 20_000
"""Greatest number of states of one layer of a pattern's MDD."""
_MAX_DEPTH = 50
_CELL = re.compile(r"\b(?:r\d{1,2}c|[A-Z]{1,8}(?:r\d{1,2}c)?)\d{1,3}\b")
_DIGIT = f"[{VALUE_SYMBOLS}]"
_ONE_OF = rf"\.|{_DIGIT}|\[\^?(?:{_DIGIT}(?:-{_DIGIT})?)+\]"
_TIMES = r"[*+?]|\{(?=,?\d)\d{0,3}(?:,\d{0,3})?\}"
_TOKEN = re.compile(rf"{_ONE_OF}|\((?!\?)|[|)]|(?:{_TIMES})(?![*+?{{])")

Part: TypeAlias = "tuple[frozenset[int] | _Choice, int, float]"
"""One of some digits, or an expression in brackets, and how often it stands: least, greatest."""
States: TypeAlias = "frozenset[tuple[frozenset[int], _Rest | None] | None]"
"""The ways to go on: the digits that are read next and the rest behind them; None for the end."""


@dataclass(frozen=True, eq=False)
class _Choice:
    """An expression in brackets: one of several sequences of parts."""

    sequences: tuple[tuple[Part, ...], ...]


@dataclass(frozen=True, eq=False)
class _Rest:
    """What is still to be matched: a part, and the rest behind it; None for nothing."""

    part: Part
    after: _Rest | None


class PatternAutomaton:
    """The automaton of a regular expression, for words up to a length.

    Raises:
        PuzzleFormatError: the pattern is malformed; the message has the column.
        LimitReached: there are too many states.
    """

    def __init__(self, pattern: str, length: int) -> None:
        self._most_times = length + 1  # more repetitions make no difference
        self._size = 0
        self._rest = cache(_Rest)  # equal rests are the same object
        sequences = self._parse(_split_pattern(pattern.upper())[::-1])
        self.start: States = self._ways([self._before(s, None) for s in sequences])

    def step(self, states: States, digit: int) -> States | None:
        """The states after a digit; None if no word can match any more."""
        return self._ways([way[1] for way in states if way and digit in way[0]]) or None

    @staticmethod
    def accepts(states: States) -> bool:
        """Whether the word may end."""
        return None in states

    def _ways(self, ahead: list[_Rest | None]) -> States:
        """The ways to go on with one of some rests, which may begin with nothing or a bracket."""
        found: set[tuple[frozenset[int], _Rest | None] | None] = set()
        seen = {*ahead}
        while ahead:
            rest = ahead.pop()
            if rest is None:
                found.add(None)
                continue
            (what, least, most), after = rest.part, rest.after
            behind = self._rest((what, max(least - 1, 0), most - 1), after) if most > 1 else after
            more = [] if least else [after]
            if isinstance(what, _Choice):
                more += (self._before(s, behind) for s in what.sequences if most)
            elif most:
                found.add((what, behind))
            ahead += {*more} - seen
            seen.update(more)
            self._size += len(more)
            if len(seen) > _MAX_STATES or self._size > _MAX_SIZE:
                raise LimitReached(
                    f"the pattern's automaton is too wide: more than {_MAX_STATES:,} states, "
                    f"or {_MAX_SIZE:,} in the sets of them",
                    limit="states",
                )
        return frozenset(found)

    def _before(self, sequence: tuple[Part, ...], rest: _Rest | None) -> _Rest | None:
        """The rest with a sequence of parts before it."""
        for part in reversed(sequence):
            rest = self._rest(part, rest)
        return rest

    def _parse(self, tokens: list[str], depth: int = 0) -> tuple[tuple[Part, ...], ...]:
        """Parse an expression from the end of the tokens, up to ``)`` or their beginning."""
        if depth > _MAX_DEPTH:
            raise PuzzleFormatError(f"expected at most {_MAX_DEPTH} brackets inside each other")
        choices: list[list[Part]] = [[]]
        while tokens and (token := tokens.pop()) != ")":
            if token == "|":
                choices.append([])
            elif token == "(":
                choices[-1].append((_Choice(self._parse(tokens, depth + 1)), 1, 1))
            elif token[0] in "*+?{":
                times = {"*": "0,", "+": "1,", "?": "0,1"}.get(token, token.strip("{}"))
                low, comma, high = times.partition(",")
                least = min(int(low or 0), self._most_times)
                most = min(int(high), self._most_times) if high else inf if comma else least
                choices[-1].append((choices[-1].pop()[0], least, most))
            else:
                choices[-1].append((written_digits(token), 1, 1))
        return tuple(map(tuple, choices))


def _split_pattern(pattern: str) -> list[str]:
    """The signs of a pattern, which is checked: single ones here, their order by :mod:`re`."""
    if len(pattern) > MAX_PATTERN:
        raise PuzzleFormatError(
            f"expected a pattern of at most {MAX_PATTERN} characters, found {len(pattern)}"
        )
    tokens, at = [], 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None:
            raise PuzzleFormatError(
                f"column {at + 1} of the pattern: expected a digit, '.', '[1-46]', '|', brackets, "
                f"or once behind them * + ? {{2,5}}, found {pattern[at]!r}"
            )
        tokens.append(token[0])
        at = token.end()
    try:
        re.compile(pattern)
    except re.error as error:
        raise PuzzleFormatError(
            f"column {(error.pos or 0) + 1} of the pattern: {error.msg}"
        ) from None
    return tokens


@rule("regex", "the digits along the line match the regular expression")
class RegularExpression(LineRule):
    """A regular expression that the digits along a line match from the first to the last."""

    pattern: Quoted
    arity = 1, None
    loops = True

    def faults(self, layout: Layout) -> Iterator[str]:
        """Cells that follow themselves, or a pattern that is none."""
        yield from super().faults(layout)
        bare = re.sub(r"\{[^}]*\}?", lambda found: " " * len(found[0]), self.pattern)
        for i, symbol in enumerate(bare):
            if symbol.isalnum() and symbol.upper() not in layout.symbols:
                what = f"column {i + 1} of the pattern: expected digits {layout.symbols[0]} to"
                yield f"{what} {layout.symbols[-1]}, found {symbol!r}"
        _raise_as_rule_error(self, lambda: PatternAutomaton(self.pattern, len(self.cells)))

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton over the line; a state is a set of states of the pattern."""
        mdd = _regex_mdd(self.pattern, layout.values, len(self.cells))
        return [mdd_constraint(self, layout, self.cells, mdd)]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether Python's :mod:`re` matches the digits along the line, written as one word."""
        word = "".join(VALUE_SYMBOLS[digit] for digit in self.digits_in(grid))
        return re.fullmatch(self.pattern.upper(), word) is not None


@lru_cache(maxsize=1024)
def _regex_mdd(pattern: str, values: range, length: int) -> Mdd:
    """The MDD of all digit sequences of a given length that match a regular expression.

    Raises:
        LimitReached: a layer has more than :data:`MAX_WIDTH` states, or these are too large.
    """
    automaton = PatternAutomaton(pattern, length)
    limit = WidthLimit(MAX_WIDTH, "the pattern's automaton is too wide")
    start, step, end = automaton.start, automaton.step, automaton.accepts
    return mdd_from_automaton(length, [None, *values], start, step, end, limit)


@rule("pair", "neighbours a, b on the line (or all pairs of its cells) satisfy the formula")
class PairFormula(LineRule):
    """A formula of a and b that holds for each cell of a line and the next, or for all pairs.

    Attributes:
        formula: a statement in a and b (:mod:`bddsudoku.puzzle.formula`), as ``a + b > 9``; a is
            the digit that comes first along the line.
        which: ``line`` for cells that follow each other, ``all`` for all pairs of cells.
    """

    formula: Quoted
    which: str = "line"
    loops = True
    words = "line", "all"

    def faults(self, layout: Layout) -> Iterator[str]:
        """Pairs of a cell with itself, or a formula that is none."""
        yield from (f"{a} stands there twice" for a, b in self.pairs if a == b)
        _raise_as_rule_error(self, lambda: satisfying_digit_pairs(self.formula, layout.values))

    @property
    def pairs(self) -> Iterable[tuple[Place, Place]]:
        """The pairs of cells to which the formula applies."""
        return combinations(self.cells, 2) if self.which == "all" else pairwise(self.cells)

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton if only consecutive cells are pairs; else constraints on all pairs."""
        if self.which == "line":
            step, more = _step_satisfying_pairs, (self.formula, layout.values)
            mdd = word_mdd(layout.values, len(self.cells), None, step, accept_all, *more)
            return [mdd_constraint(self, layout, self.cells, mdd)]
        table = satisfying_digit_pairs(self.formula, layout.values)
        return all_pairs_allowed(self, layout, self.cells, lambda a, b: (a, b) in table)

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the formula holds for the digits of every pair."""
        return all(_is_satisfied(self.formula, {"a": grid[a], "b": grid[b]}) for a, b in self.pairs)


def _step_satisfying_pairs(last: int | None, digit: int, formula: str, values: range) -> int | None:
    """The digit if it is the first one or satisfies a formula with the last; otherwise None."""
    is_allowed = last is None or (last, digit) in satisfying_digit_pairs(formula, values)
    return digit if is_allowed else None


@lru_cache(maxsize=1024)
def satisfying_digit_pairs(formula: str, values: range) -> frozenset[tuple[int, int]]:
    """The pairs of digits (a, b) for which a formula in a and b holds."""
    n = len(values)
    constraints = _formula_constraints(formula, ("a", "b"), values)
    truths = [False] * (2 * n)
    found = set()
    for a in range(n):
        for b in range(n):
            truths[a] = truths[n + b] = True
            if all(c.holds(truths) for c in constraints):
                found.add((values[a], values[b]))
            truths[a] = truths[n + b] = False
    return frozenset(found)


@rule("sum", "the digits add up to one of the totals (or to at most, at least the total)")
class WeightedSum(Rule):
    """A weighted sum of digits that is one of the totals, or is at most or at least one total.

    Attributes:
        relation: ``=``, ``<=`` or ``>=``.
        totals: one or more for ``=``, otherwise one.
        cells: a cell counts as often as it is listed; ``3*r1c1`` in texts lists it three times.
        minus: cells whose digits are subtracted.

    """

    relation: str = "="
    totals: tuple[int, ...] = ()
    cells: Places = ()
    minus: Places = ()
    words = "=", "<=", ">="
    arity = 0, None
    loops = True

    def __post_init__(self) -> None:
        for key in ("cells", "minus"):  # equal cells side by side, as texts list them
            object.__setattr__(self, key, tuple(Counter(getattr(self, key)).elements()))

    def faults(self, layout: Layout) -> Iterator[str]:
        """Not as many totals as the relation needs, no cells, or a total that they never have."""
        if not self.totals or (len(self.totals) > 1 and self.relation != "="):
            wanted = "a total or more" if self.relation == "=" else "one total"
            yield f"expected {wanted}, found {len(self.totals)}"
        self.check_places(self.cells, layout)
        ends = [
            sorted((weight * layout.values[0], weight * layout.values[-1]))
            for weight in self._weight_by_cell.values()
        ]
        least, most = map(sum, zip(*ends, strict=True))
        for total in self.totals:
            self.check_number(total, least, most, "a total")

    @property
    def _weight_by_cell(self) -> dict[Place, int]:
        """Each cell's weight in the sum, negative for subtracted cells."""
        found = Counter(self.cells)
        found.subtract(self.minus)
        return dict(sorted(found.items()))

    def constraints(self, layout: Layout) -> list[Constraint]:
        """A linear constraint, or for several totals an automaton that one of them is reached."""
        if len(self.totals) > 1:
            singles = tuple(replace(self, totals=(total,)) for total in dict.fromkeys(self.totals))
            return [constraint_of_rule(self, c) for c in AnyOf(singles).constraints(layout)]
        weights, total = digit_weights(layout, self._weight_by_cell), self.totals[0]
        low, high = (None if self.relation == x else total for x in ("<=", ">="))
        return [Linear(self.name, self.label, (*weights,), (*weights.values(),), low, high)]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the weighted sum is one of the totals, or within the bound for <= and >=."""
        found = sum(grid[p] for p in self.cells) - sum(grid[p] for p in self.minus)
        total = self.totals[0]
        return {"<=": found <= total, ">=": found >= total, "=": found in self.totals}[
            self.relation
        ]


@rule("formula", "the formula, in which r1c1 stands for the digit in that cell, holds")
class CellFormula(Rule):
    """A formula of the package's language whose names are cells, as ``r1c1 * r1c2 == r2c1``."""

    formula: Quoted

    @property
    def cells(self) -> Places:
        """The cells that the formula names, in the order of their first appearance."""
        return tuple(dict.fromkeys(map(parse_place, _CELL.findall(self.formula))))

    @property
    def _written(self) -> str:
        """The formula, each cell under one name only."""
        return _CELL.sub(lambda found: str(parse_place(found[0])), self.formula)

    def check(self, layout: Layout) -> None:
        """Check that the formula names cells of the board and is well formed."""
        self.check_places(self.cells, layout)
        _raise_as_rule_error(self, lambda: self._lowered(layout.values))

    def _lowered(self, values: range) -> tuple[Constraint, ...]:
        """The formula's constraints on the digits of its cells, as if there were no others."""
        return _formula_constraints(self._written, tuple(map(str, self.cells)), values)

    def constraints(self, layout: Layout) -> list[Constraint]:
        """The constraints that together express the formula."""
        lowered = self._lowered(layout.values)
        position = [v for place in self.cells for v in cell_variables(layout, place)]
        return [
            constraint_of_rule(self, c.renumber(position), f"{i}" if len(lowered) > 1 else "")
            for i, c in enumerate(lowered, 1)
        ]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the formula is true for the digits in its cells."""
        return _is_satisfied(self._written, {str(p): grid[p] for p in self.cells})


def _raise_as_rule_error(rule: Rule, read: Callable[[], object]) -> None:
    """Call ``read``, which reads a formula or pattern; raise its format errors as the rule's."""
    try:
        read()
    except PuzzleFormatError as error:
        where = "" if error.column is None else f"column {error.column} of the formula: "
        raise rule.error(f"{where}{error.expected}") from None


@lru_cache(maxsize=4096)
def _formula_constraints(
    formula: str, names: tuple[str, ...], values: range
) -> tuple[Constraint, ...]:
    """The constraints of a formula, with a Boolean variable for each value of each name."""
    draft = _formula_draft(formula, dict.fromkeys(names, tuple(values)))
    return tuple(draft.constraints[len(names) :])


def _is_satisfied(formula: str, digit_by_name: Mapping[str, int]) -> bool:
    """Whether a formula is true when its names stand for given numbers."""
    draft = _formula_draft(formula, {name: (digit,) for name, digit in digit_by_name.items()})
    return all(evaluate(s.expression, ()) for s in draft.statements)


def _formula_draft(formula: str, domain_by_name: Mapping[str, Sequence[int]]) -> Draft:
    """A problem with one formula, whose names are integer variables with the given domains."""
    from bddsudoku.puzzle.formula.interpreter import interpret_text
    from bddsudoku.puzzle.formula.lexer import FormulaText
    from bddsudoku.puzzle.formula.problem_draft import Draft

    source = FormulaText(formula)
    if comment := re.search(r"#|//", formula):
        raise source.error(comment.start(), f"expected no comment, found {comment[0]!r}")
    draft = Draft()
    for name, domain in domain_by_name.items():
        draft.new_integer(name, domain)
    declared = len(draft.names)
    interpret_text(source, draft)
    if len(draft.names) > declared or draft.projection is not None:
        raise source.error(0, "expected a statement, found a declaration")
    return draft
