"""Constraint search by branching and propagation, for puzzles with few solutions.

:func:`.model_translation.translate_model` makes flat arrays of a model, and
:class:`.engine.SearchEngine` searches them. With dancing links and brute force it shares no
more than the frame of a search (:mod:`bddsudoku.engine.kernel_search`).
"""
