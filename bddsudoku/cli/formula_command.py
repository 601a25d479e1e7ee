"""Command ``bddsudoku formula FILE ACTION``: problems written as formulas in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bddsudoku.cli.actions import ActionSubject, action_group, engine_option, reject_saved_set
from bddsudoku.cli.build_command import build_record, result_and_trace_lines
from bddsudoku.cli.command_base import CommandRequest, Record, print_note
from bddsudoku.cli.options import backend_option
from bddsudoku.errors import ModelError
from bddsudoku.number_text import group_digits, to_decimal

if TYPE_CHECKING:
    from bddsudoku.input_source import InputSource
    from bddsudoku.puzzle.formula import FormulaDecoder, Problem


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


def _read_problem_subject(request: CommandRequest) -> tuple[CommandRequest, Problem]:
    """Read FILE: a problem; a saved set, which has no statements, is an error."""
    from bddsudoku.input_source import InputSource

    with InputSource(request.puzzle, request.context) as source:
        if source.is_set:
            reject_saved_set()
        return request, _read_problem(source)


def _read_assignments_subject(request: CommandRequest, names: tuple[str, ...]) -> ActionSubject:
    """Read a problem, optionally projected to the named variables, or a saved set from FILE."""
    from bddsudoku.input_source import InputSource
    from bddsudoku.solver import make_question
    from bddsudoku.solver.sources import load_assignments

    head: Record = {"formula": request.puzzle}
    with InputSource(request.puzzle, request.context) as source:
        saved = load_assignments(source)
        if saved is not None:
            if names:
                raise click.UsageError("a saved set has its projection; leave --project out")
            head |= {"variables": len(saved.decoder.names), "statements": None}
            return ActionSubject(request, head, None, _assignment_text, _assignment_record, saved)
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
    return ActionSubject(
        request, head, make_question(problem), _assignment_text, _assignment_record
    )


def _assignment_text(solution: dict[str, int]) -> str:
    return " ".join(f"{name}={value}" for name, value in solution.items()) or "(nothing)"


def _assignment_record(solution: dict[str, int]) -> Record:
    return {"assignment": solution}


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


formula.add_shared_actions("assignments that satisfy all statements", "count")
formula.add_shared_actions("assignments", "enumerate")


@formula.action(
    "build",
    click.option("--schedule", metavar="SPEC", help="Order of the families, e.g. 'row>*'."),
    backend_option(help="The BDD package."),
    make_subject=_read_problem_subject,
    subject_options=(),
)
def build(subject: tuple[CommandRequest, Problem], schedule: str | None, backend: str) -> None:
    """Build the BDD as the conjunction of all statements, and trace every step."""
    from bddsudoku.engine.conjunction.bdd_arrays import steps_to_json
    from bddsudoku.engine.protocol import Compiled
    from bddsudoku.solver import build_model, make_question

    request, problem = subject
    question = make_question(problem)
    model = question.model
    chosen = None if backend == "auto" else backend
    with request.with_progress_bar("conjoining") as context:
        result = build_model(model, schedule, backend=chosen, context=context)
    number = result.count()
    if question.projection is not None:
        number = question.make_set(Compiled(result.diagram())).count()
    record = {
        "puzzle": request.puzzle,
        "engine": "bdd",
        "variables": len(model.variables),
        "schedule": schedule or "as written",
        **build_record(result, number),
    }
    text = "\n".join(result_and_trace_lines(record, result.steps, True))
    request.print_answer(record | {"steps": steps_to_json(result.steps)}, text)


formula.add_shared_actions("assignments", "compile", "sample")


@formula.action("marginals", engine_option())
def marginals(subject: ActionSubject, engine: str) -> None:
    """For every variable and value, print the number of assignments with that value."""
    from bddsudoku.report.formatting import format_table

    found = subject.solution_set(engine)
    variables: FormulaDecoder = found.decoder
    total = found.count()
    true = dict(zip(found.keys.tolist(), (int(n) for n in found.marginals()), strict=True))
    counted = range(len(variables.names)) if variables.counted is None else variables.counted
    rows: list[tuple[str, int, int]] = []
    inside: set[int] = set()
    for name, values, first in variables.integers:
        members = range(first, first + len(values))
        inside.update(members)
        if not set(counted).isdisjoint(members):
            rows += [(name, v, true.get(k, 0)) for v, k in zip(values, members, strict=True)]
    for key in counted:
        if key not in inside:
            true_count = true.get(key, 0)
            rows += [
                (variables.names[key], 0, total - true_count),
                (variables.names[key], 1, true_count),
            ]
    nested: dict[str, dict[str, str]] = {}
    for name, value, number in rows:
        nested.setdefault(name, {})[str(value)] = to_decimal(number)
    shown = [(name, value, group_digits(number)) for name, value, number in rows if number]
    record = {"formula": subject.request.puzzle, "count": to_decimal(total), "exact": True}
    text = format_table(shown, ["variable", "value", "assignments"], align="lrr")
    subject.request.print_answer(record | {"marginals": nested}, text)


formula.add_shared_actions("assignments", "check")
