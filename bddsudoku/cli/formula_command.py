"""Command ``bddsudoku formula FILE ACTION``: problems written as formulas in a file."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.actions import action_group
from bddsudoku.cli.build_command import BUILD_OPTIONS, build_and_print
from bddsudoku.cli.command_base import CommandRequest, Record, print_note
from bddsudoku.cli.subjects import ActionSubject, MarginalTable
from bddsudoku.errors import ModelError

if TYPE_CHECKING:
    from bddsudoku.input_source import InputSource
    from bddsudoku.puzzle.formula import FormulaDecoder, Problem
    from bddsudoku.sets import SolutionSet


def _read_problem(source: InputSource) -> Problem:
    """Read the problem in a file and print the notes of its parser."""
    from bddsudoku.input_source import STDIN
    from bddsudoku.puzzle.formula import Problem
    from bddsudoku.puzzle.formula.problem import format_from_path

    ending = "" if source.name == STDIN else format_from_path(source.name)
    problem = Problem.parse(source.text(), source.name, ending=ending)
    for remark in problem.notes:
        print_note(remark)
    return problem


def _read_assignments_subject(request: CommandRequest, names: tuple[str, ...]) -> ActionSubject:
    """Read a problem, optionally projected to the named variables, or a saved set from FILE."""
    from bddsudoku.puzzle.sudoku.text.reader import open_source
    from bddsudoku.solver import make_question
    from bddsudoku.solver.sources import load_assignments

    head: Record = {"formula": request.puzzle}
    make = partial(
        ActionSubject,
        request,
        head,
        to_text=_assignment_text,
        to_record=lambda solution: {"assignment": solution},
        parse=_parse_assignment,
        marginal_table=_marginal_table,
    )
    with open_source(request.puzzle, request.context) as source:
        saved = load_assignments(source)
        if saved is not None:
            if names:
                raise click.UsageError("a saved set has its projection; leave --project out")
            head |= {"variables": len(saved.decoder.names), "statements": None}
            return make(None, saved=saved)
        problem = _read_problem(source)
    try:
        for name in ",".join(names).split(",") if names else ():
            problem.project(name.strip())
    except ModelError as error:
        raise click.BadParameter(str(error), param_hint="--project") from None
    head |= {
        "variables": len(problem.names),
        "statements": len(problem.statements) or len(problem.constraints),
    }
    return make(make_question(problem))


def _assignment_text(solution: dict[str, int]) -> str:
    return " ".join(f"{name}={value}" for name, value in solution.items()) or "(nothing)"


def _parse_assignment(text: str) -> list[dict[str, int]]:
    """Read an assignment from what ``enumerate`` prints, such as ``a=1 b=0``."""
    parts = [word.partition("=") for word in text.split()]
    try:
        return [{name: int(value) for name, _, value in parts}]
    except ValueError:
        raise click.UsageError(f"expected an assignment such as a=1 b=0, found {text!r}") from None


def _marginal_table(found: SolutionSet) -> MarginalTable:
    """Tell in how many assignments every variable has every value."""
    variables: FormulaDecoder = found.decoder
    true = dict(zip(found.keys.tolist(), map(int, found.marginals()), strict=True))
    counted = range(len(variables.names)) if variables.counted is None else variables.counted
    values = {
        key: (name, value)
        for name, domain, first in variables.integers
        for key, value in enumerate(domain, first)
    }
    rows: list[tuple[Any, ...]] = []
    for key in counted:
        number = true.get(key, 0)
        if key in values:
            rows.append((*values[key], number))
        else:
            name = variables.names[key]
            rows += [(name, 0, found.count() - number), (name, 1, number)]
    return ("variable", "value", "assignments"), rows


@action_group(
    "file",
    _read_assignments_subject,
    click.option(
        "--project",
        "names",
        multiple=True,
        metavar="NAMES",
        help="Count assignments of these variables only (names, with commas between them).",
    ),
)
def formula() -> None:
    """Count, list or sample the assignments that satisfy the formulas in FILE.

    FILE is in the formula language, .opb, .cnf, a saved set, or - for standard input.
    """


formula.add_shared_actions(
    "assignments", "count", "enumerate", "compile", "sample", "rank", "unrank", "marginals", "check"
)


@formula.action(
    "build",
    click.option("--schedule", metavar="SPEC", help="Order of the families, e.g. 'row>*'."),
    *BUILD_OPTIONS,
)
def build(subject: ActionSubject, schedule: str | None, **options: Any) -> None:
    """Build the BDD as the conjunction of all statements, and trace every step."""
    question = subject.question_or_fail()
    head = {"puzzle": subject.request.puzzle, "schedule": schedule or "as written"}
    build_and_print(subject.request, head, question, schedule, **options)
