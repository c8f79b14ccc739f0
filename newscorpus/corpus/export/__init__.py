"""A published corpus in the forms that other programs read; one module a format, named in `registry`."""
