"""Reader of OPB, the format of the pseudo-Boolean competitions.

::

    * #variable= 4 #constraint= 2
    +2 x1 +3 ~x2 x4 >= 2 ;
    -1 x1 +1 x3 = 0 ;

When the header counts variables and all are called ``x1``, ``x2``, …, all of them exist, whether a
constraint names them or not (each unnamed one doubles the count). A file without header and
constraints is refused. An objective is not a constraint, and is refused unless it shall be ignored.
Lines ``* p show x1 x2 0`` project, as in DIMACS CNF. A coefficient of 1 may be left out.
"""

from __future__ import annotations

import re

from bddsudoku.errors import ModelError, PuzzleFormatError
from bddsudoku.model.expression import Expression, Reference
from bddsudoku.model.simplify import simplified_operation
from bddsudoku.puzzle.formula.cnf import refuse_instruction
from bddsudoku.puzzle.formula.lexer import MAX_DIGITS, MAX_VARIABLES, FormulaText, quote
from bddsudoku.puzzle.formula.lowering import linear_constraint
from bddsudoku.puzzle.formula.problem_draft import Draft

_WORD = re.compile(r"[<>=!]+|[+-]?\d+(?![\w.])|[+-]|[^\s<>=!+-]+", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d+\Z", re.ASCII)
_LITERAL = re.compile(r"~?[A-Za-z_][A-Za-z0-9_\[\]{}.,^]*\Z")
_COUNTED = re.compile(r"#variable=\s*(\d+)\s+#constraint=\s*(\d+)", re.ASCII)
_FIRST_NAME = re.compile(r"^[^*\n]*?([A-Za-z_]\w*)(?![\w:])", re.MULTILINE)
_PLAIN = re.compile(r"x([1-9]\d*)\Z", re.ASCII)


class OpbReader:
    """Reader of one OPB text into a problem; an objective is refused or ignored."""

    def __init__(self, source: FormulaText, draft: Draft, ignore_objective: bool) -> None:
        self.source = source
        self.ignore_objective = ignore_objective
        self.problem = draft
        self.counts: tuple[int, int, int] | None = None
        """Variables and constraints of the header, and its place."""
        self.declared = 0
        self.found = 0
        self.shown: list[tuple[int, str]] | None = None
        self.start = 0
        self.row = ""
        """The statement that is read, and where it begins."""

    def read(self) -> None:
        """Add the variables and constraints of the text to the problem."""
        kept: list[str] = []
        offset = 0
        for line in self.source.text.splitlines(keepends=True):
            comment = line.lstrip().startswith("*")
            if comment:
                self._read_counts_or_projection(offset, line)
            kept.append(re.sub(r"[^\r\n]", " ", line) if comment else line)
            offset += len(line)
        first = _FIRST_NAME.search(self.source.text)
        if self.counts is not None and (first is None or _PLAIN.match(first[1])):
            self.declared = self.counts[0]
            for v in range(self.declared):
                self.problem.new_variable(f"x{v + 1}")
        *rows, rest = "".join(kept).split(";")
        for self.row in rows:
            self._read_statement([*_WORD.findall(self.row), ";"])
            self.start += len(self.row) + 1
        if surplus := _WORD.search(rest):
            message = "expected ';' at the end of the constraint"
            raise self.source.error(self.start + surplus.start(), message)
        self._check_counts_and_project()

    def _read_counts_or_projection(self, offset: int, line: str) -> None:
        """Read the header's counts or the projection if a comment line states one of them."""
        match = _COUNTED.search(line)
        if match is not None and self.counts is None:
            if max(map(len, match.groups())) > 9 or int(match[1]) > MAX_VARIABLES:
                message = f"expected at most {MAX_VARIABLES:,} variables, found {quote(match[1])}"
                raise self.source.error(offset, message)
            self.counts = int(match[1]), int(match[2]), offset + match.start()
        words = [(offset + m.start(), m.group()) for m in re.finditer(r"[^\s*]+", line)]
        if [w for _, w in words[:2]] == ["p", "show"]:
            self.shown = self.shown or []
            self.shown += (word for word in words[2:] if word[1] != "0")
        else:
            refuse_instruction(self.source, offset, line.lstrip(" \t*"))

    def _check_counts_and_project(self) -> None:
        """Check the counts in the header, and project to the variables of ``p show`` comments."""
        position = self.problem.position
        if self.counts is not None:
            *counts, place = self.counts
            pairs = (("variables", len(position)), ("constraints", self.found))
            for declared, (things, found) in zip(counts, pairs, strict=True):
                if declared != found:
                    message = f"expected {declared:,} {things}, found {found:,}"
                    raise self.source.error(place, message)
        elif not self.found:
            message = (
                "expected a header '* #variable= … #constraint= …' or a constraint, found none"
            )
            raise self.source.error(0, message)
        if self.shown is not None:
            for place, name in self.shown:
                if name not in position:
                    raise self.source.error(place, f"expected a variable, found {quote(name)}")
            self.problem.project_to(position[name] for _, name in self.shown)

    def _read_statement(self, words: list[str]) -> None:
        """Read an objective or a constraint, with its semicolon."""
        if words[0].startswith(("min:", "max:")):
            if self.ignore_objective:
                return
            raise self._word_error("a constraint (an objective is none; it can be ignored)", 0)
        if words[0].startswith(("soft:", "[")):
            raise self._word_error("a constraint (soft constraints are not supported)", 0)
        end = next((k for k, w in enumerate(words) if w[0] in "<>=!"), len(words) - 1)
        if words[end] not in (">=", "<=", "="):
            raise self._word_error("'>=', '<=' or '='", end)
        if len(words) != end + 3 or not _NUMBER.match(words[end + 1]):
            raise self._word_error("an integer and ';'", end + 1)
        self.found += 1
        weights: dict[int, int] = {}
        products: list[Expression] = []
        bound = self._read_integer(end + 1, words)
        k = 0
        while k < end:
            weight = -1 if words[k] == "-" else 1
            k += words[k] in ("+", "-")
            if k < end and not _LITERAL.match(words[k]):
                weight *= self._read_integer(k, words)
                k += 1
            factors: list[int] = []
            while k < end and _LITERAL.match(words[k]):
                factors.append(self._read_variable(k, words))
                k += 1
            if not factors:
                raise self._word_error("a variable", k)
            if len(factors) > 1:
                literals = [
                    simplified_operation("!", Reference(v)) if word[0] == "~" else Reference(v)
                    for v, word in zip(factors, words[k - len(factors) : k], strict=True)
                ]
                products.append(
                    simplified_operation("*", weight, simplified_operation("&", *literals))
                )
                continue
            if words[k - 1][0] == "~":
                bound -= weight
                weight = -weight
            weights[factors[0]] = weights.get(factors[0], 0) + weight
        try:
            self._add_constraint(words[end], weights, products, bound)
        except ModelError as error:
            raise self._word_error("smaller numbers", 0) from error

    def _add_constraint(
        self, relation: str, weights: dict[int, int], products: list[Expression], bound: int
    ) -> None:
        label = str(self.found)
        if products:
            terms = [simplified_operation("*", w, Reference(v)) for v, w in weights.items()]
            op = "==" if relation == "=" else relation
            statement = simplified_operation(
                op, simplified_operation("+", *terms, *products), bound
            )
            self.problem.require(statement, "constraint", label)
        else:
            low = None if relation == "<=" else bound
            high = None if relation == ">=" else bound
            ordered = {v: weights[v] for v in sorted(weights) if weights[v]}
            self.problem.constraints += linear_constraint(ordered, low, high, "constraint", label)

    def _read_variable(self, index: int, words: list[str]) -> int:
        name = words[index].removeprefix("~")
        found = self.problem.position.get(name)
        if found is None:
            if self.declared:
                expected = f"a variable from x1 to x{self.declared}, as the header says"
                raise self._word_error(expected, index)
            found = self.problem.new_variable(name).index
        return found

    def _read_integer(self, index: int, words: list[str]) -> int:
        if not _NUMBER.match(words[index]):
            raise self._word_error("an integer or a variable", index)
        if len(words[index]) > MAX_DIGITS:
            raise self._word_error(f"at most {MAX_DIGITS:,} digits", index)
        return int(words[index])

    def _word_error(self, expected: str, index: int) -> PuzzleFormatError:
        """Make an error at the word of the statement with the given index."""
        places = [m.span() for m in _WORD.finditer(self.row)]
        begin, end = places[index] if index < len(places) else (len(self.row),) * 2
        found = quote(self.row[begin:end] or ";")
        return self.source.error(self.start + begin, f"expected {expected}, found {found}")
