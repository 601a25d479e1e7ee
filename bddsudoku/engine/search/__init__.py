"""Constraint search by branching and propagation, for puzzles with few solutions.

:func:`.model_translation.translate_model` makes flat arrays of a model, and
:class:`.engine.SearchEngine` searches them. It shares no code with dancing links or brute force.
"""
