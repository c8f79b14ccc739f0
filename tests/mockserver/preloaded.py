"""Load what crawls need, in the process from which those of tests are forked; nothing here may start a thread."""

import datasketch
import itemadapter
import scrapy.core.downloader.handlers.http11
import scrapy.core.engine
import scrapy.extensions.corestats
import scrapy.extensions.logstats
import trafilatura
from newscorpus.pipelines import process, store
from newscorpus.spiders import one_page, portal

from newscorpus.config import SignatureParameters
from newscorpus.corpus import build, profiles
from newscorpus.fetch import closing, crawl, scheduler
from newscorpus.page.quality.language import by_langid
from newscorpus.page.signature import sign

by_langid("any text")
sign("any text", SignatureParameters())
