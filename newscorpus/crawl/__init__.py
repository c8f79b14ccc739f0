"""What a crawl remembers. Knows nothing of Scrapy."""
