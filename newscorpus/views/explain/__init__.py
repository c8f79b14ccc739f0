"""Explain what became of an address or of a page, and why."""
