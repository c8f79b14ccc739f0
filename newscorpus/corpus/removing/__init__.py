"""Take documents out of a corpus for good, from every file that holds them."""
