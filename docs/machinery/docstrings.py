"""Docstrings as Markdown: roles become links to what is told on the pages, else plain code.

A role whose name is nowhere is an error: it ends a strict build.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import griffe

sys.path.insert(0, str(Path(__file__).parent))
from public import told_at

log = logging.getLogger("mkdocs.plugins.docstrings")
_ROLE = re.compile(r":(?:mod|class|func|meth|attr|data|exc):`([~.]?)([\w.]+)`")


class Roles(griffe.Extension):
    """Rewrites every docstring of a package once it is loaded."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Rewrite them."""
        for obj in _objects(pkg):
            if obj.docstring is not None:
                text = re.sub(r"::[ ]*$", ":", obj.docstring.value, flags=re.M)
                text = re.sub(r"``([^`]+)``", r"`\1`", text)
                obj.docstring.value = _ROLE.sub(partial(_linked, obj, pkg), text)


def _objects(parent: griffe.Object) -> Iterator[griffe.Object]:
    yield parent
    for member in parent.members.values():
        if isinstance(member, griffe.Object):
            yield from _objects(member)


def _linked(obj: griffe.Object, package: griffe.Module, role: re.Match[str]) -> str:
    sign, name = role[1], role[2].lstrip(".")
    shown = name.rpartition(".")[2] if sign else name
    for path in _paths(name, obj):
        try:
            stated = told_at(path)
        except LookupError:
            continue
        return f"[`{shown}`][{stated}]" if stated else f"`{shown}`"
    if not _of_an_instance(name, obj, package):
        log.warning("%s: there is no %s", obj.path, name)
    return f"`{shown}`"


def _paths(name: str, obj: griffe.Object) -> Iterator[str]:
    """What a name may mean: a path, or something of what stands around it."""
    yield name
    owner: griffe.Object | None = obj
    while owner is not None:
        yield f"{owner.path}.{name}"
        owner = owner.parent


def _of_an_instance(name: str, obj: griffe.Object, package: griffe.Module) -> bool:
    """Whether it is set by a constructor, and known to the source only."""
    for path in _paths(name, obj):
        if path.startswith("bddsudoku."):
            try:
                package[path.removeprefix("bddsudoku.")]
            except (KeyError, griffe.GriffeError):
                continue
            return True
    return False
