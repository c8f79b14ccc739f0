"""Count what is in a corpus, and show the counts."""
