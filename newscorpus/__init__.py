"""Crawl news portals and build clean, deduplicated text corpora for language modelling."""

__version__ = "0.1.0"
