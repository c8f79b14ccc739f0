"""Scrapy spiders: they find pages and hand them on; they know nothing of text."""
