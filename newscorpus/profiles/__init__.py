"""Learn from the pages of a portal what one page cannot say, and judge each page with it."""
