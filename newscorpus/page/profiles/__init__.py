"""Judge the blocks of a page by a profile learned from other pages of its portal."""
