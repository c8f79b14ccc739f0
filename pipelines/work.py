"""What the worker processes do. Each function takes values and gives a value; nothing but caches stays behind."""

import os
import signal
import threading
from functools import cache
from multiprocessing import connection, parent_process

from newscorpus.config import LanguageConfig, QualityConfig
from newscorpus.corpus.language import LanguageVerdict, judge_language
from newscorpus.corpus.quality import judge_quality
from newscorpus.data import Article, Page, Rejected
from newscorpus.extraction.extractor import Extractor
from newscorpus.extractors.registry import load
from newscorpus.portals.schema import TemplateSection
from newscorpus.portals.template import TemplateRules


def prepare(extractor: str) -> int:
    """Make a new process ready: it outlives Ctrl-C, which its parent handles, but not its parent. Gives its id.

    Raises:
        ValueError: there is no such extractor, or its model is missing.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _extractor(extractor, "", None)
    return os.getpid()


def extract(page: Page, extractor: str, source: str, template: TemplateSection | None) -> Article | Rejected:
    """The article on `page`, by the named extractor and the portal's template."""
    return _extractor(extractor, source if template else "", template)(page)


def judge(article: Article, languages: tuple[str, ...]) -> LanguageVerdict | Rejected:
    """The language of `article`, if it is one of `languages` and the article is good enough for the corpus."""
    if rejected := judge_quality(article, QualityConfig()):
        return rejected
    verdict = judge_language(article.text, languages, LanguageConfig(), stated=article.fields.language)
    if verdict.ok:
        return verdict
    detail = f"{verdict.language or 'unknown'} ({verdict.score:.2f}), expected {', '.join(languages)}"
    return Rejected("language", "unexpected_language", detail, article.url)


@cache
def _extractor(name: str, source: str, template: TemplateSection | None) -> Extractor:
    return load(name, template=TemplateRules(source, template) if template else None)


def _end_with_parent() -> None:
    """Wait for the death of the parent, which may be sudden, and follow it."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
