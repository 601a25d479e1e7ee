"""Limits can be pickled and divided, and their errors name what the user set."""

from __future__ import annotations

import pickle
import time

import pytest

from bddsudoku.context import Context
from bddsudoku.errors import LimitReached


def test_no_limit_is_never_reached() -> None:
    context = Context()
    assert context.seconds_left is None
    assert not context.is_expired
    context.check()
    assert context.time_slice(3) is context


def test_the_message_names_what_was_set() -> None:
    context = Context(time_limit=0.01)
    time.sleep(0.02)
    assert context.is_expired
    with pytest.raises(LimitReached, match=r"time limit of 0\.01 s reached while thinking") as stop:
        context.check("while thinking")
    assert stop.value.limit == "time"
    with pytest.raises(LimitReached, match=r"time limit of 0\.01 s"):
        context.check_and_report(1, 2)


def test_it_travels_with_its_deadline() -> None:
    context = Context(max_memory=5, time_limit=100, nodes=7)
    again = pickle.loads(pickle.dumps(context))
    assert again == context
    assert again.seconds_left == pytest.approx(context.seconds_left, abs=1)


def test_work_is_counted() -> None:
    context = Context(work=100)
    context.check("on the way", work=99)
    with pytest.raises(LimitReached, match="work limit reached on the way") as stop:
        context.check("on the way", work=100)
    assert stop.value.limit == "work"
    Context().check("on the way", work=10**30)


def test_an_account_adds_up_what_is_taken() -> None:
    check = Context(max_memory=1000).memory_checker()
    check(600)
    check(400)
    with pytest.raises(LimitReached, match="1,001 bytes needed, 1,000 allowed") as stop:
        check(1)
    assert stop.value.limit == "memory"
    Context().memory_checker()(1 << 60)
    with pytest.raises(LimitReached, match="time"):
        Context(time_limit=0).memory_checker()(0)


def test_time_slices_and_timeouts() -> None:
    context = Context(time_limit=100)
    assert context.time_slice(4).seconds_left == pytest.approx(25, abs=1)
    assert context.time_slice(4).time_limit == 100
    assert context.with_time_reserve(2).seconds_left == pytest.approx(98, abs=1)
    assert context.with_time_reserve(80).seconds_left == pytest.approx(75, abs=1)
    assert context.with_time_reserve(2).time_limit == 100
    assert context.with_timeout(2).seconds_left == pytest.approx(2, abs=0.5)
    assert context.with_timeout(2).time_limit == 2
    assert context.with_timeout(1000) is context
    assert context.with_timeout(None) is context
