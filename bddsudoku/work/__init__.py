"""Running tasks locally, in processes or on a cluster, and keeping their results in a journal.

A :class:`Task` is a function call that may run anywhere, an :class:`Outcome` its result or error. A
:class:`Runner` runs tasks; :func:`open_runner` chooses one by the caller's arguments. A
:class:`Journal` stores results. Builds within limits (:func:`run_isolated`), experiments and
clusters all use this mechanism.
"""

from __future__ import annotations

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
