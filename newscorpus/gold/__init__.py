"""Read pages with gold text, align the gold to their blocks, and know the conventions of each set."""
