"""Turn the intake of a crawl into the published corpus: duplicates and revisions go, survivors are written."""
