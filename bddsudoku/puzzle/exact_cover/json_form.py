"""Exact covers as JSON, where options may have names."""

from __future__ import annotations

import json
from typing import Any

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.exact_cover.problem import ExactCover

__all__ = ["parse", "write"]


def parse(text: str, source: str | None) -> ExactCover:
    """The problem in a JSON text; ``source`` is its name in messages.

    Raises:
        PuzzleFormatError: it holds none.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise PuzzleFormatError(
            f"expected JSON: {error.msg}", source=source, line=error.lineno
        ) from None
    except (ValueError, RecursionError) as error:  # a number too long, lists nested too deep
        raise PuzzleFormatError(f"expected JSON: {error}", source=source) from None
    try:
        surplus = sorted(set(data) - {"items", "optional", "options"})
        if surplus:
            raise PuzzleFormatError(
                f'expected "items", "optional" and "options", found {surplus[0]!r}'
            )
        primary = _strings(data.get("items"), '"items"')
        secondary = _strings(data.get("optional", []), '"optional"')
        given = data.get("options")
        if not isinstance(given, list):
            raise PuzzleFormatError(f'expected "options" as a list, found {_shown(given)}')
        options = []
        names: list[str | None] = []
        for number, entry in enumerate(given, 1):
            name = None
            if isinstance(entry, dict):
                if set(entry) - {"name", "items"}:
                    raise PuzzleFormatError(
                        f'option {number}: expected "name" and "items", '
                        f"found {sorted(set(entry) - {'name', 'items'})[0]!r}"
                    )
                name, entry = entry.get("name"), entry.get("items")
                if name is not None and not isinstance(name, str):
                    raise PuzzleFormatError(
                        f"option {number}: expected a name, found {_shown(name)}"
                    )
            options.append(_strings(entry, f"option {number}"))
            names.append(name)
        called = (
            [n if n is not None else " ".join(o) for n, o in zip(names, options, strict=True)]
            if any(n is not None for n in names)
            else None
        )
        return ExactCover(primary, options, secondary, called)
    except PuzzleFormatError as error:
        raise PuzzleFormatError(error.expected, source=source) from None


def write(problem: ExactCover) -> str:
    """The problem as JSON; reads back as an equal one."""
    lines = [
        json.dumps(
            list(items)
            if problem.names is None
            else {"name": problem.names[o], "items": list(items)},
            ensure_ascii=False,
        )
        for o, items in enumerate(problem.options)
    ]
    options = "[\n  " + ",\n  ".join(lines) + "\n ]" if lines else "[]"
    head = json.dumps(list(problem.primary), ensure_ascii=False)
    tail = json.dumps(list(problem.secondary), ensure_ascii=False)
    return f'{{"items": {head},\n "optional": {tail},\n "options": {options}}}\n'


def _strings(value: Any, what: str) -> list[str]:
    """A JSON list of names; whole numbers are taken as names, too."""
    if not isinstance(value, list):
        raise PuzzleFormatError(f"{what}: expected a list of items, found {_shown(value)}")
    for v in value:
        if isinstance(v, bool) or not isinstance(v, str | int):
            raise PuzzleFormatError(f"{what}: expected the name of an item, found {_shown(v)}")
    return [str(v) for v in value]


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."
