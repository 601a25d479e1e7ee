"""Sources of the site: its files, and the contrast of text, WCAG 2 AA, 4.5 : 1."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

material = pytest.importorskip("material", reason="the site needs the extra: bddsudoku[docs]")
handlers = pytest.importorskip("mkdocstrings_handlers.python", reason="see above")

DOCS = Path(__file__).parents[2] / "docs"
THEME = sorted((Path(material.__file__).parent / "templates/assets/stylesheets").glob("*.css"))
SYMBOLS = Path(handlers.__file__).parent / "templates/material/style.css"
SHEETS = [path.read_text(encoding="utf-8") for path in (*THEME, SYMBOLS, DOCS / "style.css")]
(PRIMARY,) = set(re.findall(r"primary: (\w+)", (DOCS.parent / "mkdocs.yml").read_text("utf-8")))
HERE = {"color-primary": PRIMARY, "color-accent": "indigo"}
"""What mkdocs.yml sets, and the theme where it does not."""

Colour = tuple[float, float, float, float]


def rules(sheets: list[str]) -> Iterator[tuple[str, str]]:
    """(selector, declarations)"""
    for sheet in sheets:
        plain = re.sub(r"/\*.*?\*/", "", sheet, flags=re.S)
        for selectors, body in re.findall(r"([^{}]*)\{([^{}]*)\}", plain):
            for selector in selectors.split(","):
                yield selector.strip(), body


def variables(scheme: str) -> dict[str, str]:
    """The custom properties of the page under a colour scheme, those of closer selectors last."""
    media = HERE | {"color-scheme": scheme}
    found: list[tuple[int, dict[str, str]]] = []
    for selector, body in rules(SHEETS):
        words = re.findall(r'\[data-md-([\w-]+)="?([\w-]+)"?\]', selector)
        rest = re.sub(r"\[[^\]]*\]", "", selector)
        if rest in ("", ":root") and all(media.get(name) == value for name, value in words):
            found.append((len(words), dict(re.findall(r"(--[\w-]+):\s*([^;]+)", body))))
    out: dict[str, str] = {}
    for _, properties in sorted(found, key=lambda pair: pair[0]):
        out |= properties
    return out


def colour(value: str, known: dict[str, str]) -> Colour:
    """Red, green, blue and opacity, 0 to 1."""
    while match := re.search(r"var\((--[\w-]+)\)", value):
        value = value.replace(match[0], known[match[1]])
    value = value.strip()
    if value.startswith("hsla("):
        hue, saturation, light, opacity = re.findall(r"[\d.]+", value)
        rgb = colorsys.hls_to_rgb(float(hue) / 360, float(light) / 100, float(saturation) / 100)
        return (*rgb, float(opacity))
    digits = value.removeprefix("#")
    if len(digits) < 6:
        digits = "".join(2 * digit for digit in digits)
    red, green, blue, opacity = bytes.fromhex(digits.ljust(8, "f"))
    return red / 255, green / 255, blue / 255, opacity / 255


def over(front: Colour, back: Colour) -> Colour:
    """Blend a translucent colour over an opaque one."""
    alpha = front[3]
    red, green, blue = (alpha * f + (1 - alpha) * b for f, b in zip(front[:3], back, strict=False))
    return red, green, blue, 1.0


def contrast(one: Colour, other: Colour) -> float:
    """WCAG 2's ratio of two opaque colours."""

    def luminance(seen: Colour) -> float:
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in seen[:3]]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def grounds(text: str) -> tuple[str, ...]:
    """Names of the background colours of a text colour."""
    if text.startswith("--doc-symbol"):
        return (text.replace("-fg-", "-bg-"),)
    if text.startswith("--md-primary"):
        return ("--md-primary-fg-color",)
    if text.startswith("--md-footer"):
        return ("--md-footer-bg-color", "--md-footer-bg-color--dark")
    if text.startswith("--md-code"):
        return ("--md-code-bg-color",)
    if text.startswith(("--md-typeset-a", "--md-accent-fg")):
        return ("--md-default-bg-color", "--md-code-bg-color")
    return ("--md-default-bg-color",)


TEXTS = sorted(
    {
        name
        for selector, body in rules(SHEETS)
        for name in re.findall(r"(?:^|[;\s])color:\s*var\((--[\w-]+)\)", body)
        if re.match(
            r"--(md-(default-fg|typeset|accent-fg|code|primary-bg|footer-fg)|doc-symbol)", name
        )
        and not name.endswith("lightest")  # of buttons, which have another one under the pointer
    }
)


@pytest.mark.parametrize("scheme", ["default", "slate"])
@pytest.mark.parametrize("text", TEXTS)
def test_text_stands_out(text: str, scheme: str) -> None:
    known = variables(scheme)
    page = colour("var(--md-default-bg-color)", known)
    for ground in grounds(text):
        back = page
        if ground == "--md-footer-bg-color--dark":  # a strip of the footer
            back = over(colour("var(--md-footer-bg-color)", known), back)
        back = over(colour(f"var({ground})", known), back)
        ratio = contrast(over(colour(f"var({text})", known), back), back)
        assert ratio >= 4.5, f"{text} on {ground}: {ratio:.2f} : 1"


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
