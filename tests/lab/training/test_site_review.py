"""What the review of a page by its site learns from, and that it learns it."""

import numpy as np
import pytest

from newscorpus.lab.gold.pages import GoldPage
from newscorpus.lab.training.boosting import make_example
from newscorpus.lab.training.site_review import learn_review, measure_sites, out_of_fold_f1, site_of, site_pages

STORY = "The council of {0} met on Tuesday, and {0} decided after a debate that the old bridge of {0} stays open."
OFFER = "Become a member today and read all our stories, letters and pictures wherever you are in the whole world."


@pytest.mark.parametrize(
    ("url", "domain", "site"),
    [
        ("https://news.vesti.example.org/1", "", "example.org"),
        ("https://ana.blogspot.com/1", "", "ana.blogspot.com"),
        ("https://ana.typepad.com/1", "", "ana.typepad.com"),
        ("", "typepad.com", ""),
        ("https://web.archive.org/2012/http://vesti.example.org/", "", ""),
        ("", "vesti.example", "vesti.example"),
    ],
)
def test_a_site_is_a_domain_or_the_host_of_a_blog(url: str, domain: str, site: str) -> None:
    assert site_of(GoldPage("1", "set", url, domain)) == site


def test_what_repeats_on_a_site_is_learned_to_be_no_text() -> None:
    examples = []
    for site in "abcdefgh":
        for town in "Arles Berlin Celje Delft Essen Faro".split():
            text = STORY.format(f"{town}{site}")
            html = f"<div class='t{site}'><p>{text}</p><p>{OFFER}</p></div>"
            example = make_example(GoldPage(f"{site}{town}", "set", "", f"{site}.example", html=html, text=text))
            assert example is not None
            examples.append(example)
    pages = site_pages(examples, [np.array([0.8, 0.8])] * len(examples))
    measured = measure_sites(pages)
    assert len(pages) == len(examples)
    assert learn_review(pages, measured).weights[3] < 0  # `is_repeated`
    assert out_of_fold_f1(pages, measured).mean() > np.mean([page.f1(page.probability) for page in pages])
