"""Small diagrams in Graphviz's language."""

from __future__ import annotations

from collections.abc import Callable

from bddsudoku.errors import ModelError
from bddsudoku.solutions.diagram import EMPTY, UNIT, Diagram
from bddsudoku.solutions.foreign import default_name

__all__ = ["to_dot"]


def to_dot(
    diagram: Diagram, name: Callable[[int], str] = default_name, *, max_nodes: int = 500
) -> str:
    """The diagram as a Graphviz graph: solid arcs for "true", dashed ones for "false".

    Arcs to ⊥ are left out, as is usual for ZDDs.

    Args:
        diagram: the diagram.
        name: what to write for a key.
        max_nodes: larger diagrams are refused: nobody could read them.

    Raises:
        ModelError: the diagram is too large.
    """
    nodes = diagram.size - 2
    if nodes > max_nodes:
        raise ModelError(
            f"a picture of {nodes:,} nodes helps nobody: at most {max_nodes} are drawn"
        )
    lines = ["digraph zdd {", "  rankdir=TB;", '  node [shape=circle, fontname="sans-serif"];']
    shown = EMPTY if diagram.root == EMPTY else UNIT
    sign = "⊥" if shown == EMPTY else "⊤"
    lines.append(f'  {shown} [shape=box, label="{sign}"];')
    for level, key in enumerate(diagram.labels.tolist()):
        here = [i for i in range(2, diagram.size) if diagram.variable[i] == level]
        if not here:
            continue
        text = name(key).replace("\\", "\\\\").replace('"', '\\"')
        for i in here:
            lines.append(f'  {i} [label="{text}"];')
            if diagram.low[i] != EMPTY:
                lines.append(f"  {i} -> {diagram.low[i]} [style=dashed];")
            lines.append(f"  {i} -> {diagram.high[i]};")
        lines.append(f"  {{ rank=same; {'; '.join(map(str, here))}; }}")
    return "\n".join([*lines, "}"]) + "\n"
