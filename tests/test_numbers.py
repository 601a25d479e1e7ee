"""Conversion of numbers of any length, under every limit of Python's own conversion."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bddsudoku.number_text import (
    from_decimal,
    group_digits,
    parse_duration,
    parse_size,
    round_bound,
    to_decimal,
)


@pytest.fixture(params=[640, 4300, 0])
def _limit(request: pytest.FixtureRequest) -> Iterator[None]:
    """What Python may be told; 640 is the least."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(request.param)
    yield
    sys.set_int_max_str_digits(before)


@pytest.mark.usefixtures("_limit")
@pytest.mark.parametrize("digits", [1, 3, 4, 400, 602, 603, 640, 641, 4300, 4301, 30_000])
def test_integers_of_any_length(digits: int) -> None:
    nines, power = "9" * digits, "1" + "0" * (digits - 1)
    for text in (nines, power, f"-{nines}", f"-{power}"):
        n = from_decimal(text)
        assert to_decimal(n) == text
        assert group_digits(n).replace(",", "") == text
        assert from_decimal(to_decimal(n - 1)) + 1 == n
    assert group_digits(from_decimal(power))[-4:] in (power[-4:], "," + power[-3:])


@given(st.integers(), st.integers(0, 3000))
def test_as_python_writes_them(n: int, shift: int) -> None:
    n <<= shift
    assert to_decimal(n) == str(n)
    assert group_digits(n) == f"{n:,}"
    assert from_decimal(str(n)) == n


@pytest.mark.parametrize(
    "text", ["", "-", "1e9", "1_0", " 1", "+1", "0x1", "٣", "1.0", "9" * 9000 + "e1"]
)
def test_what_is_no_integer_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected an integer, found"):
        from_decimal(text)


def test_a_hundred_thousand_digits_take_no_time() -> None:
    n = 7**118_330
    begin = time.process_time()
    assert len(to_decimal(n)) == len(group_digits(n).replace(",", "")) == 100_001
    assert from_decimal(to_decimal(n)) == n
    assert time.process_time() - begin < 5


READ = {
    parse_size: {
        "4GiB": 4 << 30,
        "200 MiB": 200 << 20,
        "1.5GB": 15 * 10**8,
        "123": 123,
        "2k": 2000,
    },
    parse_duration: {"60": 60, "1.5s": 1.5, "2min": 120, "1h": 3600, "250ms": 0.25},
}
REFUSED = {
    parse_size: ("", "GiB", "-1", "0", "4 GiB more", "4PiB", "nan"),
    parse_duration: ("", "s", "-1", "0", "1 day", "inf"),
}


@pytest.mark.parametrize("parse", READ)
def test_sizes_and_durations(parse: Callable[[str], float]) -> None:
    assert {text: parse(text) for text in READ[parse]} == READ[parse]
    for text in REFUSED[parse]:
        with pytest.raises(ValueError, match=re.escape(repr(text))):
            parse(text)


def test_bounds_for_people_are_below_and_not_far() -> None:
    found = [round_bound(n) for n in (1, 2, 3, 6, 10, 11, 9171, 10**30)]
    assert found == [0, 1, 2, 5, 5, 10, 5000, 5 * 10**29]
    assert all(round_bound(n) < n <= 2.5 * round_bound(n) for n in range(2, 3000))
