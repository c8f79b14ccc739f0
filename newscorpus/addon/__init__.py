"""The Scrapy side: what the framework needs to run newscorpus inside a project."""

from newscorpus.addon.plugin import NewscorpusAddon

__all__ = ["NewscorpusAddon"]
