"""Keep the corpus on disk: records, quality filters, shards, manifest, exports."""
