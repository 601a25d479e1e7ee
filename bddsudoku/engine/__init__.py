"""Model → answer. Engines know no puzzle."""
