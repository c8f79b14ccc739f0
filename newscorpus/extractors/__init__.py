"""The extractors by name: the published systems and the peers, behind one protocol."""
