"""The answer as a set. Knows no engine and no puzzle."""
