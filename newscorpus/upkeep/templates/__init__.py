"""Learn the template of a portal from its archived pages, and heal it after a redesign."""
