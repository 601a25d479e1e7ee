"""Decision diagrams in flat arrays and the operations on them: ZDDs, BDDs, decision-DNNFs."""
