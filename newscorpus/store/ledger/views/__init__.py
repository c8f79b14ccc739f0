"""Read a ledger while a crawl may be at work."""
