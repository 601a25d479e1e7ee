"""A solver for CPMpy (extra ``cpmpy``): counts, lists and samples all solutions of a model.

    from bddsudoku.cpmpy_solver import CPM_bddsudoku

    solver = CPM_bddsudoku(model)
    solver.solveAll()                 # how many solutions, exactly, without visiting them
    solver.sample(3, rng=1)           # three of them, each as likely as any other

From this import on CPMpy finds it by name, too: ``model.solve(solver="bddsudoku")``.

Constraints are kept as they come, and read by :func:`.from_cpmpy` when a question is asked. The
same interface serves CPMpy 0.9.24 and 1.0. The file imports CPMpy, so nothing else imports it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from time import perf_counter
from typing import Any

import numpy as np

from bddsudoku import __version__
from bddsudoku.errors import BackendUnavailable, LimitReached, ModelError
from bddsudoku.puzzle.formula.from_cpmpy import from_cpmpy, refusing_deep_expressions
from bddsudoku.puzzle.formula.problem import Problem
from bddsudoku.sets.solution_family import SolutionFamily
from bddsudoku.solver.cube_and_conquer import count
from bddsudoku.solver.dispatch import solve

try:
    import cpmpy
    from cpmpy.solvers.solver_interface import ExitStatus, SolverInterface
    from cpmpy.solvers.utils import SolverLookup
    from cpmpy.transformations.get_variables import get_variables
except ImportError as error:
    raise BackendUnavailable("CPMpy is not installed: pip install cpmpy") from error

__all__ = ["CPM_bddsudoku"]


class CPM_bddsudoku(SolverInterface):  # type: ignore[misc]  # noqa: N801 - as CPMpy names solvers
    """Questions about all solutions of a CPMpy model.

    Args:
        cpm_model: a ``cpmpy.Model`` without an objective; more constraints are added by ``+=``.
        subsolver: as CPMpy hands it over; there is none.

    Raises:
        ModelError: the model has an objective.
    """

    def __init__(self, cpm_model: Any = None, subsolver: None = None) -> None:
        self._constraints: list[Any] = []
        super().__init__("bddsudoku", cpm_model, subsolver)

    @staticmethod
    def supported() -> bool:
        """Always True, because this class can only be imported where the solver is installed."""
        return True

    @classmethod
    def version(cls) -> str:
        """The version of this package."""
        return __version__

    def add(self, cpm_expr: Any) -> CPM_bddsudoku:
        """Add a constraint or a list of them."""
        self._constraints.append(cpm_expr)
        with refusing_deep_expressions():
            self.user_vars |= set(get_variables(cpm_expr))
        return self

    __add__ = add

    def objective(self, expr: Any, minimize: bool) -> None:
        """Raise an error, because objectives are not supported.

        Raises:
            ModelError: always.
        """
        raise ModelError("an objective is no constraint: all solutions are asked for")

    @property
    def native_model(self) -> Problem:
        """The constraints as a problem of this package."""
        return from_cpmpy(cpmpy.Model(self._constraints))

    def count(self, time_limit: float | None = None) -> int:
        """Count the solutions exactly.

        Raises:
            LimitReached: the time is used up.
        """
        return count(self.native_model, time_limit=time_limit)

    def solution_set(self, time_limit: float | None = None) -> SolutionFamily:
        """Compute the set of all solutions, each a dictionary from variable names to values.

        Raises:
            LimitReached: the time is used up.
        """
        return solve(self.native_model, time_limit=time_limit)

    def sample(
        self,
        n: int,
        rng: np.random.Generator | int | None = None,
        time_limit: float | None = None,
    ) -> list[dict[str, int]]:
        """Draw uniform random solutions with replacement, each a dictionary from names to values.

        Raises:
            LimitReached: the time is used up.
        """
        found: list[dict[str, int]] = self.solution_set(time_limit).sample(n, rng)
        return found

    def solve(self, time_limit: float | None = None) -> bool:
        """Set the variables to one solution; return whether there is one."""
        return self.solveAll(lambda: None, time_limit, solution_limit=1) > 0

    def solveAll(  # noqa: N802 - the name that CPMpy gives it
        self,
        display: Callable[[], object] | Iterable[Any] | None = None,
        time_limit: float | None = None,
        solution_limit: int | None = None,
        call_from_model: bool = False,
    ) -> int:
        """Count the solutions; with ``display`` also visit them, one after the other.

        Args:
            display: called for each solution when the variables have its values; or an expression
                or list of expressions, whose values are printed.
            time_limit: seconds; where it ends the work, 0 is returned and the status is unknown.
            solution_limit: count no further than this; a negative one is no limit.
            call_from_model: whether ``cpmpy.Model`` calls; makes no difference.
        """
        begin, found = perf_counter(), 0
        limit = None if solution_limit is None or solution_limit < 0 else solution_limit
        try:
            if display is None:
                total = self.count(time_limit)
            else:
                members = self.solution_set(time_limit)
                total = members.count()
                for solution in members[:limit]:
                    self._set_variable_values(solution)
                    _call_or_print(display)
            found = total if limit is None else min(total, limit)
            solved = ExitStatus.OPTIMAL if found == total else ExitStatus.FEASIBLE
            status = solved if total else ExitStatus.UNSATISFIABLE
        except LimitReached:
            status = ExitStatus.UNKNOWN
        if not found:
            self._set_variable_values({})
        self.cpm_status.exitstatus = status
        self.cpm_status.runtime = self.cpm_status.solve_time = perf_counter() - begin
        return found

    def _set_variable_values(self, solution: Mapping[str, int]) -> None:
        """Set the user's variables to their values in a solution; None where it has no value."""
        for variable in self.user_vars:
            value = solution.get(str(variable.name))
            variable._value = bool(value) if value is not None and variable.is_bool() else value


def _call_or_print(display: Callable[[], object] | Iterable[Any]) -> None:
    """Call ``display`` if it is a function; otherwise print the values of its expressions."""
    if hasattr(display, "value"):
        print(display.value())
    elif callable(display):
        display()
    else:
        print([given.value() for given in display])


_solvers_of_cpmpy = SolverLookup.base_solvers


def _all_solvers() -> list[tuple[str, type[Any]]]:
    """CPMpy's list of solvers by name, with this one at its end."""
    return [*_solvers_of_cpmpy(), ("bddsudoku", CPM_bddsudoku)]


SolverLookup.base_solvers = staticmethod(_all_solvers)  # CPMpy has no other way to register one
