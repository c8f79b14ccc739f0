"""Run newscorpus inside a Scrapy project: the add-on, the scheduler, middlewares and extensions."""

# It walks the stack, over all modules, which costs 0.2 s more of CPU when many are loaded.
import scrapy.core.downloader.handlers.http11  # noqa: F401 -- loaded before our modules

from newscorpus.fetch.plugin import NewscorpusAddon, SpiderHints

__all__ = ["NewscorpusAddon", "SpiderHints"]
