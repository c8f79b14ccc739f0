import pytest

from newscorpus.data import Rejected, Rights
from newscorpus.page.rights import RightsPolicy, judge_rights

URL = "https://vesti.example/1"


@pytest.mark.parametrize(
    ("rights", "said"),
    [
        (Rights(tdm="1"), "tdm-reservation=1"),
        (Rights(robots="noai, noimageai", noai="noai, noimageai"), "robots=noai"),
        (Rights(content_usage="search=y, train-ai=n"), "content-usage: train-ai=n"),
        (Rights(content_usage="TDM=?0"), "content-usage: tdm=?0"),
        (Rights(content_usage="train-ai=n;exceptions=1"), "content-usage: train-ai=n;exceptions=1"),
        (Rights(tdm=" 1 ", content_usage="ai=n"), "tdm-reservation=1, content-usage: ai=n"),
    ],
)
def test_what_a_site_reserves_is_skipped_where_that_is_the_policy(rights: Rights, said: str) -> None:
    assert judge_rights(rights, RightsPolicy.SKIP, URL) == Rejected("rights", "reserved", said, URL)
    assert judge_rights(rights, RightsPolicy.RECORD, URL) is None


@pytest.mark.parametrize(
    "rights",
    [
        Rights(),
        Rights(tdm="0", tdm_policy="https://vesti.example/tdm.json"),
        Rights(robots="noindex, noarchive"),
        Rights(noai="noimageai"),
        Rights(content_usage="train-ai=y, search=n"),
        Rights(content_usage="train-ai"),
        Rights(content_usage=",=n,;"),
    ],
)
def test_what_is_not_reserved_stays(rights: Rights) -> None:
    assert judge_rights(rights, RightsPolicy.SKIP, URL) is None
