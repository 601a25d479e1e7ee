"""Sources of the site: its files."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("material", reason="the site needs the extra: bddsudoku[docs]")

DOCS = Path(__file__).parents[2] / "docs"


def test_nothing_but_pages_and_what_they_show_is_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mkdocs.config import load_config
    from mkdocs.structure.files import get_files, set_exclusions

    for name in ("index.md", "style.css", "hooks.py", "__pycache__/hooks.pyc", "a/__pycache__/b"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    config = load_config(str(DOCS.parent / "mkdocs.yml"), docs_dir=str(tmp_path))
    files = get_files(config)
    set_exclusions(files, config)
    shipped = {file.src_uri for file in files if file.inclusion.is_included()}
    assert shipped == {"index.md", "style.css"}
