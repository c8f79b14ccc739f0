"""Scrapy item pipelines, in the order a page passes them: extract, filter, deduplicate, store."""
