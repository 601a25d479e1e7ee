"""What is asked: every puzzle makes a Model and decodes a cover; it knows no engine.

The names that people use are found here; each kind of puzzle has a package of its own.
"""

from __future__ import annotations

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
