"""Turn the intake into the published corpus: duplicates, shards, manifest, releases, removal, exports."""
