"""Title, dates, authors and the rest of a page: evidence first, decision after."""

from newscorpus.page.fields.reading import FieldReading, read_fields

__all__ = ["FieldReading", "read_fields"]
