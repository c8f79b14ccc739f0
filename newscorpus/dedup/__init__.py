"""Near-duplicates: shingles, signatures, index, clusters."""
