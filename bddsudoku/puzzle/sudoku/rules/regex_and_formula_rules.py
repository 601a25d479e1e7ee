"""Rules whose condition the puzzle itself states: regular expressions, formulas, weighted sums.

In a regular expression over digits ``4`` is a digit (``A`` is 10, ``B`` 11, …), ``.`` any digit,
``[1-46]`` one of several, ``[^12]`` any other; ``(…)`` groups, ``|`` separates alternatives, and
``* + ? {3} {2,} {2,5} {,5}`` say how often. The meaning is that of Python's :mod:`re`, of which
these signs are a part. A state of its automaton is the set of all that may follow the digits read:
Antimirov's partial derivatives of the pattern.

Source: V. Antimirov, *Partial derivatives of regular expressions and finite automaton
constructions*, Theoretical Computer Science 155 (1996).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, combinations, pairwise
from math import inf
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.model.constraints import Constraint, Linear
from bddsudoku.model.expression import evaluate
from bddsudoku.model.mdd import WidthLimit
from bddsudoku.puzzle.sudoku.layout import LARGEST, VALUE_SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.rules.any_of_all_of import AnyOf
from bddsudoku.puzzle.sudoku.rules.line_rules import LineRule
from bddsudoku.puzzle.sudoku.rules.places_and_marks import Place, Places, parse_place
from bddsudoku.puzzle.sudoku.rules.rule import FilledGrid, Quoted, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import (
    Digits,
    WordRule,
    accept_all,
    all_pairs_allowed,
    cell_variables,
    constraint_of_rule,
    mdd_constraint,
    word_mdd,
)

if TYPE_CHECKING:
    from bddsudoku.puzzle.formula.problem_draft import Draft


MAX_PATTERN = 500
"""Largest number of characters of a pattern."""
_MAX_STATES = 1_000
"""Greatest number of continuations of a word."""
_MAX_DEPTH = 50
_DIGIT = f"[{VALUE_SYMBOLS}]"
_ONE_OF = rf"\.|{_DIGIT}|\[\^?(?:{_DIGIT}(?:-{_DIGIT})?)+\]"
_TIMES = r"[*+?]|\{(?=,?\d)\d{0,3}(?:,\d{0,3})?\}"
_TOKEN = re.compile(rf"{_ONE_OF}|\((?!\?)|[|)]|(?:{_TIMES})(?![*+?{{])")


class Repeat(NamedTuple):
    """One of some sequences, ``least`` to ``most`` times; 0 or more if one of them may be empty."""

    choices: tuple[Parts, ...]
    least: int
    most: float


Parts: TypeAlias = "tuple[frozenset[int] | Repeat, ...]"
"""Parts of a pattern that follow each other: one of some digits, or a repetition."""
States: TypeAlias = "frozenset[Parts]"
"""All that may follow the digits read."""


def after_digit(states: States, digit: int) -> States | None:
    """What may follow a further digit; None if no word can match any more.

    Raises:
        LimitReached: there are too many continuations.
    """
    after = set[Parts]()
    for more in chain.from_iterable(_after_digit(sequence, digit) for sequence in states):
        after.add(more)
        if len(after) > _MAX_STATES:
            what = f"the pattern's automaton is too wide: more than {_MAX_STATES:,} states"
            raise LimitReached(what, limit="states")
    return frozenset(after) or None


def may_end(states: States) -> bool:
    """Whether the word may end."""
    return any(map(_may_be_empty, states))


def _may_be_empty(sequence: Parts) -> bool:
    """Whether nothing at all matches the parts of a sequence."""
    return all(isinstance(part, Repeat) and not part.least for part in sequence)


def _after_digit(sequence: Parts, digit: int) -> Iterator[Parts]:
    """Yield all that may follow when a digit is the first that a sequence matches."""
    for i, part in enumerate(sequence, 1):
        if not isinstance(part, Repeat):
            if digit in part:
                yield sequence[i:]
            return
        again = part._replace(least=max(part.least - 1, 0), most=part.most - 1)
        rest = (again, *sequence[i:]) if again.most > 0 else sequence[i:]
        if part.most:
            for choice in part.choices:
                for more in _after_digit(choice, digit):
                    yield more + rest
        if part.least:
            return


def parse_pattern(pattern: str) -> States:
    """The first state of a pattern's automaton.

    Raises:
        PuzzleFormatError: the pattern is malformed; the message has the column.
    """
    return frozenset([(_parse(_split_pattern(pattern.upper())[::-1]),)])


def _parse(tokens: list[str], depth: int = 0) -> Repeat:
    """Parse alternatives from the end of the tokens, up to ``)`` or their beginning."""
    if depth > _MAX_DEPTH:
        raise PuzzleFormatError(f"expected at most {_MAX_DEPTH} brackets inside each other")
    choices: list[Parts] = [()]
    while tokens and (token := tokens.pop()) != ")":
        if token == "|":
            choices.append(())
        elif token[0] in "*+?{":
            *before, last = choices[-1]
            choices[-1] = (*before, _repeat(((last,),), token))
        else:
            part = _parse(tokens, depth + 1) if token == "(" else _digits_of(token)
            choices[-1] += (part,)
    return _repeat(tuple(choices), "1")


def _repeat(choices: tuple[Parts, ...], sign: str) -> Repeat:
    """Alternatives as often as a sign says, such as ``*`` or ``{2,5}``."""
    times = {"*": "0,", "+": "1,", "?": "0,1"}.get(sign, sign.strip("{}"))
    low, comma, high = times.partition(",")
    least = 0 if any(map(_may_be_empty, choices)) else int(low or 0)
    return Repeat(choices, least, int(high) if high else inf if comma else int(low))


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


def _digits_of(token: str) -> frozenset[int]:
    """The digits that a sign such as ``4``, ``.``, ``[1-46]`` or ``[^12]`` stands for."""
    every = frozenset(range(LARGEST + 1))
    if token == ".":
        return every
    spans = re.findall(rf"({_DIGIT})(?:-({_DIGIT}))?", token)
    ends = [[VALUE_SYMBOLS.index(symbol) for symbol in (a, b or a)] for a, b in spans]
    found = every.intersection(d for low, high in ends for d in range(low, high + 1))
    return every - found if "^" in token else found


_CELL = re.compile(r"\br\d{1,2}c\d{1,2}\b")


@rule("regex", "the digits along the line match the regular expression")
class RegularExpression(LineRule, WordRule):
    """A regular expression that the digits along a line match from the first to the last."""

    pattern: Quoted
    arity = 1, None
    loops = True
    step = staticmethod(after_digit)
    accepts = staticmethod(may_end)
    limit = WidthLimit(20_000, "the pattern's automaton is too wide")

    @property
    def start(self) -> States:
        """All words that the pattern matches."""
        return parse_pattern(self.pattern)

    def parameters(self, layout: Layout) -> tuple[Hashable, ...]:
        """Nothing: the states say all."""
        return ()

    def check(self, layout: Layout) -> None:
        """Check the cells and the pattern."""
        super().check(layout)
        bare = re.sub(r"\{[^}]*\}?", lambda found: " " * len(found[0]), self.pattern)
        for i, symbol in enumerate(bare):
            if symbol.isalnum() and symbol.upper() not in layout.symbols:
                what = f"column {i + 1} of the pattern: expected digits {layout.symbols[0]} to"
                raise self.error(f"{what} {layout.symbols[-1]}, found {symbol!r}")
        try:
            parse_pattern(self.pattern)
        except PuzzleFormatError as error:
            raise self.error(str(error)) from None

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether Python's :mod:`re` matches the digits along the line, written as one word."""
        word = "".join(VALUE_SYMBOLS[digit] for digit in digits)
        return re.fullmatch(self.pattern.upper(), word) is not None


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

    def check(self, layout: Layout) -> None:
        """Check the cells, which differ if all are pairs, the word and the formula."""
        super().check(layout)
        for a, b in self.pairs:
            if a == b:
                raise self.error(f"{a} stands there twice")
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

    def check(self, layout: Layout) -> None:
        """Check the relation, the cells and the totals."""
        super().check(layout)
        if not self.totals or (len(self.totals) > 1 and self.relation != "="):
            wanted = "a total or more" if self.relation == "=" else "one total"
            raise self.error(f"expected {wanted}, found {len(self.totals)}")
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
        weights, total = self._weight_by_cell, self.totals[0]
        low, high = (None if self.relation == x else total for x in ("<=", ">="))
        terms = [
            (v, weight * digit)
            for place, weight in weights.items()
            for digit, v in zip(layout.values, cell_variables(layout, place), strict=True)
        ]
        variables, by_variable = zip(*terms, strict=True)
        return [Linear(self.name, self.label, variables, by_variable, low, high)]

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
        return tuple(map(parse_place, dict.fromkeys(_CELL.findall(self.formula))))

    def check(self, layout: Layout) -> None:
        """Check that the formula names cells of the board and is well formed."""
        self.check_places(self.cells, layout)
        _raise_as_rule_error(
            self,
            lambda: _formula_constraints(self.formula, tuple(map(str, self.cells)), layout.values),
        )

    def constraints(self, layout: Layout) -> list[Constraint]:
        """The constraints that together express the formula."""
        cells = self.cells
        lowered = _formula_constraints(self.formula, tuple(map(str, cells)), layout.values)
        position = [v for place in cells for v in cell_variables(layout, place)]
        return [
            constraint_of_rule(self, c.renumber(position), f"{i}" if len(lowered) > 1 else "")
            for i, c in enumerate(lowered, 1)
        ]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the formula is true for the digits in its cells."""
        return _is_satisfied(self.formula, {str(p): grid[p] for p in self.cells})


def _raise_as_rule_error(rule: Rule, read_formula: Callable[[], object]) -> None:
    """Call ``read_formula``; raise its format errors as errors of the rule."""
    try:
        read_formula()
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
