"""Specs: what the frontier engine is run over. One file a kind of puzzle structure."""
