"""Running things: a task in a process of its own, a journal; here, in processes, on a cluster.

A :class:`Task` is a call that may run anywhere, an :class:`Outcome` what came of it. A
:class:`Runner` turns the one into the other; :func:`runner_for` picks one by what the caller has. A
:class:`Journal` keeps what is done. Builds within limits (:func:`run_isolated`), experiments and
clusters are all this one mechanism.
"""

from __future__ import annotations

from bddsudoku.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
