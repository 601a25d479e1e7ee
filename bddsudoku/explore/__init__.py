"""The board in the browser and in the notebook: one component, one protocol, two hosts.

The component (``static/board.js``, ``static/board.css``) talks to a model with ``get``, ``set``,
``on`` and ``save_changes``, as anywidget hands it out: it sets ``ask``, a question, and hears
``answer``, one event after the other. :mod:`.answering` answers; :mod:`.desk` sees that a session
has one question at a time; :mod:`.server` and :mod:`.widget` carry questions and events.
"""
