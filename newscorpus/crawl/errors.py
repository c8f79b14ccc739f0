"""What a person did wrong when starting a crawl."""


class CrawlError(ValueError):
    """A crawl cannot start; the message says in one line which setting or argument is wrong and what would be right."""
