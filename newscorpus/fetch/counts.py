"""Names of the counts of newscorpus in the Scrapy stats."""

PAGES = "newscorpus/pages"
"""Article pages that the spider yielded."""

KEPT = "newscorpus/kept"
KEPT_IN_ALL = "newscorpus/kept_in_all"
"""Articles in the intake of the corpus, earlier runs included."""

WORDS = "newscorpus/words"

JUDGED_AGAIN = "newscorpus/judged_again"
"""Pages that were judged again at the end, with what the other pages of their portal say."""

IN_MEMORY = "newscorpus/kept_in_memory"
"""Requests that the ledger cannot store, since JSON cannot hold them."""

REMOVED = "newscorpus/removed"
"""Requests not sent, since their document was removed from the corpus."""

ARCHIVED = "newscorpus/archived_bytes"

REVISITED = "newscorpus/revisit/queued"
"""Finished addresses that are fetched again."""
UNCHANGED = "newscorpus/revisit/unchanged"
"""Answers that showed that nothing had changed."""

WRONG_GUESSES = "newscorpus/discover/wrong_guesses"
"""Usual addresses of feeds, sitemaps and missing pages that led nowhere."""

LEFT = "newscorpus/left_queued"
"""Addresses that are still to be asked for, though no bound of the user's own ended the crawl."""

FAILED = "newscorpus/failed"
"""Why the crawl as a whole failed, as text; not there where it did not."""


def rejected(stage: str, reason: str) -> str:
    """The count of the rejections of one stage for one reason."""
    return f"newscorpus/rejected/{stage}/{reason}"


def template_rule(name: str) -> str:
    """The count of the pages on which a rule of a template, PORTAL/FIELD/RULE, found something."""
    return f"newscorpus/template/{name}"


def politeness(site: str, what: str) -> str:
    """What was noted of the crawl's behaviour towards one site."""
    return f"newscorpus/politeness/{site}/{what}"


def own_access(site: str, what: str) -> str:
    """What was noted of the user's own cookies and headers: their names, and the requests that carried them."""
    return f"newscorpus/own_access/{site}/{what}"


def rendering(site: str, what: str) -> str:
    """The count of the pages of one site that scripts filled, or of the requests and refusals that it took."""
    return f"newscorpus/rendered/{site}/{what}"
