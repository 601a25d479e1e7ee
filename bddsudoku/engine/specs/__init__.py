"""Specs of the frontier engine: for any model, and up to value symmetry for counts."""
