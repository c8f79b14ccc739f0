"""Run the published systems and the peers by name, each behind the one `Extractor` protocol."""
