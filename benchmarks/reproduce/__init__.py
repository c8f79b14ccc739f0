"""The published systems once more: one module a system, each with `reproduce(data)` that makes its tables."""
