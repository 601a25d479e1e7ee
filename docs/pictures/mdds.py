"""Pictures of the page on MDDs: four kinds of constraints, and a product."""

from __future__ import annotations

from pathlib import Path

from _diagrams import states
from _drawing import canvas
from _drawing import save as keep

from bddsudoku import Linear, OneHot, Problem, Puzzle
from bddsudoku.model import Constraint, Formula
from bddsudoku.model.expression import Reference
from bddsudoku.model.simplify import simplified_operation
from bddsudoku.model.to_mdd import constraint_mdd
from bddsudoku.puzzle import rule_from_line

BITS = ("0", "1")


def one_hot(folder: Path) -> None:
    """Exactly one of five."""
    made = constraint_mdd(OneHot("one", "of five", (0, 1, 2, 3, 4)))
    figure, axes = canvas(5.2, 1.44, 13.0, 3.6)
    states(axes, made, [BITS] * 5, "abcde", step=2.3)
    keep(figure, folder, "mdds_onehot")


def linear(folder: Path) -> None:
    """A load between two bounds."""
    made = constraint_mdd(Linear("load", "truck", (0, 1, 2, 3), (2, 3, 4, 5), low=5, high=7))
    figure, axes = canvas(5.2, 2.39, 12.2, 5.6)
    heads = [f"{name}: {w} t" for name, w in zip("abcd", (2, 3, 4, 5), strict=True)]
    states(axes, made, [BITS] * 4, heads, step=2.6)
    keep(figure, folder, "mdds_linear")


def formula(folder: Path) -> None:
    """A statement about parity."""
    problem = Problem.parse("symbol a b c d\n(a + b + c + d) % 2 == 0")
    made = constraint_mdd(problem.model().constraints[0])
    figure, axes = canvas(5.2, 1.53, 12.2, 3.6)
    states(axes, made, [BITS] * 4, "abcd", step=2.6)
    keep(figure, folder, "mdds_formula")


def _rule(line: str) -> Constraint:
    layout = Puzzle.parse("." * 16).layout
    (constraint,) = rule_from_line(line).constraints(layout)
    return constraint


def automata(folder: Path) -> None:
    """Rules of a 4×4 board that read one cell after the other."""
    signs = ("", "1", "2", "3", "4")
    for name, line, heads in (
        ("cage", "cage 7 r1c1 r1c2 r1c3", ("r1c1", "r1c2", "r1c3")),
        ("thermo", "thermo r1c1 r2c1 r3c1", ("r1c1", "r2c1", "r3c1")),
        ("skyscraper", "skyscraper 2 r1c0", ("r1c1", "r1c2", "r1c3", "r1c4")),
    ):
        constraint = _rule(line)
        cells = sorted({v // 4 for v in constraint.variables})
        levels = [[4 * cell + d for d in range(4)] for cell in cells]
        made = constraint_mdd(constraint, levels, exact=set(range(len(levels))))
        high = max(made.mdd.widths) + 1.6
        wide = 1.6 + 3.0 * len(levels)
        figure, axes = canvas(5.2, 5.2 * high / wide, wide, high)
        states(axes, made, [signs] * len(levels), heads, step=3.0, size=10)
        keep(figure, folder, f"mdds_{name}")


def product(folder: Path) -> None:
    """The product of the MDDs of two statements, which is that of both at once."""
    a, b, c, d = map(Reference, range(4))
    one, other = (
        simplified_operation("==", simplified_operation("+", a, b, c), 1),
        simplified_operation("->", c, d),
    )
    both = constraint_mdd(Formula("statements", "both", simplified_operation("&", one, other)))
    figure, axes = canvas(5.2, 1.66, 12.2, 3.9)
    states(axes, both, [BITS] * 4, "abcd", step=2.6)
    keep(figure, folder, "mdds_product")


def draw(folder: Path) -> None:
    """All pictures of the page."""
    one_hot(folder)
    linear(folder)
    formula(folder)
    automata(folder)
    product(folder)
