"""Limits are data: they travel, are shared out, and name what the user set."""

from __future__ import annotations

import pickle
import time

import pytest

from bddsudoku.errors import LimitReached
from bddsudoku.limits import Limits


def test_no_limit_is_never_reached() -> None:
    limits = Limits()
    assert limits.left is None
    assert not limits.expired
    limits.check()
    assert limits.share(3) is limits


def test_the_message_names_what_was_set() -> None:
    limits = Limits(seconds=0.01)
    time.sleep(0.02)
    assert limits.expired
    with pytest.raises(LimitReached, match=r"time limit of 0\.01 s reached while thinking") as stop:
        limits.check("while thinking")
    assert stop.value.limit == "time"
    with pytest.raises(LimitReached, match=r"time limit of 0\.01 s"):
        limits.watch()(1, 2)


def test_it_travels_with_its_deadline() -> None:
    limits = Limits(memory=5, seconds=100, nodes=7)
    again = pickle.loads(pickle.dumps(limits))
    assert again == limits
    assert again.left == pytest.approx(limits.left, abs=1)


def test_work_is_counted() -> None:
    limits = Limits(work=100)
    limits.check("on the way", 99)
    with pytest.raises(LimitReached, match="work limit reached on the way") as stop:
        limits.check("on the way", 100)
    assert stop.value.limit == "work"
    Limits().check("on the way", 10**30)


def test_an_account_adds_up_what_is_taken() -> None:
    check = Limits(memory=1000).account()
    check(600)
    check(400)
    with pytest.raises(LimitReached, match="1,001 bytes needed, 1,000 allowed") as stop:
        check(1)
    assert stop.value.limit == "memory"
    Limits().account()(1 << 60)
    with pytest.raises(LimitReached, match="time"):
        Limits(seconds=0).account()(0)


def test_shares_and_parts() -> None:
    limits = Limits(seconds=100)
    assert limits.share(4).left == pytest.approx(25, abs=1)
    assert limits.share(4).seconds == 100
    assert limits.sooner(2).left == pytest.approx(98, abs=1)
    assert limits.sooner(80).left == pytest.approx(75, abs=1)
    assert limits.sooner(2).seconds == 100
    assert limits.within(2).left == pytest.approx(2, abs=0.5)
    assert limits.within(2).seconds == 2
    assert limits.within(1000) is limits
    assert limits.within(None) is limits
