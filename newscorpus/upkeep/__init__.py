"""Keep portals in order: hold their files against their archives."""
