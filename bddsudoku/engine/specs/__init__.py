"""Specs for the frontier engine: of any model, and of sorted states for counting."""
