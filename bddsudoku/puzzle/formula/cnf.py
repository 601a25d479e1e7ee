"""Reader and writer of DIMACS CNF, with projection to the variables that are counted.

As in the model counting competitions, the header's variables exist whether a clause names them or
not (each unnamed one doubles the count), and lines ``c p show 1 2 0`` project. A line ``%``
ends the file (SATLIB). Weights, XOR clauses and weighted CNF are refused by name, not skipped.

Any model can be written (:func:`bddsudoku.puzzle.cnf_lines`). Where few paths of a constraint's BDD
lead to "false", each is written as a clause. Otherwise the BDD is written, with a new variable for
every node: the other variables determine its value, so that the number of solutions stays the same;
the file still names the variables that are to be counted. (N. Eén and N. Sörensson, *Translating
pseudo-Boolean constraints into SAT*, JSAT 2, 2006.)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from bddsudoku.model.constraints import Constraint, OneHot
from bddsudoku.model.to_mdd import constraint_mdd
from bddsudoku.puzzle.formula.lexer import MAX_VARIABLES, FormulaText, quote
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
_NUMBER = re.compile(r"-?[0-9]{1,11}")
_COMMENT = re.compile(r"\s*c(?![^\W_])")
_WEIGHTS = re.compile(r"t p?wmc\b|(p )?w(eights?)? [-+.]?\d|p weight")
_INSTRUCTION = re.compile(r"must multiply|(p )?[a-z]\w*( [-+]?[a-z]?\d+)+ 0$")
"""Comments that some program gives a meaning, such as "vp 1 2 0"."""


def refuse_instruction(source: FormulaText, offset: int, comment: str) -> None:
    """Raise an error if a comment (without its sign) is an order to another program."""
    words = " ".join(comment.lower().split())
    if _WEIGHTS.match(words):
        message = "expected clauses without weights: weighted counts are not supported"
        raise source.error(offset, message)
    if _INSTRUCTION.match(words):
        message = "expected a comment, 'p show …' or, in CNF, 'ind …'"
        raise source.error(offset, f"{message}, found {quote(comment.strip())}")


class CnfReader:
    """Reader of one DIMACS CNF text into a problem, whose variables are ``x1``, ``x2``, …."""

    def __init__(self, source: FormulaText, draft: Draft) -> None:
        self.source = source
        self.problem = draft
        self.variables = self.clauses = -1
        """Of the header, which stands at a place."""
        self.header = 0
        self.found = 0
        self.shown: list[tuple[int, int]] | None = None

    def read(self) -> None:
        """Add the variables and clauses of the text to the problem."""
        literals: list[int] = []
        begun = offset = 0
        for line in self.source.text.splitlines(keepends=True):
            first = line.lstrip()[:1]
            if _COMMENT.match(line):
                self._read_projection(offset, line)
            elif first == "p":
                self._read_header(offset, line)
            elif first == "%":
                break
            elif first:
                if not literals:
                    begun = offset
                self._read_clauses(offset, line, literals)
            offset += len(line)
        if self.variables < 0:
            raise self.source.error(0, "expected a line 'p cnf VARIABLES CLAUSES', found none")
        if literals:
            raise self.source.error(begun, "expected 0 at the end of the clause, found none")
        if self.found != self.clauses:
            message = f"expected {self.clauses:,} clauses, found {self.found:,}"
            raise self.source.error(self.header, message)
        if self.shown is not None:
            self._check_literals(self.shown, 1)
            self.problem.project_to(v - 1 for _, v in self.shown)

    def _read_header(self, offset: int, line: str) -> None:
        words = line.split()
        if self.variables >= 0:
            raise self.source.error(offset, "expected one line that begins with p, found another")
        if len(words) > 1 and words[1] != "cnf":
            offset += line.index(words[1], line.index("p") + 1)
            raise self.source.error(offset, f"expected 'cnf', found {quote(words[1])}")
        if not re.fullmatch(r"p\s+cnf\s+[0-9]{1,11}\s+[0-9]{1,11}", line.strip()):
            message = f"expected 'p cnf VARIABLES CLAUSES', found {quote(line.strip())}"
            raise self.source.error(offset, message)
        self.header = offset
        self.variables, self.clauses = map(int, words[2:])
        if self.variables > MAX_VARIABLES or self.clauses > _MAX_CLAUSES:
            limits = f"at most {MAX_VARIABLES:,} variables and {_MAX_CLAUSES:,} clauses"
            message = f"expected {limits}, found {self.variables:,} and {self.clauses:,}"
            raise self.source.error(offset, message)
        for v in range(self.variables):
            self.problem.new_variable(f"x{v + 1}")

    def _read_projection(self, offset: int, line: str) -> None:
        """Read the projection from a comment line that states one."""
        words = line.split()
        if words[1:3] == ["p", "show"] or words[1:2] == ["ind"]:
            numbers = self._numbers_with_offsets(offset, line, 2 if words[1] == "ind" else 3)
            self.shown = self.shown or []
            self.shown += (n for n in numbers if n[1])
        else:
            refuse_instruction(self.source, offset, line.lstrip()[1:])

    def _read_clauses(self, offset: int, line: str, literals: list[int]) -> None:
        """Read the numbers of a line and add every clause that they complete."""
        if self.variables < 0:
            raise self.source.error(offset, "expected 'p cnf VARIABLES CLAUSES' before the clauses")
        try:
            numbers = list(map(int, line.split()))
            fine = max(numbers) <= self.variables and -self.variables <= min(numbers)
        except ValueError:
            fine = False
        if not fine:
            self._check_literals(self._numbers_with_offsets(offset, line), -self.variables)
        for number in numbers:
            if number:
                literals.append(number)
                continue
            self.found += 1
            if self.found > self.clauses:
                message = f"expected {self.clauses:,} clauses, as the header says, found more"
                raise self.source.error(offset, message)
            clause = sorted(set(literals), key=abs)
            weights = {abs(v) - 1: 1 if v > 0 else -1 for v in clause}
            if len(weights) == len(clause):  # otherwise a variable and its negation
                low = 1 - sum(w < 0 for w in weights.values())
                made = linear_constraint(weights, low, None, "clause", str(self.found))
                self.problem.constraints += made
            literals.clear()

    def _numbers_with_offsets(
        self, offset: int, line: str, skipped_words: int = 0
    ) -> Iterator[tuple[int, int]]:
        """Yield the numbers of a line with their offsets, after ``skipped_words`` words."""
        for match in list(re.finditer(r"\S+", line))[skipped_words:]:
            place, word = offset + match.start(), match.group()
            if not _NUMBER.fullmatch(word):
                kind = " (XOR clauses are not supported)" if re.match(r"x-?\d*\Z", word) else ""
                raise self.source.error(place, f"expected a literal, found {quote(word)}{kind}")
            yield place, int(word)

    def _check_literals(self, numbers: Iterable[tuple[int, int]], least: int) -> None:
        """Raise an error at the first number that is less than ``least`` or names no variable."""
        for place, number in numbers:
            if not least <= number <= self.variables:
                what = f"a number from 1 to {self.variables:,}" + " or negative" * (least < 0)
                raise self.source.error(place, f"expected {what}, found {number}")


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
    made = ClauseWriter(len(names))
    for c in constraints:
        made.add(c)
    counted = made.counted_positions(projection)
    yield f"c t {'mc' if counted is None else 'pmc'}"
    yield from name_comments("c ", names)
    yield f"p cnf {made.variables} {len(made.clauses)}"
    if counted is not None:
        yield " ".join(["c p show", *(str(v + 1) for v in counted), "0"])
    for literals in made.clauses:
        yield " ".join([*map(str, literals), "0"])


def name_comments(prefix: str, names: Sequence[str]) -> Iterator[str]:
    """Comment lines that give the names of the variables 1, 2, …."""
    return (f"{prefix}{v} is {' '.join(n.split())}" for v, n in enumerate(names, 1))


class ClauseWriter:
    """Writer of constraints as clauses: tuples of variables' numbers from 1, negative if negated.

    ``variables`` is the number of all variables, the ``own`` ones and the new ones.
    """

    def __init__(self, own: int) -> None:
        self.own = self.variables = own
        self.clauses: list[tuple[int, ...]] = []

    def counted_positions(self, projection: Iterable[int] | None) -> Iterable[int] | None:
        """Positions of the variables over which solutions are counted; None for all variables."""
        return range(self.own) if projection is None and self.variables > self.own else projection

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
