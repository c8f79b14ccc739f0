"""The element classifier (Kazennikov 2013)."""
