"""Scores of extracted text against gold text, side-by-side tables, the quality gate."""
