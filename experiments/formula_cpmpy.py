"""The problems of ``data/formula`` written by hand for CPMpy, as its users would."""

from __future__ import annotations

from itertools import product
from typing import Any

import cpmpy as cp

__all__ = ["model"]


def model(name: str, problem: Any) -> Any:
    """Build the ``cpmpy.Model`` of a problem; the weights of knapsacks are taken from the file."""
    kind, _, size = name.partition("_")
    if kind in ("knapsack", "subset"):
        return _weighed(problem.constraints[0])
    if kind in ("queens", "magic", "langford"):
        return {"queens": _queens, "magic": _magic, "langford": _langford}[kind](int(size))
    simple = {
        "matchings_8x8": _matchings,
        "send_more": _send_more,
        "petersen": _petersen,
        "australia": _australia,
        "timetable": _timetable,
    }
    return simple[name]()


def _queens(n: int) -> Any:
    q = cp.intvar(1, n, shape=n)
    places = range(n)
    return cp.Model(
        cp.AllDifferent(q),
        cp.AllDifferent([q[i] + i for i in places]),
        cp.AllDifferent([q[i] - i for i in places]),
    )


def _matchings() -> Any:
    side = range(8)
    at: dict[tuple[int, int], list[Any]] = {cell: [] for cell in product(side, side)}
    for r, c in at:
        for other in ((r, c + 1), (r + 1, c)):
            if other in at:
                domino = cp.boolvar()
                at[r, c].append(domino)
                at[other].append(domino)
    return cp.Model([cp.sum(dominoes) == 1 for dominoes in at.values()])


def _magic(n: int) -> Any:
    m = cp.intvar(1, n * n, shape=(n, n))
    total = n * (n * n + 1) // 2
    return cp.Model(
        cp.AllDifferent(m.flatten()),
        [cp.sum(m[i, :]) == total for i in range(n)],
        [cp.sum(m[:, i]) == total for i in range(n)],
        cp.sum([m[i, i] for i in range(n)]) == total,
        cp.sum([m[i, n - 1 - i] for i in range(n)]) == total,
    )


def _send_more() -> Any:
    s, m = cp.intvar(1, 9, shape=2)
    e, n, d, o, r, y = cp.intvar(0, 9, shape=6)
    send = 1000 * s + 100 * e + 10 * n + d
    more = 1000 * m + 100 * o + 10 * r + e
    money = 10000 * m + 1000 * o + 100 * n + 10 * e + y
    return cp.Model(cp.AllDifferent([s, e, n, d, m, o, r, y]), send + more == money)


def _langford(n: int) -> Any:
    first = [cp.intvar(1, 2 * n - k - 1) for k in range(1, n + 1)]
    return cp.Model(cp.AllDifferent(first + [p + k + 1 for k, p in enumerate(first, 1)]))


def _petersen() -> Any:
    colour = cp.intvar(1, 3, shape=10)
    edges = [(i, (i + 1) % 5) for i in range(5)] + [(i, i + 5) for i in range(5)]
    edges += [(i + 5, (i + 2) % 5 + 5) for i in range(5)]
    return cp.Model([colour[u] != colour[v] for u, v in edges])


def _australia() -> Any:
    names = ["WA", "NT", "SA", "Q", "NSW", "V", "T"]
    colour = dict(zip(names, cp.intvar(1, 3, shape=7), strict=True))
    borders = "WA-NT WA-SA NT-SA NT-Q SA-Q SA-NSW SA-V Q-NSW NSW-V"
    pairs = [border.split("-") for border in borders.split()]
    # Tasmania has no neighbour: a constraint that says nothing makes it part of the model.
    return cp.Model([colour[a] != colour[b] for a, b in pairs], colour["T"] >= 1)


def _weighed(constraint: Any) -> Any:
    x = cp.boolvar(shape=len(constraint.variables))
    total = cp.sum(int(w) * x[i] for i, w in enumerate(constraint.weights))
    bounds = []
    if constraint.high is not None:
        bounds.append(total <= int(constraint.high))
    if constraint.low is not None:
        bounds.append(total >= int(constraint.low))
    return cp.Model(bounds)


def _timetable() -> Any:
    maths, english, science, history, sport = range(5)
    a, b = cp.intvar(1, 5, shape=5), cp.intvar(1, 5, shape=5)
    return cp.Model(
        cp.AllDifferent(a),
        cp.AllDifferent(b),
        [a[s] != b[s] for s in (maths, english, science, history)],
        a[sport] == b[sport],
        a[english] >= 2,
        b[english] >= 2,
        a[sport] >= 3,
        abs(a[science] - b[science]) >= 2,
        a[maths] != a[sport] + 1,
        b[maths] != b[sport] + 1,
        ((a[history] == 5) | (b[history] == 5)).implies((a[maths] == 1) | (b[maths] == 1)),
    )
