"""An estimate of a number of solutions, with its interval, as an object, as JSON and as text.

:mod:`bddsudoku.engine.search.interval` makes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from bddsudoku.number_text import group_digits, to_decimal

MIN_EFFECTIVE = 100
"""Effective descents from which on there is an estimate: a standard error of 10 %."""


@dataclass(frozen=True)
class Estimate:
    """An estimate of a number of solutions; ``str`` writes it for people.

    Attributes:
        estimate: the number, rounded to what its error leaves; None where it is not known enough.
        low: lower end of the 95 % interval; without an estimate a lower bound, which holds with a
            probability of at least 95 %.
        high: its upper end; None without an estimate.
        descents: random descents that came to their end, a solution or a dead end.
        effective: 1 / (standard error / estimate)², but no more than there are descents: as many
            independent weights have this error that vary as much as they are large. None if the
            descents met all solutions.
        seconds: wall-clock time.
    """

    estimate: int | None
    low: int
    high: int | None
    descents: int
    effective: int | None
    seconds: float

    def __str__(self) -> str:
        return estimate_text(self.record())

    def record(self) -> dict[str, Any]:
        """The members of an answer in JSON: numbers of solutions are decimal strings."""
        record: dict[str, Any] = {"count": None, "exact": False}
        for name in ("estimate", "low", "high"):
            number = getattr(self, name)
            record[name] = None if number is None else to_decimal(number)
        record |= {"descents": self.descents, "effective": self.effective}
        if self.estimate is None:
            record["limit"] = (
                f"no estimate: {self.effective:,} effective descents of {self.descents:,}, "
                f"{MIN_EFFECTIVE} (a standard error of 10 %) are needed"
            )
        return record | {"seconds": round(self.seconds, 6)}


def estimate_text(record: dict[str, Any]) -> str:
    """An estimate for people: ``about 5.57e16 (95 %: 5.48e16 to 5.66e16; 200,000 descents)``."""
    number, low, high = (record[name] for name in ("estimate", "low", "high"))
    descents = f"{record['descents']:,} descents"
    if number is None:
        return f"more than {_rounded(low, 2)}, no estimate ({descents})"
    if record["effective"] is None:
        return f"{group_digits(int(number))} (exact: every solution was met in {descents})"
    digits = 3
    while digits < 9 and _rounded(low, digits) == _rounded(high, digits):
        digits += 1
    number, low, high = (_rounded(n, digits) for n in (number, low, high))
    return f"about {number} (95 %: {low} to {high}; {descents})"


def _rounded(number: str, digits: int) -> str:
    """A number in so many digits, such as ``5.57e16``; up to a million as it is."""
    if len(number) <= 6:
        return group_digits(int(number))
    return f"{Decimal(number):.{digits - 1}e}".replace("e+", "e")
