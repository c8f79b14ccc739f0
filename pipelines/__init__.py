"""Scrapy item pipelines, in the order a page passes them: process, store."""
