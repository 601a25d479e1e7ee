"""The formats of competitions: reader and writer of DIMACS CNF, reader of OPB.

**DIMACS CNF.** As in the model counting competitions, the header's variables exist whether a clause
names them or not (each unnamed one doubles the count), and lines ``c p show 1 2 0`` project. A line
``%`` ends the file (SATLIB). Weights, XOR clauses and weighted CNF are refused by name, not
skipped.

Any model can be written (:func:`bddsudoku.puzzle.cnf_lines`). Where few paths of a constraint's BDD
lead to "false", each is written as a clause. Otherwise the BDD is written, with a new variable for
every node: the other variables determine its value, so that the number of solutions stays the same;
the file still names the variables that are to be counted. (N. Eén and N. Sörensson, *Translating
pseudo-Boolean constraints into SAT*, JSAT 2, 2006.)

**OPB**, the format of the pseudo-Boolean competitions::

    * #variable= 4 #constraint= 2
    +2 x1 +3 ~x2 >= 2 ;
    -1 x1 +1 x3 = 0 ;

When the header counts variables and all are called ``x1``, ``x2``, …, all of them exist, whether a
constraint names them or not (each unnamed one doubles the count). A file without header and
constraints is refused. An objective is not a constraint, and is refused unless it shall be ignored.
Products of variables are refused. Lines ``* p show x1 x2 0`` project, as in DIMACS CNF. A
coefficient of 1 may be left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from bddsudoku.argument_types import check_types
from bddsudoku.errors import ModelError, PuzzleFormatError
from bddsudoku.model.constraints import Constraint, OneHot
from bddsudoku.model.to_mdd import constraint_mdd
from bddsudoku.puzzle.formula.lexer import MAX_DIGITS, MAX_VARIABLES, FormulaText, quote
from bddsudoku.puzzle.formula.lowering import linear_constraint
from bddsudoku.puzzle.formula.problem_draft import Draft

_MAX_CLAUSES = 10_000_000
_MAX_PAIRWISE = 40
"""Largest number of variables of "at most one" that is written pair by pair."""
_MAX_DIRECT_CLAUSES = 64
"""Largest number of clauses of a constraint that are written without new variables."""
Nodes = list[tuple[int, int, int]]
"""Nodes of a BDD: variable, low and high child; 0 and 1 are terminals, 2 is the first node."""
_TRUE = 1 << 62
"""A literal that always holds."""
_CNF_NUMBER = re.compile(r"-?[0-9]{1,11}")
_CNF_COMMENT = re.compile(r"\s*c(?![^\W_])")
_WEIGHTS = re.compile(r"t p?wmc\b|(p )?w(eights?)? [-+.]?\d|p weight")
_INSTRUCTION = re.compile(r"must multiply|(p )?[a-z]\w*( [-+]?[a-z]?\d+)+ 0$")
"""Comments that some program gives a meaning, such as "vp 1 2 0"."""
_WORD = re.compile(r"[<>=!]+|[+-]?\d+(?![\w.])|[+-]|[^\s<>=!+-]+", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d+\Z", re.ASCII)
_LITERAL = re.compile(r"~?[A-Za-z_][A-Za-z0-9_\[\]{}.,^]*\Z")
_COUNTED = re.compile(r"#variable=\s*(\d+)\s+#constraint=\s*(\d+)", re.ASCII)
_FIRST_NAME = re.compile(r"^[^*\n]*?([A-Za-z_]\w*)(?![\w:])", re.MULTILINE)
_PLAIN = re.compile(r"x([1-9]\d*)\Z", re.ASCII)


class _Reader:
    """What the readers of both formats share: the numbers of the header, and the projection.

    Attributes:
        header: the numbers of variables and of constraints that a header states, and its place.
        found: the number of constraints that were read.
    """

    things: str
    """What constraints are called."""

    def __init__(self, source: FormulaText, draft: Draft) -> None:
        self.source = source
        self.problem = draft
        self.header: tuple[int, int, int] | None = None
        self.found = 0
        self._shown: list[tuple[int, str]] | None = None

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines of the text, with their offsets."""
        offset = 0
        for line in self.source.text.splitlines(keepends=True):
            yield offset, line
            offset += len(line)

    def declare(self, count: int) -> None:
        """Declare the variables ``x1``, ``x2``, …."""
        for v in range(count):
            self.problem.new_variable(f"x{v + 1}")

    def read_comment(self, offset: int, words: list[tuple[int, str]], *heads: list[str]) -> None:
        """Read the projection that a comment states after one of some words.

        Raises:
            PuzzleFormatError: the comment is an order to another program.
        """
        texts = [word for _, word in words]
        for head in heads:
            if texts[: len(head)] == head:
                named = [word for word in words[len(head) :] if word[1] != "0"]
                self._shown = [*(self._shown or []), *named]
                return
        comment = " ".join(texts)
        if _WEIGHTS.match(comment.lower()):
            message = "expected clauses without weights: weighted counts are not supported"
            raise self.source.error(offset, message)
        if _INSTRUCTION.match(comment.lower()):
            message = "expected a comment, 'p show …' or, in CNF, 'ind …'"
            raise self.source.error(offset, f"{message}, found {quote(comment)}")

    def finish(self, name_of: Callable[[str], str]) -> None:
        """Check the numbers of the header, and project to the variables that words stand for."""
        position = self.problem.position
        if self.header is not None:
            *counts, place = self.header
            pairs = (("variables", len(position)), (self.things, self.found))
            for declared, (things, found) in zip(counts, pairs, strict=True):
                if declared != found:
                    message = f"expected {declared:,} {things}, found {found:,}"
                    raise self.source.error(place, message)
        if self._shown is not None:
            for place, word in self._shown:
                if name_of(word) not in position:
                    raise self.source.error(place, f"expected a variable, found {quote(word)}")
            self.problem.project_to(position[name_of(word)] for _, word in self._shown)


def _words(offset: int, line: str) -> list[tuple[int, str]]:
    return [(offset + m.start(), m.group()) for m in re.finditer(r"\S+", line)]


class CnfReader(_Reader):
    """Reader of one DIMACS CNF text into a problem, whose variables are ``x1``, ``x2``, …."""

    things = "clauses"

    def read(self) -> None:
        """Add the variables and clauses of the text to the problem."""
        literals: list[int] = []
        begun = 0
        for offset, line in self.lines():
            first = line.lstrip()[:1]
            if _CNF_COMMENT.match(line):
                self.read_comment(offset, _words(offset, line)[1:], ["p", "show"], ["ind"])
            elif first == "p":
                self._read_header(offset, line)
            elif first == "%":
                break
            elif first:
                if not literals:
                    begun = offset
                self._read_clauses(offset, line, literals)
        if self.header is None:
            raise self.source.error(0, "expected a line 'p cnf VARIABLES CLAUSES', found none")
        if literals:
            raise self.source.error(begun, "expected 0 at the end of the clause, found none")
        self.finish(lambda word: f"x{word.lstrip('0')}")

    def _read_header(self, offset: int, line: str) -> None:
        header = re.fullmatch(r"p\s+cnf\s+([0-9]{1,11})\s+([0-9]{1,11})", line.strip())
        if header is None or self.header is not None:
            found = "another one" if self.header else quote(line.strip())
            message = f"expected one line 'p cnf VARIABLES CLAUSES', found {found}"
            raise self.source.error(offset, message)
        variables, clauses = map(int, header.groups())
        if variables > MAX_VARIABLES or clauses > _MAX_CLAUSES:
            limits = f"at most {MAX_VARIABLES:,} variables and {_MAX_CLAUSES:,} clauses"
            message = f"expected {limits}, found {variables:,} and {clauses:,}"
            raise self.source.error(offset, message)
        self.header = variables, clauses, offset
        self.declare(variables)

    def _read_clauses(self, offset: int, line: str, literals: list[int]) -> None:
        """Read the numbers of a line and add every clause that they complete."""
        if self.header is None:
            raise self.source.error(offset, "expected 'p cnf VARIABLES CLAUSES' before the clauses")
        variables, clauses, _ = self.header
        try:
            numbers = list(map(int, line.split()))
            fine = max(numbers) <= variables and -variables <= min(numbers)
        except ValueError:
            fine = False
        if not fine:
            for place, word in _words(offset, line):
                if not _CNF_NUMBER.fullmatch(word):
                    kind = " (XOR clauses are not supported)" if re.match(r"x-?\d*\Z", word) else ""
                    raise self.source.error(place, f"expected a literal, found {quote(word)}{kind}")
                if abs(int(word)) > variables:
                    what = f"a number from 1 to {variables:,} or negative"
                    raise self.source.error(place, f"expected {what}, found {int(word)}")
        for number in numbers:
            if number:
                literals.append(number)
                continue
            self.found += 1
            if self.found > clauses:
                message = f"expected {clauses:,} clauses, as the header says, found more"
                raise self.source.error(offset, message)
            clause = sorted(set(literals), key=abs)
            weights = {abs(v) - 1: 1 if v > 0 else -1 for v in clause}
            if len(weights) == len(clause):  # otherwise a variable and its negation
                low = 1 - sum(w < 0 for w in weights.values())
                made = linear_constraint(weights, low, None, "clause", str(self.found))
                self.problem.constraints += made
            literals.clear()


class OpbReader(_Reader):
    """Reader of one OPB text into a problem; an objective is refused or ignored."""

    things = "constraints"

    def __init__(self, source: FormulaText, draft: Draft, ignore_objective: bool) -> None:
        super().__init__(source, draft)
        self.ignore_objective = ignore_objective
        self.declared: int = 0
        """The number of variables, if they are called ``x1``, ``x2``, …."""
        self.words: list[tuple[int, str]] = []
        """The statement that is read, with its semicolon, and the offsets of its words."""

    def read(self) -> None:
        """Add the variables and constraints of the text to the problem."""
        kept: list[str] = []
        for offset, line in self.lines():
            comment = line.lstrip().startswith("*")
            if comment:
                self._read_counts(offset, line)
                self.read_comment(offset, _words(offset, line.replace("*", " ")), ["p", "show"])
            kept.append(re.sub(r"[^\r\n]", " ", line) if comment else line)
        first = _FIRST_NAME.search(self.source.text)
        if self.header is not None and (first is None or _PLAIN.match(first[1])):
            self.declared = self.header[0]
            self.declare(self.declared)
        *rows, rest = "".join(kept).split(";")
        start = 0
        for row in rows:
            self.words = [(start + m.start(), m.group()) for m in _WORD.finditer(row)]
            start += len(row) + 1
            self.words.append((start - 1, ";"))
            self._read_statement([word for _, word in self.words])
        if surplus := _WORD.search(rest):
            message = "expected ';' at the end of the constraint"
            raise self.source.error(start + surplus.start(), message)
        if self.header is None and not self.found:
            message = (
                "expected a header '* #variable= … #constraint= …' or a constraint, found none"
            )
            raise self.source.error(0, message)
        self.finish(str)

    def _read_counts(self, offset: int, line: str) -> None:
        match = _COUNTED.search(line)
        if match is not None and self.header is None:
            if max(map(len, match.groups())) > 9 or int(match[1]) > MAX_VARIABLES:
                message = f"expected at most {MAX_VARIABLES:,} variables, found {quote(match[1])}"
                raise self.source.error(offset, message)
            self.header = int(match[1]), int(match[2]), offset + match.start()

    def _read_statement(self, words: list[str]) -> None:
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
        bound = self._read_integer(end + 1, words)
        k = 0
        while k < end:
            weight = -1 if words[k] == "-" else 1
            k += words[k] in ("+", "-")
            if k < end and not _LITERAL.match(words[k]):
                weight *= self._read_integer(k, words)
                k += 1
            if k == end or not _LITERAL.match(words[k]):
                raise self._word_error("a variable", k)
            if words[k][0] == "~":
                bound -= weight
                weight = -weight
            variable = self._read_variable(k, words)
            weights[variable] = weights.get(variable, 0) + weight
            k += 1
            if k < end and _LITERAL.match(words[k]):
                raise self._word_error("'+' or '-' (products of variables are not supported)", k)
        low = None if words[end] == "<=" else bound
        high = None if words[end] == ">=" else bound
        ordered = {v: weights[v] for v in sorted(weights) if weights[v]}
        label = str(self.found)
        try:
            made = [*linear_constraint(ordered, low, high, "constraint", label)]
        except ModelError as error:
            raise self._word_error("smaller numbers", 0) from error
        self.problem.constraints += made

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
        place, word = self.words[min(index, len(self.words) - 1)]
        return self.source.error(place, f"expected {expected}, found {quote(word)}")


# The writer of DIMACS CNF


@check_types
def cnf_lines(
    names: Sequence[str],
    constraints: Iterable[Constraint],
    projection: Iterable[int] | None = None,
) -> Iterator[str]:
    """The lines of a DIMACS CNF file with the given constraints.

    Variable ``i + 1`` is the one at position ``i``; comments give its name. When there are new
    variables, or a projection (positions of the variables that are counted), ``c p show`` names
    the variables that are to be counted.

    Raises:
        LimitReached: the MDD of a constraint is too large.
    """
    made = _ClauseWriter(len(names))
    for c in constraints:
        made.add(c)
    has_new = made.variables > len(names)
    counted = range(len(names)) if projection is None and has_new else projection
    yield f"c t {'mc' if counted is None else 'pmc'}"
    yield from (f"c {v} is {' '.join(n.split())}" for v, n in enumerate(names, 1))
    yield f"p cnf {made.variables} {len(made.clauses)}"
    if counted is not None:
        yield " ".join(["c p show", *(str(v + 1) for v in counted), "0"])
    for literals in made.clauses:
        yield " ".join([*map(str, literals), "0"])


class _ClauseWriter:
    """Writer of constraints as clauses: tuples of variables' numbers from 1, negative if negated.

    ``variables`` is the number of all variables, the new ones included.
    """

    def __init__(self, variables: int) -> None:
        self.variables = variables
        self.clauses: list[tuple[int, ...]] = []

    def add(self, constraint: Constraint) -> None:
        """Convert a constraint to clauses and add them."""
        if constraint.verdict is not None:
            self.clauses += [] if constraint.verdict else [()]
            return
        if isinstance(constraint, OneHot):
            literals = tuple(v + 1 for v in constraint.variables)
            if constraint.total == 0:
                self.clauses += [(-v,) for v in literals]
                return
            if len(literals) <= _MAX_PAIRWISE:
                self.clauses += [] if constraint.at_most else [literals]
                self.clauses += [(-a, -b) for a, b in combinations(literals, 2)]
                return
        variable, low, high, root = constraint_mdd(
            constraint, [[v] for v in constraint.variables]
        ).bdd()
        nodes = list(zip(variable.tolist(), low.tolist(), high.tolist(), strict=True))
        found = _paths_to_false(nodes, root)
        if found is None:
            self._add_bdd_clauses(nodes, root)
        else:
            self.clauses += found

    def _add_bdd_clauses(self, nodes: Nodes, root: int) -> None:
        """Add clauses that encode a BDD, with a new variable for every node."""
        first = self.variables + 1
        self.variables += len(nodes)
        literal = [-_TRUE, _TRUE, *range(first, self.variables + 1)]
        made: list[tuple[int, ...]] = []
        for node, (v, lo, hi) in enumerate(nodes, first):
            for test, below in ((-(v + 1), literal[hi]), (v + 1, literal[lo])):
                # Where the test fails, the node equals what lies below.
                made += [(node, test, -below), (-node, test, below)]
        made.append((literal[root],))
        self.clauses += [tuple(x for x in c if x != -_TRUE) for c in made if _TRUE not in c]


def _paths_to_false(nodes: Nodes, root: int) -> list[tuple[int, ...]] | None:
    """A clause for each path of a BDD to the terminal "false"; None if there are too many."""
    found: list[tuple[int, ...]] = []
    pending: list[tuple[int, tuple[int, ...]]] = [(root, ())]
    while pending:
        node, clause = pending.pop()
        if node > 1:
            v, low, high = nodes[node - 2]
            pending += [(high, (*clause, -(v + 1))), (low, (*clause, v + 1))]
        elif node == 0:
            found.append(clause)
            if len(found) > _MAX_DIRECT_CLAUSES:
                return None
    return found
