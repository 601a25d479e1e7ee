"""Subjects of actions: a Sudoku, an exact cover, a tiling, a formula or a Numberlink board.

Each is a problem, or a saved set of its solutions. ``Any`` stands for solutions of any kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from bddsudoku.cli.command_base import (
    CommandRequest,
    Record,
    dumps,
    exact_count_record,
    fail,
    open_output,
)
from bddsudoku.engine.protocol import BUILT_IN_ENGINES

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.solver import CountResult, Question, SolveResult

COUNTING_ENGINES = tuple(n for n in BUILT_IN_ENGINES if n not in ("singles", "bitboard", "bands"))
"""Names of engines that count any model, not only Sudoku."""
COUNTING_ONLY_ENGINES = ("bdd", "brute-force")
"""Names of those engines that make no set."""
SET_ENGINES = tuple(n for n in COUNTING_ENGINES if n not in COUNTING_ONLY_ENGINES)
"""Names of engines that compile the set of solutions of any model."""

MarginalTable = tuple[tuple[str, ...], list[tuple[Any, ...]]]
"""Titles of columns, and rows: the names of a thing, such as a variable and a value, and in how
many solutions it is."""


@dataclass(frozen=True)
class ActionSubject:
    """The subject of an action: a problem, or a saved set of its solutions.

    Attributes:
        request: the common options; its ``puzzle`` is the argument.
        common_members: members of every JSON object.
        question: the problem for an engine; None where a saved set does not contain it.
        to_text: writes a solution for people.
        to_record: makes the JSON members of a solution.
        saved: the set, if the argument is a file of one.
        parse: reads solutions that an argument names.
        marginal_table: makes a table of the marginals of a set.
        pictures: name of a form → writes a solution in it; the first form is the usual one.
        heading: the problem as text, which stands above a table.
        separator: written between two solutions for people.
        unit: what progress bars count.
        order: in which a diagram reads the variables.
    """

    request: CommandRequest
    common_members: Record
    question: Question | None
    to_text: Callable[[Any], str]
    to_record: Callable[[Any], Record]
    saved: Any = None
    parse: Callable[[str], Iterable[Any]] = NotImplemented
    marginal_table: Callable[[Any], MarginalTable] = NotImplemented
    pictures: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    heading: str = ""
    separator: str = ""
    unit: str = "step"
    order: str = "auto"

    @property
    def decoder(self) -> Any:
        """The decoder that turns true variables, as an engine finds them, into a solution."""
        return self.question_or_fail().decoder if self.saved is None else self.saved.decoder

    def question_or_fail(self) -> Question:
        """Return the problem for the engines; end with an error if only a saved set is given."""
        if self.question is None:
            fail(
                "a saved set keeps solutions, not what was demanded: give the file it was made of",
                2,
            )
        return self.question

    def count_solutions(self, engine: str, context: Context) -> CountResult:
        """Count the solutions of the saved set if there is one, otherwise those of the problem."""
        from bddsudoku.solver.dispatch import count_detailed
        from bddsudoku.solver.question import CountResult

        if self.saved is not None:
            return CountResult(self.saved.count(), "saved", "a saved set", 0.0)
        question = self.question_or_fail()
        if question.projection is not None and engine in COUNTING_ONLY_ENGINES:
            fail(f"engine {engine} cannot project; take frontier", 2)
        return count_detailed(question, engine, context)

    def compile_solutions(self, engine: str = "auto") -> SolveResult:
        """Compile the set of all solutions or, if there is a saved set, return that."""
        from bddsudoku.solver.dispatch import saved_set_result, solve_detailed

        if self.saved is not None:
            return saved_set_result(self.saved)
        with self.request.with_progress_bar("compiling", self.unit) as context:
            return solve_detailed(self.question_or_fail(), engine, self.order, context)

    def solve(self, engine: str) -> tuple[Any, Record]:
        """The set of all solutions, and the JSON members of every answer about it."""
        solved = self.compile_solutions(engine)
        counted = exact_count_record(solved.solutions.count(), solved.engine, solved.seconds)
        return solved.solutions, self.common_members | counted

    def iterate_solutions(self, limit: int | None, seed: int | None) -> Iterator[Any]:
        """Yield solutions in the order in which a search finds them, or in that of a saved set."""
        from bddsudoku.solver import iterate_solution_keys

        if self.saved is not None:
            return islice(self.saved, limit)
        keys = iterate_solution_keys(
            self.question_or_fail(), self.request.context, limit=limit, seed=seed
        )
        return map(self.decoder.decode, keys)

    def size_members(self, compiled: SolveResult) -> Record:
        """Make the JSON members about the size and the cost of a compiled set."""
        cost, solutions = compiled.cost, compiled.compiled_set
        assert cost is not None
        return {
            "variables": cost.variables,
            "nodes": solutions.node_count("zdd"),
            "bdd_nodes": solutions.node_count("bdd"),
            "order": compiled.order,
            "states": cost.states,
            "width": cost.width,
            "peak_bytes": cost.peak_bytes,
            "choosing_seconds": round(cost.choosing_seconds, 6),
        }

    def first_picture(self) -> Any:
        """What is drawn where no solution is named; None where there is no solution."""
        return next(self.iterate_solutions(1, None), None)

    def write_solutions(
        self, solutions: Iterable[Any], output: str | None = None, first: Record | None = None
    ) -> None:
        """Write solutions one by one, as text or JSON, to a file or standard output.

        In JSON, the members of ``first`` precede those of each solution.
        """
        with open_output(output) as target:
            for number, solution in enumerate(solutions):
                if self.request.as_json:
                    text = dumps((first or {}) | self.to_record(solution))
                else:
                    text = (self.separator if number else "") + self.to_text(solution)
                target.write(text + "\n")

    def write_samples(
        self, drawn: Iterable[Any], output: str | None, record: Record, seed: int | None
    ) -> None:
        """Write random solutions; ``record`` has the members of an answer about their set."""
        self.write_solutions(drawn, output, self.common_members | {"seed": seed})
