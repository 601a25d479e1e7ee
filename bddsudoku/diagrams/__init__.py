"""Decision diagrams in flat arrays, and what is done with them: ZDDs, BDDs, decision-DNNFs."""
