"""The live board's JavaScript as one ES module, and its style sheet, for notebooks.

The browser loads the modules of ``static/`` one by one from the local server. A notebook
takes one text: the modules joined in the order of their imports. No name is
declared by two of them (a test sees to that).
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files

_IMPORT = re.compile(r'^import [^;]*? from "\./(\w+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def _read_static_file(name: str) -> str:
    return (files("bddsudoku.explore") / "static" / name).read_text(encoding="utf-8")


def _add_module_text(name: str, text_by_module: dict[str, str]) -> dict[str, str]:
    """Add to a dictionary the text of a module, after the texts of the modules that it imports."""
    text = _read_static_file(name)
    for imported in _IMPORT.findall(text):
        if imported not in text_by_module:
            _add_module_text(imported, text_by_module)
    text_by_module[name] = _EXPORT.sub("", _IMPORT.sub("", text))
    return text_by_module


@lru_cache(maxsize=1)
def component_module() -> str:
    """Return the live board as one ES module; its default export has anywidget's ``render``."""
    return "\n".join(_add_module_text("board.js", {}).values())


def component_style() -> str:
    """Return the style sheet of the live board."""
    return _read_static_file("board.css")
