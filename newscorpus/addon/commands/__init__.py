"""Scrapy commands of ours."""
