"""Train small language models on extracted texts, to measure what clean text is worth."""
