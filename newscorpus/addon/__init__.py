"""The Scrapy side: what the framework needs to run newscorpus inside a project."""
