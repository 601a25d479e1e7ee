"""Estimates of counts with an interval, by runs of random descents.

Each run (:mod:`.descents`) gives an unbiased estimate, and runs are independent: the interval is
that of Student for their mean, on a logarithmic scale. What it promises, and what not, is told in
docs/explanation/estimates.md.
"""

from __future__ import annotations

import math
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np

from bddsudoku.context import Context
from bddsudoku.engine.estimate import MIN_EFFECTIVE, Estimate
from bddsudoku.engine.search.descents import Descents, Run
from bddsudoku.errors import LimitReached
from bddsudoku.jit.decorators import F64, I64
from bddsudoku.model.model import Model
from bddsudoku.work.resources import CheckPoint, available_threads, run_slices

ROUND = 32
"""Runs between two looks at their spread, for any number of threads."""
_WIDTHS = [1 << k for k in (8, 10, 12, 14)]
"""Descents of a run that are side by side: wider runs are better, and take longer."""
_FEW_RUNS = 4 * ROUND
"""Where more runs than these are needed, wider ones are taken."""
_STEPS = 120_000_000_000
"""Steps of all runs, some minutes of one core, if the context does not set them."""
_NORMAL = 1.959964
"""97.5 % of the normal distribution is below."""
_GROUPS = 10
"""Means of so many groups of runs make a lower bound."""


def estimate_model(
    model: Model, precision: float, context: Context, *, seed: int = 0, jobs: int | None = None
) -> Estimate:
    """Estimate the number of a model's solutions; arguments as for :func:`bddsudoku.estimate`.

    Raises:
        LimitReached: the time is used up; ``details["known"]`` has what was known then.
    """
    begin = time.perf_counter()
    runs = _Runs(Descents(model, context), seed, jobs, context)
    try:
        runs.go_on(precision)
    except LimitReached as stop:
        if runs.runs:
            stop.details["known"] = runs.result(begin).record()
        raise
    return runs.result(begin)


def estimate_shares(
    model: Model, precision: float, context: Context, *, seed: int = 0
) -> tuple[Estimate, I64, F64, F64]:
    """Estimate the number of solutions, and the share of them in which each variable is true.

    Returns:
        The estimate, of the precision that was asked for; keys of variables, those in no constraint
        left out; for each its share, and the standard error of that. Without a solution that was
        met there are no keys.

    Raises:
        LimitReached: as for :func:`estimate_model`.
    """
    begin = time.perf_counter()
    descents = Descents(model, context)
    runs = _Runs(descents, seed, None, context, shares=True)
    runs.go_on(precision)
    found = runs.result(begin)
    keys, shares, errors = runs.shares()
    fixed = np.array([v.key for v in model.fixed] if found.low else [], dtype=np.int64)
    keys, more = np.concatenate([keys, fixed]), np.ones(len(fixed))
    return found, keys, np.concatenate([shares, more]), np.concatenate([errors, 0 * more])


class _Runs:
    """Rounds of runs, until their mean is known well enough."""

    def __init__(
        self,
        descents: Descents,
        seed: int,
        jobs: int | None,
        context: Context,
        *,
        shares: bool = False,
    ) -> None:
        self.descents, self.seed, self.context = descents, seed, context
        self.jobs = jobs or available_threads()
        self.with_shares = shares
        self.runs: list[Run] = []
        self.steps = 0

    def go_on(self, precision: float) -> None:
        """Make rounds of runs up to a precision, or until the steps are used up."""
        if self.descents.count == 0 or (self.descents.count and not self.with_shares):
            return
        most = self.context.work or _STEPS
        memory = self.context.max_memory
        widths = [
            w for w in _WIDTHS
            if memory is None or self.jobs * self.descents.run_bytes(w) <= memory
        ] or _WIDTHS[:1]  # fmt: skip
        level = 0
        kept: list[Run] = []
        while True:
            made = self._round(widths[level], (self.seed, level, len(kept)))
            self.steps += sum(run.steps for run in made)
            self.runs = kept + made
            needed = len(self.runs) * (_half_width(self._values()) / precision) ** 2
            if made[0].exhaustive or needed <= len(self.runs) or self.steps >= most:
                return
            wider = widths[level + 1] / widths[level] if level + 1 < len(widths) else math.inf
            is_affordable = self.steps * (1 + wider) <= most
            if not kept and needed > _FEW_RUNS and is_affordable:
                level += 1  # those so far have served to tell how wide is wide enough
            else:
                kept = self.runs

    def _round(self, width: int, seed: tuple[int, ...]) -> list[Run]:
        """Make runs, numbered from the last number of the seed on."""
        made: list[Run | None] = [None] * ROUND
        *first, number = seed

        def work(begin: int, end: int, pause: CheckPoint) -> None:
            for k in range(begin, end):
                own = (*first, number + k)
                made[k] = self.descents.run(width, own, pause, shares=self.with_shares)

        run_slices(ROUND, work, max_slice=1, jobs=self.jobs, context=self.context)
        return [run for run in made if run is not None]

    def _values(self) -> F64:
        """The estimates of the runs, relative to a power of two."""
        most = max(run.exponent for run in self.runs)
        return np.array([math.ldexp(run.total, run.exponent - most) for run in self.runs])

    def shares(self) -> tuple[I64, F64, F64]:
        """Keys of variables, the share of solutions with each, and its standard error.

        The share is a quotient of two sums over the runs; its error is that of their difference.
        """
        if not self.runs or not any(run.total for run in self.runs):
            return np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
        variable = self.descents.problem.tables.variable
        known = variable >= 0
        most = max(run.exponent for run in self.runs)
        parts = np.array(
            [
                np.ldexp(run.shares[known], run.exponent - most)
                for run in self.runs
                if run.shares is not None
            ]
        )
        values = self._values()
        shares = parts.sum(axis=0) / values.sum()
        apart = (parts - shares * values[:, None]).std(axis=0, ddof=1)
        errors = apart / values.mean() / math.sqrt(len(values))
        return self.descents.keys[variable[known]], shares, errors

    def result(self, begin: float) -> Estimate:
        """What is known by the runs so far."""
        shift = self.descents.unconstrained
        descents = sum(run.descents for run in self.runs)

        def finished(n: int | None, low: int, high: int | None, effective: int | None) -> Estimate:
            return Estimate(n, low, high, descents, effective, time.perf_counter() - begin)

        if (exact := self.descents.count) is not None:
            return finished(exact, exact, exact, None)
        if self.runs[0].exhaustive:
            exact = int(self.runs[0].total) << shift
            descents = self.runs[0].descents
            return finished(exact, exact, exact, None)
        shift += max(run.exponent for run in self.runs)
        values = self._values()
        mean = float(values.mean())
        half = _half_width(values)
        error = half / _student(len(values))
        effective = int(descents / max(1.0, descents * error**2))
        if effective < MIN_EFFECTIVE:
            return finished(None, _integer(_lower_bound(values), shift, 1), None, effective)
        digits = max(3, 2 - math.floor(math.log10(half + 1e-9)))
        ends = (mean, mean * math.exp(-half), mean * math.exp(half))
        number, low, high = (_integer(value, shift, digits) for value in ends)
        return finished(number, low, high, effective)


def _half_width(values: F64) -> float:
    """Half the width of the 95 % interval of the logarithm of a mean; infinite if all are 0."""
    mean = values.mean()
    if mean == 0:
        return math.inf
    error = values.std(ddof=1) / mean / math.sqrt(len(values))
    return float(error * _student(len(values)))


def _student(number: int) -> float:
    """The 97.5 % quantile of Student's distribution for a mean of some 30 values or more."""
    return _NORMAL + (_NORMAL**3 + _NORMAL) / (4 * (number - 1))


def _lower_bound(values: F64) -> float:
    """A lower bound of the expected value, which holds with a probability of 95 %.

    By Markov's inequality the mean of a group is more than ``a`` times its expected value with a
    probability of at most 1 / a; that of all ``k`` groups at most with the k-th power (Gomes,
    Hoffmann, Sabharwal and Selman, *From sampling to model counting*, IJCAI 2007).
    """
    groups = np.array_split(values, _GROUPS)
    return float(min(group.mean() for group in groups) / 20 ** (1 / _GROUPS))


def _integer(value: float, shift: int, digits: int) -> int:
    """``value`` times 2 to the power of ``shift`` as an integer with so many decimal digits."""
    number = Fraction(value) * 2**shift
    return int(Decimal(f"{Decimal(round(number)):.{digits - 1}e}"))
