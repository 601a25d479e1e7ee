"""A real Chromium, headless, asked about a page without any driver between."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")

# Runs after everything is there and writes what it saw into the page, which --dump-dom prints.
PROBE = """
<script>
addEventListener("load", () => {
  document.querySelectorAll("details").forEach(d => { d.open = true; });
  const focusable = [...document.querySelectorAll("a[href], summary, [tabindex='0']")];
  const named = e => (e.textContent.trim() || e.getAttribute("aria-label") || "") !== "";
  const wide = [...document.querySelectorAll("body *")].filter(e =>
    !e.closest(".scroll") && !e.closest(".skip")
    && e.getBoundingClientRect().right > innerWidth + 1);
  const seen = {
    width: innerWidth,
    overflow: document.documentElement.scrollWidth - innerWidth,
    wide: wide.map(e => e.tagName),
    focusable: focusable.length,
    unnamed: focusable.filter(e => !named(e)).length,
    unreachable: focusable.filter(e => { e.focus(); return document.activeElement !== e; }).length,
    images: [...document.images].map(i => i.complete && i.naturalWidth > 0),
    requests: performance.getEntriesByType("resource")
      .map(e => e.name).filter(n => !n.startsWith("data:")),
  };
  const out = document.createElement("pre");
  out.id = "seen";
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
});
</script>
"""


def find() -> str | None:
    """The browser's program; the variable ``BDDSUDOKU_BROWSER`` names another one."""
    named = os.environ.get("BDDSUDOKU_BROWSER")
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


def run(program: str, url: str, *options: str, timeout: float = 120) -> tuple[str, str]:
    """Open an address and do what the options say: standard output and the log."""
    done = subprocess.run(
        [
            program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            "--disable-dev-shm-usage", "--no-first-run", "--enable-logging=stderr", *options, url,
        ],
        capture_output=True, text=True, timeout=timeout, check=True,
    )  # fmt: skip
    return done.stdout, done.stderr


def look(program: str, page: Path, folder: Path, width: int) -> tuple[dict[str, Any], list[str]]:
    """What a script inside the page sees, and what was written to the console.

    Args:
        program: the browser.
        page: an HTML file.
        folder: for the copy with the script in it and the browser's own files.
        width: of the window in CSS pixels. Windows narrower than 500 exist only inside a frame.
    """
    probed = folder / "probed.html"
    probed.write_text(
        page.read_text(encoding="utf-8").replace("</body>", PROBE + "</body>"), encoding="utf-8"
    )
    return dumped(program, probed, folder, f"--window-size={width},900")


def dumped(
    program: str, page: Path, folder: Path, *options: str
) -> tuple[dict[str, Any], list[str]]:
    """What the script wrote into a page (its element ``seen``), and the console's lines."""
    out, log = run(
        program,
        page.as_uri(),
        f"--user-data-dir={folder / 'profile'}",
        "--virtual-time-budget=5000",
        "--dump-dom",
        *options,
    )
    found = re.search(r'<pre id="seen">(.*?)</pre>', out, re.DOTALL)
    assert found, log[-2000:]
    return json.loads(unescape(found[1])), [x for x in log.splitlines() if "CONSOLE" in x]
