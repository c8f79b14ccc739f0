"""From pages to a language model: what clean text is worth."""
