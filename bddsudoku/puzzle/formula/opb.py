"""OPB, the format of the pseudo-Boolean competitions, read: linear and with products.

::

    * #variable= 4 #constraint= 2
    +2 x1 +3 ~x2 x4 >= 2 ;
    -1 x1 +1 x3 = 0 ;

When the header counts variables and all are called ``x1``, ``x2``, …, all of them exist, whether a
constraint names them or not (each that none names doubles the count). Without header and
constraints a file says nothing, and is refused. An objective is no constraint, and is refused
unless it shall be ignored. Lines ``* p show x1 x2 0`` project, as in DIMACS CNF. A coefficient of 1
may be left out.
"""

from __future__ import annotations

import re

from bddsudoku.errors import ModelError, PuzzleFormatError
from bddsudoku.model.expression import Expression, Reference
from bddsudoku.model.simplify import operation
from bddsudoku.puzzle.formula.draft import Draft
from bddsudoku.puzzle.formula.lexer import MAX_DIGITS, MAX_VARIABLES, Source, shown
from bddsudoku.puzzle.formula.lowering import linear

_WORD = re.compile(r"[<>=!]+|[+-]?\d+(?![\w.])|[+-]|[^\s<>=!+-]+", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d+\Z", re.ASCII)
_LITERAL = re.compile(r"~?[A-Za-z_][A-Za-z0-9_\[\]{}.,^]*\Z")
_COUNTED = re.compile(r"#variable=\s*(\d+)\s+#constraint=\s*(\d+)", re.ASCII)
_PLAIN = re.compile(r"x([1-9]\d*)\Z", re.ASCII)
_REFUSED = (
    ("min:", "an objective is none; it can be ignored"),
    ("max:", "an objective is none; it can be ignored"),
    ("soft:", "soft constraints are not supported"),
    ("[", "soft constraints are not supported"),
)
_RELATIONS = frozenset({">=", "<=", "="})


def read(source: Source, draft: Draft, ignore_objective: bool = False) -> None:
    """Add what a text in OPB says.

    Args:
        source: the text.
        draft: what it is added to.
        ignore_objective: leave ``min:`` and ``max:`` out rather than refuse them.

    Raises:
        PuzzleFormatError: it is none; the message names line and column.
    """
    _Reading(source, draft, ignore_objective).run()


class _Reading:
    """One file on its way."""

    def __init__(self, source: Source, draft: Draft, ignore_objective: bool) -> None:
        self.source = source
        self.ignore_objective = ignore_objective
        self.problem = draft
        self.position: dict[str, int] = {}
        self.counts: tuple[int, int, int] | None = None
        self.declared = 0
        self.found = 0
        self.shown: list[tuple[int, str]] = []
        self.projects = False

    def run(self) -> None:
        """Read all of it."""
        text = self.source.text
        kept: list[str] = []
        offset = 0
        for line in text.splitlines(keepends=True):
            if line.lstrip().startswith("*"):
                self._comment(offset, line)
                line = " " * len(line.rstrip("\r\n")) + line[len(line.rstrip("\r\n")) :]
            kept.append(line)
            offset += len(line)
        bare = "".join(kept)
        if self.counts is not None:
            self._declare()
        start = 0
        while True:
            end = bare.find(";", start)
            if end < 0:
                break
            self._statement(start, bare[start:end])
            start = end + 1
        rest = _WORD.search(bare, start)
        if rest is not None:
            raise self.source.error(rest.start(), "expected ';' at the end of the constraint")
        self._finish()

    def _comment(self, offset: int, line: str) -> None:
        match = _COUNTED.search(line)
        if match is not None and self.counts is None:
            if max(len(match[1]), len(match[2])) > 9 or int(match[1]) > MAX_VARIABLES:
                raise self.source.error(
                    offset, f"expected at most {MAX_VARIABLES:,} variables, found {shown(match[1])}"
                )
            self.counts = int(match[1]), int(match[2]), offset + match.start()
        words = [(offset + m.start(), m.group()) for m in re.finditer(r"[^\s*]+", line)]
        if [w for _, w in words[:2]] == ["p", "show"]:
            self.projects = True
            self.shown += [(place, w) for place, w in words[2:] if w != "0"]

    def _declare(self) -> None:
        """The header's variables, when the first name in the file is of the plain kind."""
        assert self.counts is not None
        first = re.search(r"^[^*\n]*?([A-Za-z_]\w*)(?![\w:])", self.source.text, re.MULTILINE)
        if first is None or _PLAIN.match(first[1]):
            self.declared = self.counts[0]
            for v in range(self.declared):
                self._variable(f"x{v + 1}")

    def _variable(self, name: str) -> int:
        found = self.position.get(name)
        if found is None:
            found = self.position[name] = self.problem.new(name).index
        return found

    def _finish(self) -> None:
        if self.counts is not None:
            variables, constraints, place = self.counts
            if len(self.position) != variables:
                raise self.source.error(
                    place, f"expected {variables:,} variables, found {len(self.position):,}"
                )
            if self.found != constraints:
                raise self.source.error(
                    place, f"expected {constraints:,} constraints, found {self.found:,}"
                )
        elif not self.found:
            raise self.source.error(
                0, "expected a header '* #variable= … #constraint= …' or a constraint, found none"
            )
        for place, name in self.shown:
            if name not in self.position:
                raise self.source.error(place, f"expected a variable, found {shown(name)}")
        if self.projects:
            self.problem.project_to(self.position[name] for _, name in self.shown)

    def _statement(self, start: int, text: str) -> None:
        """An objective or a constraint."""
        words = _WORD.findall(text)
        refused = next((why for word, why in _REFUSED if words and words[0].startswith(word)), None)
        if refused is not None:
            if "ignored" in refused and self.ignore_objective:
                return
            raise self._error(start, text, 0, f"a constraint ({refused})")
        relation = next((k for k, w in enumerate(words) if w[0] in "<>=!"), None)
        if relation is None or words[relation] not in _RELATIONS:
            place = len(words) if relation is None else relation
            raise self._error(start, text, place, "'>=', '<=' or '='")
        if len(words) != relation + 2 or not _NUMBER.match(words[-1]):
            raise self._error(start, text, min(relation + 1, len(words)), "an integer and ';'")
        self.found += 1
        weights: dict[int, int] = {}
        products: list[Expression] = []
        bound = self._integer(start, text, relation + 1, words)
        k = 0
        while k < relation:
            weight = 1
            if words[k] in ("+", "-"):
                weight = -1 if words[k] == "-" else 1
                k += 1
            if k < relation and not _LITERAL.match(words[k]):
                weight *= self._integer(start, text, k, words)
                k += 1
            first = k
            while k < relation and _LITERAL.match(words[k]):
                k += 1
            if k == first:
                raise self._error(start, text, k, "a variable")
            if k == first + 1:
                bound -= self._single(words[first], weight, weights, start, text, first)
            else:
                factors = [self._literal(w, start, text, k) for w in words[first:k]]
                products.append(operation("*", weight, operation("&", *factors)))
        try:
            self._demand(words[relation], weights, products, bound)
        except ModelError as error:
            raise self._error(start, text, 0, "smaller numbers") from error

    def _single(
        self, word: str, weight: int, weights: dict[int, int], start: int, text: str, k: int
    ) -> int:
        """Add a literal to a sum; returns the constant that it brings."""
        name = word.removeprefix("~")
        v = self.position.get(name)
        if v is None:
            v = self._named(name, start, text, k)
        if len(name) == len(word):
            weights[v] = weights.get(v, 0) + weight
            return 0
        weights[v] = weights.get(v, 0) - weight
        return weight

    def _literal(self, word: str, start: int, text: str, k: int) -> Expression:
        name = word.removeprefix("~")
        variable = Reference(self._named(name, start, text, k))
        return variable if len(name) == len(word) else operation("!", variable)

    def _named(self, name: str, start: int, text: str, k: int) -> int:
        if self.declared and name not in self.position:
            raise self._error(
                start, text, k, f"a variable from x1 to x{self.declared}, as the header says"
            )
        return self._variable(name)

    def _integer(self, start: int, text: str, k: int, words: list[str]) -> int:
        word = words[k]
        if not _NUMBER.match(word):
            raise self._error(start, text, k, "an integer or a variable")
        if len(word) > MAX_DIGITS:
            raise self._error(start, text, k, f"at most {MAX_DIGITS:,} digits")
        return int(word)

    def _demand(
        self, relation: str, weights: dict[int, int], products: list[Expression], bound: int
    ) -> None:
        label = str(self.found)
        if products:
            terms = [operation("*", w, Reference(v)) for v, w in weights.items()]
            op = "==" if relation == "=" else relation
            statement = operation(op, operation("+", *terms, *products), bound)
            self.problem.demand(statement, "constraint", label)
            return
        low = None if relation == "<=" else bound
        high = None if relation == ">=" else bound
        ordered = {v: weights[v] for v in sorted(weights) if weights[v]}
        for made in linear(ordered, low, high, "constraint", label):
            self.problem.take(made)

    def _error(self, start: int, text: str, word: int, what: str) -> PuzzleFormatError:
        """An error at a word of a statement, by its number."""
        for k, match in enumerate(_WORD.finditer(text)):
            if k == word:
                return self.source.error(
                    start + match.start(), f"expected {what}, found {shown(match.group())}"
                )
        return self.source.error(start + len(text), f"expected {what}, found ';'")
