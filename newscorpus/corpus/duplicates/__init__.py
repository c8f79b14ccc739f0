"""Find the documents that repeat others."""
