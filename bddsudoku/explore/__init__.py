"""The board in the browser and in the notebook: one component, one protocol, two hosts.

The component (``static/board.js``, ``static/board.css``) talks to a model with ``get``, ``set``,
``on`` and ``save_changes``, as anywidget hands it out: it sets ``ask``, a question, and hears
``answer``, one event after the other. :mod:`.answering` answers; :mod:`.session` sees that there is
one question at a time; :mod:`.server` and :mod:`.widget` carry questions and events.
"""

from __future__ import annotations

from bddsudoku.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
