"""What pyproject.toml cannot say: on PyPI the links of README.md lead into the repository."""

import re
import tomllib
from pathlib import Path

from setuptools import setup

FOLDER = Path(__file__).parent
PROJECT = tomllib.loads((FOLDER / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION = re.search(r'__version__ = "(.*)"', (FOLDER / "bddsudoku/__init__.py").read_text())[1]


def absolute(link: re.Match[str]) -> str:
    """The link into the repository, at the tag of this version; pictures as raw files."""
    kind = "raw" if link[1].startswith("!") else "blob"
    return f"{link[1]}({PROJECT['urls']['Repository']}/{kind}/v{VERSION}/{link[2]}"


readme = (FOLDER / "README.md").read_text(encoding="utf-8")
if "urls" in PROJECT:
    readme = re.sub(r"(!?\[[^]]*\])\((?!https?:|#)([^)])", absolute, readme)
setup(long_description=readme, long_description_content_type="text/markdown")
