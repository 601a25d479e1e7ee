"""The index of the experiments: every script, every notebook, every page that names one."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXPERIMENTS = ROOT / "experiments"
INDEX = (EXPERIMENTS / "README.md").read_text("utf-8")
ROWS = [re.split(r"\s*\|\s*", line)[1:] for line in INDEX.splitlines() if line.startswith("| `")]


def test_every_script_has_a_row_and_every_part_a_mention() -> None:
    scripts = {
        path.name for path in EXPERIMENTS.glob("*.py") if "\nif __name__" in path.read_text("utf-8")
    }
    assert sorted(row[0].strip("`") for row in ROWS) == sorted(scripts - {"build_wheel.py"})
    for path in EXPERIMENTS.glob("*.py"):
        assert f"`{path.name}`" in INDEX


def test_every_row_says_where_its_table_stands_and_what_it_is_for() -> None:
    for script, _, table, pages, *_ in ROWS:
        name = script.strip("`")
        published = (EXPERIMENTS / "results" / name).with_suffix(".md").exists()
        assert table == (f"[table](results/{Path(name).stem}.md)" if published else "")
        links = re.findall(r"\]\((\.\./[\w./]+)\)", pages)
        assert links
        for link in links:
            text = (EXPERIMENTS / link).read_text("utf-8")
            assert name in text or name.replace(".py", ".md") in text, (
                f"{link} says nothing of {name}"
            )


def test_every_notebook_is_listed_by_its_title() -> None:
    for path in sorted((EXPERIMENTS / "notebooks").glob("*.ipynb")):
        title = json.loads(path.read_text("utf-8"))["cells"][0]["source"][0].strip("# \n")
        assert f"[{title}](notebooks/{path.name})" in INDEX
        for page in ("docs/index.md", "mkdocs.yml"):
            assert path.stem in (ROOT / page).read_text("utf-8"), page
