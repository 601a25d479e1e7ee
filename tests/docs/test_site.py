"""The site builds without a warning, and opens from the file system without a network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
pytest.importorskip("material", reason="the site needs the extra: bddsudoku[docs]")
pytest.importorskip("mkdocstrings", reason="the site needs the extra: bddsudoku[docs]")
pytestmark = pytest.mark.slow

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data"}
"""Elements that load something at once, and where from."""


class Links(HTMLParser):
    """What a page loads, what it leads to, and the places in it that can be led to."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.led: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.places |= {found[name] for name in ("id", "name") if name in found}
        if tag in LOADED and LOADED[tag] in found:
            self.loaded.append(found[LOADED[tag]])
        elif tag == "link" and found.get("rel") != "canonical":
            self.loaded.append(found.get("href", ""))
        elif tag == "a" and "href" in found:
            self.led.append(found["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(
        words,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "WARNING" not in done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Links]:
    found = {}
    for path in site.rglob("*.html"):
        found[path] = Links()
        found[path].feed(path.read_text(encoding="utf-8"))
    return found


def test_every_link_leads_to_something(site: Path, pages: dict[Path, Links]) -> None:
    for page, links in pages.items():
        if page.name == "404.html":  # served under any address
            continue
        for link in (*links.loaded, *links.led):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            assert not link.startswith("/"), f"{page}: {link} opens from a server only"
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert target.is_file(), f"{page}: {link} leads nowhere"
            if parts.fragment and target.suffix == ".html":
                assert unquote(parts.fragment) in pages[target].places, f"{page}: {link}"


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[Path, Links]) -> None:
    for page, links in pages.items():
        assert [x for x in links.loaded if urlsplit(x).netloc] == [], page
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", text), sheet


def test_the_search_needs_no_server(site: Path) -> None:
    index = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    assert "diagram" in index


def test_the_reference_is_there(site: Path) -> None:
    reference = site / "reference"
    content = (reference / "command_line.html").read_text(encoding="utf-8")
    assert 'id="bddsudoku-count"' in content
    assert 'id="bddsudoku-cover-count"' in content
    content = (reference / "python" / "bddsudoku.html").read_text(encoding="utf-8")
    assert 'id="bddsudoku.Puzzle.parse"' in content


def test_japanese_pages_say_so(pages: dict[Path, Links]) -> None:
    for path in pages:
        language = re.search(r'<html lang="(\w+)"', path.read_text(encoding="utf-8"))
        assert language is not None
        assert (language[1] == "ja") == path.name.endswith(".ja.html")
