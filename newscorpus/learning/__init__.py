"""Training: pages with gold text, alignment of gold to block labels, model fitting."""
