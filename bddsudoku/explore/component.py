"""The JavaScript component as one module and its style, for pages that cannot serve files.

The browser loads the modules of ``static/`` one by one from the local server. A notebook and a
stand-alone page take one text: the modules joined in the order of their imports. No name is
declared by two of them (a test sees to that).
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files

_IMPORT = re.compile(r'^import [^;]*? from "\./(\w+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def _read(name: str) -> str:
    return (files("bddsudoku.explore") / "static" / name).read_text(encoding="utf-8")


def _in_order_of_imports(name: str, found: dict[str, str]) -> dict[str, str]:
    """Add a module's text, without imports and exports, to those that it imports."""
    text = _read(name)
    for imported in _IMPORT.findall(text):
        if imported not in found:
            _in_order_of_imports(imported, found)
    found[name] = _EXPORT.sub("", _IMPORT.sub("", text))
    return found


@lru_cache(maxsize=1)
def component_module() -> str:
    """Return the component as one ES module; its default export has anywidget's ``render``.

    It also exports ``staticModel``, the model for a page without a server.
    """
    modules = _in_order_of_imports("models.js", _in_order_of_imports("board.js", {}))
    return "\n".join([*modules.values(), "export { staticModel };\n"])


def component_style() -> str:
    """Return the component's style sheet."""
    return _read("board.css")
