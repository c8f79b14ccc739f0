"""Settings of a crawl: Scrapy's own, chosen to be polite and safe, and ours. All can be set with `-s NAME=VALUE`.

The portal spider adds what depends on the portals: the user agent, the delay of each, and the default corpus folder.
"""

import os

from newscorpus.config import Limits, PolitenessConfig
from newscorpus.page import registry
from newscorpus.page.fields import learned

# ---- newscorpus -----------------------------------------------------------------------------------------------------

NEWSCORPUS_CORPUS = ""
"""Folder of the corpus; by default `corpora/` and the argument `portal`."""
NEWSCORPUS_CONTACT = ""
"""Where sites can reach you, mail address or URL; part of the user agent, needed for crawls beyond this machine."""
NEWSCORPUS_EXTRACTOR = registry.DEFAULT
"""Name of the extractor, or folder of a model of your own, as `newscorpus extract` takes it."""
NEWSCORPUS_POST_ANALYSIS = None
"""Rules that revise the labels of blocks, in order, such as ["start", "neighbours"]; docs/post-analysis.md."""
NEWSCORPUS_UPPER = None
"""Score above which a block is good; without it, the extractor's own."""
NEWSCORPUS_LOWER = None
"""Score above which a block is almost good, which some rules ask for; without it, the extractor's own."""
NEWSCORPUS_SECOND_OPINION = "on"
"""Whether trafilatura is asked too where the default extractor is unsure, "on" or "off"; docs/main-text.md."""
NEWSCORPUS_PROFILE = "on"
"""Whether pages are judged with what the other pages of their portal say, "on" or "off"; docs/portals.md."""
NEWSCORPUS_LEAVE_OUT = ()
"""Parts of articles that are left out of all texts, beside what the files of portals name; docs/main-text.md."""
NEWSCORPUS_FIELDS_MODEL = learned.MODEL
"""Model of title, date and authors, or folder of one of your own, as `newscorpus extract` takes it."""
NEWSCORPUS_WORKERS = max(1, (os.cpu_count() or 1) - 1)
"""Processes that read, extract, filter and sign; one core is left to the fetching. 0: the process of the crawl."""
NEWSCORPUS_PAGE_SECONDS = Limits().page_seconds
"""Longest time for one page or list; its process is killed then, and it is counted as `extract/timeout`."""
NEWSCORPUS_PAUSE_SECONDS = PolitenessConfig().first_pause_seconds
"""First pause of a site that refuses (403, 429, 5xx, no answer); doubled each time that it still does."""
NEWSCORPUS_ARCHIVE = True
"""Whether every response is kept, as it came, in `archive/` of the corpus; docs/archive.md."""
NEWSCORPUS_ARCHIVE_FILE_BYTES = 1_000_000_000
"""Size from which on the archive goes on in a new file; the 1 GB that ISO 28500 recommends (annex A)."""
NEWSCORPUS_QUALITY = ""
"""TOML file with the numbers of the filters and with what is masked (docs/quality.md); without it, the defaults."""
NEWSCORPUS_RIGHTS = "record"
"""`record` what a site says of machine use, or `skip` documents whose site reserves text mining or training."""
NEWSCORPUS_FRESH = ""
"""Empty: go on where the last crawl ended; "yes": remove the corpus and begin anew; anything else: ask before that."""
NEWSCORPUS_ADOPT = False
"""Whether links and files of others in the folders of the corpus are used, and never removed, instead of refused."""
NEWSCORPUS_BUILD = True
"""Whether duplicates are removed and shards written when the crawl ends; `newscorpus build CORPUS` does it later."""

# ---- Scrapy: the project --------------------------------------------------------------------------------------------

BOT_NAME = "newscorpus"
SPIDER_MODULES = ["newscorpus.spiders"]
NEWSPIDER_MODULE = "newscorpus.spiders"
COMMANDS_MODULE = "newscorpus.fetch.crawl"
LOG_LEVEL = "INFO"
LOGSTATS_INTERVAL = 0  # ours shows more, portal by portal
STATS_DUMP = False  # they are in crawl-report.json
DEFAULT_DROPITEM_LOG_LEVEL = "DEBUG"
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False

# ---- Scrapy: politeness ---------------------------------------------------------------------------------------------

ROBOTSTXT_OBEY = True
ROBOTSTXT_USER_AGENT = "newscorpus"
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 1.0
DOWNLOAD_DELAY_JITTER = 0.25  # a pause is 1 to 1.5 times the delay, never shorter
AUTOTHROTTLE_ENABLED = False  # it would undercut the delay that the portal file states; ours does not
RETRY_TIMES = 2
RETRY_GIVE_UP_LOG_LEVEL = "DEBUG"  # the end of the crawl has the number, and rejected.jsonl every page
COOKIES_ENABLED = False  # what a site shows to a stranger is what the corpus holds
REFERER_ENABLED = True
DEFAULT_REQUEST_HEADERS = {  # no language: the site's own; encodings that every reader of archives knows
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Encoding": "gzip, deflate",
}

# ---- Scrapy: bounds -------------------------------------------------------------------------------------------------

DOWNLOAD_TIMEOUT = 60
DNS_TIMEOUT = 20
DOWNLOAD_MAXSIZE = Limits().max_bytes  # before and after decompression
DOWNLOAD_WARNSIZE = 5_000_000
REDIRECT_MAX_TIMES = 8
CONCURRENT_ITEMS = 2 * (os.cpu_count() or 1)  # Scrapy starts so many tasks a page; the workers take no more than this
METAREFRESH_ENABLED = False  # front pages reload themselves by it
URLLENGTH_LIMIT = 0  # the spider bounds it, and says so

# ---- Scrapy: components ---------------------------------------------------------------------------------------------

REQUEST_FINGERPRINTER_CLASS = "newscorpus.fetch.stored.CanonicalFingerprinter"
SCHEDULER = "newscorpus.fetch.scheduler.LedgerScheduler"
DOWNLOAD_HANDLERS = dict.fromkeys(("http", "https"), "newscorpus.fetch.middlewares.download.BoundedDownloadHandler")
DOWNLOADER_MIDDLEWARES = {
    "newscorpus.fetch.middlewares.archive.StoredAnswersMiddleware": 30,  # nothing is sent then
    "newscorpus.fetch.middlewares.guards.PrivateAddressMiddleware": 40,  # before anything is sent, robots.txt too
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "newscorpus.fetch.middlewares.robots.RobotsMiddleware": 100,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "newscorpus.fetch.middlewares.render.RenderMiddleware": 540,  # sees whole pages; its requests pass all of these
    "newscorpus.fetch.middlewares.guards.EncodingsMiddleware": 595,  # before Scrapy's 590 unpacks
    "newscorpus.fetch.middlewares.guards.CarefulRedirectMiddleware": 600,
    # Nearest the network: retries and redirects pass it again.
    "newscorpus.fetch.middlewares.politeness.PolitenessMiddleware": 845,
    "newscorpus.fetch.middlewares.archive.ArchiveMiddleware": 960,  # sees bodies and redirects as they came
}
SPIDER_MIDDLEWARES = {
    "newscorpus.fetch.scheduler.VisitMiddleware": 950,  # beside the spider
    "newscorpus.fetch.middlewares.archive.ArchiveMiddleware": 50,  # sees what all others let through
}
EXTENSIONS = {
    "newscorpus.fetch.workers.PageWorkers": 100,
    "newscorpus.fetch.middlewares.archive.Archive": 150,
    "newscorpus.fetch.progress.ProgressExtension": 190,
    "newscorpus.fetch.closing.CorpusExtension": 200,
}
ITEM_PIPELINES = {
    "newscorpus.pipelines.process.ProcessPipeline": 100,
    "newscorpus.pipelines.store.StorePipeline": 400,
}
