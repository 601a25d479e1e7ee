"""Formula problems: constraints over named variables, from files or from Python."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

from bddsudoku.argument_types import check_types
from bddsudoku.errors import ModelError
from bddsudoku.file_io import read_text
from bddsudoku.model.expression import Expression
from bddsudoku.puzzle.formula.competition_formats import CnfReader, OpbReader
from bddsudoku.puzzle.formula.interpreter import interpret_text
from bddsudoku.puzzle.formula.language_values import Array, Distinct, Number, as_number_if_constant
from bddsudoku.puzzle.formula.lexer import FormulaText, quote, tokenize_statements
from bddsudoku.puzzle.formula.problem_draft import Draft
from bddsudoku.puzzle.formula.terms import Term, Terms

_FORMAT_BY_SUFFIX = ("formula", "opb", "cnf", "dimacs")
_CNF = re.compile(r"(?:c\b[^\n]*\n|\s)*p\s+cnf\b")
_OPB = re.compile(r"\s*(?:\*|(?:min|max):|[+-]?\d+\s+~?[A-Za-z])")


def format_from_path(path: str | Path) -> str:
    """The format that a path's ending names; "formula" for an unknown ending, "" without one."""
    suffix = Path(path).suffix.lower()
    return suffix if suffix.removeprefix(".") in ("", *_FORMAT_BY_SUFFIX) else "formula"


class Problem(Draft):
    """Constraints over named variables, from :meth:`symbols`, :meth:`integer` and :meth:`add`.

    In Python statements are written with operators (see :mod:`bddsudoku.puzzle.formula.terms`)::

        problem = Problem()
        a, b, c = problem.symbols("a b c")
        problem.add(a + b + c == 1)
        problem.add((a & b).implies(~c), family="rule", label="first")

    The attributes are those of :class:`~bddsudoku.puzzle.formula.problem_draft.Draft`.
    """

    @check_types
    def symbols(self, text: str) -> list[Any]:
        """Declare the variables that a text names; return a Term for each, and Terms for an array.

        Args:
            text: for example ``"a b x[1..9][1..9]"``.

        Raises:
            PuzzleFormatError: the text is not a declaration.
        """
        source = FormulaText(f"symbol {text}")
        if len(list(tokenize_statements(source))) != 1:
            raise source.error(0, "expected one declaration")
        return [
            Terms(v, self) if isinstance(v, Array) else Term(v, self)
            for v in interpret_text(source, self).values()
            if isinstance(v, Array | Expression)
        ]

    @check_types
    def integer(self, name: str, values: Iterable[int]) -> Term:
        """Declare a new integer variable.

        Raises:
            ModelError: see :meth:`new_integer`.
        """
        return Term(as_number_if_constant(self.new_integer(name, values).expression), self)

    @check_types
    def add(self, statement: Term | bool, family: str = "", label: str = "") -> Problem:
        """Add a statement as a constraint.

        Args:
            statement: a truth, or a number that shall not be 0.
            family: what schedules call it; ``statement`` by default.
            label: unique in its family; by default a number.

        Returns:
            This problem.

        Raises:
            ModelError: the name is taken, a variable is not of this problem, or the statement has
                no value under some assignment (it divides by 0).
        """
        family = family or "statement"
        self.require(self._value_of_own_term(statement), family, label or self.unused_label(family))
        return self

    def _value_of_own_term(self, given: Term | bool) -> Number | Distinct:
        """The value of a Term of this problem; a Term of another problem is refused."""
        if isinstance(given, Term):
            if given.owner not in (None, self):
                raise ModelError("expected a term of this problem, found one of another")
            return given.value
        if isinstance(given, bool):
            return int(given)
        raise TypeError(f"expected a statement, found {given!r}")

    def project(self, *variables: Term | Terms | str) -> Problem:
        """Add variables to the projection: assignments that differ only elsewhere count as one.

        Args:
            variables: Boolean or integer ones, as Terms or by name.

        Raises:
            ModelError: one is no variable.
        """
        for given in variables:
            if isinstance(given, str):
                named = self.find(given)
                if named is None:
                    raise ModelError(f"expected the name of a variable, found {quote(given)}")
                self.project_value(named, given)
            else:
                for one in given if isinstance(given, Terms) else (given,):
                    self.project_value(self._value_of_own_term(one))
        return self

    @classmethod
    @check_types
    def read(cls, path: str | Path, *, ignore_objective: bool = False) -> Self:
        """Read a file in OPB, DIMACS CNF or the package's formula language; its ending tells which.

        Without an ending the format is recognised by the text. The objective of an OPB file is
        refused unless it shall be ignored.

        Raises:
            PuzzleFormatError: the file is malformed; the message names line and column.
            OSError: it cannot be read.
        """
        return cls.parse(
            read_text(path),
            str(path),
            ending=format_from_path(path),
            ignore_objective=ignore_objective,
        )

    @classmethod
    @check_types
    def parse(
        cls,
        text: str,
        source: str | None = None,
        *,
        ending: str = "",
        ignore_objective: bool = False,
    ) -> Self:
        """Parse a text in OPB, DIMACS CNF or the package's formula language.

        Args:
            text: all of it.
            source: its name in messages.
            ending: ``opb``, ``cnf``, ``dimacs``, or ``formula`` for the language, with or without
                a dot; empty to recognise it by the text.
            ignore_objective: leave the objective of an OPB file out rather than refuse it.

        Raises:
            PuzzleFormatError: as for :meth:`read`.
            ModelError: the ending is another one.
        """
        form = ending.lower().removeprefix(".")
        if form not in ("", *_FORMAT_BY_SUFFIX):
            raise ModelError(
                f"expected one of the endings {', '.join(_FORMAT_BY_SUFFIX)}, found {ending!r}"
            )
        problem = cls()
        given = FormulaText(text.removeprefix("\ufeff"), source)
        if form in ("cnf", "dimacs") or (not form and _CNF.match(given.text)):
            CnfReader(given, problem).read()
        elif form == "opb" or (not form and _OPB.match(given.text)):
            OpbReader(given, problem, ignore_objective).read()
        else:
            interpret_text(given, problem)
        return problem
