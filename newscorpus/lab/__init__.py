"""Evaluate, train, and run the published systems. No crawl imports this but for an extractor that it names."""
