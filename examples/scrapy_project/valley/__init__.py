"""A Scrapy project of your own, with newscorpus as an add-on."""
