"""The live board's JavaScript as one ES module, and its style sheet, for pages without a server.

The browser loads the modules of ``static/`` one by one from the local server. A notebook and a
stand-alone page take one text: the modules joined in the order of their imports. No name is
declared by two of them (a test sees to that).
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

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
    """Return the live board as one ES module; its default export has anywidget's ``render``.

    It also exports ``staticModel``, the model for a page without a server.
    """
    modules = _add_module_text("models.js", _add_module_text("board.js", {}))
    return "\n".join([*modules.values(), "export { staticModel };\n"])


def component_style() -> str:
    """Return the style sheet of the live board."""
    return _read_static_file("board.css")


def component_html(known: Mapping[str, Any]) -> str:
    """HTML of the live board for a page without a server.

    Args:
        known: by the kind of a question the events that answer it.
    """
    module = base64.b64encode(component_module().encode()).decode("ascii")
    return (
        "<details><summary>Try it: one digit more, one hint less</summary>"
        '<noscript><p>This needs JavaScript.</p></noscript><div id="live"></div>'
        '<script type="module">\n'
        f'import board, {{ staticModel }} from "data:text/javascript;base64,{module}";\n'
        'const style = document.createElement("style");\n'
        f"style.textContent = {_javascript_literal(component_style())};\n"
        "document.head.append(style);\n"
        f"const model = staticModel({_javascript_literal(known)});\n"
        'board.render({ model, el: document.getElementById("live") });\n'
        "</script></details>\n"
    )


def _javascript_literal(value: object) -> str:
    """Write a value as JavaScript that cannot end the HTML element around it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
