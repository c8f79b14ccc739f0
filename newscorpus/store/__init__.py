"""The data of a crawl: ledger, archive, intake, and pages read back from them. Without Scrapy."""
