from scrapy.settings import default_settings
from scrapy.utils.misc import load_object

import newscorpus.settings


def names() -> list[str]:
    return [name for name in vars(newscorpus.settings) if name.isupper()]


def test_every_setting_is_ours_or_scrapys() -> None:
    known = vars(default_settings)
    assert [name for name in names() if name not in known and not name.startswith("NEWSCORPUS_")] == []


def test_components_can_be_loaded() -> None:
    for setting in ("DOWNLOADER_MIDDLEWARES", "EXTENSIONS", "ITEM_PIPELINES"):
        for path in getattr(newscorpus.settings, setting):
            assert load_object(path)
    assert load_object(newscorpus.settings.REQUEST_FINGERPRINTER_CLASS)


def test_polite_by_default() -> None:
    assert newscorpus.settings.ROBOTSTXT_OBEY
    assert newscorpus.settings.CONCURRENT_REQUESTS_PER_DOMAIN == 1
    assert newscorpus.settings.DOWNLOAD_DELAY >= 1
