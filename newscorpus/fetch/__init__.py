"""Run newscorpus inside a Scrapy project: the add-on, the scheduler, middlewares and extensions."""

from newscorpus.fetch.plugin import NewscorpusAddon, SpiderHints

__all__ = ["NewscorpusAddon", "SpiderHints"]
