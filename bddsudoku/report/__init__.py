"""The answer to look at: tables, plots, pages."""
