"""Settings of a crawl: ours, and safe and polite values of Scrapy's. All can be set with `-s NAME=VALUE`.

The portal spider adds those that depend on the portals: user agent, delays, and the default corpus folder.
"""

import os

from scrapy.settings import default_settings

from newscorpus import model_folders
from newscorpus.config import Limits, PolitenessConfig
from newscorpus.page import registry

# ---- newscorpus -----------------------------------------------------------------------------------------------------

NEWSCORPUS_CORPUS = ""
"""Folder of the corpus; by default `corpora/NAME`, with the argument `portal` as NAME."""
NEWSCORPUS_CONTACT = ""
"""Your mail address or URL for the user agent; required for crawls beyond this machine."""
NEWSCORPUS_EXTRACTOR = registry.DEFAULT
"""Name of the extractor, or folder of your own model."""
NEWSCORPUS_POST_ANALYSIS = None
"""Rules that revise the labels of blocks, such as ["start", "neighbours"] or "mrozek"; docs/post-analysis.md."""
NEWSCORPUS_UPPER = None
"""Score above which a block is good; None: the extractor's own."""
NEWSCORPUS_LOWER = None
"""Score above which a block is almost good; None: the extractor's own."""
NEWSCORPUS_SECOND_OPINION = "on"
"""Second opinion of trafilatura if the default extractor is unsure, "on" or "off"; docs/main-text.md."""
NEWSCORPUS_PROFILE = "on"
"""Whether profiles of portals are learned and used, "on" or "off"; docs/portals.md."""
NEWSCORPUS_LEAVE_OUT = ()
"""Parts of articles to leave out of all texts, in addition to `leave_out` of portal files; docs/main-text.md."""
NEWSCORPUS_FIELDS_MODEL = model_folders.FIELDS_MODEL
"""Model for title, date and authors, or folder of your own."""
NEWSCORPUS_WORKERS = os.cpu_count() or 1
"""Worker processes for pages; by default one per core, since the crawl mostly waits. 0: it judges them itself."""
NEWSCORPUS_PAGE_SECONDS = Limits().page_seconds
"""CPU time per page or list; a process that takes more is killed (`extract/timeout`)."""
NEWSCORPUS_PAUSE_SECONDS = PolitenessConfig().first_pause_seconds
"""First pause after a refusal (403, 429, 5xx, no response), doubled after each further one."""
NEWSCORPUS_ARCHIVE = True
"""Whether every response is archived as received; docs/archive.md."""
NEWSCORPUS_ARCHIVE_FILE_BYTES = 1_000_000_000
"""Size of an archive file after which a new one begins; 1 GB is recommended by ISO 28500 (annex A)."""
NEWSCORPUS_QUALITY = ""
"""TOML file of thresholds, disabled filters and masks; docs/quality.md."""
NEWSCORPUS_RIGHTS = "record"
"""`record` reservations of text mining and training, or `skip` documents with one."""
NEWSCORPUS_FRESH = ""
"""Empty: resume; "yes": remove the corpus and start over; other values: ask first."""
NEWSCORPUS_ADOPT = False
"""Whether links and files of others in the corpus folders are used, but never removed, instead of refused."""
NEWSCORPUS_BUILD = True
"""Whether the crawl ends with `newscorpus build`."""
NEWSCORPUS_ON_ALARM = ()
"""Command run at each alarm, as program and arguments; docs/crawling.md."""

# ---- Scrapy: the project --------------------------------------------------------------------------------------------

BOT_NAME = "newscorpus"
SPIDER_MODULES = ["newscorpus.spiders"]
NEWSPIDER_MODULE = "newscorpus.spiders"
COMMANDS_MODULE = "newscorpus.fetch.crawl"
LOG_LEVEL = "INFO"
LOGSTATS_INTERVAL = 0  # ours shows progress by portal
STATS_DUMP = False  # crawl-report.json has them
DEFAULT_DROPITEM_LOG_LEVEL = "DEBUG"
TELNETCONSOLE_ENABLED = False
EXTENSIONS_BASE = {  # the import of Scrapy's remote control takes 0.13 s, even if it is off
    path: place for path, place in default_settings.EXTENSIONS_BASE.items() if ".remote_control." not in path
}

# ---- Scrapy: politeness ---------------------------------------------------------------------------------------------

ROBOTSTXT_OBEY = True
ROBOTSTXT_USER_AGENT = "newscorpus"
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 1.0
DOWNLOAD_DELAY_JITTER = 0.25  # a pause is 1 to 1.5 times the delay, never shorter
AUTOTHROTTLE_ENABLED = False  # it may undercut the delay of the portal file
RETRY_TIMES = 2
RETRY_GIVE_UP_LOG_LEVEL = "DEBUG"  # the report has the count, rejected.jsonl the pages
COOKIES_ENABLED = False  # the corpus holds what any visitor sees
REFERER_ENABLED = True
DEFAULT_REQUEST_HEADERS = {  # no language: the site's own; encodings that every archive reader supports
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Encoding": "gzip, deflate",
}

# ---- Scrapy: bounds -------------------------------------------------------------------------------------------------

DOWNLOAD_TIMEOUT = 60
DNS_TIMEOUT = 20
DOWNLOAD_MAXSIZE = Limits().max_bytes  # before and after decompression
DOWNLOAD_WARNSIZE = 5_000_000
REDIRECT_MAX_TIMES = 8
CONCURRENT_ITEMS = 2 * (os.cpu_count() or 1)  # Scrapy starts so many tasks per page; the workers accept no more
METAREFRESH_ENABLED = False  # front pages use it to reload themselves
URLLENGTH_LIMIT = 0  # the spider limits it, and reports it

# ---- Scrapy: components ---------------------------------------------------------------------------------------------

REQUEST_FINGERPRINTER_CLASS = "newscorpus.fetch.visits.CanonicalFingerprinter"
SCHEDULER = "newscorpus.fetch.scheduler.LedgerScheduler"
DOWNLOAD_HANDLERS = dict.fromkeys(("http", "https"), "newscorpus.fetch.middlewares.download.BoundedDownloadHandler")
DOWNLOADER_MIDDLEWARES = {
    "newscorpus.fetch.middlewares.archive.StoredAnswersMiddleware": 30,  # nothing is sent then
    "newscorpus.fetch.middlewares.guards.PrivateAddressMiddleware": 40,  # before anything is sent, robots.txt too
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "newscorpus.fetch.middlewares.robots.RobotsMiddleware": 100,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "newscorpus.fetch.middlewares.render.RenderMiddleware": 540,  # sees whole pages; its requests pass all of these
    "newscorpus.fetch.middlewares.guards.CarefulRedirectMiddleware": 600,  # before Scrapy's 590 unpacks
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
