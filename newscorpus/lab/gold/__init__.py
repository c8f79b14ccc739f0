"""Read pages with gold text, align the gold to their blocks, and know what is peculiar to each set."""
