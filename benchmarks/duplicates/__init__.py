"""Duplicates: what is found, how fast, in how much memory."""
