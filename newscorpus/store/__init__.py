"""Remember a crawl: ledger, archive, intake, and pages read back from these. Knows nothing of Scrapy."""
