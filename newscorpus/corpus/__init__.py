"""The corpus on disk: quality filters, records, shards and their manifest."""
