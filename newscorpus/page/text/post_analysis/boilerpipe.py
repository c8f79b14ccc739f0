"""Revise labels by Boilerpipe's filters (Kohlschütter et al. 2010), as Brezovnik (2021, Ljubljana) chose them."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain

from newscorpus.config import PostAnalysisConfig
from newscorpus.data import Block, Label, LabelledBlock
from newscorpus.page.text.post_analysis.headline import Labelled, is_heading, is_headline, possible_headlines, relabel
from newscorpus.resources import read_toml
from newscorpus.tokens import count_words, fold, words

PHRASES: Mapping[str, Sequence[str]] = read_toml(__package__, "phrases.toml")
"""Phrases that stand where an article has ended, by language."""


def opens_with_phrase(text: str, more: tuple[str, ...] = ()) -> bool:
    """Whether `text` begins with a phrase of several words, or has nothing else before a colon than a phrase.

    Case, accents and numbers do not count: "12 Comments" and "ΣΧΟΛΙΑ (3)" are phrases. So are `more`.
    """
    whole, before_colon = _key(text), _key(text.partition(":")[0])
    keys, longest = _keys(more)
    return before_colon in keys or any(whole[:length] in keys for length in range(2, longest + 1))


def _key(text: str) -> tuple[str, ...]:
    # Upper case has lost the difference between the Turkish ı and i.
    return tuple(word for word in words(fold(text).replace("ı", "i")) if not word.isdigit())


@cache
def _keys(more: tuple[str, ...]) -> tuple[frozenset[tuple[str, ...]], int]:
    """The phrases as their words, and the number of words of the longest."""
    keys = frozenset(map(_key, chain(more, *PHRASES.values()))) - {()}
    return keys, max(map(len, keys))


def terminating_phrases(labelled: Labelled, _title: str, config: PostAnalysisConfig) -> Labelled:
    """A short block that begins with "read also", "comments" or the like is bad (TerminatingBlocksFinder)."""
    ends = {at for at, item in enumerate(labelled) if _ends_article(item.block, config)}
    return relabel(labelled, ends, Label.BAD)


def ignore_after_content(labelled: Labelled, _title: str, config: PostAnalysisConfig) -> Labelled:
    """All is bad from the terminating block on that has 60 words of running text before it.

    Boilerpipe's IgnoreBlocksAfterContentFilter counts the words of good blocks of nine tokens a line or more; here
    those of good blocks of nine words or more count.
    """
    words_so_far = 0
    for at, item in enumerate(labelled):
        if words_so_far >= config.min_words_before_end and _ends_article(item.block, config):
            return relabel(labelled, range(at, len(labelled)), Label.BAD)
        n_words = count_words(item.block.text) if item.label is Label.GOOD else 0
        words_so_far += n_words if n_words >= config.min_running_words else 0
    return labelled


def heading_to_content(labelled: Labelled, title: str, _config: PostAnalysisConfig) -> Labelled:
    """Headings directly before a good block are good, the headline excepted (Brezovnik 2021)."""
    headlines = possible_headlines(title)
    joined = set()
    is_before_good = False
    for at, item in reversed(list(enumerate(labelled))):
        if is_before_good and is_heading(item.block) and not is_headline(item.block, headlines):
            joined.add(at)
        is_before_good = item.label is Label.GOOD or at in joined
    return relabel(labelled, joined, Label.GOOD)


def trailing_headlines(labelled: Labelled, _title: str, _config: PostAnalysisConfig) -> Labelled:
    """Good headings below all other good blocks are bad (TrailingHeadlineToBoilerplateFilter)."""
    content = [at for at, item in enumerate(labelled) if item.label is Label.GOOD and not is_heading(item.block)]
    end = content[-1] if content else -1
    trailing = {at for at, item in enumerate(labelled) if at > end and item.label is Label.GOOD}
    return relabel(labelled, trailing, Label.BAD)


def expand_title_to_content(labelled: Labelled, title: str, config: PostAnalysisConfig) -> Labelled:
    """Between the headline and the first good block, what might be content is good (ExpandTitleToContentFilter)."""
    headlines = possible_headlines(title)
    begin = next((at for at, item in enumerate(labelled) if item.label is Label.GOOD), 0)
    found = [at for at, item in enumerate(labelled[: begin + 1]) if is_headline(item.block, headlines)]
    if not found:
        return labelled
    lead = {at for at in range(found[-1] + 1, begin) if _might_be_content(labelled[at], config)}
    return relabel(labelled, lead, Label.GOOD)


def _ends_article(block: Block, config: PostAnalysisConfig) -> bool:
    return count_words(block.text) <= config.max_phrase_words and opens_with_phrase(block.text, config.end_phrases)


def _might_be_content(item: LabelledBlock, config: PostAnalysisConfig) -> bool:
    """Almost good, or running text: Boilerpipe asks for blocks that a former step held to be content."""
    n_words = count_words(item.block.text)
    is_running = n_words >= config.min_running_words
    return item.label is Label.ALMOST or (
        is_running and count_words(item.block.link_text) <= config.max_link_share * n_words
    )
