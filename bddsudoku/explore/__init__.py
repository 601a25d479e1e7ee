"""The live board in the browser and in notebooks: a JavaScript component, which Python answers.

The component (``static/board.js``, ``static/board.css``) uses a model with ``get``, ``set``, ``on``
and ``save_changes``, as anywidget provides it: it sets ``ask``, a question, and listens to
``answer``, one event after the other. :mod:`.board_questions` answers; :mod:`.session` ensures that
there is one question at a time; :mod:`.server` and :mod:`.widget` transport questions and events.
"""

from __future__ import annotations

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
