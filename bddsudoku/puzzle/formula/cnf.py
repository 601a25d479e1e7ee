"""DIMACS CNF, read: clauses, and ``c p show`` for the variables that are counted.

As in the model counting competitions: the header's variables exist whether a clause names them or
not (each that none names doubles the count), and lines ``c p show 1 2 0`` project. A line ``%``
ends the file (SATLIB). Weights, XOR clauses and weighted CNF are refused by name, not skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.model.constraints import Constraint, Linear, OneHot
from bddsudoku.puzzle.formula.draft import Draft
from bddsudoku.puzzle.formula.lexer import MAX_VARIABLES, Source, shown

_MAX_CLAUSES = 10_000_000
_WORD = re.compile(r"\S+")


def clause(literals: list[int], family: str, label: str) -> Constraint | None:
    """A clause as a constraint; None when it always holds.

    Args:
        literals: variables from 1, negative where they shall be false.
        family, label: the name of the constraint.
    """
    chosen = sorted(set(literals), key=abs)
    variables = tuple([abs(v) - 1 for v in chosen])
    if len(set(variables)) < len(variables):
        return None
    positive = sum(v > 0 for v in chosen)
    count = len(chosen)
    if count <= 1:
        return OneHot(family, label, variables, 0 if count and not positive else 1)
    if positive == count:
        return Linear(family, label, variables, (1,) * count, 1, None)
    if positive == 0:
        if count == 2:
            return OneHot(family, label, variables, 1, at_most=True)
        return Linear(family, label, variables, (1,) * count, None, count - 1)
    # The first weight is positive, as everywhere.
    if chosen[0] > 0:
        weights = tuple([1 if v > 0 else -1 for v in chosen])
        return Linear(family, label, variables, weights, 1 - (count - positive), None)
    weights = tuple([-1 if v > 0 else 1 for v in chosen])
    return Linear(family, label, variables, weights, None, count - positive - 1)


def read(source: Source, draft: Draft) -> None:
    """Add what a text in DIMACS CNF says; variables are called ``x1``, ``x2``, ….

    Raises:
        PuzzleFormatError: it is none; the message names line and column.
    """
    _Reading(source, draft).run()


class _Reading:
    """One file on its way."""

    def __init__(self, source: Source, draft: Draft) -> None:
        self.source = source
        self.problem = draft
        self.variables = -1
        self.clauses = -1
        self.header = 0
        self.found = 0
        self.shown: list[tuple[int, int]] = []
        self.projects = False

    def run(self) -> None:
        """Read all of it."""
        literals: list[int] = []
        begun = 0
        for offset, line in _lines(self.source.text):
            first = line.lstrip()[:1]
            if first == "c":
                self._comment(offset, line)
            elif first == "p":
                self._header(offset, line)
            elif first == "%":
                break
            elif first:
                if not literals:
                    begun = offset
                self._literals(offset, line, literals)
        if self.variables < 0:
            raise self.source.error(0, "expected a line 'p cnf VARIABLES CLAUSES', found none")
        if literals:
            raise self.source.error(begun, "expected 0 at the end of the clause, found none")
        if self.found != self.clauses:
            raise self.source.error(
                self.header, f"expected {self.clauses:,} clauses, found {self.found:,}"
            )
        for offset, variable in self.shown:
            if not 1 <= variable <= self.variables:
                raise self._range(offset, variable)
        if self.projects:
            self.problem.project_to(v - 1 for _, v in self.shown)

    def _header(self, offset: int, line: str) -> None:
        words = line.split()
        if self.variables >= 0:
            raise self.source.error(offset, "expected one line that begins with p, found another")
        if len(words) > 1 and words[1] != "cnf":
            raise self.source.error(
                offset + line.index(words[1], line.index("p") + 1),
                f"expected 'cnf', found {shown(words[1])}",
            )
        counts = words[2:4] if len(words) == 4 else []
        if not counts or not all(w.isascii() and w.isdigit() and len(w) < 12 for w in counts):
            raise self.source.error(
                offset, f"expected 'p cnf VARIABLES CLAUSES', found {shown(line.strip())}"
            )
        self.variables, self.clauses = map(int, counts)
        self.header = offset
        if self.variables > MAX_VARIABLES or self.clauses > _MAX_CLAUSES:
            raise self.source.error(
                offset,
                f"expected at most {MAX_VARIABLES:,} variables and {_MAX_CLAUSES:,} clauses, "
                f"found {self.variables:,} and {self.clauses:,}",
            )
        for v in range(self.variables):
            self.problem.new(f"x{v + 1}")

    def _comment(self, offset: int, line: str) -> None:
        words = line.split()
        if words[1:3] == ["p", "show"] or words[1:2] == ["ind"]:
            self.projects = True
            skipped = 3 if words[1] == "p" else 2
            for match in list(_WORD.finditer(line))[skipped:]:
                variable = self._number(offset + match.start(), match.group())
                if variable:
                    self.shown.append((offset + match.start(), variable))
        elif words[1:3] == ["p", "weight"] or words[1:3] in (["t", "wmc"], ["t", "pwmc"]):
            raise self.source.error(
                offset, "expected clauses without weights: weighted counts are not supported"
            )

    def _literals(self, offset: int, line: str, literals: list[int]) -> None:
        """The numbers of a line, clause by clause."""
        if self.variables < 0:
            raise self.source.error(offset, "expected 'p cnf VARIABLES CLAUSES' before the clauses")
        try:
            numbers = list(map(int, line.split()))
        except ValueError:
            self._blame(offset, line)
            raise
        most = self.variables
        for number in numbers:
            if number == 0:
                self._clause(offset, literals)
                literals.clear()
            elif -most <= number <= most:
                literals.append(number)
            else:
                self._blame(offset, line)

    def _clause(self, offset: int, literals: list[int]) -> None:
        self.found += 1
        if self.found > self.clauses:
            raise self.source.error(
                offset, f"expected {self.clauses:,} clauses, as the header says, found more"
            )
        made = clause(literals, "clause", str(self.found))
        if made is not None:
            self.problem.take(made)

    def _blame(self, offset: int, line: str) -> None:
        """Raise the error of the first word that is no literal."""
        for match in _WORD.finditer(line):
            place = offset + match.start()
            if abs(self._number(place, match.group())) > self.variables:
                raise self._range(place, int(match.group()))

    def _number(self, offset: int, word: str) -> int:
        digits = word.removeprefix("-")
        if digits.isascii() and digits.isdigit() and len(digits) < 12:
            return int(word)
        kind = " (XOR clauses are not supported)" if re.match(r"x-?\d*\Z", word) else ""
        raise self.source.error(offset, f"expected a literal, found {shown(word)}{kind}")

    def _range(self, offset: int, literal: int) -> PuzzleFormatError:
        return self.source.error(
            offset, f"expected a literal from 1 to {self.variables:,} or negative, found {literal}"
        )


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines and where they begin."""
    offset = 0
    for line in text.splitlines(keepends=True):
        yield offset, line
        offset += len(line)
