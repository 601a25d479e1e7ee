"""Pages of the notebooks: their text, their code, and the outputs that they are committed with."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def pages() -> dict[str, str]:
    """The notebooks as Markdown, by the path of their page."""
    folder = ROOT / "experiments" / "notebooks"
    return {
        str(path.relative_to(ROOT).with_suffix(".md").as_posix()): page(path)
        for path in folder.glob("*.ipynb")
    }


def page(notebook: Path) -> str:
    """One notebook as Markdown."""
    parts = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        parts += map(shown, cell.get("outputs", ()))
    return "\n\n".join(parts)


def shown(output: dict[str, Any]) -> str:
    """What a cell has shown: a picture, a table, or text; a widget lives in JupyterLab only."""
    data = {kind: "".join(lines) for kind, lines in output.get("data", output).items()}
    if "image/png" in data:
        return f'<img alt="" src="data:image/png;base64,{data["image/png"].strip()}">'
    if any("widget" in kind for kind in data):
        return ""
    if html := data.get("text/html", data.get("image/svg+xml")):
        html = re.sub(r"<style scoped>.*?</style>|\n\s*(?=\n)", "", html, flags=re.S)
        html = html.replace('border="1" class="dataframe"', "")
        return f'<div class="shown">{html}</div>'
    return f"```text\n{data.get('text/plain', data.get('text'))}\n```"
