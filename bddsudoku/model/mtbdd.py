"""Multi-terminal decision diagrams (MTBDDs) of integer expressions, and MDDs of conditions.

Every subexpression becomes an MTBDD over the levels that it depends on: a reduced, shared diagram
with integers as terminals, and with several branches at a level that reads a group (Minato,
*BEM-II: an arithmetic Boolean expression manipulator using BDDs*, IEICE 1993; Clarke et al.,
*Multi-terminal binary decision diagrams*, 1993).

An operator is applied to all its operands at once, from the top level down; a branch ends where
the bounds of its operands determine the result. The sums in a comparison get no diagrams: a state
of the comparison is the partial sum with the operands that are not terminal yet, so that a long
sum costs as much as its distinct partial sums, and less near the bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

from bddsudoku.model.expression import (
    Constant,
    Expression,
    Operation,
    Reference,
    distinct_subexpressions,
    support,
    weighted_terms,
)
from bddsudoku.model.mdd import OBJECT, Mdd, WidthLimit, empty_mdd, mdd_from_level_steps
from bddsudoku.model.operators import Value, apply, may_be_undefined, result_bounds

Key = tuple[int, ...]
"""State of an operator: numbers of its remaining operands, normalised as the operator allows."""

ASSOCIATIVE = frozenset({"*", "&", "|", "^", "min", "max"})
"""Operators that are associative, so that they may be applied to two operands at a time."""
_COMMUTATIVE = ASSOCIATIVE | {"==", "!="}


class MtbddManager:
    """A store of MTBDDs that share nodes; a diagram is given by the number of its root node.

    Args:
        choices: number of choices of every level.
        width_limit: limits the states of one operator at one level.
    """

    def __init__(self, choices: Sequence[int], width_limit: WidthLimit) -> None:
        self.choices = choices
        self.width_limit = width_limit
        self.level: list[int] = []
        self.children: list[Key] = []
        self.low: list[int] = []
        self.high: list[int] = []
        self.defined: list[bool] = []
        self._values: list[Value] = []
        self._max_terminal = len(choices)
        self._terminals: dict[Value, int] = {}
        self._nodes: dict[tuple[int, Key], int] = {}

    def terminal(self, value: Value) -> int:
        """The terminal node of a value; None stands for "undefined"."""
        number = self._terminals.get(value)
        if number is None:
            number = self._terminals[value] = self._append_node(self._max_terminal, ())
            self._values.append(value)
            self.low.append(value or 0)
            self.high.append(value or 0)
            self.defined.append(value is not None)
        return number

    def find_or_add(self, level: int, children: Key) -> int:
        """Find or add the node with given children; if these are all equal, return that child."""
        first = children[0]
        if all(c == first for c in children):
            return first
        number = self._nodes.get((level, children))
        if number is None:
            number = self._nodes[level, children] = self._append_node(level, children)
            self._values.append(None)
            self.low.append(min(self.low[c] for c in children))
            self.high.append(max(self.high[c] for c in children))
            self.defined.append(all(self.defined[c] for c in children))
        return number

    def _append_node(self, level: int, children: Key) -> int:
        self.level.append(level)
        self.children.append(children)
        return len(self.level) - 1

    def is_terminal(self, diagram: int) -> bool:
        """Whether a diagram is a terminal node."""
        return self.level[diagram] == self._max_terminal

    def terminal_value(self, diagram: int) -> Value:
        """The number for which a terminal node stands; None for "undefined"."""
        return self._values[diagram]

    def cofactor(self, diagram: int, level: int, choice: int) -> int:
        """A diagram's cofactor for a choice at ``level``; the diagram reads no earlier level."""
        return self.children[diagram][choice] if self.level[diagram] == level else diagram

    def apply(self, start: Key | int, expansion: OperatorExpansion) -> int:
        """Build an operation's MTBDD: expand states level by level from ``start``, then reduce.

        ``start`` and the cofactors of states are states, or diagrams where the result is known.
        """
        made = expansion.done
        if isinstance(start, int) or start in made:
            return start if isinstance(start, int) else made[start]
        first = expansion.first_level(start)
        pending: dict[int, dict[Key, list[Key | int]]] = {first: {start: []}}
        ahead = [first]
        passed: list[int] = []
        while ahead:
            level = heappop(ahead)
            passed.append(level)
            states = len(pending[level])
            self.width_limit.check_layer(states, level, states * self.choices[level], 2 * OBJECT)
            for state, after in self.width_limit.checked(pending[level].items()):
                for choice in range(self.choices[level]):
                    below = expansion.cofactor(state, level, choice)
                    if not isinstance(below, int):
                        below = made.get(below, below)
                    after.append(below)
                    if isinstance(below, int):
                        continue
                    next_level = expansion.first_level(below)
                    if next_level not in pending:
                        pending[next_level] = {}
                        heappush(ahead, next_level)
                    pending[next_level].setdefault(below, [])
        for level in reversed(passed):
            for state, after in self.width_limit.checked(pending[level].items()):
                children = tuple([c if isinstance(c, int) else made[c] for c in after])
                made[state] = self.find_or_add(level, children)
        return made[start]


class OperatorExpansion:
    """An operator for :meth:`MtbddManager.apply`; its states are tuples of operand diagrams."""

    def __init__(self, manager: MtbddManager, op: str) -> None:
        self.manager = manager
        self.op = op
        self.done: dict[Key, int] = {}

    def first_level(self, state: Key) -> int:
        """Return the level of the first choice on which the operands in a state depend."""
        level = self.manager.level
        return min(level[d] for d in state)

    def cofactor(self, state: Key, level: int, choice: int) -> Key | int:
        """Return the state of the operands after a choice, or the resulting diagram if known."""
        cofactor = self.manager.cofactor
        return self.canonical_state([cofactor(d, level, choice) for d in state])

    def canonical_state(self, operands: Sequence[int]) -> Key | int:
        """Return the canonical state of the operands, or the resulting diagram if known."""
        manager, op = self.manager, self.op
        if op == "?:":
            test, then, other = operands
            if manager.defined[test] and not manager.low[test] <= 0 <= manager.high[test]:
                return then
            if manager.is_terminal(test):
                value = manager.terminal_value(test)
                return manager.terminal(None) if value is None else then if value else other
            return then if then == other and manager.defined[test] else (test, then, other)
        ends = [d for d in operands if manager.is_terminal(d)]
        if any(not manager.defined[d] for d in ends):
            return manager.terminal(None)
        if len(ends) == len(operands):
            return manager.terminal(apply(op, [manager.terminal_value(d) for d in operands]))
        bounds = [(manager.low[d], manager.high[d]) for d in operands]
        if all(manager.defined[d] for d in operands) and not may_be_undefined(op, bounds):
            low, high = result_bounds(op, bounds)
            if low == high:
                return manager.terminal(low)
        return tuple(sorted(operands)) if op in _COMMUTATIVE else tuple(operands)


class SumExpansion(OperatorExpansion):
    """A weighted sum of diagrams, or the test whether it lies between two bounds.

    A state is its next level, the partial sum, and then the weight and the number of every active
    operand. An operand becomes active at its top level.

    Args:
        manager: the store of the operands.
        parts: operand → weight; every operand has a value under every assignment.
        bounds: lower and upper bound (None for no bound) of the test; None for the sum itself.
        truth: result of the test between the bounds (1, or 0 for the negated test).
    """

    def __init__(
        self,
        manager: MtbddManager,
        parts: Mapping[int, int],
        bounds: tuple[int | None, int | None] | None,
        truth: int = 1,
    ) -> None:
        super().__init__(manager, "+")
        self.bounds = bounds
        self.truth = truth
        self.joining: dict[int, list[tuple[int, int]]] = {}
        # Operands that depend on one level only are summed per choice.
        self.added = [[0] * c for c in manager.choices]
        for d, weight in parts.items():
            level, children = manager.level[d], manager.children[d]
            group = self.joining.setdefault(level, [])
            if all(manager.is_terminal(c) for c in children):
                for choice, c in enumerate(children):
                    self.added[level][choice] += weight * manager.low[c]
            else:
                group.append((weight, d))
        # Bounds of all operands that become active at a level or later, and the next such level.
        end = len(manager.choices)
        self.rest = [(0, 0)] * (end + 1)
        self.next = [end] * (end + 1)
        for level in range(end - 1, -1, -1):
            low, high = self.rest[level + 1]
            low, high = low + min(self.added[level]), high + max(self.added[level])
            for weight, d in self.joining.get(level, ()):
                low, high = self._add_weighted_bounds(low, high, weight, d)
            self.rest[level] = (low, high)
            self.next[level] = level if level in self.joining else self.next[level + 1]

    def _add_weighted_bounds(self, low: int, high: int, weight: int, d: int) -> tuple[int, int]:
        """Bounds of a sum after ``weight`` times diagram ``d`` is added to it."""
        a, b = weight * self.manager.low[d], weight * self.manager.high[d]
        return low + min(a, b), high + max(a, b)

    def first_level(self, state: Key) -> int:
        """Return the level of the next choice on which a state of the sum depends."""
        return state[0]

    def start_state(self, constant: int) -> Key | int:
        """Return the state of the sum before any choice, or the resulting diagram if known."""
        return self._result_or_state(0, constant, {})

    def cofactor(self, state: Key, level: int, choice: int) -> Key | int:
        """Return the state of the sum after a choice, or the resulting diagram if known."""
        manager = self.manager
        total = state[1] + self.added[level][choice]
        active: dict[int, int] = {}
        under_way = zip(state[2::2], state[3::2], strict=True)
        for weight, d in (*under_way, *self.joining.get(level, ())):
            below = manager.cofactor(d, level, choice)
            if manager.is_terminal(below):
                total += weight * manager.low[below]
            else:
                active[below] = active.get(below, 0) + weight
        return self._result_or_state(level + 1, total, active)

    def _result_or_state(self, level: int, total: int, active: dict[int, int]) -> Key | int:
        """Return the resulting diagram if bounds already determine it, else the sum's state."""
        manager = self.manager
        low, high = self.rest[level]
        for d, weight in active.items():
            low, high = self._add_weighted_bounds(low, high, weight, d)
        low, high = low + total, high + total
        if self.bounds is None:
            if low == high:
                return manager.terminal(low)
        else:
            least, most = self.bounds
            if (least is None or least <= low) and (most is None or high <= most):
                return manager.terminal(self.truth)
            if (least is not None and high < least) or (most is not None and most < low):
                return manager.terminal(1 - self.truth)
        upcoming = min([self.next[level], *(manager.level[d] for d in active)])
        flat = [x for d in sorted(active) if active[d] for x in (active[d], d)]
        return (upcoming, total, *flat)


_COMPARED: dict[str, tuple[int | None, int | None]] = {
    "==": (0, 0),
    "!=": (0, 0),
    "<": (None, -1),
    "<=": (None, 0),
}
"""Comparison → bounds of the first operand minus the second."""


def _terms_of_sum_or_comparison(node: Operation) -> tuple[dict[Expression, int], int] | None:
    """The terms of a sum, or of the difference of the operands that are compared, with weights.

    Returns:
        The weight of every term, and the constant; None for other operations.
    """
    if not node.defined or not (node.op == "+" or node.op in _COMPARED):
        return None
    if node.op == "+":
        return weighted_terms(node)
    (terms, total), (others, subtracted) = map(weighted_terms, node.arguments)
    for part, weight in others.items():
        terms[part] = terms.get(part, 0) - weight
    return terms, total - subtracted


def _subexpressions_to_build(expression: Expression) -> list[Expression]:
    """The subexpressions of an expression that need an MTBDD of their own, operands first."""
    wanted = {expression}
    order: list[Expression] = []
    for node in reversed(distinct_subexpressions(expression)):
        if node not in wanted:
            continue
        order.append(node)
        if isinstance(node, Operation):
            terms = _terms_of_sum_or_comparison(node)
            wanted.update(node.arguments if terms is None else terms[0])
    return order[::-1]


def _build_operation(
    manager: MtbddManager, node: Operation, diagram_of: Mapping[Expression, int]
) -> int:
    """Build the MTBDD of an operation from the MTBDDs of its operands."""
    terms = _terms_of_sum_or_comparison(node)
    if terms is not None:
        parts: dict[int, int] = {}
        total = terms[1]
        for part, weight in terms[0].items():
            d = diagram_of[part]
            if manager.is_terminal(d):
                total += weight * manager.low[d]
            else:
                parts[d] = parts.get(d, 0) + weight
        truth = int(node.op != "!=")
        expansion = SumExpansion(manager, parts, _COMPARED.get(node.op), truth)
        return manager.apply(expansion.start_state(total), expansion)
    operands = [diagram_of[a] for a in node.arguments]
    operator = OperatorExpansion(manager, node.op)
    if node.op not in ASSOCIATIVE:
        return manager.apply(operator.canonical_state(operands), operator)
    # From the lowest diagram up: the result so far then stays whole below the next operand.
    result, *others = sorted(operands, key=lambda d: -manager.level[d])
    for d in others:
        result = manager.apply(operator.canonical_state([result, d]), operator)
    return result


def mdd_from_expression(
    expression: Expression,
    levels: Sequence[Sequence[int]],
    exact: Sequence[bool],
    width_limit: WidthLimit,
) -> Mdd:
    """The MDD of the assignments under which an expression has a value other than 0.

    Args:
        expression: over the variables of the levels.
        levels: choice ``k`` of a level is its ``k``-th variable, 0 is none of them.
        exact: for every level, whether choice 0 is impossible.
        width_limit: limits the states of one operator at one level.

    Raises:
        LimitReached: a subexpression is wider than ``width_limit`` allows.
    """
    choices = [1 + len(level) for level in levels]
    lacking = [int(always) for always in exact]
    manager, root = _build_mtbdd(expression, levels, exact, width_limit)

    def step(level: int, d: int, choice: int) -> int | None:
        choice -= lacking[level]
        if choice < 0:
            return None
        d = manager.cofactor(d, level, choice)
        return None if not manager.low[d] and not manager.high[d] else d

    if not manager.low[root] and not manager.high[root]:
        return empty_mdd(choices)
    # All values but 0 are equivalent.
    truth = OperatorExpansion(manager, "!=")
    start = truth.canonical_state([root, manager.terminal(0)])
    return mdd_from_level_steps(choices, manager.apply(start, truth), step, width_limit)


def undefining_assignment(expression: Expression) -> dict[int, bool] | None:
    """An assignment under which an expression has no value; None if there is none.

    Variables that do not matter are left out.

    Raises:
        LimitReached: a subexpression is wider than a :class:`WidthLimit` allows by default.
    """
    variables = support(expression)
    levels = [[v] for v in variables]
    manager, d = _build_mtbdd(expression, levels, [False] * len(levels), WidthLimit())
    if manager.defined[d]:
        return None
    found: dict[int, bool] = {}
    while not manager.is_terminal(d):
        choice = 1 - manager.defined[manager.children[d][1]]
        found[variables[manager.level[d]]] = bool(choice)
        d = manager.children[d][choice]
    return found


def _build_mtbdd(
    expression: Expression,
    levels: Sequence[Sequence[int]],
    exact: Sequence[bool],
    width_limit: WidthLimit,
) -> tuple[MtbddManager, int]:
    """Build the MTBDD of an expression; return the manager and the number of the root node."""
    # A level without choice 0 has one branch less.
    branches = [1 + len(level) - always for level, always in zip(levels, exact, strict=True)]
    manager = MtbddManager(branches, width_limit)
    no, yes = manager.terminal(0), manager.terminal(1)
    of: dict[Expression, int] = {}
    for i, level in enumerate(levels):
        for k, v in enumerate(level, branches[i] - len(level)):
            row = [no] * branches[i]
            row[k] = yes
            of[Reference(v)] = manager.find_or_add(i, tuple(row))
    for node in _subexpressions_to_build(expression):
        if isinstance(node, Constant):
            of[node] = manager.terminal(node.value)
        elif isinstance(node, Operation):
            of[node] = _build_operation(manager, node, of)
    return manager, of[expression]
