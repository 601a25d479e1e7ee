"""Exact covers as JSON, where options may have names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.files import parse_json
from bddsudoku.puzzle.exact_cover.items import Parts

if TYPE_CHECKING:
    from bddsudoku.puzzle.exact_cover.problem import ExactCover


def is_json(text: str) -> bool:
    """Whether a text is meant as JSON: it begins with a brace, or is a value that is no number.

    ``null`` or ``[1, 2]`` would else be the only item of a problem in Knuth's format.
    """
    if text.lstrip()[:1] == "{":
        return True
    try:
        return not isinstance(json.loads(text, parse_int=float), float)
    except (ValueError, RecursionError):
        return False


def parse(text: str, source: str | None) -> Parts:
    """The problem in a JSON text; ``source`` is its name in messages.

    Raises:
        PuzzleFormatError: it holds none.
    """
    data = parse_json(text, source)
    try:
        return parts_of(data)
    except PuzzleFormatError as error:
        raise PuzzleFormatError(error.expected, source=source) from None


def parts_of(data: Any) -> Parts:
    """The problem in JSON values.

    Raises:
        PuzzleFormatError: they hold none.
    """
    if not isinstance(data, dict):
        raise PuzzleFormatError(
            f'expected a JSON object with "items" and "options", found {_shown(data)}'
        )
    surplus = sorted(set(data) - {"items", "optional", "options"})
    if surplus:
        raise PuzzleFormatError(f'expected "items", "optional" and "options", found {surplus[0]!r}')
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
                raise PuzzleFormatError(f"option {number}: expected a name, found {_shown(name)}")
        options.append(_strings(entry, f"option {number}"))
        names.append(name)
    called = None
    if any(n is not None for n in names):
        called = [n if n is not None else " ".join(o) for n, o in zip(names, options, strict=True)]
    return Parts(primary, options, secondary, called)


def described(problem: ExactCover) -> dict[str, Any]:
    """The problem as JSON values."""
    options: list[Any] = [list(items) for items in problem.options]
    if problem.names is not None:
        options = [
            {"name": name, "items": items}
            for name, items in zip(problem.names, options, strict=True)
        ]
    return {
        "items": list(problem.primary),
        "optional": list(problem.secondary),
        "options": options,
    }


def write(problem: ExactCover) -> str:
    """The problem as JSON, an option a line; reads back as an equal one."""
    told = described(problem)
    lines = [json.dumps(option, ensure_ascii=False) for option in told["options"]]
    options = "[\n  " + ",\n  ".join(lines) + "\n ]" if lines else "[]"
    head, tail = (json.dumps(told[key], ensure_ascii=False) for key in ("items", "optional"))
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
