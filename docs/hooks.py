"""What the build of the site adds to the pages: pictures, results of experiments, reference pages.

``docs/pictures/NAME.py`` has ``draw(folder)``, which writes ``NAME*.svg`` or ``.png`` into
``docs/drawn``. It runs again when the script, another one beside it, or the package's version has
changed. The folder ``experiments`` stands beside the pages: its index, tables and pictures, and the
notebooks as pages. Links that are right in the repository lead there and back. The pages of the
command line and of Python are made from what is there (``docs/machinery``).
"""

from __future__ import annotations

import hashlib
import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import get_plugin_logger
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from bddsudoku import __version__

DOCS = Path(__file__).parent
PICTURES = DOCS / "pictures"
DRAWN = DOCS / "drawn"
ROOT = DOCS.parent
log = get_plugin_logger("pictures")


def on_pre_build(config: MkDocsConfig) -> None:
    """Draw the pictures whose scripts are new."""
    del config
    draw_all()


def draw_all() -> None:
    """Every picture that is not there, or not from this state of the scripts.

    Raises PluginError where a script writes nothing of its name.
    """
    DRAWN.mkdir(exist_ok=True)
    shared = [path.read_bytes() for path in sorted(PICTURES.glob("_*.py"))]
    wanted = set()
    for script in sorted(PICTURES.glob("[!_]*.py")):
        state = hashlib.sha256(b"\0".join([__version__.encode(), script.read_bytes(), *shared]))
        mark = DRAWN / f".{script.stem}-{state.hexdigest()[:16]}"
        wanted.add(mark)
        if not mark.exists():
            log.info("drawing %s", script.stem)
            _draw(script)
            mark.write_text("", encoding="utf-8")
    for mark in DRAWN.glob(".*-*"):
        if mark not in wanted:
            mark.unlink()


def _draw(script: Path) -> None:
    with importing_from(PICTURES):
        runpy.run_path(str(script))["draw"](DRAWN)
    if not [path for path in DRAWN.glob(f"{script.stem}*") if path.suffix in (".svg", ".png")]:
        raise PluginError(f"{script.name} has drawn no {script.stem}*.svg or .png")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the results of experiments and what is made from the package as pages."""
    for path in (ROOT / "experiments").rglob("*.*"):
        if path.suffix in (".md", ".png", ".svg"):
            uri = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, uri, abs_src_path=str(path)))
    for uri, text in generated().items():
        files.append(File.generated(config, uri, content=text))
    return files


def generated() -> dict[str, str]:
    """The pages that are made from the package: path → Markdown."""
    with importing_from(DOCS / "machinery"):
        import command_line
        import notebooks
        import python_pages
        import rule_gallery

    made = {"reference/command_line.md": command_line.page()} | rule_gallery.pages()
    return made | python_pages.pages() | notebooks.pages()


@contextmanager
def importing_from(folder: Path) -> Iterator[None]:
    """A folder on the import path."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links between the folders ``docs`` and ``experiments`` lead to their pages."""
    del page, config, files
    for there, here in (
        ("../experiments/", "experiments/"),
        ("../docs/", "../"),
        (".ipynb)", ".md)"),
    ):
        markdown = markdown.replace(there, here)
    return markdown


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Say of a Japanese page that it is Japanese."""
    del config
    japanese = page.file.src_uri.endswith(".ja.md")
    return output.replace('<html lang="en"', '<html lang="ja"', 1) if japanese else output
