"""The demo portal: a small news site that is served on loopback and crawled."""
