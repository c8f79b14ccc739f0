"""Run newscorpus inside a Scrapy project: the add-on, the scheduler, middlewares and extensions."""

from newscorpus.addon.plugin import NewscorpusAddon, SpiderHints

__all__ = ["NewscorpusAddon", "SpiderHints"]
