"""Export a published corpus in the forms that other programs read; one module a format, listed in `export`."""
