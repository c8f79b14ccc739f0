"""Judge the blocks of a page with what the other pages of its portal say."""
