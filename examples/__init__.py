"""Show what to do with a corpus, and how to crawl from a project of your own."""
