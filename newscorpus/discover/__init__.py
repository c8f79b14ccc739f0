"""Decide which addresses of a site to fetch: feeds, sitemaps, limits, periods, revisits. Does not import Scrapy."""
