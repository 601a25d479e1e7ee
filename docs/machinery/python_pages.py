"""Reference pages of Python: a page for each module that people import from."""

from __future__ import annotations

import inspect
from importlib import import_module

from public import MODULES, homes, names


def pages() -> dict[str, str]:
    """The pages' paths and their Markdown."""
    return {f"reference/python/{module}.md": page(module) for module in MODULES}


def page(module: str) -> str:
    """The page of a module: its docstring, its own names, and names that are told elsewhere."""
    loaded = import_module(module)
    own: list[tuple[str, str]] = []
    elsewhere: list[tuple[str, str]] = []
    for name in names(module):
        home = homes()[id(getattr(loaded, name))]
        (own if home == f"{module}.{name}" else elsewhere).append((name, home))
    out = [f"::: {module}", "    options:", "      members: false", "      heading_level: 1"]
    out += ["      show_root_full_path: true", ""]
    if elsewhere:
        stated = ", ".join(f"[`{name}`][{home}]" for name, home in elsewhere)
        out += [f"Also importable from here: {stated}.", ""]
    kinds = (
        ("Functions", inspect.isfunction),
        ("Errors", _is_error),
        ("Classes", inspect.isclass),
    )
    left = list(own)
    for title, is_kind in kinds:
        chosen = [(name, home) for name, home in left if is_kind(getattr(loaded, name))]
        left = [pair for pair in left if pair not in chosen]
        out += _section(title, chosen)
    out += _section("Values and modules", left)
    return "\n".join(out)


def _is_error(found: object) -> bool:
    return inspect.isclass(found) and issubclass(found, Exception)


def _section(title: str, chosen: list[tuple[str, str]]) -> list[str]:
    if not chosen:
        return []
    out = [f"## {title}", ""]
    for _, home in chosen:
        out += [f"::: {home}", "    options:", "      heading_level: 3", ""]
    return out
