"""Each backend: the common interface, and the peculiarities of the packages."""

from __future__ import annotations

import itertools

import pytest
from oracles import sets_of

from bddsudoku.context import Context
from bddsudoku.engine.conjunction import available_backends, backends, build
from bddsudoku.engine.conjunction.backends import make_backend, resolve_backend
from bddsudoku.errors import BackendUnavailable, LimitReached
from bddsudoku.model import Model, OneHot, Variable

MEMORY = 64 << 20
HERE = available_backends()
each_backend = pytest.mark.parametrize("name", HERE)


def disjoint_cells(groups: int, width: int) -> Model:
    """``width ** groups`` solutions."""
    variables = tuple(Variable(f"x{i}", i) for i in range(groups * width))
    constraints = tuple(
        OneHot("cell", str(g), tuple(range(g * width, (g + 1) * width))) for g in range(groups)
    )
    return Model(variables, constraints)


def truth_table(arrays, variables: int) -> list[bool]:
    """The function at every assignment, first variable most significant."""
    table = []
    for values in itertools.product((0, 1), repeat=variables):
        node = arrays.root
        while node > 1:
            children = arrays.high if values[arrays.level[node]] else arrays.low
            node = int(children[node])
        table.append(node == 1)
    return table


@each_backend
def test_every_function_of_three_variables(name: str) -> None:
    manager = make_backend(name, 3, MEMORY)
    for table in itertools.product((False, True), repeat=8):
        level = [manager.constant(value) for value in table]
        for variable in (2, 1, 0):
            level = [
                manager.node(variable, low, high)
                for low, high in zip(level[::2], level[1::2], strict=True)
            ]
        arrays = manager.export(level[0])
        assert truth_table(arrays, 3) == list(table)
        assert arrays.model_count() == sum(table)
        diagram = arrays.diagram([10, 11, 12])
        sets = {
            frozenset(10 + i for i in range(3) if assignment[i])
            for assignment, value in zip(itertools.product((0, 1), repeat=3), table, strict=True)
            if value
        }
        assert sets_of(diagram) == sets


@each_backend
def test_more_levels_than_the_recursion_limit(name: str) -> None:
    result = build(disjoint_cells(150, 10), backend=name)
    assert result.variables == 1500
    assert result.nodes == 150 * (2 * 10 - 1) - 1
    assert result.count() == 10**150


@each_backend
def test_full_manager_is_a_limit(name: str) -> None:
    manager = make_backend(name, 400, 5 << 20)

    def grow() -> None:
        # Sum of products with the factors far apart: doubles with every term.
        f = manager.constant(False)
        true = manager.constant(True)
        false = manager.constant(False)
        for i in range(200):
            g = manager.node(i, false, manager.node(200 + i, false, true))
            f = manager.node(399, f, f) if g is f else _either(manager, f, g)

    with pytest.raises(LimitReached) as caught:
        grow()
    assert caught.value.limit == "memory"
    assert "\n" not in str(caught.value)


def _either(manager, f, g):
    """f ∨ g by way of conjunction and negation of both."""
    false, true = manager.constant(False), manager.constant(True)
    assert false is not true
    return ~manager.conjoin(~f, ~g)


@each_backend
def test_absurdly_little_memory_is_a_limit_too(name: str) -> None:
    with pytest.raises(LimitReached) as caught:
        build(disjoint_cells(40, 9), backend=name, context=Context(max_memory=1 << 16))
    assert caught.value.limit == "memory"


@pytest.mark.skipif("cudd" not in HERE, reason="dd has no CUDD here")
class TestCudd:
    def test_reordering_is_off_and_memory_is_configured(self) -> None:
        manager = make_backend("cudd", 10, 100 << 20)
        settings = manager._bdd.configure()
        assert settings["reordering"] is False
        assert settings["max_memory"] == 100 << 20
        assert settings["max_cache_hard"] * 32 < 100 << 20


class TestChoice:
    def test_the_first_installed_backend_is_used(self) -> None:
        assert resolve_backend() == resolve_backend("auto") == HERE[0]

    def test_a_named_backend_is_used_or_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(backends.BACKENDS, "oxidd", ("no_such_package.bcdd", "get it"))
        with pytest.raises(BackendUnavailable, match=r"'oxidd' needs no_such_package\.bcdd"):
            resolve_backend("oxidd")
        with pytest.raises(BackendUnavailable, match="unknown BDD backend 'buddy'"):
            resolve_backend("buddy")
        with pytest.raises(BackendUnavailable):
            build(disjoint_cells(1, 2), backend="oxidd")

    def test_without_a_backend_the_advice_is_to_install_one(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(backends.BACKENDS, "cudd", ("dd.no_such_module", ""))
        monkeypatch.setitem(backends.BACKENDS, "oxidd", ("no_such_package.bcdd", ""))
        with pytest.raises(BackendUnavailable, match="no BDD backend is installed"):
            resolve_backend()
