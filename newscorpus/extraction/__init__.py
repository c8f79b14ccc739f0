"""From a fetched page to its text: decode, parse, segment, classify, repair, assemble."""
