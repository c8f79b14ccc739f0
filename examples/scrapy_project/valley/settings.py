"""Settings of the project; they override those that the add-on sets."""

BOT_NAME = "valley"
SPIDER_MODULES = ["valley.spiders"]
COMMANDS_MODULE = "newscorpus.fetch.crawl"  # `scrapy crawl` with an exit code, and errors in one line

ADDONS = {"newscorpus.fetch.NewscorpusAddon": 100}

NEWSCORPUS_CORPUS = "corpora/valley"
NEWSCORPUS_CONTACT = "you@example.org"
