"""Say what becomes of one page: `process_page`, called by the crawl and by all that reads stored pages."""

from newscorpus.recipe.page import JudgedPage, SourcePage, page_of_portal, template_of
from newscorpus.recipe.process import (
    extract_article,
    judge_page,
    lost_page,
    make_row,
    process_page,
    see_page,
    tally_rules,
)
from newscorpus.recipe.recipe import REVIEWED, Recipe, add_profile, extractor_of, prepare

__all__ = [
    "REVIEWED",
    "JudgedPage",
    "Recipe",
    "SourcePage",
    "add_profile",
    "extract_article",
    "extractor_of",
    "judge_page",
    "lost_page",
    "make_row",
    "page_of_portal",
    "prepare",
    "process_page",
    "see_page",
    "tally_rules",
    "template_of",
]
