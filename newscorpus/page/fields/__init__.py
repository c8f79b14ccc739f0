"""Title, dates, authors and the rest of a page: evidence first, decision after."""
