"""From bytes to blocks: decode, parse, segment."""
