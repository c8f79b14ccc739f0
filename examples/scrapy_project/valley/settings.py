"""Settings of the project. The add-on brings the rest; what stands here goes before what it brings."""

BOT_NAME = "valley"
SPIDER_MODULES = ["valley.spiders"]
COMMANDS_MODULE = "newscorpus.addon.crawl"  # `scrapy crawl` with an exit code, and errors in one line

ADDONS = {"newscorpus.addon.NewscorpusAddon": 100}

NEWSCORPUS_CORPUS = "corpora/valley"
NEWSCORPUS_CONTACT = "you@example.org"
