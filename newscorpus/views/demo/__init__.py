"""Crawl a small portal that is served on this machine, and compare the corpus with its gold."""
