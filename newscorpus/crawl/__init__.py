"""Remember what a crawl asked for and got: ledger, archive, robots.txt, politeness. Knows nothing of Scrapy."""
