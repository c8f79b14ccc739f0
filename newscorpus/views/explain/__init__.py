"""Explain the outcome of an address or a page."""
