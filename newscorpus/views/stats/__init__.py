"""Count the contents of a corpus, and show the counts."""
