"""Add portals, and check their files against their archives."""
