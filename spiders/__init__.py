"""Crawl with Scrapy: spiders of portals, of WARC files and of one page. What to fetch is planned in `discovery`."""
