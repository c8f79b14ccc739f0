"""Portals: their files, addresses and profiles, as values that are read and written."""
